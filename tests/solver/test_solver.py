"""The solver against the plain reference, position by position, and its promises."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.conftest import build_into, linked
from tests.reference import solver as reference
from tests.reference.board import Men, Position, canonical
from tests.reference.families import exits, family, solve_family
from tests.reference.planes import cells_of, codes_at
from tests.reference.solver import Value
from unmove import values
from unmove.material import Material, work_order
from unmove.pool.workers import WorkerPool
from unmove.solver.loop import solve
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.store.table import Table
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BROKEN, DRAW, SIDES, Code, Level, Metric, level_of, loss_code, win_code
from unmove.verify.fixpoint import verify


def _whole(subtables: SubtableCache, material: Material, metric: Metric) -> Table:
    """A small table, loaded once for all tests."""
    found = subtables.of(metric)(material)
    assert isinstance(found, Table)
    return found


def _summary(folder: Folder, name: str, metric: Metric) -> Summary:
    with folder.open(Material.parse(name), metric) as file:
        return file.summary


@pytest.fixture
def no_garbage() -> Iterator[None]:
    """No search for garbage: it would go through all the small objects of a graph for nothing."""
    gc.disable()
    yield
    gc.enable()


def _code(value: Value) -> int:
    """The code of a value of the reference, in any metric: there, too, cursed wins are 100 more."""
    if value is None:
        return DRAW
    return win_code(Level(value)) if value > 0 else loss_code(Level(-value))


def _value(code: int) -> Value:
    """The value of the reference that has this code."""
    if code == DRAW:
        return None
    return level_of(Code(code)) if code % 2 else -level_of(Code(code))


def _men(text: str) -> Men:
    """The men of `Pe2 pd4`."""
    return tuple(sorted((word[0], chess.parse_square(word[1:])) for word in text.split()))


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", ["KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK"])
@pytest.mark.usefixtures("no_garbage")
def test_every_value_of_three_men_is_the_reference_value(
    small_tables: Folder, subtables: SubtableCache, name: str, metric: Metric
) -> None:
    """Each legal position of the reference has its value in the table, and no cell is left over."""
    table = subtables.load(Material.parse(name), metric)
    values = reference.solve(name, metric.value)
    (at,) = cells_of(values)
    wrong = np.flatnonzero(codes_at(table, at) != [_code(value) for value in values.values()])
    assert not wrong.size, at.positions[wrong[0]]
    assert _summary(small_tables, name, metric).legal == tuple(
        sum(1 for position in values if position[0] is white) for white in (True, False)
    )


@pytest.mark.parametrize(
    ("pieces", "pawns"),
    [
        ("Kk", "Pa2 pb4"),  # Black may take en passant
        ("Kk", "Pe4 pe5"),  # no pawn moves
        pytest.param("Kk", "Pd7 pc2", marks=pytest.mark.slow),  # both promote next
        # White may take en passant; these slices are the mirror images of stored ones
        pytest.param("Kk", "Pg5 ph7", marks=pytest.mark.slow),
        pytest.param("KRk", "pb2", marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("no_garbage")
def test_every_value_of_a_family_is_the_reference_value(
    subtables: SubtableCache, pieces: str, pawns: str
) -> None:
    """From these pawns on, each position has the reference's value; no other cell is legal."""
    slices = family(pieces, _men(pawns))
    (inside,) = cells_of(position for graph in slices for position in graph.positions)
    outside = cells_of(exits(slices))
    for metric in Metric:
        known: dict[Position, Value] = {}
        for at in outside:
            codes = codes_at(_whole(subtables, at.material, metric), at).tolist()
            known.update(zip(at.positions, map(_value, codes), strict=True))
        solved = solve_family(slices, metric.value, known)
        table = _whole(subtables, inside.material, metric)
        expected = [_code(solved[position]) for position in inside.positions]
        wrong = np.flatnonzero(codes_at(table, inside) != expected)
        examples = [(inside.positions[i], expected[i]) for i in wrong[:3]]
        assert not examples, (metric, len(wrong), examples)
        planes = np.unique(inside.planes)
        legal = [int((table.palette[cells[planes]] != BROKEN).sum()) for cells in table.cells]
        assert legal == np.bincount(inside.sides).tolist()


