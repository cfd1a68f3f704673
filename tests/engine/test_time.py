"""How long the engine takes, with bounds that a busy machine keeps."""

from __future__ import annotations

from time import perf_counter

from tests.engine.dialogue import Dialogue

FEN = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
SECONDS_TO_START = 5.0
SECONDS_WARM = 1.0


def test_the_first_answer_comes_before_tables_and_kernels(both_games: str) -> None:
    """`uciok` does not wait for the imports that thinking takes."""
    start = perf_counter()
    engine = Dialogue(both_games)
    engine.send("uci")
    engine.until("uciok")
    assert perf_counter() - start < SECONDS_TO_START
    engine.send("quit")
    assert engine.end() == (0, "")


def test_a_warm_engine_answers_at_once(dialogue: Dialogue) -> None:
    """A long line does not hold up the best move, and `stop` not an analysis."""
    dialogue.ask(f"position fen {FEN}", "go depth 2")
    start = perf_counter()
    *infos, best = dialogue.ask("go wtime 60000 btime 60000")
    assert perf_counter() - start < SECONDS_WARM
    assert " score mate 33 " in infos[-1] and best.startswith("bestmove a1b2")
    dialogue.send("go infinite")
    dialogue.until("info depth")
    start = perf_counter()
    dialogue.send("stop")
    dialogue.until("bestmove a1b2")
    assert perf_counter() - start < SECONDS_WARM


def test_ready_is_answered_while_thinking(dialogue: Dialogue) -> None:
    """And the search is not disturbed by it."""
    dialogue.send(f"position fen {FEN}", "go infinite")
    for _ in range(3):
        dialogue.send("isready")
        dialogue.until("readyok")
    dialogue.send("stop")
    assert dialogue.until("bestmove")
