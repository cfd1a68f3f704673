"""What a table answers: the side it stores, and by a search of one ply everything else.

Read `moves.py` first (what moves into solved tables are worth, cell by cell; `crossings.py` is the
same for courts), then `source.py` (a
file as a source of both sides' values) and `manuscript.py` (a solved table as a file wants it).

May import: crew, store, kernels, planes, games, material, values, errors.
"""
