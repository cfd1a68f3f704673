"""Open Syzygy files as the kernels see them: a row for each sub-table, and which rows a file has.

A row of a sub-table begins with its numbering. Addresses are those of mapped files and of
codebooks; whoever calls a kernel keeps both alive for the time of the call.
"""

from __future__ import annotations

from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined
from unmove.kernels.syzygy import numbering

LISTED_MEN: Final = numbering.NUMBERING_COLUMNS  # [place in the list]: its number in the name
ONLY_VALUE: Final = LISTED_MEN + numbering.MOST_FILE_MEN  # -1 if there are several values
DISTANCE_FLAGS: Final = ONLY_VALUE + 1  # of distances, see below
BLOCK_BITS: Final = DISTANCE_FLAGS + 1  # a block has 2 ** so many bytes
SPAN_BITS: Final = BLOCK_BITS + 1  # an entry of the index is for 2 ** so many values
BLOCKS: Final = SPAN_BITS + 1  # entries of the table of lengths
REAL_BLOCKS: Final = BLOCKS + 1  # blocks of data
INDEX: Final = REAL_BLOCKS + 1  # address
LENGTHS: Final = INDEX + 1  # address
BLOCK_DATA: Final = LENGTHS + 1  # address
CODEBOOK: Final = BLOCK_DATA + 1  # address
SYMBOLS: Final = CODEBOOK + 1  # how many there are
MAPS: Final = SYMBOLS + 1  # address of the maps of distances, 16 bits each; 0 if there are none
MAP_FIRST: Final = MAPS + 1  # of each of the four maps: its first entry; one more closes the last
UNPACKED: Final = MAP_FIRST + 5  # address of all values, 8 or 16 bits each; 0 if there are none
WIDE: Final = UNPACKED + 1  # whether unpacked values have 16 bits
FILE_NUMBER: Final = WIDE + 1  # the number of the file
ROW_WIDTH: Final = FILE_NUMBER + 1

SECOND_SIDE: Final = 1  # flags: the side that is stored is the one named second
WINS_IN_PLIES: Final = 4
LOSSES_IN_PLIES: Final = 8

BASE: Final = 0  # codebook: [length of a code]: the first code, its bits at the top of a word
FIRST_SYMBOL: Final = 33  # [length]: the symbol of that code
SHORTEST_CODES: Final = 66  # 256 bytes, [first byte of the bits]: no code of theirs is shorter
SYMBOL_RECORDS: Final = SHORTEST_CODES + 32  # [symbol]: left and right half (12 bits each), length

OUTCOMES: Final = 0  # columns of `files`: the first row of the outcomes; -1 if not open
DISTANCES: Final = 1  # the first row of the distances; -1 if not open
SYMMETRIC: Final = 2
LEADERS: Final = 3  # pawns that lead, 0 without pawns
FIRST_LEADER: Final = 4  # the number of the first of them in the name
FILE_COLUMNS: Final = 5

KIND_BITS: Final = 3  # of a material's key: how many men of a kind and side there are
SIDE_BITS: Final = 5 * KIND_BITS
HASH_BITS: Final = 13
"""Room for the 3,020 keys of all 1,510 files, and more than as much again."""

NOT_OPEN: Final = -1


def typed(number: int) -> int:
    """A number for an argument of a kernel; a literal would have the kernel compiled once more."""
    return cast(int, np.int64(number))


class SyzygyTables(NamedTuple):
    """All open files."""

    keys: NDArray[np.int64]  # [place]: key of a material; 0 if the place is empty
    entries: NDArray[np.int64]  # [place]: 2 * file, one more if the sides are exchanged there
    files: NDArray[np.int64]  # [file, column]
    rows: NDArray[np.int64]  # [sub-table, column]
    uses: NDArray[np.int64]  # [sub-table]: about how many values were asked for


@inlined
def place_of_key(key: int) -> int:
    """Where the search for a key begins."""
    spread = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return int(np.int64(spread >> np.uint64(64 - HASH_BITS)))


@inlined
def entry_of(key: int, tables: SyzygyTables) -> int:
    """The entry of a material; NOT_OPEN if it has none."""
    place = place_of_key(key)
    while tables.keys[place] != 0:
        if tables.keys[place] == key:
            return int(tables.entries[place])
        place = (place + 1) & ((1 << HASH_BITS) - 1)
    return NOT_OPEN
