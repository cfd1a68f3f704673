"""A published figure and ours, compared.

A figure *differs* for a reason that is known and proved, or for none. The known differences are
data (`data/differences.csv`), each with the number that we have instead. So they excuse neither
another number of ours nor a figure that was copied wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from unmove.papers.published import FigureValue, number_of, rows_of

UNEXPLAINED = "no reason is known; please report it"


class Comparison(StrEnum):
    """How a published figure compares with ours."""

    EQUAL = "equal"
    DIFFERS = "differs"
    NEEDS_TABLES = "needs tables"


@dataclass(frozen=True)
class UnknownFigure:
    """Why we have no number of our own."""

    verdict: Comparison
    why: str


@dataclass(frozen=True)
class OurStorage:
    """Our storage of an endgame: what a file codes and takes, for so many entries of a paper."""

    entries: int  # of the paper's index, both sides to move
    cells: int | None = None  # that our file codes; None where it is not counted in cells
    bytes: int | None = None  # of our file; None where it is not built
    positions: int | None = None  # that it answers for, modulo symmetry

    @property
    def fewer(self) -> float | None:
        """By how many per cent the cells we code are fewer than the paper's entries."""
        return None if self.cells is None else round(100 - 100 * self.cells / self.entries, 1)

    @property
    def bits(self) -> float | None:
        """The bits of our file for one entry of the paper's."""
        return None if self.bytes is None else round(8 * self.bytes / self.entries, 3)

    @property
    def bytes_a_position(self) -> float | None:
        if self.bytes is None or not self.positions:
            return None
        return round(self.bytes / self.positions, 4)


@dataclass(frozen=True)
class Figure:
    """One published number and ours, which is None where there is none (no win, or no table)."""

    paper: str
    table: str
    row: str
    column: str
    published: FigureValue
    ours: FigureValue
    verdict: Comparison
    why: str
    command: str
    beside: OurStorage | None = None

    @property
    def what(self) -> str:
        return f"{self.table}, {self.row}, {self.column}"

    @property
    def unexplained(self) -> bool:
        """Whether it differs for no known reason."""
        return self.verdict == Comparison.DIFFERS and self.why == UNEXPLAINED

    def as_json(self) -> dict[str, Any]:
        """The figure as plain data, with the ratios of our storage."""
        answer = asdict(self)
        if self.beside is not None:
            answer["beside"] |= {
                "fewer_percent": self.beside.fewer,
                "bits_an_entry": self.beside.bits,
                "bytes_a_position": self.beside.bytes_a_position,
            }
        return answer


@dataclass(frozen=True)
class FigureTable:
    """A published table: figures of one paper that one command repeats."""

    paper: str
    name: str
    men: int = 0  # of the largest endgame that is built for it

    @property
    def command(self) -> str:
        """The command that works out its figures from nothing."""
        return f"unmove reproduce {self.paper}" + (f" --men {self.men}" if self.men else "")

    def figure(
        self,
        row: str,
        column: str,
        published: FigureValue,
        ours: FigureValue | UnknownFigure,
        beside: OurStorage | None = None,
    ) -> Figure:
        """The figure, compared."""
        if isinstance(ours, UnknownFigure):
            value, verdict, why = None, ours.verdict, ours.why
        else:
            why = "" if ours == published else _reason(self.name, row, column, ours)
            value, verdict = ours, Comparison.DIFFERS if why else Comparison.EQUAL
        place = self.paper, self.name, row, column
        return Figure(*place, published, value, verdict, why, self.command, beside)

    def figures(
        self, row: dict[str, str], key: str, ours: Mapping[str, FigureValue] | UnknownFigure
    ) -> Iterator[Figure]:
        """The figures of a row of data, `key` being the column that names it."""
        for column in row if isinstance(ours, UnknownFigure) else ours:
            if column != key:
                found = ours if isinstance(ours, UnknownFigure) else ours[column]
                yield self.figure(row[key], words(column), number_of(row[column]), found)


def words(column: str) -> str:
    """The name of a column as a person reads it."""
    return column.replace("_", " ")


@cache
def _known() -> dict[tuple[str, str, str, FigureValue], str]:
    """The reasons of known differences, by place and our number."""
    reasons = {row["reason"]: f"{row['why']} {row['proof']}" for row in rows_of("reasons")}
    return {
        (row["table"], row["row"], row["column"], number_of(row["ours"])): reasons[row["reason"]]
        for row in rows_of("differences")
    }


def _reason(table: str, row: str, column: str, ours: FigureValue) -> str:
    return _known().get((table, row, column, ours), UNEXPLAINED)
