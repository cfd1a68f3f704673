"""Reading solved values through a `Source`: nobody needs a whole table in memory."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from unmove.kernels.arrays import CellNumbers
from unmove.material import Material
from unmove.planes.kinds import PLANE_KINDS, PlaneKind, resolved
from unmove.planes.layouts import layout_of, of_kings
from unmove.pool.workers import WorkerPool
from unmove.research import scan as scan_module
from unmove.research.find import Finder
from unmove.research.query import parse
from unmove.research.scan import Scan
from unmove.research.zugzwang import count
from unmove.solver.loop import solve
from unmove.solver.partial_table import PartialTable
from unmove.store.digest import values_digest
from unmove.store.encoder import TableEncoder
from unmove.store.folder import Folder
from unmove.store.reader import TableFile
from unmove.store.source import Source, planes_of
from unmove.store.table import Table
from unmove.successors import subtable_cache
from unmove.successors.evaluation import MoveScores
from unmove.successors.file_source import DecodedSource, FileSource
from unmove.successors.moves import converting_moves
from unmove.successors.scores import ScoreTable
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BLACK, WHITE, Code, Metric, Side
from unmove.variants import GAMES
from unmove.verify import tally
from unmove.verify.fixpoint import verify

ROLES = [field.name for field in fields(PlaneKind) if field.name not in ("name", "game")]
MOST_AT_ONCE = 600  # planes; KNvKN has 640, of which a band leads to some


class Usage(NamedTuple):
    """What `shutil.disk_usage` tells."""

    free: int


class Sparing:
    """A source that hands out a few planes at a time, and counts them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.layout, self.metric, self.palette = source.layout, source.metric, source.palette
        self.planes = 0

    def read(self, side: Side, wanted: NDArray[np.int64], out: CellNumbers) -> CellNumbers:
        assert len(wanted) <= MOST_AT_ONCE
        self.planes += len(wanted)
        return self._source.read(side, wanted, out)


class Solved(Sparing):
    """A source that takes from a solution which wins a conversion brings."""

    def __init__(self, source: Source, solution: PartialTable) -> None:
        super().__init__(source)
        self.converted, self.keep = solution.converted, solution.keep


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table that is read as a whole is loaded."""
    monkeypatch.setattr(subtable_cache, "free_memory", lambda: 0)


@pytest.mark.parametrize("kind", PLANE_KINDS.values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("role", [role for role in ROLES if role != "has_contexts"])
def test_every_role_of_a_kind_of_plane_is_played(kind: PlaneKind, role: str) -> None:
    """The dotted path of each role leads to a class or function."""
    assert callable(resolved(getattr(kind, role)))


def test_every_game_has_a_kind_of_plane() -> None:
    """A layout knows the record of its game, and the record the layout."""
    assert set(PLANE_KINDS) == set(GAMES)
    for game in GAMES.values():
        layout = layout_of(Material.parse(game.examples[0]))
        assert layout.kind == PLANE_KINDS[game.name]
        assert type(layout) is resolved(layout.kind.layout)


def test_a_table_that_does_not_fit_in_memory_is_read_from_its_file(
    subtables: SubtableCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read as a whole is loaded if it fits, and else has the same cells plane by plane."""
    material = Material.parse("KRvKP")
    loaded = subtables.whole(material, Metric.DTM)
    assert isinstance(loaded, Table)
    both = loaded.nbytes
    some = np.arange(700, 720)
    for memory, disk, kind in (
        (2 * both - 1, 0, DecodedSource),  # what is stored fits into memory
        (0, both, DecodedSource),  # or onto the disk
        (0, 0, FileSource),
    ):
        monkeypatch.setattr(subtable_cache, "free_memory", lambda free=memory: free)
        monkeypatch.setattr(subtable_cache, "disk_usage", lambda _, free=disk: Usage(free))
        read = subtables.whole(material, Metric.DTM)
        assert type(read) is kind
        for side in (WHITE, BLACK):
            assert np.array_equal(planes_of(read, side, some), planes_of(loaded, side, some))


