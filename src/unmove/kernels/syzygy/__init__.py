"""The files of Syzygy: how they number placements, and what a probe finds in them.

Read `numbering.py` first: it turns the squares of a placement into its number, and back.

- `board.py` has the small tables of squares that the numbering is defined by.
- `tables.py` says what the kernels know of open files; `raw.py` reads mapped memory.
- `decode.py` decompresses the values of a sub-table; `checksum.py` hashes a file.
- `boards.py` has positions and their moves, `search.py` finds outcomes and distances with them,
  `probe.py` does so for many positions in a call. `images.py` lists placements, each once of its
  images.
- `gathering.py` puts the values of our tables into the order of a sub-table, `freedom.py` chooses
  those that are free, `pairing.py` makes symbols of pairs, `packing.py` blocks of symbols;
  `comparing.py` compares a written file with its table.
"""
