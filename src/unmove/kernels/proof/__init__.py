"""The kernels of the proof, independent of those of the solver.

`forward.py` generates the moves of one position, `successors.py` finds where they lead,
`fixpoint.py` compares what they give with what is stored, and `choices.py` counts the moves that
keep the outcome. The proofs of both games share the constants defined here.
"""
