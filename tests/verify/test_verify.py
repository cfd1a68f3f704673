"""The proof of tables without pawns: clean ones pass, one wrong cell does not."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import chess
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.reference.position import locate
from tests.support.solved import codes_of, solved, table_of, with_code, with_number
from unmove.api.proof import prove
from unmove.cli.app import app
from unmove.errors import BadOption
from unmove.kernels.arrays import Palette
from unmove.material import all_of
from unmove.store.folder import Folder
from unmove.store.source import STALEMATE
from unmove.store.table import Table
from unmove.values import (
    BROKEN,
    DRAW,
    SIDES,
    Code,
    Level,
    Metric,
    Side,
    outcome_of,
    plies_of,
    win_code,
)
from unmove.verify.fixpoint import PlaneSample, Verdict, verify

SMALL = [material.name for men in (2, 3) for material in all_of(men, pawns=False)]
FOUR_MEN = [("KQvKR", Metric.DTM), ("KRvKR", Metric.DTC)]


def verdict_on(table: Table, threads: int = 1) -> Verdict:
    return verify(table, lambda smaller: solved(smaller, table.metric), threads)


def clean_verdict(table: Table) -> Verdict:
    """That all legal positions were checked, and none is wrong."""
    legal = sum(int((codes_of(table, side) != BROKEN).sum()) for side in SIDES)
    return Verdict(table.material, table.metric, legal, 0, None)


@pytest.mark.parametrize(
    ("name", "metric"),
    [*((name, metric) for name in (*SMALL, "KBBvK") for metric in Metric), *FOUR_MEN],
)
def test_a_solved_table_is_a_fixpoint(name: str, metric: Metric) -> None:
    """No cell of a solved table differs from what its moves give."""
    table = table_of(name, metric)
    verdict = verdict_on(table)
    assert verdict == clean_verdict(table)
    assert verdict.clean


def test_a_win_two_plies_too_long_is_found() -> None:
    """A win stored two plies too long is reported, there or where it is first missed."""
    table = table_of("KQvKR")
    index = int(np.flatnonzero(codes_of(table, 0) == win_code(Level(5)))[100])
    verdict = verdict_on(with_code(table, 0, index, win_code(Level(7))))
    assert not verdict.clean
    assert verdict.mismatches >= 1
    assert " plies; right: " in (verdict.example or "")


@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize(("name", "side"), [("KRvK", 1), ("KBBvK", 0)])
def test_a_draw_turned_into_a_win_is_found(name: str, side: Side, metric: Metric) -> None:
    """A win stored for a drawn position is reported, whatever its length."""
    table = table_of(name, metric)
    index = int(np.flatnonzero(codes_of(table, side) == DRAW)[100])
    for plies in (1, 9):
        assert verdict_on(with_code(table, side, index, win_code(Level(plies)))).mismatches >= 1


def test_a_broken_cell_made_a_draw_is_found() -> None:
    """A value for an illegal position is one mismatch, since no move leads there."""
    table = table_of("KQvK")
    for side in SIDES:
        for index in np.flatnonzero(codes_of(table, side) == BROKEN)[::2500]:
            verdict = verdict_on(with_code(table, side, int(index), DRAW))
            assert verdict.mismatches == 1
            assert verdict.positions == verdict_on(table).positions
            assert verdict.example is not None
            assert verdict.example.endswith(" 0 1 (stored: draw; right: broken)")


def test_a_legal_cell_made_broken_is_found() -> None:
    """A legal position without a value is reported, and so is whatever depends on it."""
    table = table_of("KQvK")
    for side in SIDES:
        legal = np.flatnonzero(codes_of(table, side) != BROKEN)
        for index in legal[:: len(legal) // 5]:
            verdict = verdict_on(with_code(table, side, int(index), BROKEN))
            assert verdict.mismatches > 1
            assert verdict.positions == verdict_on(table).positions


def test_a_cell_outside_the_palette_is_found() -> None:
    """A number that stands for no code is no value, not even for an illegal position."""
    table = table_of("KRvK")
    index = int(np.flatnonzero(codes_of(table, 0) == BROKEN)[7])
    verdict = verdict_on(with_number(table, 0, index, len(table.palette)))
    assert verdict.mismatches == 1
    assert verdict.example is not None
    assert "stored: no value" in verdict.example


def test_a_stalemate_stored_as_another_draw_is_found() -> None:
    """A side without a move is marked as stalemated, though the code of both draws is the same."""
    table = table_of("KQvK")
    stalemates = np.flatnonzero(table.cells[1].ravel() == STALEMATE)
    verdict = verdict_on(with_number(table, 1, int(stalemates[5]), 1))
    assert len(stalemates) > 100
    assert verdict.mismatches == 1
    assert verdict.example is not None
    assert verdict.example.endswith("(stored: draw; right: stalemate)")


def test_a_draw_stored_as_a_stalemate_is_found() -> None:
    """A side that has a move is not marked as stalemated."""
    table = table_of("KNvK")
    index = int(np.flatnonzero(table.cells[0].ravel() == 1)[1000])
    verdict = verdict_on(with_number(table, 0, index, STALEMATE))
    assert verdict.mismatches == 1
    assert verdict.example is not None
    assert verdict.example.endswith("(stored: stalemate; right: draw)")


def test_wrong_smaller_tables_are_found() -> None:
    """A table does not agree with other values behind its captures."""
    lost = table_of("KRvK")
    palette = np.where(lost.palette % 2 == 0, DRAW * (lost.palette > 0), lost.palette)
    wrong = {lost.material: replace(lost, palette=Palette(palette))}
    verdict = verify(
        table_of("KRvKR"), lambda smaller: wrong.get(smaller, solved(smaller, Metric.DTM))
    )
    assert verdict.mismatches > 1000


def test_the_metric_matters() -> None:
    """Distances to mate do not pass as distances to conversion."""
    dtm = table_of("KQvKR", Metric.DTM)
    verdict = verdict_on(replace(dtm, metric=Metric.DTC))
    assert verdict.mismatches > 1000


def test_the_example_tells_the_stored_and_the_right_value() -> None:
    """The example is a position of the table, with what is stored and what its moves give."""
    table = table_of("KRvK")
    index = int(np.flatnonzero(codes_of(table, 0) == win_code(Level(1)))[0])
    verdict = verdict_on(changed := with_code(table, 0, index, win_code(Level(31))))
    match = re.fullmatch(
        r"(.+) \(stored: (\w+ in \d+) plies; right: \w+ in \d+ plies\)", verdict.example or ""
    )
    assert match is not None
    address = locate(chess.Board(match[1]), table.layout)
    code = int(codes_of(changed, address.side)[address.cell])
    assert match[2] == f"{outcome_of(Code(code)).word} in {plies_of(Code(code), table.metric)}"
    assert address.cell <= index


def test_the_verdict_does_not_depend_on_threads() -> None:
    """Two threads find the same mismatches and the same example, and report up to the end."""
    table = table_of("KBBvK")
    for index in (300_000, 900_000):
        table = with_code(table, 0, index, win_code(Level(77)))
    alone = verdict_on(table)
    parts: list[float] = []
    together = verify(table, lambda m: solved(m, Metric.DTM), threads=2, report=parts.append)
    assert alone.mismatches >= 2
    assert together == alone
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_a_sample_checks_its_planes_alone() -> None:
    """It depends on its seed, has the planes asked for, and finds what is wrong there."""
    table, tables = table_of("KQvKR"), lambda smaller: solved(smaller, Metric.DTM)
    chosen = PlaneSample(50, 3).of(table.layout.count)
    assert len(chosen) == 50
    assert chosen == PlaneSample(50, 3).of(table.layout.count) != PlaneSample(50, 4).of(640)
    clean = verify(table, tables, sample=PlaneSample(50, 3))
    planes = [plane for plane, _ in chosen]
    legal = [table.palette[cells[planes]] != BROKEN for cells in table.cells]
    assert (clean.positions, clean.mismatches) == (sum(int(each.sum()) for each in legal), 0)
    inside = planes[10] * 4096
    won = np.flatnonzero(codes_of(table, 0)[inside : inside + 4096] > DRAW)
    spoilt = with_code(table, 0, inside + int(won[0]), DRAW)
    assert verify(spoilt, tables, sample=PlaneSample(50, 3)).mismatches
    assert verify(table, tables, sample=PlaneSample(10**6, 3)) == clean_verdict(table)


@pytest.mark.parametrize(("sample", "seed"), [(0, 0), (-5, 0), (True, 0), (5, -1)])
def test_a_sample_of_nothing_gets_a_sentence(small_tables: Folder, sample: int, seed: int) -> None:
    """The error names what is wrong."""
    with pytest.raises(BadOption, match="must be"):
        prove(small_tables, "KQvK", "dtm", sample=sample, seed=seed)


def test_verify_says_how_many_planes_it_has_checked(small_tables: Folder) -> None:
    """A sample is told from a proof, in words and in JSON."""
    command = ["verify", "KQvKR", "--metric", "dtm", "--dir", str(small_tables.path)]
    said = CliRunner().invoke(app, [*command, "--sample", "20", "--seed", "2"]).output
    assert "positions on 20 of 640 planes checked" in said.replace("\n", " ")
    answer = json.loads(CliRunner().invoke(app, [*command, "--sample", "20", "--json"]).stdout)
    assert (answer["planes"], answer["all_planes"], answer["mismatches"]) == (20, 640, 0)
