"""Answers in the shape of lichess's tablebase server, so that its clients read ours.

Read `answers.py` first: a position with its moves. `categories.py` has the ten words for an outcome
and the order of moves, `knowledge.py` what tables know of a position, `fens.py` the FENs that
clients write, `mainline.py` best play. Fields that are ours alone are added, never renamed or left
out: `exact` has the values as the rest of this program tells them.
"""
