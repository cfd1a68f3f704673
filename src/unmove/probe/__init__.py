"""Probing tables: a position's value, its moves ranked, the line of best play.

Read `tablebase.py` first: it answers for boards. `answer.py` is what it answers with.
`table_cache.py` keeps the open tables, `plane_cache.py` their decoded planes, `begun.py` decodes
them as far as they are asked for. `one_ply.py` searches for what a file does not have, and
`quick_moves.py` ranks all moves of a board. `positions.py` maps squares to planes and cells.
`bulk.py` probes many positions at once, plane by plane as `many.py` sorts them. `batches.py`
yields whole tables. `outcomes.py` is the seam for files that have outcomes alone.
"""
