"""The checksum of a Syzygy file of one piece, in plain Python: numbers without a limit, cut to 64
bits where the definition of CityHash 1.0 counts with words."""

from __future__ import annotations

import struct

WORD = (1 << 64) - 1
K0, K1, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0xC949D7C7509E6557


def checksum(data: bytes) -> bytes:
    """The last 16 bytes of a file that begins with this data."""
    seed = 0
    if len(data) < 240:
        seed = ~len(data) & 0xFFFFFFFF
        data = data.ljust(240, b"\0")
    return city128(struct.pack("<4Q", *crc256(data, seed)))


def crc32c(crc: int, word: int) -> int:
    """The CRC after eight more bytes, bit by bit."""
    crc = (crc & 0xFFFFFFFF) ^ word
    for _ in range(64):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


def crc256(data: bytes, seed: int) -> list[int]:
    """Four words."""
    size = len(data)
    a, b = word_at(data, 56) + K0, word_at(data, 96) + K0
    c = first = pair(b, size)
    d = second = word_at(data, 120) * K0 + size
    e, t = word_at(data, 184) + seed, c + d
    f, g, h, i, j = seed, 0, 0, 0, 0
    whole = size // 240 * 6
    places = [40 * n for n in range(size // 40)] + ([size - 40] if size % 40 else [])
    for number, place in enumerate(places):
        plain = number < whole and number % 2 == 0
        factor, turn = (1, 1) if plain else (K0, 0)
        words = [word_at(data, place + 8 * n) for n in range(5)]
        turns = [(b, 41), (c, 27), (d, 41), (e, 33), (t, 25)]
        t = a
        a, b, c, d, e = (
            turned(old, by ^ turn) * factor + word & WORD
            for (old, by), word in zip(turns, words, strict=True)
        )
        f, g, h, i, j = (
            crc32c(crc, word) for crc, word in zip((f, g, h, i, j), (a, b, c, d, e), strict=True)
        )
    j += i << 32
    a = pair(a, j)
    h += g << 32
    b += h
    c = pair(c, f) + i
    d = pair(d, e + first)
    j += e
    i += pair(h, t)
    e, f, g = pair(a, d) + j, pair(b, c) + a, pair(j, i) + c
    result = [e + f + g + h]
    a = shifted((a + g) * K0) * K0 + b
    result.append(second + a + result[0])
    a = shifted(a * K0) * K0 + c
    result.append(a + result[1])
    a = shifted((a + e) * K0) * K0
    result.append(a + result[2])
    return [word & WORD for word in result]


def city128(data: bytes) -> bytes:
    """CityHash128 of 32 bytes."""
    a, b = word_at(data, 0) ^ K3, word_at(data, 8)
    low, high = word_at(data, 16), word_at(data, 24)
    a = shifted(a * K1) * K1
    c = b * K1 + (pair(low, turned(high + 16, 16)) ^ high)
    d = shifted(a + low)
    a, b = pair(a, c), pair(d, b)
    return struct.pack("<2Q", a ^ b, pair(b, a))


def pair(low: int, high: int) -> int:
    """Two words as one."""
    factor = 0x9DDFEA08EB382D69
    a = shifted(((low ^ high) & WORD) * factor)
    return shifted(((high ^ a) & WORD) * factor) * factor & WORD


def shifted(word: int) -> int:
    """The word with its high bits mixed into the low ones."""
    return (word & WORD) ^ (word & WORD) >> 47


def turned(word: int, by: int) -> int:
    """The word rotated to the right."""
    word &= WORD
    return (word >> by | word << (64 - by)) & WORD


def word_at(data: bytes, place: int) -> int:
    """Eight bytes, the lowest first."""
    return int.from_bytes(data[place : place + 8], "little")
