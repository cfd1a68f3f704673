"""What the papers' figures are worked out from."""

from __future__ import annotations

from dataclasses import dataclass

from unmove.material import Material
from unmove.papers.figures import Comparison, UnknownFigure
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.values import Metric, Side


@dataclass(frozen=True)
class PublishedRecord:
    """What the file of a table says of itself."""

    summary: Summary
    sides: tuple[Side, ...]  # the sides to move that it stores
    size: int  # in bytes


@dataclass(frozen=True)
class ReproductionContext:
    """A folder of tables, the most men of an endgame that is solved, and the threads to use."""

    folder: Folder
    men: int
    threads: int = 1

    def record(self, material: Material, metric: Metric) -> PublishedRecord | UnknownFigure:
        """The record of a table, or how to get it."""
        material = material.canonical()
        if self.folder.has(material, metric):
            with self.folder.open(material, metric) as file:
                return PublishedRecord(file.summary, tuple(file.sides), file.size)
        return UnknownFigure(Comparison.NEEDS_TABLES, f"unmove build {material} --metric {metric}")

    def longest(self, material: Material, metric: Metric) -> int | UnknownFigure | None:
        """The longest win of White, White to move, in moves."""
        record = self.record(material, metric)
        if isinstance(record, UnknownFigure):
            return record
        return record.summary.max_moves(metric)["white_wins"]["wtm"]
