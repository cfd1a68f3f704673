"""Hostile files, made from a good one: `python -m tests.support.fuzz TABLE KIND COUNT`.

Checksums are put right after each corruption, so that the checks behind them are reached. Whatever
a file says, reading it must give values, or an error of ours: any other exception ends this
program, as does a file that takes more than SECONDS or ROOM. It is meant to be run with
NUMBA_BOUNDSCHECK=1, so that a kernel that reads outside of its arrays raises an exception as well.
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import signal
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from unmove.errors import FileError
from unmove.kernels.codec.ranks import Symbols
from unmove.store.codec.model import LAST_BINS, Model, weight_of
from unmove.store.codec.order import Order
from unmove.store.format import HEADER, PREAMBLE, SECTION, TAGS, Meta
from unmove.store.reader import TableFile
from unmove.values import SIDES

SECONDS = 20
ROOM = 300 << 20  # bytes beyond what the program has before the first file
SPECIAL = (0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)
LARGE = (2**32, 2**33 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1)


class Parts(NamedTuple):
    """The sections of a file."""

    meta: bytes
    model: bytes
    directory: bytes
    blocks: bytes
    version: int = 1

    @classmethod
    def of(cls, data: bytes) -> Parts:
        rows = SECTION.iter_unpack(data[HEADER.size : PREAMBLE])
        meta, model, directory, blocks = (
            data[offset : offset + size] for _, _, offset, size in rows
        )
        return cls(meta, model, directory, blocks, data[len(b"\x89unmove\n")])

    def file(self) -> bytes:
        """The file with these sections, all checksums right."""
        table, body, at = b"", b"", PREAMBLE
        for tag, section in zip(TAGS, self[:-1], strict=True):
            checksum = 0 if tag == b"blks" else zlib.crc32(section)
            table += SECTION.pack(tag, checksum, at, len(section))
            body += section + bytes(-len(section) % 8)
            at = PREAMBLE + len(body)
        head = HEADER.pack(b"\x89unmove\n", self.version, len(TAGS), at + 32, zlib.crc32(table), 0)
        return sealed(head + table + body + bytes(32))


def sealed(data: bytes) -> bytes:
    """The file with the checksums of its header and table, and its digest, put right."""
    head = data[:24] + struct.pack("<I", zlib.crc32(data[HEADER.size : PREAMBLE]))
    head += struct.pack("<I", zlib.crc32(head))
    whole = head + data[HEADER.size : -32]
    return whole + hashlib.sha256(whole).digest()


def scribbled(data: bytes, rng: random.Random, first: int = 0) -> bytes:
    """Some bytes changed, or a number of two, four or eight bytes, from `first` on."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        size = rng.choice((1, 1, 2, 4, 8))
        at = rng.randrange(first, max(first + 1, len(data) - size + 1))
        number = rng.choice((*SPECIAL, *LARGE, rng.getrandbits(64))) % (1 << 8 * size)
        changed[at : at + size] = number.to_bytes(size, "little")
    return bytes(changed[: len(data)])


