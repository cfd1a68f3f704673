"""Tables of xiangqi: solved, stored, proved and probed by what solves, stores and probes chess."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.conftest import build_into
from tests.reference.xiangqi import solve as solve_plainly
from tests.support.solved import with_code
from tests.support.wu_beal import counts_of, exact_counts
from unmove import Metric, Outcome, Tablebase
from unmove.cli.app import app
from unmove.errors import BadOption, IllegalPosition, MissingTable, TooManyMen
from unmove.games.boards import parse_fen
from unmove.games.xiangqi_board import Board, Move
from unmove.games.xiangqi_rules import XIANGQI_RULES
from unmove.material import Material
from unmove.papers.wu_beal import material_of, rows
from unmove.planes.layouts import board_at
from unmove.pool.workers import WorkerPool
from unmove.solver.loop import solve
from unmove.solver.partial_table import TableInMemory
from unmove.solver.plan import make_plan
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import (
    DRAW,
    SIDES,
    Code,
    Level,
    level_of,
    loss_code,
    opponent_of,
    value_of,
    win_code,
)
from unmove.verify.fixpoint import verify

EXACT = exact_counts()
QUICK = 300_000  # placements
METRICS = (Metric.DTM, Metric.DTC)
STORED = ("KPvK", "KPvKA", "KCAvKA", "KCPvKE", "KPvKP", "KRvKH", "KPPvK")  # in the folder here
RNG_POSITIONS = 60


@cache
def drafted(material: Material, metric: Metric) -> TableInMemory:
    """An endgame solved in memory, with all it depends on."""
    return solve(material, metric, lambda smaller: drafted(smaller, metric), WorkerPool(1))


def counted(key: str, metric: Metric) -> dict[str, Any]:
    """The counts of an endgame in the shape of the known ones."""
    given = material_of(key)
    solution = drafted(given.canonical(), metric)
    order = slice(None, None, 1 if given == solution.material else -1)
    return counts_of(solution.legal[order], list(solution.counts)[order])


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Some tables of xiangqi with all they depend on."""
    names = [f"xiangqi:{name}" for name in STORED]
    return build_into(tmp_path_factory.mktemp("xiangqi"), *names)


@pytest.mark.parametrize("key", [k for k, facts in EXACT.items() if facts["index_size"] <= QUICK])
@pytest.mark.parametrize("metric", METRICS)
def test_counts_are_exact(key: str, metric: Metric) -> None:
    """Wins, losses and draws by side to move and distance equal the known counts."""
    assert counted(key, metric) == EXACT[key][metric.value]


