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

from unmove.interop.syzygy.checking import WrittenFile
from unmove.interop.syzygy.descriptors import files_of
from unmove.interop.syzygy.file import SUFFIXES, SyzygyFile
from unmove.interop.syzygy.materials import is_symmetric
from unmove.interop.syzygy.subtables import EncodedSubtable, distance_table, outcome_table
from unmove.interop.syzygy.tokens import ALLOWED, Tokens, TokenSource
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
CHECKS: Final = 0.05
"""Of the time that a pair of files takes: the part of reopening and comparing."""
TOKENS: Final = 0.25
"""Of the time that a file of pawns takes: the part of finding what a file needs to know."""

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

            def report_file(share: float, file: int = file) -> None:
                report((1 - CHECKS) * (file + share) / len(files))

            outcomes, distances = self._encoded(file, report_file)
            kinds[tables.OUTCOMES].extend(outcomes)
            kinds[tables.DISTANCES].append(distances)
        with ExitStack() as stack:
            parts = [stack.enter_context(replacing(path)) for path in paths.paths]
            for part, write, made in zip(parts, PAIR_WRITERS, kinds, strict=True):
                with part.open("w+b") as file_:
                    write(file_, self.material, made)
            self._check(parts, kinds, report)
        return tuple(path.stat().st_size for path in paths.paths)

    def _encoded(
        self, file: int, report: ReportShare
    ) -> tuple[list[EncodedSubtable], EncodedSubtable]:
        """The sub-tables of a file: outcomes of both sides to move, distances of one."""
        tokens = self._source.load(file, lambda share: report(TOKENS * share))
        outcomes = [self._field(tokens, tables.OUTCOMES, side) for side in self._sides]
        distances = [self._field(tokens, tables.DISTANCES, side) for side in self._sides]
        works: list[Callable[[], EncodedSubtable]] = [
            partial(outcome_table, field, file) for field in outcomes
        ]
        exact = partial(_counted_exactly, self._source.codes, tokens)
        works.append(partial(distance_table, distances, file, self._source.codes, exact))
        made: list[EncodedSubtable] = []
        for encoded in self._pool.map(lambda work: work(), works):
            made.append(encoded)
            report(TOKENS + (1 - TOKENS) * len(made) / len(works))
        return made[:-1], made[-1]

    def _field(self, tokens: Tokens, kind: int, side: Side) -> TokenField:
        chart = chart_of(self._source.layout, self._source.fold)._replace(place=tokens.rows)
        if kind == tables.DISTANCES:
            kinds, values = len(self._source.codes), tokens.distances[side]
        else:
            kinds, values = len(ALLOWED), tokens.outcomes[side]
        return TokenField(self._source.layout, chart, values, kinds)

    def _check(
        self,
        paths: Sequence[Path],
        kinds: Sequence[Sequence[EncodedSubtable]],
        report: ReportShare,
    ) -> None:
        """Both files, reopened, hold what the table allows; DamagedFile otherwise."""
        codes, done, count = self._source.codes, 0, sum(map(len, kinds))
        for kind, (path, made) in enumerate(zip(paths, kinds, strict=True)):
            written = WrittenFile(SyzygyFile(path, self.material, kind), made)
            check = partial(written.check, codes=codes)
            for _ in self._pool.map(check, range(len(made))):
                done += 1
                report(1 - CHECKS + CHECKS * done / count)


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
