"""The statistics of a table, as its file has them; `Game.symmetry` says how they count."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from unmove.games.boards import rules_of_fen
from unmove.values import (
    SIDES,
    Code,
    Metric,
    Outcome,
    Outcome50,
    Side,
    level_of,
    moves_of,
    opponent_of,
    outcome50_of,
    outcome_of,
    value_of,
)

SIDE_KEYS: Final = ("white", "black")
"""The sides, as files and JSON name them."""
TURN_KEYS: Final = ("wtm", "btm")
"""The sides to move, as files and JSON name them."""


def which_win(winner: Side, side: Side) -> str:
    """The name of the wins of one side with one side to move, in `Summary.longest`."""
    return f"{SIDE_KEYS[winner]}_wins {TURN_KEYS[side]}"


@dataclass(frozen=True)
class Summary:
    """legal[side]: legal positions; histogram[side]: positions by code, draws left out.

    `longest` maps "white_wins wtm" and the like to the FEN of a longest win or loss. By DTZ the
    longest is what takes longest to a zeroing; a cursed win is longer than any other.
    """

    legal: tuple[int, int]
    histogram: tuple[dict[Code, int], dict[Code, int]]
    longest: dict[str, str]

    def swapped(self) -> Summary:
        """The statistics with colours exchanged, for the endgame's name the other way round."""
        longest = {}
        for winner, side in product(SIDES, repeat=2):
            fen = self.longest.get(which_win(opponent_of(winner), opponent_of(side)))
            if fen is not None:
                rules = rules_of_fen(fen)
                longest[which_win(winner, side)] = rules.swapped(rules.parse(fen)).fen()
        return Summary(self.legal[::-1], self.histogram[::-1], longest)

    def counts(self, side: Side) -> dict[str, int]:
        """legal, win, draw and loss for the side to move."""
        found = {Outcome.WIN: 0, Outcome.LOSS: 0}
        for code, positions in self.histogram[side].items():
            found[outcome_of(code)] += positions
        win, loss = found[Outcome.WIN], found[Outcome.LOSS]
        legal = self.legal[side]
        return {"legal": legal, "win": win, "draw": legal - win - loss, "loss": loss}

    def counts50(self, side: Side) -> dict[str, int]:
        """win, cursed_win, draw, blessed_loss and loss for the side to move; of a DTZ table."""
        found = dict.fromkeys(sorted(Outcome50, reverse=True), 0)
        for code, positions in self.histogram[side].items():
            found[outcome50_of(code)] += positions
        found[Outcome50.DRAW] = self.legal[side] - sum(found.values())
        return {outcome.name.lower(): positions for outcome, positions in found.items()}

    def deepest(self, winner: Side, side: Side) -> Code | None:
        """The code of the longest win of `winner` with `side` to move; None if there is none."""
        outcome = Outcome.WIN if side == winner else Outcome.LOSS
        codes = [code for code in self.histogram[side] if outcome_of(code) == outcome]
        return max(codes, key=level_of, default=None)

    def max_moves(self, metric: Metric) -> dict[str, dict[str, int | None]]:
        """The longest win of each side in moves, by side to move; None where there is none."""
        result: dict[str, dict[str, int | None]] = {}
        for winner, name in zip(SIDES, SIDE_KEYS, strict=True):
            row = result.setdefault(f"{name}_wins", {})
            for side, turn in zip(SIDES, TURN_KEYS, strict=True):
                code = self.deepest(winner, side)
                value = None if code is None else value_of(code, metric)
                row[turn] = None if value is None else moves_of(value)
        return result
