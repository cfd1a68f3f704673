"""Our values beside those of other programs' files, for every position of an endgame or a sample.

A *judge* sorts positions by how both agree: the conventions of a format are told apart from what
only one of both can be right about.
"""

from __future__ import annotations

import lzma
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, Protocol

import chess
import chess.gaviota
import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadMaterial, DamagedFile, NoOtherFiles, TooManyMen, UnreadableFile
from unmove.games.fens import fens_of
from unmove.interop.syzygy.answers import SyzygyValue
from unmove.interop.syzygy.distances import syzygy_distance
from unmove.interop.syzygy.materials import file_material
from unmove.interop.syzygy.tablebase import SyzygyTablebase
from unmove.kernels.arrays import Codes
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.probe.batches import Batch
from unmove.store.folder import Folder
from unmove.values import (
    DRAW,
    FIFTY,
    Level,
    Metric,
    Outcome50,
    codes_up_to,
    loss_code,
    outcome_of,
)
from unmove.variants import CHESS

MOST_EXAMPLES: Final = 5
"""Positions of each kind that are kept."""
BATCHES_EACH: Final = 6
MOST_GAVIOTA_MEN: Final = 5
CHECKMATE: Final = loss_code(Level(0))
UNREADABLE: Final = (EOFError, lzma.LZMAError, ValueError, IndexError, struct.error, AssertionError)
"""What python-chess raises when a Gaviota file is damaged."""


class Agreement(IntEnum):
    """How a value of ours and one of a file agree."""

    EQUAL = 0
    SHORT = 1
    """The file counts in pairs of plies here, and is one ply short."""
    MATE = 2
    """Who is checkmated has lost in one ply there, and in none here."""
    CURSED = 3
    """The same cursed win or blessed loss, counted to another zeroing: either is drawn."""
    WRONG = 4
    """Only one of both can be right."""

    @property
    def key(self) -> str:
        """Its name in records."""
        return self.name.lower()


class Example(NamedTuple):
    """A position with both values, as each side counts."""

    fen: str
    ours: int
    theirs: int


class Judged(NamedTuple):
    """How some positions agree, and both values."""

    agreement: NDArray[np.uint8]
    ours: NDArray[np.int16]
    theirs: NDArray[np.int16]


Judge = Callable[[Batch], Judged]
"""Says how the values of some positions agree with those of files."""


class OtherFiles(Protocol):
    """The files of another program."""

    @property
    def source(self) -> str:
        """Whose files they are."""

    @property
    def metrics(self) -> Sequence[Metric]:
        """The metrics of ours that can be compared, the one they tell most about first."""

    def seconds(self, threads: int) -> float:
        """What a position takes the machine of the estimates."""

    def judge_of(self, material: Material, metric: Metric) -> Judge:
        """Judges positions of an endgame; an error that says why, if there are no files of it."""


@dataclass
class Agreements:
    """How many positions agree in which way, and the first of those that are not equal."""

    counts: Counter[Agreement] = field(default_factory=Counter)
    examples: dict[Agreement, list[Example]] = field(default_factory=dict)

    def add(self, batch: Batch, judged: Judged) -> None:
        """The positions of a batch are counted too."""
        for agreement in Agreement:
            (which,) = np.nonzero(judged.agreement == agreement)
            self.counts[agreement] += len(which)
            if agreement != Agreement.EQUAL and len(which):
                kept = self.examples.setdefault(agreement, [])
                kept += _examples(batch, judged, which[: MOST_EXAMPLES - len(kept)])


def tally(batches: Iterable[Batch], judge: Judge, pool: WorkerPool) -> Agreements:
    """The positions of all batches are counted; each worker judges one batch at a time.

    Some batches take much longer than others, so there are several for each worker.
    """
    found, rest = Agreements(), iter(batches)
    while some := list(islice(rest, BATCHES_EACH * pool.workers)):
        for batch, judged in zip(some, pool.map(judge, some), strict=True):
            found.add(batch, judged)
    return found


