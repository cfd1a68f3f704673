"""Pieces: the entries of a stretch as bytes, for the log on the disk.

`stretch.py` draws the entries. Mostly one byte of a word is not zero, or two. So a piece has, for
each word, the set of its bytes that are not zero, and these bytes. Words of one kind stand
together, as they are alike and compress better:

    headers | masks | rows                      of all entries, in order
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.bits import NONE, ONE, bit
from unmove.kernels.intrinsics import at, lowest, popcount
from unmove.kernels.jit import inlined, kernel
from unmove.kernels.stretch import CONVERTED, entry_end, filled_bytes, plane_of

BYTE = np.uint64(0xFF)
GATHER = np.uint64(0x0102040810204080)  # bit 8k of a factor becomes bit 56 + k of the product
BYTES_AT_ONCE = 2  # of a word, written and read in any case: fewer branches to foresee


@inlined
def put_word(
    word: np.uint64,
    number: int,
    octet: int,
    kept: NDArray[np.uint8],
    octets: NDArray[np.uint8],
) -> int:
    """kept[number] marks the bytes of a word that are not zero, which are at `octet` now.

    Returns where they end. There must be room for BYTES_AT_ONCE in any case.
    """
    filled = filled_bytes(word)
    kept[at(number)] = (filled * GATHER) >> np.uint64(56)
    follow = filled
    for i in range(BYTES_AT_ONCE):
        octets[at(octet + i)] = word >> np.uint64(lowest(follow | bit(63))) & BYTE
        follow &= follow - ONE
    end: int = octet + popcount(filled)
    octet += BYTES_AT_ONCE
    while follow:
        octets[at(octet)] = word >> np.uint64(lowest(follow)) & BYTE
        follow &= follow - ONE
        octet += 1
    return end


@kernel
def shorten(
    masks: int, log: NDArray[np.uint64], kept: NDArray[np.uint8], octets: NDArray[np.uint8]
) -> tuple[int, int]:
    """The words of a log by kind, without their bytes that are zero. Returns entries and bytes.

    All headers come first, then all masks, then all other words: what is alike stands together,
    and compresses better. A header becomes twice the way from the plane of the entry before, and
    one more if CONVERTED is set. kept[j] has a bit for each byte of word j that is not zero, and
    these bytes follow one another in `octets`, which has room for all and BYTES_AT_ONCE more.
    """
    entries = octet = place = 0
    before = np.int64(0)
    while place < log.shape[0]:
        plane = plane_of(log[at(place)])
        header = np.uint64(plane - before) << ONE | log[at(place)] >> np.uint64(CONVERTED)
        octet = put_word(header, entries, octet, kept, octets)
        before = plane
        entries += 1
        place = entry_end(place, masks, log)
    words, place = entries, 0
    while place < log.shape[0]:
        for mask in range(masks):
            octet = put_word(log[at(place + 1 + mask)], words, octet, kept, octets)
            words += 1
        place = entry_end(place, masks, log)
    place = 0
    while place < log.shape[0]:
        end = entry_end(place, masks, log)
        for i in range(place + 1 + masks, end):
            octet = put_word(log[at(i)], words, octet, kept, octets)
            words += 1
        place = end
    return entries, octet


@inlined
def bytes_of(kept: NDArray[np.uint8], first: int, stop: int) -> int:
    """How many bytes the words first .. stop-1 keep."""
    found = 0
    for i in range(first, stop):
        found += popcount(np.uint64(kept[i]))
    return found


@inlined
def byte_at(octet: int, mark: np.uint64, octets: NDArray[np.uint8]) -> np.uint64:
    """The byte at `octet`, moved to the place of the lowest mark; 0 without a mark."""
    some = NONE - np.uint64(mark != NONE)  # all ones, or nothing
    return (np.uint64(octets[at(octet)]) & some) << np.uint64(8 * lowest(mark | bit(7)))


@inlined
def take_word(mark: np.uint64, octet: int, octets: NDArray[np.uint8]) -> np.uint64:
    """The word whose bytes that are not zero are marked, and stand at `octet`."""
    word = NONE
    for _ in range(BYTES_AT_ONCE):
        word |= byte_at(octet, mark, octets)
        mark &= mark - ONE
        octet += 1
    while mark:
        word |= byte_at(octet, mark, octets)
        mark &= mark - ONE
        octet += 1
    return word


@kernel
def lengthen(
    masks: int,
    entries: int,
    kept: NDArray[np.uint8],
    octets: NDArray[np.uint8],
    log: NDArray[np.uint64],
) -> None:
    """The inverse of `shorten`. After the bytes of the last word are BYTES_AT_ONCE more."""
    mask_number, number = entries, entries * (1 + masks)
    octet = 0
    mask_octet = bytes_of(kept, 0, entries)
    row_octet = mask_octet + bytes_of(kept, entries, number)
    place = 0
    plane = np.int64(0)
    for entry in range(entries):
        mark = np.uint64(kept[entry])
        header = take_word(mark, octet, octets)
        octet += popcount(mark)
        plane += np.int64(header >> ONE)
        log[place] = np.uint64(plane) | (header & ONE) << np.uint64(CONVERTED)
        place += 1
        words = 0
        for _ in range(masks):
            mark = np.uint64(kept[mask_number])
            log[place] = take_word(mark, mask_octet, octets)
            mask_octet += popcount(mark)
            words += popcount(log[place])
            mask_number += 1
            place += 1
        for _ in range(words):
            mark = np.uint64(kept[number])
            log[place] = take_word(mark, row_octet, octets)
            row_octet += popcount(mark)
            number += 1
            place += 1
