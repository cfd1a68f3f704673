"""Proof: every stored value equals what its moves give.

Read `fixpoint.py` first; `ways.py` says which tables lie behind which moves. The moves are its own
(`kernels/forward.py`, `behind.py`, `fixpoint.py`), made position by position; of the solver nothing
is used but the layout's index rule, which is part of the file format.

May import: store, kernels, planes, games, material, values, errors.
"""
