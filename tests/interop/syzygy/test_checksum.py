"""The last 16 bytes of a file tell whether all others are what was written."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.reference import city
from tests.support.syzygy import write
from unmove import Tablebase, open_syzygy
from unmove.errors import FileError
from unmove.interop.syzygy import checksum as checksums
from unmove.interop.syzygy.checksum import checksum, own_digest
from unmove.kernels.syzygy import tables

BOARD = chess.Board("8/8/8/8/8/k7/8/KR6 w - - 0 1")


def as_array(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(data, np.uint8)


@pytest.mark.parametrize("size", [64, 192, 239, 240, 241, 279, 280, 320, 448, 480, 5376])
def test_a_checksum_is_that_of_plain_python(size: int) -> None:
    """Files shorter than what is mixed at once, multiples of it, and others."""
    data = random.Random(size).randbytes(size)
    assert checksum(as_array(data)) == city.checksum(data)


def test_a_known_checksum() -> None:
    """Computed once, by code that found that of every file of three and four men right."""
    assert checksum(as_array(bytes(range(256)) * 4)).hex() == "56c12650671240f7b63710ec27ea4447"


def test_pieces_are_hashed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two to four pieces: each byte counts, and so does the order of the pieces."""
    monkeypatch.setattr(checksums, "PIECE", 256)
    data = bytearray(random.Random(1).randbytes(1024))
    found = {checksum(as_array(bytes(data[:size]))) for size in (256, 512, 768, 1024)}
    found.add(checksum(as_array(bytes(data[256:] + data[:256]))))
    for place in range(0, 1024, 64):
        data[place] ^= 1
        found.add(checksum(as_array(bytes(data))))
    assert len(found) == 21


def test_verified_files_are_those_that_were_written(tmp_path: Path, tablebase: Tablebase) -> None:
    """Any changed byte is found when the file is opened; our own digest is as good."""
    path = write(tmp_path, "KRvK", tables.OUTCOMES, tablebase, runs=True)
    body = path.read_bytes()[:-16]
    for trailer in (checksum(as_array(body)), own_digest(as_array(body))):
        path.write_bytes(body + trailer)
        with open_syzygy(tmp_path, verify=True) as found:
            assert found.probe_wdl(BOARD) == 2
    rng = random.Random(2)
    for _ in range(50):
        data = bytearray(body + trailer)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        with open_syzygy(tmp_path, verify=True) as found, pytest.raises(FileError):
            found.probe_wdl(BOARD)
