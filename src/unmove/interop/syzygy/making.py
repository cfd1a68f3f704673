"""A table becomes a pair of Syzygy files: outcomes and distances to zeroing.

Both are made file by file of the first leading pawn, so that no more of the tokens is held. Each is
written under another name, reopened and compared with the table before it gets its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from unmove.interop.syzygy.checking import WrittenFile, outcomes_allowed
from unmove.interop.syzygy.descriptors import files_of
from unmove.interop.syzygy.file import SUFFIXES, SyzygyFile
from unmove.interop.syzygy.materials import is_symmetric
from unmove.interop.syzygy.subtables import EncodedSubtable, distance_table, outcome_table
from unmove.interop.syzygy.tokens import Tokens, TokenSource
from unmove.interop.syzygy.walks import TokenField
from unmove.interop.syzygy.writing import write_distances, write_outcomes
from unmove.kernels.syzygy import tables
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.probe.positions import chart_of
from unmove.store.atomic import replacing
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BLACK, FIFTY, SIDES, WHITE, Code, Side, loss_code, opponent_of, win_code

PAIR_WRITERS: Final = (write_outcomes, write_distances)
CHECKS: Final = 0.2
"""Of the time that a pair of files takes: the part of reopening and comparing."""

ReportShare = Callable[[float], None]
"""Is told the part done, up to 1.0."""


@dataclass(frozen=True)
class PairPaths:
    """Where the pair of files of a material goes."""

    folder: Path
    material: Material

    @property
    def paths(self) -> tuple[Path, ...]:
        """The file of outcomes, then that of distances."""
        return tuple(self.folder / f"{self.material.name}{suffix}" for suffix in SUFFIXES)


class PairMaker:
    """Makes the pair of files of one table."""

    def __init__(self, subtables: SubtableCache, material: Material, pool: WorkerPool) -> None:
        self.material = material
        self._source = TokenSource(subtables, material)
        self._pool = pool
        self._sides = SIDES[:1] if is_symmetric(material) else SIDES

    def make(self, paths: PairPaths, report: ReportShare) -> tuple[int, ...]:
        """Both files are at their paths, compared with the table; returns their bytes."""
        kinds: tuple[list[EncodedSubtable], list[EncodedSubtable]] = [], []
        files = files_of(self.material)
        for file in files:
            outcomes, distances = self._encoded(file)
            kinds[tables.OUTCOMES].extend(outcomes)
            kinds[tables.DISTANCES].append(distances)
            report((1 - CHECKS) * (file + 1) / len(files))
        with ExitStack() as stack:
            parts = [stack.enter_context(replacing(path)) for path in paths.paths]
            for part, write, made in zip(parts, PAIR_WRITERS, kinds, strict=True):
                with part.open("w+b") as file_:
                    write(file_, self.material, made)
            for file in files:
                self._check(file, parts, kinds)
                report(1 - CHECKS + CHECKS * (file + 1) / len(files))
        return tuple(path.stat().st_size for path in paths.paths)

    def _encoded(self, file: int) -> tuple[list[EncodedSubtable], EncodedSubtable]:
        """The sub-tables of a file: outcomes of both sides to move, distances of one."""
        tokens = self._source.load(file)
        outcomes = [self._field(tokens, tables.OUTCOMES, side) for side in self._sides]
        distances = [self._field(tokens, tables.DISTANCES, side) for side in self._sides]
        works: list[Callable[[], EncodedSubtable]] = [
            partial(outcome_table, field, file) for field in outcomes
        ]
        exact = partial(_counted_exactly, self._source.codes, tokens)
        works.append(partial(distance_table, distances, file, self._source.codes, exact))
        *made, last = self._pool.map(lambda work: work(), works)
        return made, last

    def _field(self, tokens: Tokens, kind: int, side: Side) -> TokenField:
        chart = chart_of(self._source.layout, self._source.fold)._replace(place=tokens.rows)
        values = tokens.distances if kind == tables.DISTANCES else tokens.outcomes
        return TokenField(self._source.layout, chart, values[side])

    def _check(
        self, file: int, paths: Sequence[Path], kinds: Sequence[Sequence[EncodedSubtable]]
    ) -> None:
        """On one file of pawns, both files hold what the table allows; DamagedFile otherwise."""
        tokens, codes = self._source.load(file), self._source.codes
        for kind, (path, made) in enumerate(zip(paths, kinds, strict=True)):
            descriptors = [table.descriptor for table in made]
            written = WrittenFile(path, SyzygyFile(path, self.material, kind), descriptors)
            tables_a_file = len(made) // len(files_of(self.material))
            for number in range(tables_a_file * file, tables_a_file * (file + 1)):
                side, allowed = Side(number % tables_a_file), outcomes_allowed()
                if kind == tables.DISTANCES:
                    side = Side(written.side(number))
                    allowed = written.distances_allowed(number, codes)
                written.check(number, self._field(tokens, kind, side), allowed)


def _counted_exactly(codes: Sequence[Code], tokens: Tokens, side: int) -> tuple[bool, bool]:
    """Whether wins, and losses, of a side to move are counted in single plies.

    That is so if some position won by the same side is a win in 100 plies just so: a reader that
    counted in two could not tell it from one that comes too late.
    """
    mover = Side(side)
    return _has_late_win(codes, tokens, mover), _has_late_win(codes, tokens, opponent_of(mover))


def _has_late_win(codes: Sequence[Code], tokens: Tokens, winner: Side) -> bool:
    """Whether a position is won by the winner in FIFTY plies, either side to move."""
    for side in (WHITE, BLACK):
        code = win_code(FIFTY) if side == winner else loss_code(FIFTY)
        if code in codes and bool((tokens.distances[side] == codes.index(code)).any()):
            return True
    return False
