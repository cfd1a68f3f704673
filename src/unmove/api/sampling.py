"""A random position of an endgame that somebody asks for.

Men are put on random squares until the position is one that is wanted: each is as likely as any
other. Few positions may have a rare value, so that chance does not find one; the table is then
searched for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.api.search import FoundPosition, Search, scanner
from unmove.errors import BadOption
from unmove.games.boards import board_of
from unmove.games.rules import columns_of
from unmove.games.xiangqi import LETTERS, SQUARES, STANDS
from unmove.material import Material
from unmove.probe.tablebase import Tablebase
from unmove.research.notes import valued
from unmove.values import SIDES, Code, Metric, Outcome, Side
from unmove.variants import XIANGQI

WORDS_OF_KINDS: Final = {
    "any": "",
    "won": "win",
    "drawn": "draw",
    "lost": "loss",
    "zugzwang": "zugzwang",
    "only": "only move",
}
"""What can be asked for, and the words of the query that finds it."""
DRAWS: Final = (32, 256, *[4096] * 7)
"""How many positions are drawn at once: few at first, as most kinds are frequent."""

_OUTCOMES: Final = {"won": Outcome.WIN, "drawn": Outcome.DRAW, "lost": Outcome.LOSS}


@dataclass(frozen=True)
class Wish:
    """A kind of positions: by outcome, plies and side to move, None if it does not matter."""

    kind: str = "any"
    metric: Metric = Metric.DTM
    least: int | None = None
    most: int | None = None
    side: Side | None = None

    @property
    def query(self) -> str:
        """The same, as a query."""
        words = [WORDS_OF_KINDS[self.kind] or "(win or draw or loss)"]
        words += [f"{self.metric} >= {self.least}"] if self.least is not None else []
        words += [f"{self.metric} <= {self.most}"] if self.most is not None else []
        words += [("wtm", "btm")[self.side]] if self.side is not None else []
        return " and ".join(words)


def random_position(
    tables: Tablebase,
    material: Material,
    wish: Wish,
    seed: int,
    check: Callable[[float], None] = lambda _: None,
) -> FoundPosition | None:
    """A position that is wished for; None if there is none. A seed gives the same again.

    MissingTable without a table; `check` is told the part done of a long search, and may raise.
    """
    if wish.kind not in WORDS_OF_KINDS:
        raise BadOption("kind", repr(wish.kind), f"it must be one of {', '.join(WORDS_OF_KINDS)}")
    rng = np.random.default_rng(seed)
    search = Search(material, wish.query, wish.metric)
    with scanner(tables.folder) as opened:
        scan = opened.open(material, search.metric)
        if not search.is_possible(scan):
            return None
        if wish.kind not in ("zugzwang", "only"):
            for number in DRAWS:
                if (found := _by_chance(tables, material, wish, rng, number)) is not None:
                    return found
        return next(search.positions(scan, check, sample=1, seed=seed), None)


def _by_chance(
    tables: Tablebase, material: Material, wish: Wish, rng: np.random.Generator, number: int
) -> FoundPosition | None:
    """One of so many positions that are drawn; None if none of them is wished for."""
    men = columns_of(material)
    drawn = [rng.choice(_stands(man, material), number) for man in men]
    squares = np.stack(drawn, axis=1)
    sides = rng.integers(0, 2, number)
    if wish.side is not None:
        sides[:] = wish.side
    values = tables.probe_many(material, squares, sides, wish.metric)
    fits = values.legal & _distinct(squares)
    if wish.kind in _OUTCOMES:
        fits &= values.outcome == _OUTCOMES[wish.kind]
    if wish.least is not None or wish.most is not None:
        plies = np.abs(values.plies)
        fits &= values.outcome != Outcome.DRAW
        fits &= (plies >= (wish.least or 0)) & (plies <= (wish.most or np.iinfo(np.int16).max))
    which = np.flatnonzero(fits)
    if not len(which):
        return None
    one = int(which[0])
    board = board_of(material, squares[one].tolist(), SIDES[int(sides[one])])
    return FoundPosition.of(valued(board, wish.metric, Code(int(values.codes[one]))))


def _stands(man: str, material: Material) -> NDArray[np.int64]:
    """The squares on which a man can stand, by its letter."""
    if material.game == XIANGQI:
        return np.flatnonzero(STANDS[int(man.islower()), LETTERS.index(man.upper()), :SQUARES])
    if man.upper() == material.game.pawn:
        return np.arange(8, 56)
    return np.arange(64)


def _distinct(squares: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether no two men of a position stand on the same square."""
    in_order = np.sort(squares, axis=1)
    apart: NDArray[np.bool_] = np.all(np.diff(in_order, axis=1) > 0, axis=1)
    return apart
