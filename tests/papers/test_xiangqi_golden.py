"""All 108 endgames of Wu and Beal (1996), from the tables that `make prove` builds."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path

import pytest

from tests.support.wu_beal import counts_of, exact_counts
from unmove import Metric
from unmove.material import Material
from unmove.papers.wu_beal import material_of, rows
from unmove.papers.wu_beal_loop import published_maximum, solve_as_wu_beal
from unmove.pool.workers import WorkerPool
from unmove.solver.partial_table import TableInMemory
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BLACK, WHITE, Side, level_of
from unmove.verify.courts import CourtProof
from unmove.verify.fixpoint import verify

ROWS = rows()
EXACT = exact_counts()
WHOLE = 20_000_000  # positions; of larger tables some planes are verified
SAMPLED = 2_000_000  # cells of a larger table, at least
MORE = {  # where the published distance to mate is not the exact one, as far as known before
    "000001-010000": 7,
    "000001-110000": 5,
    "000001-200000": 7,
    "000001-210000": 7,
    "010001-010000": 7,
    "010001-110000": 11,
    "010001-200000": 9,
    "010001-210000": 7,
    "100001-010000": 7,
    "100001-110000": 11,
    "100001-200000": 9,
    "100001-210000": 7,
    "100010-020000": 19,
    "100010-110000": 22,
    "100010-120000": 18,
    "100010-210000": 26,
    "100010-220000": 26,
    "000011-020000": 25,
    "000011-100000": 14,
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def proved() -> Folder:
    """The tables `make prove` has built."""
    return Folder(Path(os.environ["UNMOVE_PROVE_DIR"]))


def statistics(folder: Folder, key: str, metric: Metric) -> tuple[Summary, int]:
    """Those of an endgame, and the side that is the first one of the key."""
    given = material_of(key)
    with folder.open(given.canonical(), metric) as file:
        return file.summary, int(given != given.canonical())


@pytest.mark.parametrize(("key", "row"), ROWS)
def test_the_longest_wins_to_conversion_are_those_of_1996(
    proved: Folder, key: str, row: dict[str, int]
) -> None:
    """Every published distance to conversion is exact."""
    summary, side = statistics(proved, key, Metric.DTC)
    code = summary.deepest(Side(side), Side(side))
    assert (0 if code is None else (level_of(code) + 1) // 2) == row["max_dtc"]


@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
@pytest.mark.parametrize("key", EXACT)
def test_every_count_is_exact(proved: Folder, key: str, metric: Metric) -> None:
    """Wins, losses and draws by side to move and distance equal the known counts."""
    summary, side = statistics(proved, key, metric)
    histogram = summary.histogram[side], summary.histogram[1 - side]
    legal = summary.legal[side], summary.legal[1 - side]
    assert counts_of(legal, histogram) == EXACT[key][metric.value]


@pytest.mark.parametrize("key", MORE)
def test_exact_distances_to_mate(proved: Folder, key: str) -> None:
    """Where the published distance was found wrong before, ours is the exact one."""
    summary, side = statistics(proved, key, Metric.DTM)
    code = summary.deepest(Side(side), Side(side))
    assert code is not None and (level_of(code) + 1) // 2 == MORE[key]


@cache
def printed(material: Material) -> TableInMemory:
    """The table that the printed loop makes."""
    return solve_as_wu_beal(material, printed, WorkerPool(2))


@pytest.mark.parametrize(("key", "row"), ROWS)
def test_the_printed_loop_gives_the_published_distances(key: str, row: dict[str, int]) -> None:
    """Every published distance to mate comes out of the loop as it was printed."""
    solution = printed(material_of(key).canonical())
    assert published_maximum(solution, printed) == row["max_dtm"]


@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
@pytest.mark.parametrize("key", [key for key, _ in ROWS])
def test_every_table_is_a_fixpoint(proved: Folder, key: str, metric: Metric) -> None:
    """Every value equals what its moves give: of all positions, or of those of some planes."""
    material = material_of(key).canonical()
    with SubtableCache(proved, 2) as subtables:
        table = subtables.load(material, metric)
        with proved.open(material, metric) as file:
            positions = sum(file.summary.legal)
        if positions <= WHOLE:
            assert verify(table, subtables.of(metric), 2).clean
            return
        some = max(20, SAMPLED // table.layout.cells)
        planes = sorted(random.Random(key).sample(range(table.layout.count), some))
        for side in (WHITE, BLACK):
            proof = CourtProof(table, side, subtables.of(metric))
            tallies = list(proof.check([(plane, plane + 1) for plane in planes], map))
            assert sum(tally.mismatches for tally in tallies) == 0
            assert sum(tally.positions for tally in tallies) > 100_000
