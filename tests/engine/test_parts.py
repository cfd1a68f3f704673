"""Parts of the engine without a process: limits, options, scores, squares, the order of moves."""

from __future__ import annotations

import subprocess
import sys
import threading
from time import perf_counter

import chess
import pytest

from unmove import Metric, Tablebase
from unmove.api.lichess.knowledge import Sources
from unmove.engine.candidates import Candidate, Ranking, looked_up, unknown_moves
from unmove.engine.dialects import CYCLONE, UCCI, UCI
from unmove.engine.limits import LONGEST_LINE, SHORTEST_TIME, Limits, read_limits
from unmove.engine.options import OPTIONS, Settings
from unmove.engine.positions import Position, key, read_position
from unmove.engine.scores import MoveScore, bare_score, uci_score, wdl
from unmove.engine.talk import plain, told
from unmove.engine.worker import Once
from unmove.errors import BadOption
from unmove.values import BLACK, DRAW, WHITE, Level, loss_code, win_code


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("", Limits()),
        ("infinite", Limits(infinite=True)),
        ("ponder wtime 4000 btime 9000", Limits(ponder=True, seconds=1.9)),
        ("movetime 1000 wtime 9", Limits(seconds=0.9)),
        ("movetime 100", Limits(seconds=0.05)),
        ("searchmoves e2e4 d2d4 depth 7", Limits(moves=("e2e4", "d2d4"), depth=7)),
        ("depth 7 searchmoves e2e4 infinite", Limits(("e2e4",), infinite=True, depth=7)),
        ("wtime 0", Limits(seconds=SHORTEST_TIME)),
        ("wtime x depth", Limits()),
        ("btime 1000 draw nonsense 7", Limits(draw_offered=True)),
    ],
)
def test_limits(words: str, limits: Limits) -> None:
    """White is to move, and the overhead is a tenth of a second."""
    assert read_limits(words.split(), UCI, WHITE, 0.1, 0.001) == limits


def test_limits_of_other_clocks() -> None:
    """Black has its own clock in UCI; in UCCI both words are the mover's, in its unit."""
    assert read_limits(["wtime", "1", "btime", "4000"], UCI, BLACK, 0, 0.001).seconds == 2
    words = ["time", "60", "increment", "0", "opptime", "1"]
    assert read_limits(words, UCCI, BLACK, 0, 1).seconds == 30
    assert read_limits([], UCI, WHITE, 0, 1).depth == LONGEST_LINE


@pytest.mark.parametrize(
    ("score", "uci", "bare", "outcomes"),
    [
        (MoveScore(1, mate=1), "mate 1", "9999", "1000 0 0"),
        (MoveScore(1, mate=65), "mate 33", "9935", "1000 0 0"),
        (MoveScore(-1, mate=64), "mate -32", "-9936", "0 0 1000"),
        (MoveScore(-1, mate=0), "mate 0", "-10000", "0 0 1000"),
        (MoveScore(0), "cp 0", "0", "0 1000 0"),
        (MoveScore(1, goal=55), "cp 19945", "8945", "1000 0 0"),
        (MoveScore(-1, goal=54), "cp -19946", "-8946", "0 0 1000"),
        (MoveScore(1, mate=3, bound=True), "mate 2 lowerbound", "9997", "1000 0 0"),
    ],
)
def test_scores(score: MoveScore, uci: str, bare: str, outcomes: str) -> None:
    """Mates in moves of the winner, or one number for all."""
    assert (uci_score(score), bare_score(score), wdl(score)) == (uci, bare, outcomes)


def test_squares_of_the_dialects() -> None:
    """Ranks from 0 or from 1, both ways."""
    for move in ("a1a10", "h3e3", "i10i9"):
        assert CYCLONE.read_move(CYCLONE.write_move(move)) == move
        assert UCI.read_move(move) == UCI.write_move(move) == move
    assert CYCLONE.write_move("a1a10") == "a0a9"


def test_every_option_takes_its_default() -> None:
    """A GUI that sets what was declared changes nothing."""
    settings = Settings()
    for protocol, beginning in (("uci", "option name {}"), ("ucci", "option {}")):
        for line in settings.declared(protocol, beginning):
            name, _, rest = line.removeprefix(beginning.format("")).partition(" type ")
            value = rest.partition(" default ")[2].partition(" min ")[0].partition(" var ")[0]
            words = f"name {name} value {value}" if protocol == "uci" else f"{name} {value}"
            settings.set(protocol, words)
    assert [settings[option.key] for option in OPTIONS] == [option.default for option in OPTIONS]


@pytest.mark.parametrize(
    "text", ["name hash value 7", "name  HASH  value  7 ", "name Hash value 007"]
)
def test_options_are_read_in_any_case(text: str) -> None:
    """Blanks do not matter either."""
    settings = Settings()
    settings.set("uci", text)
    assert settings.number("Hash") == 7


def test_a_refused_value_leaves_the_old_one() -> None:
    """An option that was set stays."""
    settings = Settings()
    with pytest.raises(BadOption, match="from 1 to 500"):
        settings.set("uci", "name MultiPV value 501")
    with pytest.raises(BadOption, match="no option of this name"):
        settings.set("ucci", "MultiPV 5")
    assert settings.number("MultiPV") == 1


