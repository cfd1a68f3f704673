"""Mutual zugzwangs: as many as are known, and each of them is one."""

from __future__ import annotations

import json

import chess
import pytest

from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.games.rules import columns_of
from unmove.material import Material
from unmove.research.scan import Scan
from unmove.research.zugzwang import ZUGZWANG_KINDS, count, zugzwangs
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache


def _outcome(tables: Tablebase, board: chess.Board, turn: chess.Color) -> int | None:
    """What White gets with this side to move; None if that is illegal."""
    board = board.copy()
    board.turn = turn
    if not board.is_valid():
        return None
    outcome = int(tables.probe_wdl(board))
    return outcome if turn else -outcome


def _naive(tables: Tablebase, name: str) -> dict[str, set[str]]:
    """Each kind's placements, from every White-to-move position probed both ways."""
    found: dict[str, set[str]] = {kind: set() for kind in ZUGZWANG_KINDS}
    everything = tables.to_numpy(name)
    for squares in everything.squares[everything.turns == 0].tolist():
        men = zip(squares, columns_of(everything.material), strict=True)
        board = chess.Board(None)
        board.set_piece_map({s: chess.Piece.from_symbol(man) for s, man in men})
        pair = _outcome(tables, board, chess.WHITE), _outcome(tables, board, chess.BLACK)
        for kind, outcomes in ZUGZWANG_KINDS.items():
            if pair == outcomes:
                found[kind].add(board.board_fen())
    return found


def test_pawn_against_king_has_eighty(tablebase: Tablebase) -> None:
    """The mutual zugzwangs of KPvK are the well-known 80, all of them White's win at stake."""
    naive = _naive(tablebase, "KPvK")
    assert {kind: len(fens) for kind, fens in naive.items()} == {"full": 0, "white": 80, "black": 0}
    with SubtableCache(tablebase.folder) as subtables:
        scan = Scan(subtables, Material.parse("KPvK"), Metric.DTM)
        listed = {each.note(scan).fen.split()[0] for each in zugzwangs(scan)}
        assert count(scan)["white"] == 80
    assert listed == naive["white"]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("KRvKB", (0, 5, 0)),
        ("KRvKN", (0, 18, 0)),
        ("KNvKP", (0, 22, 7)),
        ("KPvKP", (30, 106, 106)),
        ("KQvKR", (0, 0, 0)),
    ],
)
@pytest.mark.parametrize("metric", list(Metric))
def test_all_metrics_count_alike(
    subtables: SubtableCache, name: str, counts: tuple[int, ...], metric: Metric
) -> None:
    """Whatever the distance, the zugzwangs are the same; KPvKP has 121 up to colours."""
    assert tuple(count(Scan(subtables, Material.parse(name), metric)).values()) == counts


def test_the_list_is_read_back(tablebase: Tablebase) -> None:
    """python-chess reads each line, White to move, and probing both ways confirms its comment."""
    code, out, _ = run("zugzwangs", "KPvKP", "KNvKP", "--list", folder=tablebase.folder.path)
    lines = out.splitlines()
    assert (code, len(lines)) == (0, 30 + 2 * 106 + 22 + 7)
    for line in lines:
        board, operations = chess.Board.from_epd(line)
        comment = str(operations["c0"])
        white, black = (_outcome(tablebase, board, turn) for turn in chess.COLORS)
        assert board.turn is chess.WHITE and white is not None and black is not None
        assert ("full point" in comment) == (black - white == 2)
        assert ("White to move draws" in comment) == (white == 0)
        assert ("Black to move draws" in comment) == (black == 0)
        assert white < black


def test_counts_of_many_endgames_at_once(small_tables: Folder) -> None:
    """All endgames of three men are counted, a line of JSON each, none but KPvK having any."""
    code, out, _ = run("zugzwangs", "--men", "3", "--json", folder=small_tables.path)
    rows = {row["material"]: row for row in map(json.loads, out.splitlines())}
    assert code == 0 and set(rows) == {"KQvK", "KRvK", "KBvK", "KNvK", "KPvK"}
    with_any = {name for name, row in rows.items() if any(row[kind] for kind in ZUGZWANG_KINDS)}
    assert with_any == {"KPvK"}


def test_nothing_asked_and_nothing_there(small_tables: Folder) -> None:
    """No endgame named is a mistake, a table that is not built an unanswered question."""
    assert run("zugzwangs", folder=small_tables.path)[0] == 2
    assert run("zugzwangs", "--men", "2", folder=small_tables.path)[0] == 2
    assert run("zugzwangs", "KPPvKP", folder=small_tables.path)[0] == 3