@pytest.mark.parametrize(("key", "row"), [row for row in rows() if row[1]["real"] <= 1_000_000])
def test_the_longest_wins_are_those_of_1996(key: str, row: dict[str, int]) -> None:
    """The longest win to a conversion is as published (Wu and Beal)."""
    given = material_of(key)
    solution = drafted(given.canonical(), Metric.DTC)
    side = int(given != solution.material)
    wins = [level_of(code) for code in solution.counts[side] if code % 2]
    assert max([(level + 1) // 2 for level in wins], default=0) == row["max_dtc"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", ["KPvK", "KCAvK", "KPvKA", "KHvK", "KRvKE"])
def test_every_value_is_the_reference_solvers(name: str, metric: Metric) -> None:
    """Position by position the codes are those of the plain solver."""
    solution = drafted(Material.parse(f"xiangqi:{name}"), metric)
    plain = solve_plainly(name, metric.value)
    seen = 0
    for side in SIDES:
        codes = solution.palette[solution.cells[side]].ravel()
        for cell in np.flatnonzero(codes).tolist():
            board = board_at(solution.layout, side, cell)
            assert isinstance(board, Board)
            men = tuple(sorted((m, s) for s, m in enumerate(board.men) if m != "."))
            value = value_of(Code(int(codes[cell])), metric)
            assert value == plain[side == 0, men], board.fen()
            seen += 1
    assert seen > 3000


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", STORED)
def test_every_table_is_a_fixpoint(folder: Folder, name: str, metric: Metric) -> None:
    """What the file has for a position is what its moves give."""
    with SubtableCache(folder) as subtables:
        table = subtables.load(Material.parse(f"xiangqi:{name}"), metric)
        verdict = verify(table, subtables.of(metric))
        assert verdict.clean and verdict.positions > 1000


def test_a_wrong_value_is_noticed(folder: Folder) -> None:
    """A table with another value in one cell is no fixpoint, and the example tells where."""
    metric = Metric.DTM
    with SubtableCache(folder) as subtables:
        table = subtables.load(Material.parse("xiangqi:KPvKA"), metric)
        codes = table.palette[table.cells[0]].ravel()
        cell = int(np.flatnonzero(codes > DRAW)[0])
        other = win_code(Level(31)) if codes[cell] != win_code(Level(31)) else loss_code(Level(2))
        verdict = verify(with_code(table, 0, cell, other), subtables.of(metric))
        assert verdict.mismatches >= 1
        assert verdict.example is not None and "stored: " in verdict.example


def test_a_file_has_what_was_solved(folder: Folder) -> None:
    """Both sides are stored, and every cell is read as it was solved."""
    material = Material.parse("xiangqi:KCPvKE")
    with SubtableCache(folder) as subtables, folder.open(material, Metric.DTM) as file:
        assert file.meta.stored == "both"
        file.check()
        table, solution = subtables.load(material, Metric.DTM), drafted(material, Metric.DTM)
        for side in SIDES:
            assert np.array_equal(
                table.palette[table.cells[side]], solution.palette[solution.cells[side]]
            )


def boards_of(folder: Folder, name: str, metric: Metric = Metric.DTM) -> list[tuple[Board, int]]:
    """Random legal positions of a stored table with their codes; of either colour."""
    rng = random.Random(name)
    with SubtableCache(folder) as subtables:
        table = subtables.load(Material.parse(f"xiangqi:{name}"), metric)
    found = []
    for side in SIDES:
        codes = table.palette[table.cells[side]].ravel()
        for cell in rng.sample(np.flatnonzero(codes).tolist(), RNG_POSITIONS):
            board = board_at(table.layout, side, cell)
            assert isinstance(board, Board)
            if rng.random() < 0.5:
                board = turned(board)
            found.append((board, int(codes[cell])))
    return found


def turned(board: Board) -> Board:
    """The same with colours exchanged, upside down."""
    ranks = [board.men[i : i + 9] for i in range(0, 90, 9)]
    return Board("".join(reversed(ranks)).swapcase(), opponent_of(board.side))


@pytest.mark.parametrize("name", STORED)
def test_boards_are_probed(folder: Folder, name: str) -> None:
    """A board, one by one or many at once, has the value of its cell, whoever is the stronger."""
    boards = boards_of(folder, name)
    with Tablebase(folder.path) as tables:
        for board, code in boards:
            assert tables.probe_dtm(board) == value_of(Code(code), Metric.DTM)
        values = tables.probe_boards([board for board, _ in boards])
        assert values.codes.tolist() == [code for _, code in boards]
        values = tables.probe_fens([board.fen() for board, _ in boards])
        assert values.codes.tolist() == [code for _, code in boards]


def test_moves_are_ranked_and_lines_end_in_a_loss(folder: Folder) -> None:
    """The best move keeps the distance, and a line has as many plies as the value says."""
    with Tablebase(folder.path) as tables:
        won = [each for each in boards_of(folder, "KCAvKA") if each[1] != DRAW]
        for board, code in won[:12]:
            line = tables.line(board)
            assert len(line) == abs(value_of(Code(code), Metric.DTM) or 0)
            for move in line:
                ranked = tables.moves(board)
                assert move == ranked[0].move
                assert {str(each.move) for each in ranked} == {str(m) for m in board.legal_moves()}
                board = board.push(move)
            assert board.is_lost()


def test_a_whole_table_as_arrays(folder: Folder) -> None:
    """Every legal position is there once, and so is its mirror image; each probes to its value."""
    with Tablebase(folder.path) as tables:
        batch = tables.to_numpy("xiangqi:KPvKA")
        again = tables.probe_many("xiangqi:KPvKA", batch.squares, batch.turns)
        assert np.array_equal(again.codes, batch.values.codes)
        mirror = XIANGQI_MIRROR[batch.squares]
        rows, images = (
            {(*row, turn) for row, turn in zip(some, batch.turns.tolist(), strict=True)}
            for some in (batch.squares.tolist(), mirror.tolist())
        )
        legal = folder.open(Material.parse("xiangqi:KPvKA"), Metric.DTM).summary.legal
        assert len(rows) == len(batch) == sum(legal)
        assert rows == images


XIANGQI_MIRROR = np.array([s // 9 * 9 + 8 - s % 9 for s in range(90)], np.uint8)


def test_what_cannot_be_asked_is_said(folder: Folder, tmp_path: Path) -> None:
    """A missing table, an illegal position, a foreign metric and too many men: a sentence each."""
    with Tablebase(folder.path) as tables:
        with pytest.raises(MissingTable, match="xiangqi:KRRvK"):
            tables.probe_dtm(parse_fen("4k4/9/9/9/9/9/9/9/9/RR1K5 w"))
        with pytest.raises(IllegalPosition, match="face each other"):
            tables.probe_dtm(Board.parse("4k4/9/9/9/9/9/9/9/9/4K4 w"))
    with pytest.raises(BadOption, match="xiangqi has no such distance"):
        make_plan([Material.parse("xiangqi:KPvK")], [Metric.DTZ], folder)
    with pytest.raises(TooManyMen, match="attackers"):
        make_plan([Material.parse("xiangqi:KRRCCHvK")], [Metric.DTM], folder)


def test_a_file_of_other_rules_is_refused(folder: Folder, tmp_path: Path) -> None:
    """What a file says of repetition is looked at."""
    facts = json.loads(folder.open(Material.parse("xiangqi:KPvK"), Metric.DTM).meta.to_bytes())
    assert facts["rules"] == "repetition draws"
    from unmove.store.format import Meta

    with pytest.raises(ValueError, match="other rules"):
        Meta.from_bytes(json.dumps(facts | {"rules": "perpetual check loses"}).encode())


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_commands(folder: Folder) -> None:
    """Every command answers for xiangqi as it does for chess."""
    where = ("--dir", str(folder.path))
    fen = "3k5/4P4/9/9/9/9/9/9/9/4K4 w - - 0 1"
    answer = json.loads(run("probe", fen, "--json", *where).stdout)
    assert (answer["outcome"], answer["dtm"], answer["dtc"], answer["dtz"]) == ("win", 1, 1, None)
    assert answer["moves"][0]["san"] == "K5+1" and answer["moves"][0]["uci"] == "e1e2"
    assert json.loads(run("line", fen, "--json", *where).stdout)["line"] == "1. K5+1"
    assert "Red to move wins" in run("probe", fen, *where).stdout
    stats = json.loads(run("stats", "xiangqi:KPvKA", "--json", *where).stdout)
    assert stats["max_dtm_moves"]["white_wins"] == {"wtm": 7, "btm": 6}
    listed = run("list", "--json", *where).stdout.splitlines()
    names = {json.loads(row)["material"] for row in listed}
    assert {f"xiangqi:{name}" for name in STORED} <= names
    assert run("verify", "xiangqi:KPvK", *where).exit_code == 0
    assert run("check", *where).exit_code == 0
    path = str(folder.file(Material.parse("xiangqi:KPvK"), Metric.DTM))
    assert json.loads(run("info", path, "--json").stdout)["stored"] == "both"
    built = run("build", "KPvK", "--game", "xiangqi", *where)
    assert built.exit_code == 0 and "xiangqi" in built.stdout
    assert isinstance(run("build", "KPvK", "--game", "go", *where).exception, BadOption)


def test_outcomes(folder: Folder) -> None:
    """A side without a move has lost, in check or not."""
    stalemated = Board.parse("3k5/9/3P5/9/9/9/9/9/9/4K4 b")
    assert stalemated.is_lost() and not stalemated.is_check()
    with Tablebase(folder.path) as tables:
        assert tables.probe_dtm(stalemated) == 0
        assert tables.probe_wdl(stalemated) is Outcome.LOSS
        assert tables.moves(stalemated) == []
    assert XIANGQI_RULES.line(stalemated, [Move.parse("d10e10")]) == "1... K4.5"
