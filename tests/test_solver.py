"""The solver against the plain reference, position by position, and its promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import build_into
from tests.reference.planes import cell_of
from tests.reference.solver import solve as reference_solve
from unmove.material import Material
from unmove.planes.layout import CELLS, Layout
from unmove.solver.crew import Crew
from unmove.solver.loop import solve
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.store.table import Table
from unmove.values import BROKEN, Metric, code_of


def _table(folder: Folder, name: str, metric: Metric) -> Table:
    with folder.open(Material.parse(name), metric) as file:
        return file.load()


def _summary(folder: Folder, name: str, metric: Metric) -> Summary:
    with folder.open(Material.parse(name), metric) as file:
        return file.summary


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", ["KvK", "KQvK", "KRvK", "KBvK", "KNvK"])
def test_every_value_of_three_men_is_the_reference_value(
    small_tables: Folder, name: str, metric: Metric
) -> None:
    """Each legal position of the reference has its value in the table, and no cell is left over."""
    table = _table(small_tables, name, metric)
    layout = Layout(table.material)
    values = reference_solve(name, metric.value)
    for position, value in values.items():
        side = 0 if position[0] else 1
        plane, cell = divmod(cell_of(layout, position), CELLS)
        assert table.palette[table.cells[side][plane, cell]] == code_of(value), position
    assert _summary(small_tables, name, metric).legal == tuple(
        sum(1 for position in values if position[0] is white) for white in (True, False)
    )


def test_histograms_count_what_the_reference_counts(small_tables: Folder) -> None:
    """Counts by distance, modulo symmetry, equal those of the reference."""
    values = reference_solve("KRvK", "dtm")
    histogram = _summary(small_tables, "KRvK", Metric.DTM).histogram
    for side, white in enumerate((True, False)):
        codes = [code_of(v) for p, v in values.items() if p[0] is white and v is not None]
        assert histogram[side] == {code: codes.count(code) for code in set(codes)}


@pytest.mark.parametrize(("name", "moves"), [("KQvK", 10), ("KRvKN", 27), ("KQvKR", 31)])
def test_conversion_takes_the_published_moves(small_tables: Folder, name: str, moves: int) -> None:
    """The longest wins by distance to conversion are those of the literature."""
    assert _summary(small_tables, name, Metric.DTC).max_moves()["white_wins"]["wtm"] == moves


def test_a_forced_capture_is_one_ply_to_conversion(small_tables: Folder) -> None:
    """DTC has losses in odd plies: the loser's last resort is to capture, and still loses."""
    histogram = _summary(small_tables, "KRRvK", Metric.DTC).histogram
    assert any(code % 4 == 0 for code in histogram[1])


@pytest.mark.parametrize("name", ["KBBvK", "KRvKN"])
def test_threads_do_not_change_a_byte(tmp_path: Path, name: str) -> None:
    """One and three workers give the same files."""
    folders = [build_into(tmp_path / str(n), name, threads=n) for n in (1, 3)]
    for material, metric in folders[0].tables():
        one, three = (folder.file(material, metric).read_bytes() for folder in folders)
        assert one == three


def test_shared_ranges_give_the_same_solution(
    small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When threads really share the planes, values and counts are those of one thread."""
    monkeypatch.setattr("unmove.solver.crew.SMALLEST_SHARED", 1)

    def smaller(material: Material) -> Table:
        return _table(small_tables, material.name, Metric.DTM)

    with Crew(3) as crew:
        solution = solve(Material.parse("KQvKR"), Metric.DTM, smaller, crew)
        table = solution.table(crew)
    stored = _table(small_tables, "KQvKR", Metric.DTM)
    for side in (0, 1):
        assert (table.cells[side] == stored.cells[side]).all()
    assert solution.counts == _summary(small_tables, "KQvKR", Metric.DTM).histogram


def test_outcomes_do_not_depend_on_the_metric(small_tables: Folder) -> None:
    """Win, draw, loss and broken are the same for DTM and DTC."""
    for name in ("KQvKR", "KBvKN", "KRvKN"):
        dtm, dtc = (_table(small_tables, name, metric) for metric in Metric)
        for side in (0, 1):
            a, b = (t.palette[t.cells[side]] for t in (dtm, dtc))
            assert ((a == BROKEN) == (b == BROKEN)).all()
            assert ((a > 1) == (b > 1)).all()
            assert ((a % 2) == (b % 2))[a > 1].all()
