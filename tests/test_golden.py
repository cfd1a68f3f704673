"""Published figures: Nalimov's Table 8 and values read from Syzygy tables."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import chess
import pytest

from unmove import Material, Metric, Tablebase
from unmove.material import all_of
from unmove.planes.position import material_of
from unmove.store.folder import Folder
from unmove.store.table import Table
from unmove.verify.fixpoint import Verdict, verify

DATA = Path(__file__).parent / "data"
VERIFIED_FIVE = ("KBBvKN", "KBNvKN", "KQRvKR", "KRRvKQ", "KQQQvK")


def _published(men: int) -> list[tuple[str, dict[str, int | None]]]:
    """The rows of Table 8 with this many men."""
    rows = []
    with (DATA / "nalimov_table8_max_dtm.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
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


def test_outcomes_and_distances_are_those_of_syzygy(tablebase: Tablebase) -> None:
    """Every sample has the outcome that Syzygy tables give, and their distance to zeroing.

    Where such a table counts in full moves it gives even distances only, one ply short of odd
    ones; in no other table and by no other amount may it differ. It gives a mated side -1.
    """
    with (DATA / "syzygy_samples_3_4_men.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    short: dict[tuple[str, bool, int], int] = {}
    exact: dict[tuple[str, bool, int], int] = {}
    for row in rows:
        board, theirs = chess.Board(row["fen"]), int(row["dtz"])
        assert tablebase.probe_wdl50(board) == int(row["wdl"]), row["fen"]
        ours = tablebase.probe_dtz(board) or 0
        if board.is_checkmate():
            assert (ours, theirs) == (0, -1)
            continue
        stronger = material_of(board) == Material.parse(row["material"])
        table = row["material"], board.turn == stronger, int(row["wdl"])
        counted = short if abs(ours) == abs(theirs) + 1 else exact
        assert ours == theirs or (counted is short and ours * theirs > 0), row["fen"]
        odd = abs(theirs) > 1 and theirs % 2 == 1
        counted[table] = counted.get(table, 0) + (counted is short or odd)
    assert len(rows) == 10_900
    assert sum(short.values()) == 1416
    assert not [table for table in short if exact.get(table)]  # an odd one tells that plies count


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


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", [m.name for n in (2, 3, 4) for m in all_of(n)])
def test_every_value_is_what_its_moves_give(
    small_tables: Folder, name: str, metric: Metric
) -> None:
    """Fixpoint of every table of 2 to 4 men, all metrics."""
    verdict = _verdict(small_tables, name, metric)
    assert verdict.mismatches == 0, verdict.example
    assert verdict.positions >= sum(small_tables.open(verdict.material, metric).summary.legal)


@pytest.mark.slow
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", VERIFIED_FIVE)
def test_every_value_of_five_men_is_what_its_moves_give(
    five_men: Folder, name: str, metric: Metric
) -> None:
    """Fixpoint of tables of 5 men, both metrics."""
    verdict = _verdict(five_men, name, metric)
    print(f"{name} {metric}: {verdict.positions:,} positions, {verdict.mismatches} mismatches")
    assert verdict.mismatches == 0, verdict.example


def _verdict(folder: Folder, name: str, metric: Metric) -> Verdict:
    def load(material: Material) -> Table:
        with folder.open(material, metric) as file:
            return file.load()

    return verify(load(Material.parse(name)), load, threads=2)
