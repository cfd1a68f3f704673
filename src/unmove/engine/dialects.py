"""What differs between the protocols, as data: one engine speaks all of them.

    dialect      first words                      squares     option lines         score
    UCI          `uci`                            a1 to h8    option name Hash     mate 33, cp 0
    UCI_XIANGQI  `uci`, UCI_Variant xiangqi       a1 to i10   option name Hash     mate 33, cp 0
    CYCLONE      `uci`, `fen` without `position`  a0 to i9    option name Hash     mate 33, cp 0
    UCCI         `ucci`                           a0 to i9    option hashsize      9935, 0

CYCLONE is also what Pikafish and its GUIs speak, which do write `position`. They set no variant, so
a FEN of ten ranks tells that they are meant. UCCI is version 3.0 of the protocol of xqbase.com.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from unmove.engine.scores import MoveScore, bare_score, uci_score

_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Dialect:
    """How commands, squares and answers are written."""

    protocol: str
    """`uci` or `ucci`: which names options have."""
    game: str
    """The name of the game that is played."""
    hello: str
    """Ends the answer to the first command."""
    option: str
    """Begins the line of an option, its name at {}."""
    sentence: str
    """Begins a line for people."""
    fields: tuple[str, ...]
    """What a line about thinking may have, in this order."""
    score: Callable[[MoveScore], str]
    clocks: tuple[str, str]
    """The word of `go` before the time that White has left, and Black."""
    no_move: str
    """The answer to `go` if there is no move."""
    idle_stop: str | None = None
    """The answer to `stop` if nothing is thought about; None if there is none."""
    farewell: str | None = None
    """The answer to `quit`; None if there is none."""
    first_rank: int = 1
    """The number of White's own rank."""

    def read_move(self, text: str) -> str:
        """A move as the rules read it, ranks from 1."""
        return self._counted(text, 1 - self.first_rank)

    def write_move(self, text: str) -> str:
        """A move as it is written here, from one with ranks from 1."""
        return self._counted(text, self.first_rank - 1)

    def _counted(self, text: str, difference: int) -> str:
        if not difference:
            return text
        return _NUMBER.sub(lambda rank: str(int(rank[0]) + difference), text[:8])


UCI: Final = Dialect(
    protocol="uci",
    game="chess",
    hello="uciok",
    option="option name {}",
    sentence="info string",
    fields=("depth", "multipv", "score", "wdl", "nodes", "nps", "tbhits", "time", "pv"),
    score=uci_score,
    clocks=("wtime", "btime"),
    no_move="bestmove (none)",
)
UCI_XIANGQI: Final = replace(UCI, game="xiangqi")
CYCLONE: Final = replace(UCI_XIANGQI, first_rank=0)
UCCI: Final = replace(
    CYCLONE,
    protocol="ucci",
    hello="ucciok",
    option="option {}",
    sentence="info message",
    fields=("depth", "score", "time", "nodes", "pv"),
    score=bare_score,
    clocks=("time", "time"),
    no_move="nobestmove",
    idle_stop="nobestmove",
    farewell="bye",
)

OF_VARIANT: Final = {"chess": UCI, "xiangqi": UCI_XIANGQI}
"""By the value of UCI_Variant."""
