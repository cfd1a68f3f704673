"""The files of Syzygy: `KQvKR.rtbw` has outcomes, `KQvKR.rtbz` distances to zeroing.

`materials.py` says what a file is called and which men are on its board. `descriptors.py` says how
a sub-table numbers its placements, and what a file has about that. The kernels that count are in
`kernels/syzygy`.
"""
