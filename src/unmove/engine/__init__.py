"""The engine: a program for chess and xiangqi GUIs that plays from the tables.

Read `commands.py` first: it answers the commands that `program.py` reads. `dialects.py` has what
differs between UCI, its dialects of xiangqi and UCCI, as data: one engine speaks all of them.
`options.py` has the options, `positions.py` reads positions, `limits.py` what `go` asks for.
`search.py` thinks and answers once, `candidates.py` values and ranks the moves, `scores.py` says
how good they are. `tables.py` opens the tables, `talk.py` writes lines and sentences, `worker.py`
is the thread that thinks. What takes long to import is imported by that thread, so that the first
answer comes at once.
"""
