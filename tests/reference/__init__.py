"""A slow, plain twin of move generation and endgame solving: the oracle of the tests.

It imports nothing of unmove and nothing outside the standard library (but for `planes.py`), so an
error in the fast solver cannot hide in the thing it is compared with. It is written to be read, not
to be fast: three men take seconds, four men take minutes.

Read in this order:

- `board.py`: what a position is, which positions are legal, which moves they have, and which of
  a position's mirror images stands for all of them.
- `solver.py`: the value of every legal position of a material, to mate (DTM), to the first
  conversion (DTC) or to the first capture or pawn move under the 50-move rule (DTZ).
- `families.py`: the same for a few pawn placements of a material that is too large to be solved.
- `xiangqi.py`: both for xiangqi, settled by the same `solver.settle`.
- `planes.py`, the one file that knows unmove: where a position stands in a table.
"""
