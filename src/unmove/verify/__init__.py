"""Proof: every stored value equals what its moves give.

Read `fixpoint.py` first, then `kings.py` or `courts.py`, by the kind of planes; `tally.py` has what
both share.

The proof is a deliberate twin of the solver. An error in one is not repeated in the other; import
contracts keep them apart. The twins are:

    what                         the proof                        the solver
    moves                        one position at a time,          whole planes of bits, backwards,
                                 kernels/proof, kernels/courts    kernels/solve, kernels/courts
    tables that moves lead to    successors/forward,              successors/moves, subtables,
                                 forward_tables, court_forward    evaluation, courts
    preference among codes       ProofValues, rank_of             ScoreTable

Both share the layout's index rule, which is part of the file format, and `values.code_before`,
which is what a metric means.
"""