@pytest.mark.parametrize("fifty", [8, 11])
@pytest.mark.usefixtures("no_garbage")
def test_what_comes_too_late_is_cursed(fifty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a rule of so few plies that small endgames break it, each value is the reference's."""
    monkeypatch.setattr(values, "FIFTY", fifty)
    tables: dict[Material, Table] = {}
    known: dict[Position, Value] = {}
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK"):
        solution = reference.Solution("dtz", canonical, known.__getitem__, fifty)
        for graph in reference.graphs_of(name):
            solution.add(graph)
        known |= solution.values
        material = Material.parse(name)
        with WorkerPool(1) as pool:
            table = solve(material, Metric.DTZ, tables.__getitem__, pool).table()
        tables[material] = table
        (at,) = cells_of(solution.values)
        assert codes_at(table, at).tolist() == [_code(known[p]) for p in at.positions], name
    distances = {abs(value) for value in known.values() if value is not None}
    assert {fifty, fifty + 1, 2 * fifty + 1} <= distances


@pytest.mark.parametrize("name", ["KRvKN", "KPvKP"])
def test_a_table_with_cursed_wins_is_a_fixpoint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures and pawn moves into cursed endgames are right, under a rule of nine plies."""
    monkeypatch.setattr(values, "FIFTY", 9)
    tables: dict[Material, Table] = {}
    for material in work_order([Material.parse(name)]):
        with WorkerPool(1) as pool:
            tables[material] = solve(material, Metric.DTZ, tables.__getitem__, pool).table()
    levels = [values.level_of(code) for code in tables[Material.parse(name)].palette.tolist()]
    assert max(levels) > 2 * 9 + 1
    verdict = verify(tables[Material.parse(name)], tables.__getitem__)
    assert verdict.mismatches == 0, verdict.example


@pytest.mark.parametrize(
    ("name", "fifty"),
    [
        ("KRvKN", 33),  # KRvK, which it leads into, takes 32 plies
        *(pytest.param(name, 100, marks=pytest.mark.slow) for name in ("KBBvKN", "KBNvKN")),
    ],
)
def test_slow_wins_are_cursed(
    subtables: SubtableCache, name: str, fifty: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where captures alone zero, DTZ is DTC, and a win of more plies than allowed is cursed."""
    monkeypatch.setattr(values, "FIFTY", fifty)
    tables = []
    for metric in (Metric.DTC, Metric.DTZ):
        with WorkerPool(2) as pool:
            tables.append(solve(Material.parse(name), metric, subtables.of(metric), pool).table())
    by_dtc, by_dtz = tables
    codes = by_dtc.palette.copy()
    late = codes > values.loss_code(values.FIFTY)
    codes[late] += 2 * values.FIFTY
    assert late.sum() > 10
    for side in SIDES:
        for i in range(0, by_dtc.layout.count, 1024):
            mine, theirs = (table.cells[side][i : i + 1024] for table in tables)
            assert np.array_equal(codes[mine], by_dtz.palette[theirs])


def test_histograms_count_what_the_reference_counts(small_tables: Folder) -> None:
    """Counts by distance, modulo symmetry, equal those of the reference."""
    values = reference.solve("KRvK", "dtm")
    histogram = _summary(small_tables, "KRvK", Metric.DTM).histogram
    for side, white in enumerate((True, False)):
        codes = [_code(v) for p, v in values.items() if p[0] is white and v is not None]
        assert histogram[side] == {code: codes.count(code) for code in set(codes)}


@pytest.mark.parametrize(("name", "moves"), [("KQvK", 10), ("KRvKN", 27), ("KQvKR", 31)])
def test_conversion_takes_the_published_moves(small_tables: Folder, name: str, moves: int) -> None:
    """The longest wins by distance to conversion are those of the literature."""
    assert (
        _summary(small_tables, name, Metric.DTC).max_moves(Metric.DTC)["white_wins"]["wtm"] == moves
    )


def test_a_forced_capture_is_one_ply_to_conversion(small_tables: Folder) -> None:
    """DTC has losses in odd plies: the loser's last resort is to capture, and still loses."""
    histogram = _summary(small_tables, "KRRvK", Metric.DTC).histogram
    assert any(code % 4 == 0 for code in histogram[1])


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        *((name, list(Metric)) for name in ("KPvK", "KBBvK", "KRvKN")),
        ("KPvKP", [Metric.DTZ]),
        pytest.param("KPvKP", [Metric.DTM, Metric.DTC], marks=pytest.mark.slow),
    ],
)
def test_threads_do_not_change_a_byte(
    small_tables: Folder, tmp_path: Path, name: str, metrics: list[Metric]
) -> None:
    """Three workers give the files that one has given."""
    linked(tmp_path, small_tables, name)
    built = build_into(tmp_path, name, metrics=metrics, threads=3)
    for metric in metrics:
        path = built.file(Material.parse(name), metric)
        assert not path.is_symlink()
        assert path.read_bytes() == small_tables.file(Material.parse(name), metric).read_bytes()


@pytest.mark.parametrize("name", ["KQvKR", "KQvKP"])
def test_shared_ranges_give_the_same_solution(
    small_tables: Folder, subtables: SubtableCache, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When threads really share the planes, values and counts are those of one thread."""
    monkeypatch.setattr("unmove.pool.workers.SMALLEST_SHARED", 1)
    material = Material.parse(name)
    with WorkerPool(3) as pool:
        solution = solve(material, Metric.DTM, subtables.of(Metric.DTM), pool)
    table, stored = solution.table(), _whole(subtables, material, Metric.DTM)
    for side in SIDES:
        assert (table.palette[table.cells[side]] == stored.palette[stored.cells[side]]).all()
    summary = _summary(small_tables, name, Metric.DTM)
    assert solution.counts == summary.histogram
    assert tuple(solution.legal) == summary.legal


def test_outcomes_do_not_depend_on_the_metric(subtables: SubtableCache) -> None:
    """Win, draw, loss and broken are the same for all metrics; DTZ may call a win cursed."""
    for name in ("KQvKR", "KBvKN", "KRvKN", "KRvKP", "KPvKP"):
        first, *others = (_whole(subtables, Material.parse(name), metric) for metric in Metric)
        for side in SIDES:
            a = first.palette[first.cells[side]]
            for other in others:
                b = other.palette[other.cells[side]]
                assert ((a == BROKEN) == (b == BROKEN)).all()
                assert ((a > DRAW) == (b > DRAW)).all()
                assert ((a % 2) == (b % 2))[a > DRAW].all()
