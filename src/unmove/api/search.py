"""Answers for questions about whole tables: the positions of a query, and mutual zugzwangs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from unmove.material import Material
from unmove.research import zugzwang
from unmove.research.find import Finder, Matches
from unmove.research.notes import Note
from unmove.research.query import metric_of, parse
from unmove.research.scan import ReportFraction, Scan
from unmove.store.folder import Folder, FolderPaths
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


@dataclass(frozen=True)
class FoundPosition:
    """A position that was looked for."""

    fen: str
    epd: str
    """The same with the comment, and with the moves to mate (`dm`) where the side to move mates."""
    comment: str
    """What it is, in words; distances are in plies."""

    @classmethod
    def of(cls, note: Note) -> FoundPosition:
        return cls(note.fen, note.epd, note.comment)


@dataclass(frozen=True)
class FoundCount:
    """How many positions match a query."""

    material: Material
    where: str
    """The query."""
    positions: int
    counted: str
    """How positions are counted, as a sentence."""
    hint: str | None
    """Why none can match, if that is so."""


@dataclass(frozen=True)
class SearchHint:
    """Why no position can match a query."""

    hint: str


@dataclass(frozen=True)
class ZugzwangCount:
    """How many mutual zugzwangs an endgame has, by what is at stake."""

    material: Material
    full: int
    """Positions in which whoever is to move loses."""
    white: int
    """Positions in which White (Red) to move draws and Black to move loses."""
    black: int
    """Positions in which White (Red) to move loses and Black to move draws."""
    counted: str
    """How positions are counted, in sentences."""


class Search:
    """A query put to a table; it is read, and its metric chosen, before any table is opened.

    BadQuery or BadOption if the query makes no sense.
    """

    def __init__(
        self, material: Material | str, where: str, metric: Metric | str | None = None
    ) -> None:
        self.material, self.where = Material.as_written(material), where
        self._query = parse(where)
        chosen = None if metric is None else Metric.of(metric)
        self.metric = metric_of(self._query, chosen, self.material.game)

    def count(self, scan: Scan, report: ReportFraction) -> FoundCount:
        """How many positions match."""
        finder = Finder(scan, self._query)
        positions, counted = finder.count(report), self.material.game.symmetry
        return FoundCount(self.material, self.where, positions, counted, finder.hint())

    def positions(
        self,
        scan: Scan,
        report: ReportFraction,
        *,
        sample: int | None = None,
        seed: int = 0,
        limit: int | None = None,
    ) -> Iterator[FoundPosition]:
        """The positions that match, in the order of the table, or a random sample of them.

        With a limit, the table is read no further than needed.
        """
        finder = Finder(scan, self._query)
        matches: Iterable[Matches] = finder.matches(report)
        if sample is not None:
            matches = finder.sample(sample, seed, report)
        notes = (note for some in matches for note in finder.notes(some))
        return map(FoundPosition.of, islice(notes, limit))

    def is_possible(self, scan: Scan) -> bool:
        """Whether the statistics of the table leave room for a position."""
        return Finder(scan, self._query).is_possible

    def hint(self, scan: Scan) -> SearchHint | None:
        """Why no position can match; None if some may."""
        hint = Finder(scan, self._query).hint()
        return SearchHint(hint) if hint else None


class Scanner:
    """Opens tables of a folder for a walk over all their positions."""

    def __init__(self, folder: Folder, subtables: SubtableCache) -> None:
        self._folder, self._subtables = folder, subtables

    def open(self, material: Material | str, metric: Metric | str | None = None) -> Scan:
        """A table; the first metric that is built unless one is named. MissingTable if none is."""
        written = Material.as_written(material)
        stored = written.canonical()
        built = (each for each in Metric if self._folder.has(stored, each))
        chosen = next(built, Metric.DTM) if metric is None else Metric.of(metric)
        self._folder.require(stored, chosen)
        return Scan(self._subtables, written, chosen)


@contextmanager
def scanner(folder: FolderPaths, threads: int = 1) -> Iterator[Scanner]:
    """A scanner whose tables are closed at the end."""
    folder = Folder.of(folder)
    with SubtableCache(folder, threads) as subtables:
        yield Scanner(folder, subtables)


def list_zugzwangs(scan: Scan, report: ReportFraction) -> Iterator[FoundPosition]:
    """All mutual zugzwangs of a table, White (Red) to move."""
    for found in zugzwang.zugzwangs(scan, report):
        yield FoundPosition.of(found.note(scan))


def count_zugzwangs(scan: Scan, report: ReportFraction) -> ZugzwangCount:
    """How many mutual zugzwangs a table has."""
    kinds = zugzwang.count(scan, report)
    counted = [scan.material.game.symmetry, *_twins(scan, kinds)]
    return ZugzwangCount(scan.material, **kinds, counted=" ".join(counted))


def _twins(scan: Scan, kinds: dict[str, int]) -> Iterator[str]:
    """What is to be said of an endgame of equal sides."""
    material = scan.material
    if material.white == material.black and any(kinds.values()):
        single = zugzwang.full_without_twins(scan)
        yield (
            f"{material} has equal sides, so each position stands beside its twin with the colours "
            f"reversed: {kinds['full']:,} full-point zugzwangs are {single:,} and their twins."
        )