def test_a_table_is_proved_some_planes_at_a_time(
    subtables: SubtableCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in bands, from a file, a table has the same verdict as in memory."""
    monkeypatch.setattr(tally, "RANGES_A_BAND", 1)
    material = Material.parse("KNvKN")
    tables = subtables.of(Metric.DTM)
    source = Sparing(subtables.file_source(material, Metric.DTM))
    verdict = verify(source, tables)
    assert verdict.clean
    assert verdict == verify(subtables.load(material, Metric.DTM), tables)
    assert source.planes > 2 * source.layout.count


@pytest.mark.parametrize("query", ["only move and dtm > 30", "zugzwang", "loss and dtm = 20"])
def test_a_query_is_answered_without_the_table_in_memory(
    small_tables: Folder, query: str, no_memory: None
) -> None:
    """A table that is read plane by plane has the same positions."""
    found = []
    for share in (1, 0):
        with pytest.MonkeyPatch.context() as patched, SubtableCache(small_tables) as subtables:
            patched.setattr(subtable_cache, "free_memory", lambda share=share: share << 40)
            scan = Scan(subtables, Material.parse("KRvKP"), Metric.DTM)
            matches = list(Finder(scan, parse(query)).matches())
            found.append([(each.side, each.index.tolist()) for each in matches])
            assert isinstance(scan.source, Table) == bool(share)
    assert found[0] == found[1] and any(index for _, index in found[0])


@pytest.mark.parametrize("name", ["KRvKP", "KRvKN"])
@pytest.mark.parametrize("query", ["win and dtm > 10", "zugzwang"])
def test_positions_are_counted_family_by_family(
    small_tables: Folder, name: str, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that does not fit into memory has as many positions, whatever their order."""
    monkeypatch.setattr(scan_module, "CELLS_A_CHUNK", 1 << 18)
    counts = []
    for memory, threads in ((1 << 40, 1), (0, 1), (0, 2)):
        monkeypatch.setattr(subtable_cache, "free_memory", lambda free=memory: free)
        with SubtableCache(small_tables, threads) as subtables:
            scan = Scan(subtables, Material.parse(name), Metric.DTM)
            counts.append(Finder(scan, parse(query)).count())
            assert memory or "source" not in vars(scan)  # the table was not decoded as a whole
    assert counts[0] == counts[1] == counts[2]


def test_zugzwangs_are_counted_without_the_table_in_memory(
    subtables: SubtableCache, no_memory: None
) -> None:
    """KPvK has its 80 mutual zugzwangs, read from the file for both sides to move."""
    scan = Scan(subtables, Material.parse("KPvK"), Metric.DTM)
    assert not isinstance(scan.source, Table)
    assert sum(count(scan).values()) == 80


@pytest.mark.parametrize("name", ["KPvK", "KRvKP", "KvK"])
def test_values_have_the_same_digest_read_from_the_file(
    subtables: SubtableCache, small_tables: Folder, name: str
) -> None:
    """The digest is taken some planes at a time, and is the one in the file."""
    material = Material.parse(name)
    source = subtables.file_source(material, Metric.DTM)
    with small_tables.open(material, Metric.DTM) as file:
        assert values_digest(source, file.fold) == file.meta.values


def test_a_source_is_encoded_some_planes_at_a_time(
    subtables: SubtableCache, small_tables: Folder, tmp_path: Path
) -> None:
    """A table that is read in small pieces is written with the same bytes."""
    material, metric, pool = Material.parse("KPvK"), Metric.DTZ, WorkerPool(1)
    partial = solve(material, metric, subtables.of(metric), pool)
    path = small_tables.file(material, metric)
    with TableFile(path) as file:
        source = Solved(subtables.file_source(material, metric), partial)
        encoder = TableEncoder(source, file.summary)
        encoder.write(tmp_path / path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert source.planes > 0


def test_moves_are_scored_by_any_score_table(subtables: SubtableCache) -> None:
    """Nothing has to be asked of the evaluator before moves are scored."""
    material, metric, pool = Material.parse("KQvKR"), Metric.DTM, WorkerPool(1)
    layout, tables = of_kings(layout_of(material)), subtables.of(metric)
    frame = layout.frame_of(np.arange(40, 80))
    own = subtables.load(material, metric)

    def scores() -> MoveScores:
        return MoveScores(layout, frame, metric, own, tables, pool)

    small, expected = scores().score(WHITE, converting_moves(layout, WHITE))
    large = ScoreTable([*small.codes, *map(Code, (3, 4, 301, 302))])
    found = large.zeros(expected.shape)
    scores().assess(WHITE, scores().subtables(converting_moves(layout, WHITE)), large, found)
    assert np.array_equal(np.array(large.codes)[found], np.array(small.codes)[expected])
    assert expected.any()
