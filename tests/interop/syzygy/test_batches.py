"""All positions of an endgame by Syzygy files are those of our table, each once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.syzygy import write
from unmove import Batch, Material, SyzygyBatch, Tablebase, open_syzygy
from unmove.errors import BadMaterial, BadOption, MissingSyzygyFile, TooManyMen
from unmove.interop.syzygy.batches import PLACEMENTS_A_BATCH
from unmove.interop.syzygy.descriptors import Descriptor, files_of
from unmove.interop.syzygy.tablebase import SyzygyTablebase
from unmove.kernels.syzygy import tables
from unmove.kernels.syzygy.images import place_each
from unmove.kernels.syzygy.numbering import numbers_of
from unmove.material import all_of
from unmove.values import SIDES

THREE_MEN = [material.name for material in all_of(3)]
DIAGONALS = ("KRRvK", "KPPvK", "KQvKQ")
"""Kings and single men that lead, alone or on the diagonal; leading pawns that are mirrored."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tablebase: Tablebase) -> Path:
    """Plain files of three men."""
    place = tmp_path_factory.mktemp("syzygy")
    for name in THREE_MEN:
        write(place, name, tables.OUTCOMES, tablebase)
        write(place, name, tables.DISTANCES, tablebase)
    return place


@pytest.fixture(scope="module")
def opened(files: Path) -> Iterator[SyzygyTablebase]:
    with open_syzygy(files) as found:
        yield found


def keys_of(batch: Batch | SyzygyBatch, outcomes: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each position and its outcome, the same for all its images; in order."""
    material, rows = batch.material, batch.squares.astype(np.int64)
    least = np.full(len(rows), np.iinfo(np.int64).max)
    for image in images_of(rows, material.has_pawns):
        key, first = batch.turns.astype(np.int64), 0
        for men in ("K" + letters for letters in material.sides):
            for letter in dict.fromkeys(men):
                count = men.count(letter)
                like = np.sort(image[:, first : first + count], axis=1)
                for column in range(count):
                    key = key * 64 + like[:, column]
                first += count
        least = np.minimum(least, key)
    return np.sort(least * 8 + outcomes + 2)


@pytest.mark.parametrize(
    "name",
    [
        *THREE_MEN,
        "KvKP",
        *(pytest.param(name, marks=pytest.mark.slow) for name in (*DIAGONALS, "KvKRR")),
    ],
)
def test_the_positions_are_those_of_our_table(
    name: str, opened: SyzygyTablebase, tablebase: Tablebase
) -> None:
    """Each legal position once, with its outcome, whichever side the name has first."""
    if name in (*DIAGONALS, "KvKRR"):
        write(opened.folder.path, str(Material.parse(name).canonical()), tables.OUTCOMES, tablebase)
        opened.look_again()
    ours, found = tablebase.to_numpy(name, "dtz"), opened.to_numpy(name)
    assert found.columns == ours.columns and found.material == ours.material
    expected = keys_of(ours, ours.values.outcome50)
    assert np.array_equal(keys_of(found, found.values.numbers), expected)
    assert len(np.unique(expected // 8)) == len(expected) > 1000


@pytest.mark.parametrize("name", [*DIAGONALS, "KRvK", "KPPvKP", "KPPPvK", "KBBvKNN", "KQvKRP"])
def test_one_of_all_images_is_chosen(name: str) -> None:
    """That with the smallest number, of all images under the symmetries of the board."""
    material = Material.parse(name)
    for file in files_of(material):
        descriptor = Descriptor.usual(material, file)
        numbering, rng = descriptor.numbering, np.random.default_rng(file)
        for first in (0, *rng.integers(0, descriptor.size - 2000, 4).tolist()):
            squares = np.empty((2000, material.men), np.int64)
            chosen = np.empty(2000, np.bool_)
            place_each(numbering, first, squares, np.empty(material.men, np.int64), chosen)
            own = np.arange(first, first + 2000)
            least = own.copy()
            for image in images_of(squares, material.has_pawns):
                numbers = np.empty(len(own), np.int64)
                numbers_of(numbering, image, numbers)
                least = np.minimum(least, np.where(numbers < 0, own, numbers))
            assert np.array_equal(chosen, own == least)


def images_of(squares: NDArray[np.int64], pawns: bool) -> Iterator[NDArray[np.int64]]:
    """Placements mirrored and turned: in two ways with pawns, in eight without."""
    ranks, diagonals = ((0,), (False,)) if pawns else ((0, 56), (False, True))
    for files, flip, transposes in product((0, 7), ranks, diagonals):
        image = squares ^ files ^ flip
        yield (image & 7) << 3 | image >> 3 if transposes else image


def test_distances_come_in_batches(opened: SyzygyTablebase) -> None:
    """Each has one side to move, White first; the values are those of single positions."""
    batches = list(opened.batches("KPvK", "dtz"))
    assert [set(batch.turns.tolist()) for batch in batches] == [{side} for side in SIDES] * 4
    assert all(len(batch) == len(batch.values) <= PLACEMENTS_A_BATCH for batch in batches)
    joined = SyzygyBatch.joined(batches)
    again = opened.probe_many("KPvK", joined.squares, joined.turns, "dtz")
    assert again.numbers.tolist() == joined.values.numbers.tolist()
    assert joined.values.wdl.tolist() == again.wdl.tolist()


def test_mistakes_are_told_at_once(opened: SyzygyTablebase) -> None:
    """And not when the first batch is taken."""
    for name, value, error in (
        ("KQvKR", "wdl", MissingSyzygyFile),
        ("KPvKP", "dtz", MissingSyzygyFile),
        ("KvK", "wdl", BadMaterial),
        ("xiangqi:KPvK", "wdl", BadMaterial),
        ("KQRBNPvKQ", "wdl", TooManyMen),
        ("KPvK", "dtm", BadOption),
    ):
        with pytest.raises(error):
            opened.batches(name, value)
