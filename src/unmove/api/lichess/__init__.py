"""Answers in the shape of lichess's tablebase server, so that its clients read ours.

Read `answers.py` first: a position with its moves. `children.py` has the moves and their order,
`categories.py` the words for an outcome, `knowledge.py` what tables know of a position, `fens.py`
the FENs that clients write, `mainline.py` best play, `statistics.py` whole endgames. No field is
renamed or left out. Ours are added: `exact` has the values as the rest of this program tells them.
"""
