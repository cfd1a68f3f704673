"""Questions about whole tables: finding positions, mutual zugzwangs, the only move.

`scan.py` walks a table, `query.py` reads what is asked, `find.py` puts both together, `zugzwang.py`
counts and lists mutual zugzwangs, `choices.py` counts what a position's moves keep, `records.py`
writes positions down. May import everything below the commands. Read `scan.py` first.
"""
