"""Answers for a learner: the judgement on a move, and the reply of perfect play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unmove.games.boards import AnyBoard, rules_of
from unmove.probe.tablebase import Tablebase
from unmove.research.judging import Judgement, sentence
from unmove.research.playing import PlayedGame
from unmove.values import Metric


@dataclass(frozen=True)
class JudgedMove:
    """A move that was made, beside the best there was."""

    uci: str
    san: str
    keeps: bool
    """Whether it keeps the outcome."""
    mark: str | None
    """What is special about it, in words; None if nothing is."""
    sentence: str

    @classmethod
    def of(cls, judgement: Judgement) -> JudgedMove:
        made, mark = judgement.made, judgement.mark
        meaning = None if mark is None else mark.meaning
        return cls(str(made.move), made.san, judgement.keeps, meaning, sentence(judgement))


@dataclass(frozen=True)
class WrittenMove:
    """A move in coordinates and as people write it."""

    uci: str
    san: str


@dataclass(frozen=True)
class TrainingReply:
    """What perfect play says of the last move of a game, and does."""

    judgement: JudgedMove | None
    """None if nobody has moved yet."""
    reply: WrittenMove | None
    """None if the game is over."""
    end: str | None
    """How the game has ended, as a sentence; None if it goes on."""
    fen: str
    """After the reply."""
    turn: str
    """The side to move then: `w` or `b`."""
    check: bool


def reply(
    tables: Tablebase, board: AnyBoard, moves: Sequence[Any], metric: Metric | str = Metric.DTM
) -> TrainingReply:
    """The reply after legal moves from a board, the last of which is judged."""
    game = PlayedGame(tables, board, metric)
    for move in moves[:-1]:
        game.boards.append(rules_of(game.board).after(game.board, move).board)
    judgement = JudgedMove.of(game.play(moves[-1])) if moves else None
    made = None
    if game.end() is None:
        answer = game.reply().made
        made = WrittenMove(str(answer.move), answer.san)
    rules = rules_of(game.board)
    turn = "wb"[rules.side(game.board)]
    check = rules.is_check(game.board)
    return TrainingReply(judgement, made, game.end(), game.board.fen(), turn, check)