class SyzygyFiles:
    """The Syzygy files of some folders. A DTZ table is compared with outcomes and distances.

    A table by another metric is compared with outcomes, without the 50-move rule.
    """

    source = "syzygy"
    metrics = (Metric.DTZ, Metric.DTM, Metric.DTC)

    def __init__(self, folders: Folder) -> None:
        self._tables = SyzygyTablebase(*folders.paths)

    def __enter__(self) -> SyzygyFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._tables.close()

    def seconds(self, threads: int) -> float:
        """See `OtherFiles`."""
        return 1.6e-6 / threads

    def judge_of(self, material: Material, metric: Metric) -> Judge:
        """See `OtherFiles`."""
        file_material(material)
        if metric != Metric.DTZ:
            return self._outcomes
        short = self._tables.short_distances(material)
        return partial(self._distances, short if material.is_canonical else short[::-1])

    def _outcomes(self, batch: Batch) -> Judged:
        theirs = np.sign(self._numbers(batch, SyzygyValue.WDL))
        return _equal_or_wrong(batch.values.outcome.astype(np.int16), theirs)

    def _distances(self, short: NDArray[np.bool_], batch: Batch) -> Judged:
        outcomes = self._numbers(batch, SyzygyValue.WDL)
        theirs = self._numbers(batch, SyzygyValue.DTZ)
        ours = _syzygy_numbers(batch.values.codes)
        sign = np.sign(ours)
        may_be_short = short[batch.turns, (sign > 0).astype(np.int8)]
        cursed = np.abs(outcomes) == Outcome50.CURSED_WIN
        agreement = np.select(
            [
                outcomes != batch.values.outcome50,
                (theirs == ours) & (batch.values.codes == CHECKMATE),
                theirs == ours,
                (theirs == ours - sign) & may_be_short,
                (theirs * sign > FIFTY) & cursed,
            ],
            [
                Agreement.WRONG,
                Agreement.MATE,
                Agreement.EQUAL,
                Agreement.SHORT,
                Agreement.CURSED,
            ],
            Agreement.WRONG,
        )
        return Judged(agreement.astype(np.uint8), ours, theirs)

    def _numbers(self, batch: Batch, value: SyzygyValue) -> NDArray[np.int16]:
        asked = batch.material, batch.squares, batch.turns, value
        return self._tables.probe_many(*asked).numbers


class GaviotaFiles:
    """The Gaviota files of some folders, read by python-chess: plies to mate, board by board.

    That reader seeks in files and keeps blocks without a lock, so one thread at a time asks it.
    """

    source = "gaviota"
    metrics = (Metric.DTM,)

    def __init__(self, folders: Folder) -> None:
        self._folder = Path(str(folders))
        self._lock = Lock()
        self._tables = chess.gaviota.PythonTablebase()
        for folder in folders.paths:
            if not folder.is_dir():
                raise NoOtherFiles("Gaviota", folder, "there is no such folder")
            try:
                self._tables.add_directory(str(folder))
            except OSError as error:
                raise UnreadableFile(folder, error) from error

    def __enter__(self) -> GaviotaFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._tables.close()

    def seconds(self, threads: int) -> float:
        """See `OtherFiles`."""
        return 100e-6

    def judge_of(self, material: Material, metric: Metric) -> Judge:
        """See `OtherFiles`."""
        if material.game != CHESS:
            raise BadMaterial(str(material), "Gaviota files are of chess")
        if material.men < 3:
            raise BadMaterial(str(material), "two kings are a draw, which no file has")
        if material.men > MOST_GAVIOTA_MEN:
            raise TooManyMen(material.men, MOST_GAVIOTA_MEN, hint=" Gaviota files have no more")
        return self._mates

    def _mates(self, batch: Batch) -> Judged:
        fens = fens_of(batch.material, batch.squares, batch.turns)
        with self._lock:
            theirs = np.array([self._number(str(fen)) for fen in fens], np.int16)
        return _equal_or_wrong(batch.values.plies, theirs)

    def _number(self, fen: str) -> int:
        """Signed plies to mate; 0 for a draw, and for who is checkmated."""
        try:
            return self._tables.probe_dtm(chess.Board(fen))
        except chess.gaviota.MissingTableError as error:
            raise NoOtherFiles("Gaviota", self._folder, f"none has {fen}") from error
        except UNREADABLE as error:
            raise DamagedFile(self._folder, f"has a damaged Gaviota file: {fen}") from error
        except OSError as error:
            raise UnreadableFile(self._folder, error) from error


def _equal_or_wrong(ours: NDArray[np.int16], theirs: NDArray[np.int16]) -> Judged:
    """Values that agree, or not."""
    agreement = np.where(theirs == ours, Agreement.EQUAL, Agreement.WRONG)
    return Judged(agreement.astype(np.uint8), ours, theirs)


def _syzygy_numbers(codes: Codes) -> NDArray[np.int16]:
    """Signed plies as Syzygy counts them; 0 for a draw."""
    by_code = [0, 0]
    for code in islice(codes_up_to(int(codes.max(initial=DRAW))), 1, None):
        by_code.append(outcome_of(code) * syzygy_distance(code))
    return np.array(by_code, np.int16)[codes]


def _examples(batch: Batch, judged: Judged, which: NDArray[np.int64]) -> list[Example]:
    """Some positions of a batch."""
    fens = fens_of(batch.material, batch.squares[which], batch.turns[which])
    numbers = judged.ours[which].tolist(), judged.theirs[which].tolist()
    return [Example(*each) for each in zip(map(str, fens), *numbers, strict=True)]
