"""What `go` asks for: which moves, how long, and whether the answer waits for a word.

Depth limits the length of the line that is shown. Nodes and mate limit nothing: a table answers
before any of them is reached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from unmove.engine.dialects import Dialect
from unmove.values import Side

_FLAGS: Final = frozenset({"ponder", "infinite", "draw"})
_NUMBERS: Final = frozenset(
    {"wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime"}
    | {"time", "increment", "opptime", "oppmovestogo", "oppincrement"}
)
_MOVES: Final = "searchmoves"
_NUMBER: Final = re.compile(r"-?[0-9]{1,12}")

LONGEST_LINE: Final = 2000
"""Plies; longer than any win."""
LONGEST_TIME: Final = 1e6
"""Seconds; a timer takes no number that is much larger."""
SHORTEST_TIME: Final = 0.02
"""Seconds that are taken even if the GUI leaves none."""


@dataclass(frozen=True)
class Limits:
    """The words after `go`."""

    moves: tuple[str, ...] = ()
    """The moves to choose from, as they were written; all if there are none."""
    ponder: bool = False
    infinite: bool = False
    draw_offered: bool = False
    """UCCI: whether the opponent offers a draw."""
    depth: int = LONGEST_LINE
    seconds: float | None = None
    """After so long an answer is due, known or not; None if the GUI sets no time."""

    @property
    def waits(self) -> bool:
        """Whether the answer waits for `stop` or `ponderhit`."""
        return self.ponder or self.infinite


def read_limits(
    words: Sequence[str], dialect: Dialect, side: Side, overhead: float, unit: float
) -> Limits:
    """The limits of the words after `go`; unknown words are skipped.

    `overhead` is in seconds, `unit` is what the GUI counts time in.
    """
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    listing = False
    for word, following in zip(words, [*words, ""][1:], strict=True):
        if word in _FLAGS | _NUMBERS | {_MOVES}:
            listing = word == _MOVES
            flags.add(word)
            if word in _NUMBERS and _NUMBER.fullmatch(following):
                numbers[word] = int(following)
        elif listing:
            moves.append(word)
    time = numbers.get("movetime"), numbers.get(dialect.clocks[side])
    return Limits(
        tuple(moves),
        "ponder" in flags,
        "infinite" in flags,
        "draw" in flags,
        max(1, numbers.get("depth", LONGEST_LINE)),
        _seconds(*time, overhead, unit),
    )


def _seconds(move_time: int | None, left: int | None, overhead: float, unit: float) -> float | None:
    """When an answer is due: half of the time that is left, or the time for this move.

    Of that the overhead takes at most a half, so that a short time is not all given away.
    """
    if move_time is None and left is None:
        return None
    given = move_time * unit if move_time is not None else (left or 0) * unit / 2
    return min(max(given - overhead, given / 2, SHORTEST_TIME), LONGEST_TIME)
