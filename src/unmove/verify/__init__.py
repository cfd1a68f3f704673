"""Proof: every stored value equals what its moves give.

Read `fixpoint.py` first, then `kings.py` and `successor_tables.py` (the tables that moves of chess
lead to) or `courts.py` (of xiangqi); `tally.py` has what they share. The moves are its own
(`kernels/proof/`, and the counterparts in `kernels/courts/`), made position by position. Of the
solver the proof uses only the layout's index rule, which is part of the file format.
"""
