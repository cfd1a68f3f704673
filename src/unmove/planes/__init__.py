"""Where a position lives: symmetry, axes, plane, row, bit.

A set of positions (one side to move) is an array of planes. A plane is 64 words of 64 bits: row =
square of White's king, bit = square of Black's. All other men choose the plane. Read `layout.py`
first, then `lead.py` (the men that absorb the symmetry; slices of pawns) and `symmetry.py`;
`fold.py` says what tells which planes a file stores, `position.py` goes from a cell to its board,
`geometry.py` has the tables of the board that kernels need. That is chess. The planes of xiangqi
are in `courts.py` (a side's king, advisors and elephants), `attackers.py` (the other men),
`court_layout.py`, `court_geometry.py` and `court_index.py` (from squares to cells). `layouts.py`
has both; `kinds.py` names, for each kind of plane, the classes that work on it.
"""
