"""How many entries each scheme needs for an endgame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unmove.indexes.classic import Edwards, Heinz, Thompson
from unmove.indexes.legal import legal_entries
from unmove.indexes.nalimov import Nalimov
from unmove.indexes.storage import cells, cells_coded
from unmove.material import Material, all_of
from unmove.values import BLACK, WHITE

Both = tuple[int, int]
"""White to move, Black to move."""


@dataclass(frozen=True)
class Sizes:
    """The entries of one endgame; a single number is that of either side to move."""

    material: Material
    edwards: int
    thompson: int
    heinz: int
    nalimov: Both
    broken: Both  # of Nalimov's entries, those that are no position
    cells: int  # in the planes that our files keep
    coded: Both  # of these, the legal ones: what a file codes, of one side to move


def sizes_of(material: Material) -> Sizes:
    """The entries that each scheme has for an endgame, and our own storage."""
    white, black = (Nalimov(material, side).size for side in (WHITE, BLACK))
    return Sizes(
        material=material,
        edwards=Edwards(material, WHITE).size,
        thompson=Thompson(material, WHITE).size,
        heinz=Heinz(material, WHITE).size,
        nalimov=(white, black),
        broken=(white - legal_entries(material, WHITE), black - legal_entries(material, BLACK)),
        cells=cells(material),
        coded=(cells_coded(material, WHITE), cells_coded(material, BLACK)),
    )


def compare(materials: Iterable[Material] | None = None) -> Iterator[Sizes]:
    """The sizes of the given endgames, or of all 145 of three to five men."""
    if materials is None:
        materials = [material for men in (3, 4, 5) for material in all_of(men)]
    return map(sizes_of, materials)


def overhead(entries: int, base: int) -> float:
    """By how much `entries` are more than `base`, in per cent: the +Δ% of the paper's tables."""
    return 100 * (entries - base) / base
