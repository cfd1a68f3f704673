"""The compiled inner loops, and the only room that imports numba.

Every kernel works on a range of planes that its caller owns; whatever two threads might both write
is private to each. Read `settle.py` first: one ply of the retrograde analysis. Below it,
`sources.py` lists where a man can go, `pull.py` brings the planes there, `captures.py` does both
for captures, `conversions.py` values all that leaves a slice of pawns; `legality.py` and `cells.py`
stand beside it. A file is coded by `contexts.py`, `hints.py` and `rans.py`, in the `workspace.py`,
from what `setting.py` knows, as `growth.py` has learnt. The proof has kernels of its own:
`forward.py`, `behind.py`, `fixpoint.py`. All that is for planes of king by king; `courts/` has the
same for planes of court by court.

May import: planes, games, material, values, errors.
"""
