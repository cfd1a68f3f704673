"""Where a position lives: symmetry, axes, plane, row, bit.

A set of positions (one side to move) is an array of planes. A plane is 64 words of 64 bits: row =
square of White's king, bit = square of Black's. All other men choose the plane. Read `layout.py`
first, then `lead.py` (the men that absorb the symmetry; slices of pawns) and `symmetry.py`;
`geometry.py` gathers what kernels need to know of the board. That is chess; the planes of xiangqi
are in `courts.py`, `attackers.py`, `court_layout.py`, `court_geometry.py` and
`court_index.py`. `layouts.py`
has both.

May import: games, material, values, errors.
"""
