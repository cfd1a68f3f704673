"""Published figures: Nalimov's Table 8 and values read from Syzygy tables."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import chess
import pytest

from unmove import Material, Metric, Tablebase
from unmove.material import all_of
from unmove.store.folder import Folder
from unmove.store.table import Table
from unmove.verify.fixpoint import Verdict, verify

DATA = Path(__file__).parent / "data"
VERIFIED_FIVE = ("KBBvKN", "KBNvKN", "KQRvKR", "KRRvKQ", "KQQQvK")


def _published(men: int) -> list[tuple[str, dict[str, int | None]]]:
    """The pawnless rows of Table 8 with this many men."""
    rows = []
    with (DATA / "nalimov_table8_max_dtm.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = row.pop("endgame")
            if "P" not in name and Material.parse(name).men == men:
                rows.append((name, {k: int(v) if v else None for k, v in row.items()}))
    return rows


def _ours(folder: Folder, name: str) -> dict[str, int | None]:
    with folder.open(Material.parse(name), Metric.DTM) as file:
        moves = file.summary.max_moves()
    return {f"{wins}_{turn}": n for wins, row in moves.items() for turn, n in row.items()}


@pytest.mark.parametrize(("name", "published"), [*_published(3), *_published(4)])
def test_longest_mates_are_the_published_ones(
    small_tables: Folder, name: str, published: dict[str, int | None]
) -> None:
    """The longest wins of either side, either side to move, equal Nalimov's Table 8."""
    assert _ours(small_tables, name) == published


def test_outcomes_are_those_of_syzygy(tablebase: Tablebase) -> None:
    """Every pawnless sample has the outcome that the Syzygy tables give."""
    checked = 0
    with (DATA / "syzygy_samples_3_4_men.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if "P" in row["material"]:
                continue
            wdl = int(row["wdl"])
            outcome = tablebase.probe_wdl(chess.Board(row["fen"]))
            assert outcome == (wdl > 0) - (wdl < 0), row["fen"]
            checked += 1
    assert checked == 7200


@pytest.fixture(scope="module")
def five_men() -> Folder:
    """The tables `make prove` has built."""
    return Folder(Path(os.environ["UNMOVE_PROVE_DIR"]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "published"), _published(5))
def test_longest_mates_of_five_men_are_the_published_ones(
    five_men: Folder, name: str, published: dict[str, int | None]
) -> None:
    """All 60 pawnless rows of five men equal Nalimov's Table 8."""
    assert _ours(five_men, name) == published


@pytest.mark.slow
def test_bishops_beat_the_knight_in_66_moves(five_men: Folder) -> None:
    """KBBvKN takes 66 moves to conversion, as Thompson and Wendroff et al. found."""
    with five_men.open(Material.parse("KBBKN"), Metric.DTC) as file:
        assert file.summary.max_moves()["white_wins"]["wtm"] == 66


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", [m.name for n in (2, 3, 4) for m in all_of(n, pawns=False)])
def test_every_value_is_what_its_moves_give(
    small_tables: Folder, name: str, metric: Metric
) -> None:
    """Fixpoint of every table of 2 to 4 men, both metrics."""
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
