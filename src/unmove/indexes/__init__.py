"""How others number positions: the published index schemes, and our own storage for comparison.

An index gives every position of an endgame, one side to move, a number: `index_of(board)`, and
back, `position_at(number)`. `index.py` is the frame all schemes share: the kings first
(`kings.py`), then one axis for each group of men, as the side to move sees them (`view.py`). Read
it first, then `classic.py` (Thompson, Edwards, Heinz, Wendroff) and `nalimov.py`; `zellner.py` has
an index without broken entries, `nalimov_table6.py` the constraints one by one. `legal.py` counts
legal positions without enumerating them, which tells how many entries are broken; `storage.py`
counts our own storage in the same way, `compare.py` compares all sizes. Nothing here is used to
solve or to probe.
"""