def candidate(name: str, *plies: int | None, clock: int = 0) -> Candidate:
    """A move with its distances by DTM and DTZ; None is a draw, and without any it is unknown."""
    codes = [
        DRAW if n is None else (win_code if n > 0 else loss_code)(Level(abs(n))) for n in plies
    ]
    metrics = (Metric.DTM, Metric.DTZ)
    return Candidate(chess.Move.from_uci(name), dict(zip(metrics, codes, strict=False)), clock)


def order(board: chess.Board, candidates: list[Candidate], rule: bool = True) -> str:
    """The moves, best first."""
    ranked = Ranking(Metric.DTM, rule).ordered(board, candidates)
    return " ".join(str(one.move) for one in ranked)


STRONG = chess.Board("8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1")
WEAK = chess.Board("8/8/8/3k4/8/2r5/8/KQ6 b - - 0 1")
EQUAL = chess.Board("8/8/8/3k4/8/2r5/8/KR6 b - - 0 1")


def test_the_weaker_side_takes_a_draw_and_the_other_one_a_chance() -> None:
    """Wins come first and losses last for both; what no table knows stands between."""
    loss, slow, fast = candidate("a1a2", -4, -4), candidate("b1b3", 5, 5), candidate("b1b4", 3, 3)
    moves = [loss, candidate("a1b2", None, None), candidate("b1b2"), slow, fast]
    assert order(STRONG, moves) == "b1b4 b1b3 b1b2 a1b2 a1a2"
    assert order(WEAK, moves) == "b1b4 b1b3 a1b2 b1b2 a1a2"
    assert order(EQUAL, moves) == "b1b4 b1b3 b1b2 a1b2 a1a2"


def test_a_win_in_time_goes_before_a_quicker_one_that_is_too_late() -> None:
    """Under the 50-move rule alone."""
    moves = [candidate("b1b3", 5, 5, clock=97), candidate("b1b4", 9, 3, clock=97)]
    assert order(STRONG, moves, rule=True) == "b1b4 b1b3"
    assert order(STRONG, moves, rule=False) == "b1b3 b1b4"


def test_a_win_is_not_repeated_away() -> None:
    """A best move that would bring a position onto the board a third time is not played."""
    fen, shuffle = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", ["a1b2", "d5d6", "b2a1", "d6d5"]
    words = ["fen", *fen.split(), "moves", *2 * shuffle]
    position = read_position(words, UCI)
    after = chess.Board(fen)
    after.push_uci("a1b2")
    assert position.repeats(after) and key(after) in position.twice
    assert not read_position(words[:-4], UCI).repeats(after)


def test_the_third_time_is_seen_in_the_order(tablebase: Tablebase) -> None:
    """The best win becomes the last of the wins, but stays before the draws."""
    board = STRONG
    best = tablebase.moves(board)[0].move
    after = board.copy()
    after.push(best)
    ranking = Ranking(Metric.DTM, True)
    for twice, place in ((frozenset[str](), 0), (frozenset({key(after)}), None)):
        position = Position(board, twice)
        found = [
            looked_up(Sources(tablebase), position, one.move) for one in unknown_moves(position)
        ]
        ranked = ranking.ordered(board, found)
        wins = [one.move for one in ranked if one.outcome > 0]
        assert wins.index(best) == (len(wins) - 1 if place is None else place)


def test_tables_of_different_metrics_are_compared_all_the_same() -> None:
    """Where captures lead into tables of another metric than other moves, wins come first."""
    mixed = [
        Candidate(chess.Move.from_uci("b1b3"), {Metric.DTZ: win_code(Level(5))}),
        Candidate(chess.Move.from_uci("b1b4"), {Metric.DTM: win_code(Level(3))}),
        Candidate(chess.Move.from_uci("a1b2"), {Metric.DTM: DRAW}),
    ]
    assert order(STRONG, mixed) == "b1b4 b1b3 a1b2"


def test_a_defect_is_told_in_a_sentence() -> None:
    """Of an error that is none of ours, its class and what it says are told, on one line."""
    assert plain(told(KeyError("a\nb"))) == "This is a defect of the engine (KeyError: 'a\\nb')."


def test_something_is_done_once_by_many_threads() -> None:
    """And nothing that must come before it comes after it."""
    done: list[str] = []
    once = Once(lambda: done.append("once"))
    threads = [threading.Thread(target=once) for _ in range(20)]
    threads += [
        threading.Thread(target=once.unless_done, args=(lambda: done.append("before"),))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count("once") == 1 and done[-1] == "once"


def test_a_timer_does_what_nobody_else_has_done() -> None:
    """Not before its time, and not a second time."""
    over, start = threading.Event(), perf_counter()
    once = Once(over.set)
    once.after(0.05)
    assert over.wait(10) and perf_counter() - start >= 0.05
    once.after(0)
    assert once.done


def test_nothing_is_compiled_or_loaded_within_a_game(both_games: str) -> None:
    """When tables are tried out, so is what evaluates planes that a game asks for often."""
    tried = (
        "from unmove.engine.options import Settings\n"
        "from unmove.engine.tables import ChosenTables\n"
        "from unmove.kernels.successors import score_moves\n"
        f"ChosenTables(Settings({both_games!r}), print).try_out('chess')\n"
        "print(len(score_moves.signatures))\n"
    )
    command = [sys.executable, "-c", tried]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
