"""The values that moves lead to, and with them both sides of a file.

Two ways lead there, written apart from each other on purpose; see `verify/__init__.py`.

Plane by plane, for the solver and for reading files: read `evaluation.py` first, the score of every
cell's best move into solved tables. `moves.py` lists the kinds of moves, `scores.py` ranks codes in
the mover's order of preference, `subtables.py` loads the tables that moves lead into. `courts.py`
does the same for planes of court by court.

Position by position, for the proof and for counting moves: `forward.py` loads the planes that moves
lead to, `forward_tables.py` tells kernels which tables these are, and `court_forward.py` does both
for planes of court by court.

`file_source.py` reads a file as a source of both sides' values, `subtable_cache.py` opens the files
of a folder as such sources. `families.py` cuts a table into parts that moves do not leave, for
whoever reads all of it. `promoted.py` tells which planes of a table promotions lead into.
`marking.py` finds the values that a file may only mark, and `recoding.py` codes a file anew with
both sides to move, or with one.
"""
