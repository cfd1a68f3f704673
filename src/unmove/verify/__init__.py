"""Proof: every stored value equals what its moves give.

Read `fixpoint.py` first. The moves are its own (`kernels/forward.py`), made position by position;
of the solver nothing is used but the layout's index rule, which is part of the file format.

May import: store, kernels, planes, games, material, values, errors.
"""
