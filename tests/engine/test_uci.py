"""The engine through python-chess, which talks with a process as GUIs and bots do."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import chess.engine
import pytest
from chess.engine import Cp, Limit, Mate, Score, SimpleEngine

from unmove import Metric, Tablebase
from unmove.errors import UnmoveError
from unmove.values import Value

MATE_IN_33 = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
MATE_IN_14 = "2r5/8/1K1k4/8/8/5Q2/8/8 w - - 0 1"
DRAW = "8/8/8/3k4/8/2r5/8/KR6 w - - 0 1"
ALL = 100  # more than any position has moves
NO_LIMIT, ONE_PLY = Limit(depth=1000), Limit(depth=1)
SET_BY_BOTS: dict[str, str | int | bool | None] = {
    "Hash": 32,
    "Threads": 2,
    "Move Overhead": 100,
    "SyzygyPath": "/nowhere",
    "UCI_ShowWDL": True,
}
"""What the default file of lichess-bot sets, without asking."""


def mate(value: Value) -> Score:
    """Signed plies as UCI has them: a win in p plies is (p + 1) / 2 moves, a loss p / 2."""
    return Mate((value + 1) // 2 if value > 0 else -(-value // 2))


def random_boards(number: int, men: str, seed: int) -> Iterator[chess.Board]:
    """Legal positions that have moves: the kings, and some of these men."""
    drawn = random.Random(seed)
    while number:
        board = chess.Board(None)
        letters = ["K", "k", *drawn.sample(men, drawn.choice((1, 2)))]
        for letter, square in zip(letters, drawn.sample(range(64), len(letters)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = drawn.choice(chess.COLORS)
        if board.is_valid() and any(board.legal_moves):
            number -= 1
            yield board


def test_options_that_bots_set_without_asking_are_there(engine: SimpleEngine) -> None:
    """python-chess refuses to set what is not declared."""
    assert engine.id["name"].startswith("unmove ")
    assert engine.id["author"]
    engine.configure(SET_BY_BOTS)
    declared = {"TablesPath", "Metric", "Syzygy50MoveRule", "MultiPV", "Ponder"}
    declared |= {"UCI_AnalyseMode", "UCI_Chess960", "UCI_Variant"}
    assert engine.options.keys() == declared | SET_BY_BOTS.keys()


def test_a_won_position_is_shown_to_the_mate(engine: SimpleEngine) -> None:
    """The line of an analysis has as many plies as the score says, and ends with mate."""
    board = chess.Board(MATE_IN_14)
    info = engine.analyse(board, NO_LIMIT)
    assert info["score"].white() == Mate(14)
    assert info["wdl"].white() == chess.engine.Wdl(1000, 0, 0)
    assert len(info["pv"]) == info["depth"] == 27
    assert info["tbhits"] == info["nodes"] > 27
    for move in info["pv"]:
        board.push(move)
    assert board.is_checkmate()


def test_depth_limits_the_line(engine: SimpleEngine) -> None:
    """The line has no more plies than were asked for; the score is that of the table."""
    info = engine.analyse(chess.Board(MATE_IN_14), Limit(depth=3))
    assert info["score"].white() == Mate(14)
    assert len(info["pv"]) == 3


def test_all_moves_have_the_scores_of_the_tables(
    engine: SimpleEngine, tablebase: Tablebase
) -> None:
    """Of random positions of three and four men every move is shown, best first."""
    for board in random_boards(12, "QRBNPqrbnp", seed=1):
        infos = engine.analyse(board, ONE_PLY, multipv=ALL)
        assert [info["multipv"] for info in infos] == list(range(1, board.legal_moves.count() + 1))
        values = {ranked.move: ranked.dtm for ranked in tablebase.moves(board)}
        scores = [info["score"].relative for info in infos]
        assert scores == sorted(scores, reverse=True)
        for info, score in zip(infos, scores, strict=True):
            value = values[info["pv"][0]]
            assert score == (Cp(0) if value is None else mate(value)), board.fen()


def test_a_draw_is_zero(engine: SimpleEngine) -> None:
    """And a thousand of a thousand."""
    info = engine.analyse(chess.Board(DRAW), NO_LIMIT)
    assert info["score"].white() == Cp(0)
    assert info["wdl"].white() == chess.engine.Wdl(0, 1000, 0)


def test_the_fifty_move_rule_is_an_option(engine: SimpleEngine) -> None:
    """A win that comes too late is a draw, and said to be one; without the rule it is a win."""
    board = chess.Board(MATE_IN_33.replace("0 1", "46 60"))
    info = engine.analyse(board, ONE_PLY)
    assert info["score"].white() == Cp(0)
    assert info["wdl"].white() == chess.engine.Wdl(0, 1000, 0)
    assert "50-move rule makes a draw" in info["string"]
    engine.configure({"Syzygy50MoveRule": False})
    assert engine.analyse(board, ONE_PLY)["score"].white() == Mate(33)
    engine.configure({"Syzygy50MoveRule": True})
    in_time = chess.Board(MATE_IN_33.replace("0 1", "45 60"))
    assert engine.analyse(in_time, ONE_PLY)["score"].white() == Mate(33)


@pytest.mark.parametrize("metric", list(Metric))
def test_the_metric_chooses_among_wins(
    engine: SimpleEngine, tablebase: Tablebase, metric: Metric
) -> None:
    """The move is the best one by the distance of the option."""
    engine.configure({"Metric": metric.value})
    for board in random_boards(10, "QRPrp", seed=2):
        played = engine.play(board, Limit(depth=2)).move
        best, *others = tablebase.moves(board, metric)
        equal = {other.move for other in others if other.codes[metric] == best.codes[metric]}
        assert played in {best.move, *equal}, board.fen()
    engine.configure({"Metric": "dtm"})


def test_only_the_moves_that_are_asked_for_are_looked_at(engine: SimpleEngine) -> None:
    """`searchmoves` with a bad move alone gives this move and its score."""
    board = chess.Board(MATE_IN_33)
    bad = chess.Move.from_uci("b1b3")
    played = engine.play(board, Limit(depth=2), root_moves=[bad], info=chess.engine.INFO_ALL)
    assert played.move == bad
    assert played.info["score"].white() == Mate(-5)


def test_a_game_ends_with_mate_in_the_promised_number_of_moves(engine: SimpleEngine) -> None:
    """Both sides are the engine; the loser holds out as long as possible."""
    board = chess.Board(MATE_IN_14)
    assert engine.analyse(board, NO_LIMIT)["score"].white() == Mate(14)
    while not board.is_game_over(claim_draw=True):
        move = engine.play(board, Limit(white_clock=600, black_clock=600)).move
        assert move is not None
        board.push(move)
    assert board.is_checkmate() and board.turn == chess.BLACK
    assert board.fullmove_number == 14


def test_an_analysis_without_end_is_stopped(engine: SimpleEngine) -> None:
    """`go infinite` shows the whole line, and gives a move after `stop` only."""
    board = chess.Board(MATE_IN_14)
    with engine.analysis(board) as analysis:
        for info in analysis:
            if len(info.get("pv", [])) == 27:
                break
        analysis.stop()
        best = analysis.wait().move
        assert best is not None and best in board.legal_moves


def test_thinking_goes_on_while_the_opponent_thinks(engine: SimpleEngine) -> None:
    """A ponder move is given, and the next answer comes after the opponent has made it."""
    board = chess.Board(MATE_IN_33)
    limit = Limit(white_clock=600, black_clock=600)
    for expected in (33, 32):
        played = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL)
        assert played.move is not None and played.ponder is not None
        board.push(played.move)
        board.push(played.ponder)
        assert expected == played.info["score"].relative.mate()


@pytest.mark.parametrize("chess960", [False, True])
def test_a_game_from_the_start_is_played_with_legal_moves(
    engine: SimpleEngine, chess960: bool
) -> None:
    """No table has the position, no score is made up, and people are told why."""
    board = chess.Board.from_chess960_pos(0) if chess960 else chess.Board()
    for _ in range(6):
        played = engine.play(board, Limit(depth=2), info=chess.engine.INFO_ALL)
        assert played.move is not None and played.move in board.legal_moves
        assert "score" not in played.info
        assert "castling rights, which no table knows" in played.info["string"]
        board.push(played.move)


@pytest.mark.parametrize("chess960", [False, True])
def test_castling_is_a_move_like_others(engine: SimpleEngine, chess960: bool) -> None:
    """In the notation of the option, as a move to look at and as one of the game."""
    board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1", chess960=chess960)
    castling = board.parse_san("O-O")
    played = engine.play(board, Limit(depth=2), root_moves=[castling])
    assert played.move == castling
    board.push(castling)
    info = engine.analyse(board, NO_LIMIT)
    assert info["score"].white().mate() is not None
    assert info["pv"][0] in board.legal_moves


def test_one_ply_ahead_of_the_tables(engine: SimpleEngine, tablebase: Tablebase) -> None:
    """Of five men, captures are known: the quickest known win is played, and no known loss."""

    def value_of(board: chess.Board, move: chess.Move) -> int | None:
        """What is known of a move, plus if it wins; None if nothing is, or it draws."""
        board.push(move)
        try:
            value = tablebase.probe_dtm(board)
        except UnmoveError:
            value = None
        board.pop()
        return None if value is None else -value

    won = lost = 0
    for board in five_men(150):
        values = {move: value_of(board, move) for move in board.legal_moves}
        wins = [value for value in values.values() if value is not None and value >= 0]
        losses = [value for value in values.values() if value is not None and value < 0]
        if not wins and not losses:
            continue
        played = engine.play(board, Limit(depth=2), info=chess.engine.INFO_ALL)
        assert played.move is not None
        if wins:
            won += 1
            assert values[played.move] == min(wins), board.fen()
            assert played.info["score"].relative == mate(Value(min(wins) + 1))
            assert dict(played.info)["lowerbound"]  # which is not in the type
        else:
            lost += 1
            value = values[played.move]
            assert value is None or len(losses) == len(values), board.fen()
        assert "build it with `unmove build K" in played.info["string"]
    assert won > 10 and lost > 3


def five_men(number: int) -> Iterator[chess.Board]:
    """Positions in which captures are likely."""
    drawn = random.Random(3)
    for board in random_boards(number, "QRBNqrbn", seed=3):
        free = [square for square in chess.SQUARES if board.piece_at(square) is None]
        for square in drawn.sample(free, 5 - len(board.piece_map())):
            board.set_piece_at(square, chess.Piece.from_symbol(drawn.choice("RBNrbn")))
        if board.is_valid() and any(board.legal_moves):
            yield board
