"""Answers for tables that are coded anew, with both sides to move or with one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from unmove.errors import BadOption, NoTables
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.folder import Folder, FolderPaths
from unmove.store.format import BOTH, stores_one_side
from unmove.successors.recoding import recode
from unmove.values import Metric

SIDES_TO_STORE = ("one", BOTH)


@dataclass(frozen=True)
class RecodedFile:
    """A table and how its file stores it now."""

    file: Path
    material: Material
    metric: Metric
    stored: str
    """The sides to move that are stored: `white`, `black` or `both`."""
    bytes_before: int
    bytes: int
    """The size of the file; the same as before if it was stored like this already."""
    seconds: float
    """The time it took."""


@dataclass(frozen=True)
class Recoding:
    """What is to be coded anew."""

    folder: Folder
    tables: Sequence[tuple[Material, Metric]]
    both: bool

    @classmethod
    def of(
        cls,
        folder: FolderPaths,
        sides: str,
        names: Sequence[Material | str] = (),
        metrics: Sequence[Metric | str] = (),
    ) -> Recoding:
        """The tables of these endgames and distances, or all of the folder.

        BadOption for sides that cannot be stored, MissingTable for what is not there, or if a
        smaller endgame is missing, and NoTables if there is nothing to code.
        """
        folder, wanted = Folder.of(folder), [Metric.of(metric) for metric in metrics]
        if sides not in SIDES_TO_STORE:
            raise BadOption("sides", sides, f"it must be one of {', '.join(SIDES_TO_STORE)}")
        endgames = [Material.as_written(name).canonical() for name in names]
        tables = [
            (material, metric)
            for material, metric in folder.tables()
            if (not endgames or material in endgames) and (not wanted or metric in wanted)
        ]
        for material in endgames:
            there = [metric for found, metric in tables if found == material]
            if not there or not set(wanted) <= set(there):
                missing = [metric for metric in wanted if metric not in there]
                raise folder.missing(material, missing[0] if missing else Metric.DTM)
            if sides != BOTH and not stores_one_side(material):
                reason = f"tables of {material.game.name} store both sides to move"
                raise BadOption("sides", sides, reason)
        if not tables:
            raise NoTables(Path(str(folder)), "there is nothing to code anew")
        chosen = [key for key in tables if sides == BOTH or stores_one_side(key[0])]
        for key in chosen:
            folder.require(*key)
        return cls(folder, chosen, sides == BOTH)

    def run(self, threads: int = 1) -> Iterator[RecodedFile]:
        """The tables one by one, each when its file is published."""
        with WorkerPool(threads) as pool:
            for material, metric in self.tables:
                yield self._recoded(material, metric, pool)

    def _recoded(self, material: Material, metric: Metric, pool: WorkerPool) -> RecodedFile:
        start = perf_counter()
        with self.folder.open(material, metric) as file:
            before, stored, path = file.size, file.meta.stored, file.path
        if (stored == BOTH) != self.both:
            recode(self.folder, material, metric, pool, both=self.both)
        with self.folder.open(material, metric) as file:
            stored, size = file.meta.stored, file.size
        return RecodedFile(path, material, metric, stored, before, size, perf_counter() - start)
