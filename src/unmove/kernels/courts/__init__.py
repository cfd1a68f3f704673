"""Kernels for planes of court by court: the same steps as for planes of king by king.

`pull.py` is EX for one plane, `settle.py` one ply, `legality.py` which cells are positions,
`captures.py` what captures bring. Read `planes/courts.py` and `planes/court_layout.py` first.
"""