class Fuzzer:
    """Corruptions of one file."""

    def __init__(self, data: bytes, rng: random.Random) -> None:
        self.data = data
        self.parts = Parts.of(data)
        self.rng = rng
        facts = Meta.from_bytes(self.parts.meta)
        self.order = Order.of(facts.summary, facts.sides)

    def frame(self) -> bytes:
        """Header and table of sections."""
        changed = scribbled(self.data[:PREAMBLE], self.rng) + self.data[PREAMBLE:]
        return sealed(changed) if self.rng.random() < 0.9 else changed

    def directory(self) -> bytes:
        """The directory, perhaps with a block more or less."""
        directory = scribbled(self.parts.directory, self.rng)
        if self.rng.random() < 0.2:
            directory = directory[: self.rng.choice((0, 4, 8, -8, -1))]
        elif self.rng.random() < 0.2:
            directory += bytes(self.rng.choice((1, 4, 8, 800)))
        return self.parts._replace(directory=directory).file()

    def meta(self) -> bytes:
        """The description: other facts, none, or no description at all."""
        if self.rng.random() < 0.2:
            return self.parts._replace(meta=scribbled(self.parts.meta, self.rng)).file()
        facts = json.loads(self.parts.meta)
        key = self.rng.choice(list(facts))
        if self.rng.random() < 0.1:
            del facts[key]
        elif isinstance(facts[key], list) and self.rng.random() < 0.7:
            self._change_inside(facts[key])
        else:
            facts[key] = self._any_fact()
        return self.parts._replace(meta=json.dumps(facts).encode()).file()

    def _change_inside(self, facts: list[Any]) -> None:
        at = self.rng.randrange(len(facts) + 1)
        if at == len(facts):
            facts.append(self._any_fact())
        elif isinstance(facts[at], list) and self.rng.random() < 0.8:
            self._change_inside(facts[at])
        else:
            facts[at] = self._any_fact()

    def _any_fact(self) -> Any:
        nested: list[Any] = []
        for _ in range(self.rng.choice((1, 5, 900))):
            nested = [nested]
        return self.rng.choice(
            (
                *(None, True, -1, 0, 1, 2, 3, 17, 2**31, 2**63, 10**30, 10**400, 1e308, 0.5),
                *(float("inf"), float("nan"), "", "9" * 5000, "white", "black", "dtc", "zstd"),
                *("KQvKR", "KRvK", "KRKQ", "kpk", "KvKP", "KQQQQQQvK", "K" * 500_000 + "1", "\0"),
                *(
                    [],
                    {},
                    {"a": 1},
                    nested,
                    [[3, 1]] * 3,
                    [[3, 1], [3, 1]],
                    [[], []],
                    [[[1, 1]], []],
                ),
                [[[code, 1] for code in range(2, 8192)]] * 2,
            )
        )

    def model(self) -> bytes:
        """The content of the model."""
        content = scribbled(zstandard.decompress(self.parts.model), self.rng)
        if self.rng.random() < 0.1:
            content = content[: self.rng.randrange(len(content))]
        packed = zstandard.compress(content)
        if self.rng.random() < 0.1:
            packed = scribbled(packed, self.rng)
        return self.parts._replace(model=packed).file()

    def strange(self) -> bytes:
        """A model that is sound, and not the one that the blocks were coded with."""
        leaves = self.rng.choice((1, 2, 30, 300))
        questions, pending, left = [], 1, leaves - 1
        while pending:
            if left and (pending == 1 or self.rng.random() < 0.5):
                feature = self.rng.randrange(len(LAST_BINS))
                questions.append((feature, self.rng.randrange(LAST_BINS[feature])))
                pending, left = pending + 1, left - 1
            else:
                questions.append((-1, 0))
                pending -= 1
        tables = [self._table(leaf == leaves) for leaf in range(leaves + 1)]
        sizes = np.array([len(symbols) for symbols, _ in tables], np.int64)
        symbols, weights = (np.concatenate(each) for each in zip(*tables, strict=True))
        usual = (self._below(len(self.order.wins)), self._below(len(self.order.losses)))
        order = Order(self.order.wins, self.order.losses, usual)
        model = Model(order, np.array(questions, np.int64), sizes, Symbols(symbols), weights)
        return self.parts._replace(model=model.to_bytes()).file()

    def _below(self, count: int) -> int:
        return self.rng.randrange(max(count, 1))

    def _table(self, last: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Symbols and their weights."""
        room = self.order.illegal + 1 - last
        symbols = sorted(self.rng.sample(range(room), self.rng.randint(1, room)))
        cuts = sorted(self.rng.sample(range(1, 1 << 15), len(symbols) - 1))
        weights = weight_of(np.diff([0, *cuts, 1 << 15]))
        weights[self.rng.randrange(len(symbols))] = 0
        return np.array(symbols, np.int64), weights

    def blocks(self) -> bytes:
        """A block, with the checksum that it then has."""
        sizes = [size for size, _ in struct.iter_unpack("<II", self.parts.directory)]
        number = self.rng.randrange(len(sizes))
        at = sum(sizes[:number])
        block = scribbled(self.parts.blocks[at : at + sizes[number]], self.rng)
        directory = bytearray(self.parts.directory)
        struct.pack_into("<I", directory, 8 * number + 4, zlib.crc32(block))
        blocks = self.parts.blocks[:at] + block + self.parts.blocks[at + sizes[number] :]
        return self.parts._replace(directory=bytes(directory), blocks=blocks).file()


def read(path: Path) -> NDArray[Any]:
    """Everything that a file says: its ranks, after a look at the rest."""
    with TableFile(path) as file:
        file.check_digest()
        assert len(file.palette) >= 3
        for side in SIDES:
            file.summary.counts(side)
            file.summary.counts50(side)
        file.summary.max_moves(file.metric)
        places = np.arange(file.meta.planes)
        ranks = file.ranks(file.sides[0], places)
        rows = file.facts(file.sides[0], places).legal.astype("<u8").view(np.uint8)
        legal = np.unpackbits(rows.reshape(len(places), -1), axis=1, bitorder="little")
        assert ((ranks < file.order(file.sides[0]).illegal) == legal).all(), "a rank that cannot be"
        return ranks


def run(table: Path, kind: str, count: int) -> tuple[int, int]:
    """How many files were refused, and how many gave other values than before."""
    rng = random.Random(f"{table.name} {kind}")
    fuzzer = Fuzzer(table.read_bytes(), rng)
    corrupted: Callable[[], bytes] = getattr(fuzzer, kind)
    assert fuzzer.parts.file() == fuzzer.data
    before, refused, changed = read(table), 0, 0
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, taken + ROOM))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / table.name
        for _ in range(count):
            data = corrupted()
            if data == fuzzer.data:
                continue
            path.write_bytes(data)
            signal.alarm(SECONDS)
            try:
                changed += not np.array_equal(read(path), before)
            except FileError:
                refused += 1
            except BaseException:
                Path(tempfile.gettempdir(), "unmove-fuzz-failure").write_bytes(path.read_bytes())
                raise
            signal.alarm(0)
    return refused, changed


if __name__ == "__main__":
    print(*run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
