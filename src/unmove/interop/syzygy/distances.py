"""The distances of a sub-table: flags, the lists of values, and the leaf of each token.

A *class* is one of the four decisive outcomes. A class's distances are counted in units of one or
two plies, less one unit, and numbered by frequency: the number is what the symbols hold. So the
classes share small numbers, and a list for each class tells what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unmove.interop.syzygy.file import MAPPED, WIDE_MAPS
from unmove.kernels.syzygy.tables import LOSSES_IN_PLIES, WINS_IN_PLIES
from unmove.values import DRAW, FIFTY, Code, Outcome50, level_of, outcome50_of

DECISIVE: Final = (Outcome50.WIN, Outcome50.LOSS, Outcome50.CURSED_WIN, Outcome50.BLESSED_LOSS)
"""The outcomes in the order of their lists."""
NARROW: Final = 256
"""Values below this one fit into lists of bytes."""


def syzygy_distance(code: Code) -> int:
    """The plies of a settled code as Syzygy counts them: beyond 100 for what is cursed.

    A cursed win that zeroes sooner has 100 more; the checkmated count as lost in one.
    """
    level = level_of(code)
    late = level - FIFTY
    return max(1, late if late > FIFTY else level)


def stored_value(code: Code, flags: int) -> int:
    """The value that stands for a settled code in a sub-table with these flags."""
    outcome, distance = outcome50_of(code), syzygy_distance(code)
    if abs(outcome) == Outcome50.CURSED_WIN:
        return (distance - FIFTY - 1) // 2
    exact = flags & (WINS_IN_PLIES if outcome > 0 else LOSSES_IN_PLIES)
    return distance - 1 if exact else (distance - 1) // 2


@dataclass(frozen=True)
class DistanceMap:
    """How the distances of a sub-table are stored."""

    flags: int
    lists: tuple[tuple[int, ...], ...]
    """The values of each of DECISIVE, the most frequent first."""
    leaf: NDArray[np.int64]
    """[token]: what stands for it among the leaves, -1 for what is free or does not occur."""
    leaves: tuple[int, ...]
    """[leaf]: the number that its symbol has."""

    @classmethod
    def of(
        cls, codes: Sequence[Code], counts: NDArray[np.int64], exact: tuple[bool, bool]
    ) -> DistanceMap:
        """The best map, if tokens with these codes occur so often.

        `exact`: whether wins, and losses, of the side to move are counted in single plies.
        """
        flags = (WINS_IN_PLIES if exact[0] else 0) | (LOSSES_IN_PLIES if exact[1] else 0)
        settled = [n for n, code in enumerate(codes) if code > DRAW and counts[n]]
        lists = tuple(_list(settled, codes, counts, flags, outcome) for outcome in DECISIVE)
        longest = max(lists, key=len)
        leaf = np.full(len(codes), -1, np.int64)
        for token in settled:
            own = lists[DECISIVE.index(outcome50_of(codes[token]))]
            leaf[token] = own.index(stored_value(codes[token], flags))
        if all(own == longest[: len(own)] for own in lists):
            return cls(flags, lists, leaf, longest)
        wide = WIDE_MAPS if max(map(max, filter(None, lists))) >= NARROW else 0
        return cls(flags | MAPPED | wide, lists, leaf, tuple(range(len(longest))))

    @property
    def bytes(self) -> bytes:
        """The lists, each after its length."""
        if not self.flags & MAPPED:
            return b""
        kind = np.dtype("<u2" if self.flags & WIDE_MAPS else "u1")
        return b"".join(np.array([len(own), *own], kind).tobytes() for own in self.lists)


def _list(
    settled: Sequence[int],
    codes: Sequence[Code],
    counts: NDArray[np.int64],
    flags: int,
    outcome: Outcome50,
) -> tuple[int, ...]:
    """The values of one class, the most frequent first."""
    frequency: dict[int, int] = {}
    for token in settled:
        if outcome50_of(codes[token]) == outcome:
            value = stored_value(codes[token], flags)
            frequency[value] = frequency.get(value, 0) + int(counts[token])
    return tuple(sorted(frequency, key=lambda value: (-frequency[value], value)))
