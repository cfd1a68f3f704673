"""The longest wins of a table: one position for each, and best play from it, annotated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import chess
import chess.pgn

from unmove.games.boards import AnyBoard, parse_fen, rules_of
from unmove.material import Material
from unmove.probe.tablebase import Tablebase
from unmove.research.judging import MARKS, Judgement, distance, judge
from unmove.store.atomic import user_file
from unmove.store.summary import Summary, which_win
from unmove.values import SIDES, Code, Metric, Outcome50, Side, moves_of_code, result_of
from unmove.version import __version__


@dataclass(frozen=True)
class Record:
    """A longest win: whose it is, who is to move, one such position and how many there are."""

    material: Material
    metric: Metric
    winner: Side
    side: Side
    code: Code
    fen: str
    positions: int

    @property
    def moves(self) -> int:
        """How long it takes, in moves of the winner."""
        return moves_of_code(self.code, self.metric)

    @property
    def title(self) -> str:
        """Who wins, and who is to move."""
        names = self.material.game.side_names
        return f"{names[self.winner]} wins, {names[self.side]} to move"

    @property
    def sentence(self) -> str:
        """How long the win takes, and of how many positions this is one."""
        result = result_of(self.code, self.metric)
        cursed = result in (Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS)
        rule = "; the 50-move rule makes it a draw" if cursed and self.metric == Metric.DTZ else ""
        others = "the only one" if self.positions == 1 else f"one of {self.positions:,} positions"
        return f"{self.title}: {distance(self.code, self.metric)}, the longest, {others}{rule}."


@dataclass(frozen=True)
class Played:
    """A record and best play from its position, to the end."""

    record: Record
    judgements: tuple[Judgement, ...]


def records(summary: Summary, material: Material, metric: Metric) -> list[Record]:
    """The longest wins of both sides, with either to move, where there are any."""
    found = []
    for winner, side in product(SIDES, repeat=2):
        code = summary.deepest(winner, side)
        fen = summary.longest.get(which_win(winner, side))
        if code is not None and fen is not None:
            positions = summary.histogram[side][code]
            found.append(Record(material, metric, winner, side, code, fen, positions))
    return found


def best_play(tables: Tablebase, board: AnyBoard, metric: Metric) -> Iterator[Judgement]:
    """The moves of the line (`Tablebase.line`) of a decided position, each judged."""
    while ranked := tables.moves(board, metric):
        yield judge(ranked, ranked[0], metric)
        board = rules_of(board).after(board, ranked[0].move).board


def played(tables: Tablebase, record: Record) -> Played:
    """A record with its line."""
    board = parse_fen(record.fen)
    return Played(record, tuple(best_play(tables, board, record.metric)))


def pgn_game(line: Played) -> chess.pgn.Game:
    """A line of chess as a game, its moves annotated by the marks of `judging`."""
    record = line.record
    game = chess.pgn.Game()
    game.setup(chess.Board(record.fen))
    game.headers["Event"] = f"{record.material}, longest win ({record.metric}): {record.title}"
    game.headers["Result"] = ("1-0", "0-1")[record.winner]
    game.headers["Annotator"] = f"unmove {__version__}"
    legend = "; ".join(f"${mark.glyph} {mark.sign} {mark.meaning}" for mark in MARKS)
    game.comment = f"{record.sentence} {legend}."
    node: chess.pgn.GameNode = game
    for judgement in line.judgements:
        node = node.add_variation(judgement.made.move)
        if judgement.mark:
            node.nags.add(judgement.mark.glyph)
    return game


def text_of(line: Played) -> str:
    """A line as people read it, its moves with the marks of `judging`."""
    record = line.record
    words = ["1..."] if record.side else []
    for ply, judgement in enumerate(line.judgements, start=record.side):
        words += [f"{ply // 2 + 1}."] if ply % 2 == 0 else []
        words.append(judgement.made.san + (judgement.mark.sign if judgement.mark else ""))
    return f"{record.material} {record.metric}. {record.sentence}\n{record.fen}\n{' '.join(words)}"


def write_pgn(lines: Sequence[Played], path: Path) -> None:
    """The file has each line as a game of PGN; BadOption if it cannot."""
    _write("pgn", path, [_pgn_text(line) for line in lines])


def write_lines(lines: Sequence[Played], path: Path) -> None:
    """The file has each line as text, and first what the marks mean; BadOption if it cannot."""
    legend = "\n".join(f"{mark.sign}  {mark.meaning}" for mark in MARKS)
    _write("lines", path, [legend, *map(text_of, lines)])


def _pgn_text(line: Played) -> str:
    return pgn_game(line).accept(chess.pgn.StringExporter(columns=80))


def _write(parameter: str, path: Path, texts: Sequence[str]) -> None:
    """The file has the texts, with an empty line after each."""
    with user_file(parameter, path) as part:
        part.write_text("".join(f"{text}\n\n" for text in texts), encoding="utf-8")
