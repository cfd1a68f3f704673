"""Records and statistics: read back by other programs, and compared with probing one by one."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import chess
import chess.pgn
import pytest

from tests.cli.test_cli import answers
from tests.conftest import build_into
from tests.support.commands import run
from unmove import Metric, Tablebase
from unmove.errors import BadOption
from unmove.games.xiangqi_board import Board
from unmove.games.xiangqi_notation import parse_move
from unmove.material import Material
from unmove.research.histogram import by_moves
from unmove.research.judging import BEST, FORCED, MARKS, ONLY
from unmove.research.plots import figure_of, plot
from unmove.research.records import Record, best_play, played, records, write_pgn
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.values import FIFTY, WHITE, Level, win_code

NAMES = ("KQvKR", "KPvKP", "KRvKN")


def summary_of(folder: Folder, name: str, metric: Metric = Metric.DTM) -> Summary:
    with folder.open(Material.parse(name), metric) as file:
        return file.summary


def longest(folder: Folder, name: str, metric: Metric = Metric.DTM) -> list[Record]:
    return records(summary_of(folder, name, metric), Material.parse(name), metric)


def games_of(path: Path) -> list[chess.pgn.Game]:
    source = io.StringIO(path.read_text(encoding="utf-8"))
    games = list(iter(lambda: chess.pgn.read_game(source), None))
    assert not any(game.errors for game in games)
    return games


@pytest.fixture(scope="module")
def games(
    small_tables: Folder, tablebase: Tablebase, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Record, chess.pgn.Game]]:
    """The records of some endgames, written as PGN and read back."""
    path = tmp_path_factory.mktemp("records") / "longest.pgn"
    found = [record for name in NAMES for record in longest(small_tables, name)]
    write_pgn([played(tablebase, record) for record in found], path)
    return list(zip(found, games_of(path), strict=True))


def test_a_record_is_a_game_to_mate(games: list[tuple[Record, chess.pgn.Game]]) -> None:
    """PGN has all moves from the record's position to mate, as many as it says, for the winner."""
    assert len(games) == 4 * len(NAMES)
    for record, game in games:
        end = game.end().board()
        assert game.board().fen() == record.fen
        assert end.is_checkmate()
        assert end.result() == game.headers["Result"] == ("1-0", "0-1")[record.winner]
        assert game.headers["SetUp"] == "1"
        assert f"mate in {record.moves}," in game.comment.replace("\n", " ")
        plies = sum(1 for _ in game.mainline_moves())
        assert plies == 2 * record.moves - (record.side == record.winner)


def expected_mark(tables: Tablebase, board: chess.Board, move: chess.Move) -> int | None:
    """The glyph a move deserves, by probing what every move leads to."""
    values = {}
    for other in board.legal_moves:
        child = board.copy()
        child.push(other)
        values[other] = -tables.probe_wdl(child), abs(tables.probe_dtm(child) or 0)
    outcome, plies = values.pop(move)
    if not values:
        return FORCED.glyph
    rivals = [far for other, far in values.values() if other >= outcome]
    if not rivals:
        return ONLY.glyph
    better = plies < min(rivals) if outcome > 0 else plies > max(rivals)
    return BEST.glyph if better else None


def test_annotations_equal_probing_one_by_one(
    tablebase: Tablebase, games: list[tuple[Record, chess.pgn.Game]]
) -> None:
    """Every move has the mark that follows from the values of all moves beside it, or none."""
    seen: Counter[int | None] = Counter()
    for _, game in games:
        for node in game.mainline():
            mark = expected_mark(tablebase, node.parent.board(), node.move)
            assert node.nags == ({mark} if mark else set()), node.parent.board().fen()
            seen[mark] += 1
    assert set(seen) == {None, *(mark.glyph for mark in MARKS)}


@pytest.mark.parametrize("metric", Metric)
def test_best_play_is_the_line(small_tables: Folder, tablebase: Tablebase, metric: Metric) -> None:
    """A record is played as `line` plays it, by each metric."""
    for record in longest(small_tables, "KRvKN", metric):
        board = chess.Board(record.fen)
        moves = [judgement.made.move for judgement in best_play(tablebase, board, metric)]
        assert moves == tablebase.line(board, metric)


def test_records_count_positions(small_tables: Folder, tablebase: Tablebase) -> None:
    """A record has the code of the worst position, and as many positions as the table has of it."""
    everything = tablebase.to_numpy("KQvKR")
    found = longest(small_tables, "KQvKR")
    assert [record.moves for record in found] == [35, 35, 18, 19]
    for record in found:
        same = (everything.turns == record.side) & (everything.values.codes == record.code)
        assert record.positions == int(same.sum())


def test_a_cursed_record_says_so() -> None:
    """A win that the 50-move rule makes a draw is told as one, by DTZ only."""
    cursed, same = (
        Record(
            Material.parse("KQvKR"), metric, WHITE, WHITE, win_code(Level(FIFTY + 11)), "", 1
        ).sentence
        for metric in (Metric.DTZ, Metric.DTM)
    )
    assert "zeroing in 6," in cursed
    assert cursed.endswith("the only one; the 50-move rule makes it a draw.")
    assert "50-move" not in same


