"""Published figures: Nalimov's Table 8; fixpoints of small tables."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import pytest

from unmove import Material, Metric, Outcome, Outcome50, Tablebase
from unmove.material import all_of
from unmove.papers.published import rows_of
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import SIDES, WHITE, outcome50_of
from unmove.verify.fixpoint import verify

VERIFIED_FIVE = {
    Metric.DTM: ["KBBvKN", "KBNvKN", "KQRvKR", "KRRvKQ", "KQQQvK", "KRPvKR", "KPPvKP", "KQPvKQ"],
    Metric.DTC: ["KBBvKN", "KBNvKN", "KQRvKR", "KRRvKQ", "KQQQvK"],
    Metric.DTZ: ["KBBvKN", "KBNvKN", "KRPvKR", "KNNvKP"],
}


def _published(men: int) -> list[tuple[str, dict[str, int | None]]]:
    """The rows of Table 8 with this many men."""
    rows = []
    for row in rows_of("nalimov_table8_max_dtm"):
        name = row.pop("endgame")
        if Material.parse(name).men == men:
            rows.append((name, {k: int(v) if v else None for k, v in row.items()}))
    return rows


def _ours(folder: Folder, name: str) -> dict[str, int | None]:
    with folder.open(Material.parse(name), Metric.DTM) as file:
        moves = file.summary.max_moves(file.metric)
    return {f"{wins}_{turn}": n for wins, row in moves.items() for turn, n in row.items()}


@pytest.mark.parametrize(("name", "published"), [*_published(3), *_published(4)])
def test_longest_mates_are_the_published_ones(
    small_tables: Folder, name: str, published: dict[str, int | None]
) -> None:
    """The longest wins of either side, either side to move, equal Nalimov's Table 8."""
    assert _ours(small_tables, name) == published


@pytest.fixture(scope="module")
def five_men() -> Folder:
    """The tables `make prove` has built."""
    return Folder(Path(os.environ["UNMOVE_PROVE_DIR"]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "published"), _published(5))
def test_longest_mates_of_five_men_are_the_published_ones(
    five_men: Folder, name: str, published: dict[str, int | None]
) -> None:
    """All rows of five men equal Nalimov's Table 8."""
    assert _ours(five_men, name) == published


@pytest.mark.slow
def test_bishops_beat_the_knight_in_66_moves(five_men: Folder) -> None:
    """KBBvKN takes 66 moves to conversion, as Thompson and Wendroff et al. found."""
    with five_men.open(Material.parse("KBBKN"), Metric.DTC) as file:
        assert file.summary.max_moves(file.metric)["white_wins"]["wtm"] == 66


VERIFIED_FOUR = {
    Metric.DTM: ["KPvKP", "KBNvK", "KQQvK", "KQvKP", "KNPvK", "KPPvK"],
    Metric.DTC: ["KPvKP", "KRvKN"],
    Metric.DTZ: ["KRvKP", "KQvKR"],
}


def _verified() -> list[tuple[str, Metric]]:
    """The tables of 2 to 4 men whose fixpoint is checked every time; `make prove` checks all."""
    small = [(m.name, metric) for n in (2, 3) for m in all_of(n) for metric in Metric]
    return small + [(name, metric) for metric, names in VERIFIED_FOUR.items() for name in names]


@pytest.mark.parametrize(("name", "metric"), _verified())
def test_every_value_is_what_its_moves_give(
    small_tables: Folder, subtables: SubtableCache, name: str, metric: Metric
) -> None:
    """Every value, of every position, equals what an independent move generator finds."""
    table = subtables.load(Material.parse(name), metric)
    verdict = verify(table, subtables.of(metric))
    assert verdict.mismatches == 0, verdict.example
    assert verdict.positions >= sum(small_tables.open(verdict.material, metric).summary.legal)


def _proved() -> list[tuple[str, Metric]]:
    small = [(m.name, metric) for n in (3, 4) for m in all_of(n) for metric in Metric]
    return small + [(name, metric) for metric, names in VERIFIED_FIVE.items() for name in names]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metric"), _proved())
def test_every_value_that_is_proved_is_what_its_moves_give(
    five_men: Folder, name: str, metric: Metric
) -> None:
    """Fixpoint of all tables of 3 and 4 men and of some of 5 men."""
    with SubtableCache(five_men, threads=2) as subtables:
        table = subtables.load(Material.parse(name), metric)
        verdict = verify(table, subtables.of(metric), threads=2)
    print(f"{name} {metric}: {verdict.positions:,} positions, {verdict.mismatches} mismatches")
    assert verdict.mismatches == 0, verdict.example


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBBvKN", "KBNvKN", "KNNvKP"])
def test_the_50_move_rule_curses_wins_of_five_men(five_men: Folder, name: str) -> None:
    """These endgames have wins that take more than 50 moves, and they are told apart."""
    material = Material.parse(name)
    with five_men.open(material, Metric.DTZ) as file:
        for side in SIDES:
            codes = [outcome50_of(code) for code in file.summary.histogram[side]]
            cursed = Outcome50.CURSED_WIN if side == 0 else Outcome50.BLESSED_LOSS
            assert cursed in codes
        fen = file.summary.longest["white_wins wtm"]
    with Tablebase(five_men.path) as tables:
        board = chess.Board(fen)
        assert tables.probe_wdl50(board) is Outcome50.CURSED_WIN
        assert tables.probe_wdl(board) is Outcome.WIN
        best = tables.moves(board, Metric.DTZ)[0]
        assert best.outcome50 is Outcome50.CURSED_WIN
        assert best.dtz == tables.probe_dtz(board)


@pytest.mark.slow
def test_rook_and_pawn_win_before_the_rule_can_be_claimed(five_men: Folder) -> None:
    """KRPvKR has no cursed win: 35 moves to a zeroing at most, and none needs a slow KRBvKR."""
    with five_men.open(Material.parse("KRPvKR"), Metric.DTZ) as file:
        assert file.summary.max_moves(file.metric)["white_wins"] == {"wtm": 35, "btm": 35}
        for side in SIDES:
            counts = file.summary.counts50(side)
            assert counts["cursed_win"] == counts["blessed_loss"] == 0
    with five_men.open(Material.parse("KRBvKR"), Metric.DTZ) as file:
        assert file.summary.counts50(WHITE)["cursed_win"] > 0


@pytest.mark.slow
def test_a_forced_capture_en_passant_is_known_before_the_step(five_men: Folder) -> None:
    """1 g4 is worth what 1 ... hxg3, the only legal answer, leaves: no stalemate, no draw."""
    board = chess.Board("k7/2Q5/8/8/7p/7K/6P1/8 w - - 0 1")
    with Tablebase(five_men.path) as tables:
        (step,) = (r for r in tables.moves(board) if r.san == "g4")
        board.push(step.move)
        (only,) = board.legal_moves
        board.push(only)
        dtm = tables.probe_dtm(board)
    assert dtm is not None
    assert step.dtm == dtm + 2


@pytest.mark.slow
def test_a_pinned_pawn_does_not_take_en_passant(five_men: Folder) -> None:
    """Where both pawns would leave the king's rank to a rook, the right to take means nothing."""
    board = chess.Board("8/8/8/8/k1pP3R/8/8/4K3 b - d3 0 1")
    assert not board.has_legal_en_passant()
    with Tablebase(five_men.path) as tables:
        ranked = tables.moves(board)
        assert ranked[0].dtm == tables.probe_dtm(board)
        assert not any(board.is_en_passant(r.move) for r in ranked)
        board.ep_square = None
        assert ranked[0].dtm == tables.probe_dtm(board)
