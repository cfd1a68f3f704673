"""Working endgames out: the loop of retrograde analysis, and the order of work around it.

Read `loop.py` first, then `border.py` (what smaller endgames bring), `crew.py` (threads) and
`build.py` (many tables, one after the other, into a folder).

May import: store, kernels, planes, games, material, values, errors.
"""