def test_the_histogram_counts_every_position(small_tables: Folder, tablebase: Tablebase) -> None:
    """Positions by moves are those of the whole table, counted one by one."""
    everything = tablebase.to_numpy("KRvKN")
    counted: Counter[tuple[int, int, int]] = Counter()
    values = everything.values
    for turn, outcome, plies in zip(
        everything.turns.tolist(), values.outcome.tolist(), values.plies.tolist(), strict=True
    ):
        if outcome:
            counted[turn, outcome, (abs(plies) + (outcome > 0)) // 2] += 1
    found = by_moves(summary_of(small_tables, "KRvKN"), Metric.DTM)
    assert {
        (side, int(result), moves): count
        for (side, result), counts in found.items()
        for moves, count in counts.items()
    } == counted


def test_plots_show_the_histogram(small_tables: Folder, tmp_path: Path) -> None:
    """SVG is XML, PNG is PNG, the same every time; there is a bar for each entry, as high."""
    material, summary = Material.parse("KRvKN"), summary_of(small_tables, "KRvKN")
    svg, again, png = (tmp_path / name for name in ("one.svg", "two.svg", "one.png"))
    for path in (svg, again, png):
        plot(summary, material, Metric.DTM, path)
    assert ElementTree.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert svg.read_bytes() == again.read_bytes()
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    for side, panel in enumerate(figure_of(summary, material, Metric.DTM).axes):
        series = [c for (mover, _), c in by_moves(summary, Metric.DTM).items() if mover == side]
        drawn = [bar.get_height() for bars in panel.containers for bar in bars]
        assert drawn == [count for counts in series for count in counts.values()]


def test_plots_say_what_they_need(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra, or with another ending, there is a sentence and no file."""
    material, summary = Material.parse("KRvK"), summary_of(small_tables, "KRvK")
    with pytest.raises(BadOption, match=r"end in \.svg or \.png"):
        plot(summary, material, Metric.DTM, tmp_path / "plot.pdf")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadOption, match=r"unmove\[plots\]"):
        plot(summary, material, Metric.DTM, tmp_path / "plot.svg")
    assert not list(tmp_path.iterdir())


def test_stats_writes_files(small_tables: Folder, tmp_path: Path) -> None:
    """`stats` writes plot, PGN and text beside its answer, by the metric that is asked for."""
    plotted, pgn, text = (tmp_path / name for name in ("a.png", "a.pgn", "a.txt"))
    files = ["--plot", str(plotted), "--pgn", str(pgn), "--lines", str(text)]
    code, out, err = run("stats", "KRvKN", "--json", *files, folder=small_tables.path)
    (answer,) = answers(out)
    assert code == 0
    assert all(str(path) in err for path in (plotted, pgn, text))
    assert answer["longest_positions"]["dtm"]["white_wins_wtm"] > 0
    assert [game.headers["FEN"] for game in games_of(pgn)] == [
        answer["longest"]["dtm"][f"{winner}_wins_{turn}"]
        for winner in ("white", "black")
        for turn in ("wtm", "btm")
    ]
    code, out, _ = run("stats", "KRvKN", "--metric", "dtc", folder=small_tables.path)
    assert code == 0
    assert "Positions by moves (dtc)" in out
    assert "%" in out
    code, _, err = run("stats", "KRvKN", "--pgn", "/no/such/a.pgn", folder=small_tables.path)
    assert (code, "--pgn" in err) == (2, True)


@pytest.fixture(scope="module")
def xiangqi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    """A soldier against an advisor."""
    folder = build_into(tmp_path_factory.mktemp("xiangqi"), "xiangqi:KPvKA", metrics=[Metric.DTM])
    with Tablebase(folder.path) as tables:
        yield tables


def test_lines_of_xiangqi_are_read_back(xiangqi: Tablebase, tmp_path: Path) -> None:
    """As text, every move is WXF notation of a legal move, and the last one leaves none."""
    path, name = tmp_path / "lines.txt", "xiangqi:KPvKA"
    code, _, _ = run("stats", name, "--lines", str(path), folder=xiangqi.folder.path)
    assert code == 0
    _, *found = path.read_text(encoding="utf-8").strip().split("\n\n")
    expected = longest(xiangqi.folder, name)
    assert len(found) == len(expected) > 0
    for text, record in zip(found, expected, strict=True):
        _, fen, line = text.splitlines()
        board = Board.parse(fen)
        moves = [word.rstrip("°□!") for word in line.split() if not word.endswith(".")]
        for move in moves:
            board = board.push(parse_move(board, move))
        assert board.is_lost()
        assert len(moves) == 2 * record.moves - (record.side == record.winner)


def test_pgn_is_refused_for_xiangqi(xiangqi: Tablebase, tmp_path: Path) -> None:
    """PGN is chess, and the sentence tells of the other way."""
    path = tmp_path / "lines.pgn"
    code, _, err = run("stats", "xiangqi:KPvKA", "--pgn", str(path), folder=xiangqi.folder.path)
    assert code == 2
    assert "--lines" in err
    assert not path.exists()
