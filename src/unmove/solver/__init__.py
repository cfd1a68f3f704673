"""Working endgames out: the loop of retrograde analysis, and the order of work around it.

Read `loop.py` first, then `border.py` (what conversions bring; `captures.py` and `conversions.py`
are its two kinds), `draft.py` (a table half solved), `history.py` (the log it comes from),
`crew.py` (threads) and `build.py` (many tables, one after the other, into a folder).

May import: store, kernels, planes, games, material, values, errors.
"""
