"""Asking tables: a position's value, its moves ranked, the line of best play.

Read `tablebase.py` first: it answers for boards. `table_cache.py` keeps the open tables,
`plane_cache.py` their decoded planes, `positions.py` goes from squares to planes and cells.
`bulk.py` answers for many positions at once, `batches.py` gives out whole tables.
"""
