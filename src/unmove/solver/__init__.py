"""Working endgames out: the loop of retrograde analysis, and the order of work around it.

Read `loop.py` first, then `ground.py` (what it needs of a layout; `kings.py` and `courts.py` are
its two kinds), `border.py` (what conversions bring; `captures.py` and `conversions.py` are its two
kinds), `draft.py` (a table half solved), `history.py` (the log it comes from) and `build.py` (many
tables, one after the other, into a folder).

May import: answers, crew, store, kernels, planes, games, material, values, errors.
"""
