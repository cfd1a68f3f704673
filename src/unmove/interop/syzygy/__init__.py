"""The files of Syzygy: `KQvKR.rtbw` has outcomes, `KQvKR.rtbz` distances to zeroing.

`materials.py` says what a file is called and which men are on its board. `descriptors.py` says how
a sub-table numbers its placements, and what a file has about that. The kernels are those of
`kernels/syzygy`.

To read: `tablebase.py` answers for boards, one or many; read it first. `folders.py` finds the
files, `file.py` maps and checks one, `codebook.py` its codes, `checksum.py` its last bytes.
`masks.py` hands a board to the kernels, `batches.py` has whole endgames.
`opened.py` holds the open files, `unpacking.py` decides which are decoded as a whole. `answers.py`
has what many positions are answered with.

To write: read `making.py` first, which makes the pair of files of a table; `exporting.py` does so
for all that are asked for. `tokens.py` says what each position's entry may hold, `walks.py` puts
that in the order of a descriptor, and `candidates.py` has all of these. `subtables.py` chooses one
and packs a sub-table: `distances.py` numbers its distances, `pairing.py` finds its symbols,
`huffman.py` their codes, `packing.py` cuts blocks. `writing.py` has the file, `checking.py`
compares it with the table.
"""
