"""Planes that are decoded in part: what is decoded is what the whole plane has."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import BOTH_SIDES
from tests.support.fuzz import Fuzzer
from unmove import Metric
from unmove.errors import DamagedFile
from unmove.kernels.codec.contexts import BOARDS, LANES
from unmove.material import Material
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.values import SIDES, Side


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KQvKR", "KRvKN", "KBvKB", "KPvKP", "KRvKP"])
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTZ])
def test_the_first_boards_are_those_of_the_plane(
    small_tables: Folder, name: str, metric: Metric
) -> None:
    """As many boards are decoded as were asked for or more, with the ranks of the whole plane."""
    with small_tables.open(Material.parse(name), metric) as file:
        assert_first_boards(file, file.sides[0])


STRIPS = {"KQvKR": 4, "KPvKP": 2}
"""Of how many strips the planes of some files are."""


@pytest.mark.parametrize("name", BOTH_SIDES)
@pytest.mark.parametrize("side", SIDES)
def test_the_first_boards_of_strips_are_those_of_the_plane(
    both_sides: Folder, name: str, side: Side
) -> None:
    """So it is with strips, of which some are not asked for at all."""
    with both_sides.open(Material.parse(name), BOTH_SIDES[name]) as file:
        assert file.lanes == LANES * file.meta.strips
        assert name not in STRIPS or file.meta.strips == STRIPS[name]
        assert_first_boards(file, side)


def assert_first_boards(file: TableFile, side: Side) -> None:
    """Random numbers of boards are decoded as in the whole plane."""
    rng, planes, most = (
        np.random.default_rng(1),
        len(file.fold.stored),
        BOARDS * LANES // file.lanes,
    )
    places = np.unique(rng.integers(0, planes, 40))
    asked = rng.integers(0, most, (len(places), file.lanes), endpoint=True)
    asked[rng.random(asked.shape) < 0.3] = 0
    whole, begun = file.ranks(side, places), file.boards(side, places, asked)
    done = begun[:, -file.lanes :]
    assert (done >= asked).all() and (done <= most).all()
    for cell in range(whole.shape[1]):
        filed = file.filed[(cell & 63) * 64 + (cell >> 6)]
        assert filed.cell == cell
        known = filed.board < done[:, filed.lane]
        assert np.array_equal(begun[known, cell], whole[known, cell])


def test_no_more_is_decoded_than_must_be(small_tables: Folder) -> None:
    """One board of the odd lane needs two of the even one, and so on up the board."""
    with small_tables.open(Material.parse("KQvKR"), Metric.DTM) as file:
        for lane, board, needed in ((0, 1, [1, 0]), (1, 1, [2, 1]), (1, BOARDS, [32, 32])):
            boards = np.zeros((1, LANES), np.int64)
            boards[0, lane] = board
            found = file.boards(file.sides[0], np.array([300]), boards)[0, -LANES:]
            assert (found >= needed).all() and (found <= np.array(needed) + 8).all()


def test_a_damaged_block_is_found(small_tables: Folder, tmp_path: Path) -> None:
    """A block whose checksum is wrong is not decoded, not even in part."""
    material = Material.parse("KQvKR")
    path = tmp_path / small_tables.file(material, Metric.DTM).name
    shutil.copy(small_tables.file(material, Metric.DTM), path)
    data = bytearray(path.read_bytes())
    data[-1000] ^= 1
    path.write_bytes(data)
    with Folder(tmp_path).open(material, Metric.DTM) as file:
        places = np.arange(len(file.fold.stored))
        with pytest.raises(DamagedFile, match="checksum"):
            file.boards(file.sides[0], places, np.ones((len(places), LANES), np.int64))


@pytest.mark.parametrize("name", ["KQvKR", "KPvK", "KvK"])
@pytest.mark.parametrize("tables", ["small_tables", "both_sides"])
def test_hostile_blocks_are_told_or_change_nothing(
    request: pytest.FixtureRequest, tmp_path: Path, tables: str, name: str
) -> None:
    """Whole planes of a block with a corrected checksum are checked as ever; the file can close."""
    material, folder = Material.parse(name), request.getfixturevalue(tables)
    original = folder.file(material, Metric.DTM)
    fuzzer = Fuzzer(original.read_bytes(), random.Random(name))
    for _ in range(25):
        path = tmp_path / original.name
        path.write_bytes(fuzzer.blocks())
        file = Folder(tmp_path).open(material, Metric.DTM)
        errors = []
        for place in range(0, len(file.fold.stored), 7):
            one = np.array([place])
            for boards in (BOARDS, BOARDS // 3):
                try:
                    found = file.boards(file.sides[0], one, np.full((1, file.lanes), boards))
                except DamagedFile as error:
                    errors.append(error)
                else:
                    if boards == BOARDS:
                        whole = file.ranks(file.sides[0], one)
                        assert np.array_equal(found[:, : -file.lanes], whole)
        file.close()
