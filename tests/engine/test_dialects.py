"""Xiangqi in the three dialects of its GUIs, as scripted dialogues; chess where it differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pyffish
import pytest

from tests.engine.dialogue import Dialogue, field, line_of_play
from unmove.probe.tablebase import Tablebase

VARIANT = "xiangqi"
WON = "5k3/9/5a3/9/3P5/9/9/9/9/5K3 w - - 0 1"  # mate in 7
MATE_IN_1 = "3k5/4P4/9/9/9/9/9/9/9/4K4 w - - 0 1"
LOST = "3k5/9/4P4/9/9/9/9/9/9/4K4 b - - 0 1"
MATES = ["e1e2", "e1f1"]  # of the position before, ranks from 1
START = pyffish.start_fen(VARIANT)


class Door(NamedTuple):
    """How a GUI speaks to the engine."""

    hello: tuple[str, ...]
    ready: str
    position: str
    """Before a FEN."""
    first_rank: int
    score: Callable[[int], str]
    """Of a win in so many plies."""

    def theirs(self, move: str) -> str:
        """A move of pyffish as the GUI writes it: `a10b10` may be `a9b9`."""
        return "".join(f"{file}{rank - 1 + self.first_rank}" for file, rank in squares(move))


def squares(move: str) -> Iterator[tuple[str, int]]:
    """Files and ranks of a move."""
    place = next(i for i in range(2, len(move)) if move[i].isalpha())
    for text in (move[:place], move[place:]):
        yield text[0], int(text[1:])


def mate_score(plies: int) -> str:
    return f"score mate {(plies + 1) // 2} "


DOORS = {
    "uci": Door(
        ("uci", "setoption name UCI_Variant value xiangqi"), "uciok", "position fen", 1, mate_score
    ),
    "cyclone": Door(("uci",), "uciok", "fen", 0, mate_score),
    "pikafish": Door(("uci",), "uciok", "position fen", 0, mate_score),
    "ucci": Door(("ucci",), "ucciok", "position fen", 0, lambda plies: f"score {10_000 - plies} "),
}


@pytest.fixture(scope="module", params=list(DOORS))
def talk(request: pytest.FixtureRequest, both_games: str) -> Iterator[tuple[Dialogue, Door]]:
    """An engine, and the way to speak to it."""
    door, opened = DOORS[request.param], Dialogue(both_games)
    opened.send(*door.hello)
    opened.until(door.ready)
    yield opened, door
    assert opened.end() == (0, "")


def test_a_win_is_played_to_its_end(talk: tuple[Dialogue, Door]) -> None:
    """The moves are legal in pyffish, and mate in the promised number of them."""
    engine, door = talk
    moves: list[str] = []
    for plies in range(13, 0, -1):
        theirs = " ".join(map(door.theirs, moves))
        *infos, best = engine.ask(f"{door.position} {WON} moves {theirs}", "go depth 99")
        legal = {door.theirs(move): move for move in pyffish.legal_moves(VARIANT, WON, moves)}
        score = door.score(plies)
        if plies % 2:
            assert score in infos[-1]
        moves.append(legal[best.split()[1]])
        assert line_of_play(infos[-1])[0] == best.split()[1]
    assert not pyffish.legal_moves(VARIANT, WON, moves)
    *infos, best = engine.ask(
        f"{door.position} {WON} moves {' '.join(map(door.theirs, moves))}", "go"
    )
    assert infos[-1].startswith("info depth 0 ")
    assert ("score mate 0" if "uci" in door.hello else "score -10000") in infos[-1]
    assert best == ("bestmove (none)" if "uci" in door.hello else "nobestmove")


def test_the_line_of_an_analysis_is_legal_to_its_end(talk: tuple[Dialogue, Door]) -> None:
    """`go infinite` shows it, and `isready` and `stop` are answered meanwhile."""
    engine, door = talk
    engine.send(f"{door.position} {WON}", "go infinite")
    line: list[str] = []
    while len(line) < 13:
        line = line_of_play(engine.until("info depth")[-1])
    assert engine.told() == []
    engine.send("stop")
    assert engine.until("bestmove")[-1].split()[1] == line[0]
    moves: list[str] = []
    for theirs in line:
        legal = {door.theirs(move): move for move in pyffish.legal_moves(VARIANT, WON, moves)}
        moves.append(legal[theirs])
    assert not pyffish.legal_moves(VARIANT, WON, moves)


def test_a_position_without_tables_has_a_legal_move(talk: tuple[Dialogue, Door]) -> None:
    """And a sentence, but no score."""
    engine, door = talk
    *infos, best = engine.ask(f"{door.position} {START}", "go time 60 increment 0")
    assert best.split()[1] in map(door.theirs, pyffish.legal_moves(VARIANT, START, []))
    assert "are too many: this version solves" in infos[0]
    assert not any(" score " in info for info in infos)


def test_a_mate_needs_no_table(talk: tuple[Dialogue, Door]) -> None:
    """A move that mates is found in an endgame that is not built, whose table is named."""
    engine, door = talk
    fen = "3k5/4P4/9/9/9/9/9/9/4R4/4K4 w - - 0 1"
    *infos, best = engine.ask(f"{door.position} {fen}", "go")
    assert "build it with `unmove build xiangqi:KRPvK --metric dtm`." in infos[0]
    move = next(
        m for m in pyffish.legal_moves(VARIANT, fen, []) if door.theirs(m) == best.split()[1]
    )
    assert not pyffish.legal_moves(VARIANT, fen, [move])
    assert door.score(1).strip() in infos[1]


def test_the_start_of_a_game(talk: tuple[Dialogue, Door]) -> None:
    """`startpos` is that of xiangqi where xiangqi is spoken."""
    engine, door = talk
    if door is DOORS["pikafish"]:
        engine.told(f"position fen {START}")  # which tells the game
    word = "" if door.position == "fen" else "position "
    move = door.theirs("h3e3")
    *_, best = engine.ask(f"{word}startpos moves {move}", "go time 60")
    legal = pyffish.legal_moves(VARIANT, START, ["h3e3"])
    assert best.split()[1] in map(door.theirs, legal)


def test_banned_moves_are_not_played(both_games: str) -> None:
    """The best of the rest is; with all of them banned there is no move."""
    engine, door = Dialogue(both_games), DOORS["ucci"]
    engine.send("ucci", f"position fen {MATE_IN_1}")
    legal = [door.theirs(move) for move in pyffish.legal_moves(VARIANT, MATE_IN_1, [])]
    best = engine.ask("go depth 1")[-1].split()[1]
    assert best in map(door.theirs, MATES)
    *infos, answer = engine.ask(f"banmoves {' '.join(map(door.theirs, MATES))}", "go depth 1")
    assert answer.split()[1] in set(legal) - set(map(door.theirs, MATES))
    assert field(infos[-1], "score") == "9995"
    assert engine.ask(f"banmoves {' '.join(legal)}", "go depth 1") == ["nobestmove"]
    assert engine.ask(f"position fen {MATE_IN_1}", "go depth 1")[-1].split()[1] == best
    assert engine.end() == (0, "")


def test_ucci_has_words_of_its_own(both_games: str) -> None:
    """Options without `name` and `value`, draws, an answer to a stray `stop`, a farewell."""
    engine = Dialogue(both_games)
    engine.send("ucci")
    *declared, _ = engine.until("ucciok")
    names = {line.split()[1] for line in declared if line.startswith("option ")}
    assert {"hashsize", "usemillisec", "batch", "newgame", "egtbpaths"} <= names
    assert not any(line.startswith("option name") for line in declared)
    options = ("hashsize 64", "usemillisec true", "batch on", "newgame", "threads 2")
    assert engine.told(*(f"setoption {option}" for option in options)) == []
    assert engine.told("setoption style risky") == [
        "info message option 'style' cannot be used: there is no option of this name."
    ]
    assert engine.told("stop") == ["nobestmove"]
    assert engine.ask(f"position fen {MATE_IN_1}", "go draw time 900000")[-1].split()[2:] == []
    answer = engine.ask(f"position fen {LOST}", "go draw time 900000 increment 0")[-1]
    assert answer.endswith(" draw")
    engine.send("go ponder time 900000")
    engine.send("ponderhit")
    assert engine.until("bestmove")
    engine.send("quit")
    assert engine.rest()[-1] == "bye"
    assert engine.end() == (0, "")


def test_ucci_counts_seconds_unless_it_is_told_otherwise(both_games: str) -> None:
    """Sixty are a minute, and not an answer out of time."""
    engine = Dialogue(both_games)
    engine.told("ucci")
    *infos, _ = engine.ask(f"position fen {WON}", "go time 60 increment 0")
    assert any("score 9987" in info for info in infos)
    assert engine.end() == (0, "")


def test_chess_and_xiangqi_take_turns_in_one_process(
    dialogue: Dialogue, tablebase: Tablebase
) -> None:
    """The ranks of a FEN tell the game, and how squares are written."""
    chess_fen = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
    for _ in range(2):
        assert dialogue.ask(f"position fen {chess_fen}", "go")[-1].split()[1] == "a1b2"
        best = dialogue.ask(f"position fen {MATE_IN_1}", "go")[-1].split()[1]
        assert best in ("e0e1", "e0f0")
    dialogue.send("setoption name UCI_Variant value xiangqi")
    assert dialogue.ask(f"position fen {MATE_IN_1}", "go")[-1].split()[1] in MATES
    *infos, best = dialogue.ask(f"position fen {chess_fen}", "go")
    assert best == "bestmove (none)" and "it has 8 ranks and not 10" in infos[0]
    dialogue.send("setoption name UCI_Variant value chess")
    assert dialogue.ask(f"position fen {chess_fen}", "go")[-1].split()[1] == "a1b2"
