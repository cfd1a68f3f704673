"""The checksum at the end of a Syzygy file: CityHashCrc256 (CityHash 1.0) of its pieces.

Its CRC is CRC-32C, which is computed by tables here: eight bytes at a time, whatever the machine.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.jit import inlined, kernel

K0: Final = np.uint64(0xC3A5C85C97CB3127)
HASH_MULTIPLIER: Final = np.uint64(0x9DDFEA08EB382D69)
POLYNOMIAL: Final = 0x82F63B78
NO_FACTOR: Final = np.uint64(1)
SHORTEST_PIECE: Final = 240
"""Bytes of a piece that the hash takes; a shorter one is filled up."""
STATE: Final = 11
"""Words that a hash keeps: five that are mixed, one of them as it was, and five CRCs."""


def _crc_tables() -> NDArray[np.uint64]:
    """[zeros, byte]: the CRC of a byte with so many zero bytes behind it."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
        tables[0, byte] = crc
    for zeros in range(1, 8):
        before = tables[zeros - 1]
        tables[zeros] = before >> np.uint64(8) ^ tables[0][(before & np.uint64(255)).astype(int)]
    return tables


CRC: Final = _crc_tables()


@inlined
def rotated(word: np.uint64, by: int) -> np.uint64:
    """The word rotated to the right, by 1 to 63 bits."""
    return word >> np.uint64(by) | word << np.uint64(64 - by)


@inlined
def shift_mixed(word: np.uint64) -> np.uint64:
    """The word with its high bits mixed into the low ones."""
    return word ^ word >> np.uint64(47)


@inlined
def hashed(low: np.uint64, high: np.uint64) -> np.uint64:
    """Two words as one."""
    a = shift_mixed((low ^ high) * HASH_MULTIPLIER)
    return shift_mixed((high ^ a) * HASH_MULTIPLIER) * HASH_MULTIPLIER


@inlined
def crc_of(crc: np.uint64, word: np.uint64) -> np.uint64:
    """The CRC after eight more bytes; only the low 32 bits of the one before count."""
    rest = (crc & np.uint64(0xFFFFFFFF)) ^ word
    result = np.uint64(0)
    for byte in range(8):
        result ^= CRC[7 - byte, np.int64(rest >> np.uint64(8 * byte) & np.uint64(255))]
    return result


@inlined
def word_of(data: NDArray[np.uint8], first: int) -> np.uint64:
    """Eight bytes, the lowest first."""
    word = np.uint64(0)
    for byte in range(8):
        word |= np.uint64(data[first + byte]) << np.uint64(8 * byte)
    return word


@kernel
def mix(
    data: NDArray[np.uint8],
    first: int,
    multiplier: np.uint64,
    turn: int,
    state: NDArray[np.uint64],
) -> None:
    """Forty bytes are mixed into the state: into its first five words, then into the CRCs."""
    old = state[0]
    state[0] = rotated(state[1], 41 ^ turn) * multiplier + word_of(data, first)
    state[1] = rotated(state[2], 27 ^ turn) * multiplier + word_of(data, first + 8)
    state[2] = rotated(state[3], 41 ^ turn) * multiplier + word_of(data, first + 16)
    state[3] = rotated(state[4], 33 ^ turn) * multiplier + word_of(data, first + 24)
    state[4] = rotated(state[5], 25 ^ turn) * multiplier + word_of(data, first + 32)
    state[5] = old
    for word in range(5):
        state[6 + word] = crc_of(state[6 + word], state[word])


@kernel
def hash_piece(
    data: NDArray[np.uint8], seed: np.uint64, state: NDArray[np.uint64], out: NDArray[np.uint64]
) -> None:
    """out[:4] = the hash of a piece of at least SHORTEST_PIECE bytes."""
    size = data.shape[0]
    state[0], state[1] = word_of(data, 56) + K0, word_of(data, 96) + K0
    state[2] = out[0] = hashed(state[1], np.uint64(size))
    state[3] = out[1] = word_of(data, 120) * K0 + np.uint64(size)
    state[4], state[5] = word_of(data, 184) + seed, state[2] + state[3]
    state[6], state[7], state[8], state[9], state[10] = seed, 0, 0, 0, 0
    whole = size // SHORTEST_PIECE * SHORTEST_PIECE
    for first in range(0, whole, 80):
        mix(data, first, NO_FACTOR, 1, state)
        mix(data, first + 40, K0, 0, state)
    first = whole
    while first + 40 <= size:
        mix(data, first, K0, 0, state)
        first += 40
    if first < size:
        mix(data, size - 40, K0, 0, state)
    finish(state, out)


@kernel
def finish(state: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """out[:4] = the hash of what was mixed; out[:2] is what it began with."""
    half = np.uint64(32)
    t = state[5]
    f, g, h, i, j = state[6], state[7], state[8], state[9], state[10]
    j += i << half
    a = hashed(state[0], j)
    h += g << half
    b = state[1] + h
    c = hashed(state[2], f) + i
    d = hashed(state[3], state[4] + out[0])
    j += state[4]
    i += hashed(h, t)
    e = hashed(a, d) + j
    f = hashed(b, c) + a
    g = hashed(j, i) + c
    out[0] = e + f + g + h
    a = shift_mixed((a + g) * K0) * K0 + b
    out[1] += a + out[0]
    a = shift_mixed(a * K0) * K0 + c
    out[2] = a + out[1]
    a = shift_mixed((a + e) * K0) * K0
    out[3] = a + out[2]
