"""Proof: every stored value equals what its moves give.

Read `fixpoint.py` first, then `kings.py` and `ways.py` (which tables lie behind which moves of
chess) or `courts.py` (of xiangqi). The moves are its own (`forward.py`, `behind.py`, `fixpoint.py`
in `kernels/` and in `kernels/courts/`), made position by position; of the solver nothing is used
but the layout's index rule, which is part of the file format.

May import: store, kernels, planes, games, material, values, errors.
"""
