"""Kernels for planes of court by court: the same steps as for planes of king by king.

Read `planes/courts.py` and `planes/court_layout.py` first. `pull.py` is EX for one plane,
`settle.py` one ply, `legality.py` which cells are positions, `captures.py` what captures bring;
`find.py` finds the plane and cell of a position. The proof makes its moves by `forward.py` and
compares in `fixpoint.py`; `choices.py` counts moves. `scratch.py` is the memory of a thread.
"""
