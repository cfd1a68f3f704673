"""What the moves of a plane are worth, and with it both sides of a file.

Read `evaluation.py` first: the score of every cell's best move into solved tables; `courts.py` is
the same for planes of court by court. `file_source.py` reads a file as a source of both sides'
values, `subtable_cache.py` opens the files of a folder as such sources.
"""
