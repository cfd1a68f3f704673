"""The checksum of a Syzygy file, which is its last 16 bytes.

A file is hashed in pieces of 16 MiB, and the hashes of the pieces are hashed once more. That is
known here for up to four pieces: more than any file of five men has.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.syzygy.checksum import SHORTEST_PIECE, STATE, hash_piece

TRAILER: Final = 16
PIECE: Final = 1 << 24
MOST_PIECES: Final = 4

K1: Final = 0xB492B66FBE98F273
K3: Final = 0xC949D7C7509E6557
CITY_MULTIPLIER: Final = 0x9DDFEA08EB382D69
WORD: Final = (1 << 64) - 1


def has_known_checksum(size: int) -> bool:
    """Whether the checksum of a file of so many bytes can be computed."""
    return size <= MOST_PIECES * PIECE + TRAILER


def checksum(data: NDArray[np.uint8]) -> bytes:
    """The last 16 bytes of a file, from all that comes before them."""
    pieces = [_hash(data[first : first + PIECE]) for first in range(0, len(data), PIECE)]
    words = [int(word) for piece in pieces for word in piece]
    low, high = _combined(words)
    return (high << 64 | low).to_bytes(TRAILER, "little")


def own_digest(data: NDArray[np.uint8]) -> bytes:
    """What files that unmove wrote end with: they may be larger than `checksum` takes."""
    return blake2b(data.tobytes(), digest_size=TRAILER).digest()


def _hash(piece: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The hash of a piece: four words."""
    seed = 0
    if len(piece) < SHORTEST_PIECE:
        seed = ~len(piece) & 0xFFFFFFFF
        piece = np.concatenate([piece, np.zeros(SHORTEST_PIECE - len(piece), np.uint8)])
    piece, out = piece[:], np.zeros(4, np.uint64)
    piece.setflags(write=False)  # as a mapped file is: the kernel is compiled for one type
    hash_piece(piece, np.uint64(seed), np.zeros(STATE, np.uint64), out)
    return out


def _combined(words: list[int]) -> tuple[int, int]:
    """CityHash128 of four to sixteen words."""
    a, b = words[0] ^ K3, words[1]
    rest = words[2:]
    if len(rest) == 2:
        return _of_two(a, b, rest)
    size = 8 * len(rest)
    c = _hashed(rest[-1] + K1, a)
    d = _hashed(b + size, c + rest[-2])
    a = a + d & WORD
    for first, second in zip(rest[::2], rest[1::2], strict=True):
        a = (a ^ _mixed(first * K1) * K1 & WORD) * K1 & WORD
        b ^= a
        c = (c ^ _mixed(second * K1) * K1 & WORD) * K1 & WORD
        d ^= c
    return _ended(a, b, c, d)


def _of_two(a: int, b: int, rest: list[int]) -> tuple[int, int]:
    """The same, if there is one piece."""
    a = _mixed(a * K1) * K1 & WORD
    turned = rest[1] + 16 & WORD
    c = b * K1 + (_hashed(rest[0], turned >> 16 | turned << 48 & WORD) ^ rest[1])
    return _ended(a, b, c, _mixed(a + rest[0]))


def _ended(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    a, b = _hashed(a, c), _hashed(d, b)
    return a ^ b, _hashed(b, a)


def _mixed(word: int) -> int:
    word &= WORD
    return word ^ word >> 47


def _hashed(low: int, high: int) -> int:
    """Two words as one."""
    high &= WORD
    a = _mixed((low & WORD ^ high) * CITY_MULTIPLIER)
    return _mixed((high ^ a) * CITY_MULTIPLIER) * CITY_MULTIPLIER & WORD
