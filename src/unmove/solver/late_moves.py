"""Moves that come too late for the 50-move rule, and what they change in the loop.

Positions won or lost at the last level of a metric's limit (`Metric.limit`, L = 100 for DTZ) are
won and lost at a clock of 0. A quiet move into one takes one ply more: the position before it is
cursed or blessed, in L + 1 plies, which is level 2 L + 1. So these moves are kept aside when the
limit is passed. They arrive at that level, and until then they save the loser from sooner losses.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from unmove.kernels.sets import Frontier
from unmove.solver.backend import MaybeFrontier
from unmove.values import Level


class Late(NamedTuple):
    """The late moves of one side in one ply: positions that have one."""

    moves: MaybeFrontier = None
    arrive: bool = False
    """Whether they decide now. Until then they save a loser."""


class MoveFinder(Protocol):
    """What late moves need of a run."""

    def losing_moves(self, won: Frontier, name: str) -> Frontier:
        """The loser's unsettled positions with a move into these wins."""

    def winning_moves(self, lost: Frontier, name: str) -> Frontier:
        """The winner's unsettled positions with a move into these losses."""


class NoLateMoves:
    """No level is the last before a limit, and no move is late."""

    last = Level(0)
    """The last level at which late moves arrive."""

    def frontiers(
        self, level: Level, lost: MaybeFrontier, won: MaybeFrontier
    ) -> tuple[MaybeFrontier, MaybeFrontier]:
        """The lost and won positions, settled at the level before, that moves may lead into now."""
        return lost, won

    def losing(self, level: Level) -> Late:
        """The loser's late moves."""
        return Late()

    def winning(self, level: Level) -> Late:
        """The winner's late moves."""
        return Late()


class LateMoves(NoLateMoves):
    """The late moves under a limit, of one run."""

    def __init__(self, run: MoveFinder, limit: Level) -> None:
        self._run = run
        self._first = Level(limit + 1)
        self._lost: MaybeFrontier = None
        self._won: MaybeFrontier = None

    def frontiers(
        self, level: Level, lost: MaybeFrontier, won: MaybeFrontier
    ) -> tuple[MaybeFrontier, MaybeFrontier]:
        """See `NoLateMoves`. Past the limit there are none: moves into them are late."""
        if level != self._first:
            return lost, won
        if won is not None:
            self._lost = self._run.losing_moves(won, "late lost")
        if lost is not None:
            self._won = self._run.winning_moves(lost, "late won")
        if lost is not None or won is not None:
            self.last = Level(2 * self._first - 1)
        return None, None

    def losing(self, level: Level) -> Late:
        """See `NoLateMoves`."""
        return Late() if self._lost is None or level > self.last else self._at(level, self._lost)

    def winning(self, level: Level) -> Late:
        """See `NoLateMoves`. Before they arrive, a winner has no use for them."""
        return Late() if self._won is None or level != self.last else self._at(level, self._won)

    def _at(self, level: Level, moves: Frontier) -> Late:
        return Late(moves, level == self.last)
