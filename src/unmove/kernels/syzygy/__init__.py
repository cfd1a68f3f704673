"""The files of Syzygy: how they number placements.

- `board.py` has the small tables of squares that the numbering is defined by.
- `numbering.py` turns the squares of a placement into its number, and a number into squares.
"""
