"""Tables on disk: the file, its writer and its reader.

Read `format.py` first (constants and the header), then `table.py` (a table in memory),
`arrangement.py` (how its planes stand in a file), `writer.py`, `reader.py` and `folder.py` (where
tables live); `atomic.py` sees to it that a file is complete under its name or not there.

May import: kernels, planes, games, material, values, errors.
"""
