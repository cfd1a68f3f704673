"""Answers for machines: typed records, and one function that makes JSON of any of them.

Read `record.py` first: `to_json`. `positions.py` answers for FENs (values, moves, best play),
`syzygy.py` by Syzygy files,
`statistics.py` for endgames, `files.py` for the files of tables, `catalogue.py` for a folder as a
whole, `search.py` for queries and mutual zugzwangs, `sampling.py` for random positions,
`training.py` for learners, `pgn.py` for lines as games, `proof.py` for the fixpoint check,
`comparison.py` for the comparison with other programs' files, `recoding.py` for files that are
coded anew;
`turns.py` has what several records share. `lichess` answers in the shape of lichess's server. The
fields of a record are named as in the JSON, and each says its unit. Surfaces, such as the command
line, show records and add what only they know: advice on errors, exit codes, status codes. Nothing
here knows an option or a command.
"""
