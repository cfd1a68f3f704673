"""Learning a model: the best question is found, and threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.growth import Sample, best_split, partition_rows, split_room
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.codec.learning import learn
from unmove.store.folder import Folder
from unmove.values import Metric


def bits_of(symbols: NDArray[np.uint8]) -> float:
    """What some symbols take, each as rare as it is among them."""
    shares = np.bincount(symbols) / max(len(symbols), 1)
    return float(-len(symbols) * (shares[shares > 0] * np.log2(shares[shares > 0])).sum())


@pytest.mark.parametrize("seed", range(8))
def test_the_best_question_is_that_of_all_which_saves_most(seed: int) -> None:
    """The kernel finds what asking everything of every cell finds, and leaves its room empty."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, (*[9] * 5, 6), (rng.integers(2, 400), 6)).astype(np.uint8)
    rows[:, 5] = (rows[:, 5] + rows[:, seed % 5]) // 2
    room = split_room()
    xlogx = np.array([0.0, *(n * np.log2(n) for n in range(1, len(rows) + 1))])
    found = best_split(0, len(rows), Sample(rows, xlogx), room)
    whole = bits_of(rows[:, 5])
    gains = {}
    for column in range(5):
        for bound in range(int(rows[:, column].max())):
            yes = rows[:, column] <= bound
            gains[column, bound] = whole - bits_of(rows[yes, 5]) - bits_of(rows[~yes, 5])
    gain, asked, at_most = found
    assert gain == pytest.approx(max(gains.values()))
    assert gains[asked, at_most] == pytest.approx(gain)
    assert not room.table.any() and not room.there.any()
    middle = partition_rows(0, len(rows), asked, at_most, rows)
    assert (rows[:middle, asked] <= at_most).all()
    assert (rows[middle:, asked] > at_most).all()


def test_a_model_is_the_same_with_any_number_of_threads(small_tables: Folder) -> None:
    """Leaves looked at ahead, side by side, change nothing in what is learnt."""
    with small_tables.open(Material.parse("KRvKP"), Metric.DTM) as file, WorkerPool(2) as pool:
        (side,), planes = file.sides, file.meta.planes

        def read(places: NDArray[np.int64]) -> tuple[Ranks, PlaneFacts]:
            return file.ranks(side, places), file.facts(side, places)

        cells = file.summary.legal[side]
        order = file.order(side)
        alone, together = (learn(order, planes, cells, read, run) for run in (map, pool.map))
    assert alone.to_bytes() == together.to_bytes()
