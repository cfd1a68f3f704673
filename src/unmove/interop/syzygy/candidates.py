"""The descriptors that a sub-table may have: which order of men and groups packs best, is tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from unmove.interop.syzygy.descriptors import Descriptor
from unmove.material import Material


def candidates(material: Material, file: int) -> Iterator[Descriptor]:
    """Every descriptor of a sub-table, each numbering once."""
    usual = Descriptor.usual(material, file)
    fixed = usual.leaders + usual.others if material.has_pawns else 0
    head, tail = usual.pieces[:fixed], usual.pieces[fixed:]
    seen = set()
    for order in permutations(_runs(tail)):
        pieces = head + tuple(code for run in order for code in run)
        groups = len(usual.groups)
        seconds = range(groups) if usual.others else [usual.second_order]
        for first in range(groups):
            for second in seconds:
                try:
                    descriptor = Descriptor(material, pieces, first, second, file)
                except ValueError:  # what no reader would understand
                    continue
                key = (descriptor.pieces, descriptor.order, descriptor.second_order)
                if key not in seen:
                    seen.add(key)
                    yield descriptor


def _runs(codes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Like men together."""
    return [(code,) * codes.count(code) for code in dict.fromkeys(codes)]
