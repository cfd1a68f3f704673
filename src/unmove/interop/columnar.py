"""Columns of numbers and texts in a file that other programs read: Parquet, npz or CSV.

A file is written in parts, each with the same columns. It is complete under its name or not there.
The file itself says what the columns mean, where the format has a place for it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from unmove.errors import BadOption
from unmove.store.atomic import user_file

ROWS_A_GROUP: Final = 1 << 18
"""The least rows of a row group of Parquet: small groups are slow to read."""

Part = dict[str, NDArray[Any]]
"""Some rows: an array for each column."""


@dataclass(frozen=True)
class Column:
    """A column's name and type, and in words what its values are, with their unit."""

    name: str
    type: np.dtype[Any]
    meaning: str


@dataclass(frozen=True)
class Sheet:
    """The columns of a file, and the facts about all of it."""

    columns: tuple[Column, ...]
    facts: dict[str, Any]
    """Plain data, as for JSON."""

    @property
    def description(self) -> dict[str, Any]:
        """The facts, and what each column means."""
        return {**self.facts, "columns": {column.name: column.meaning for column in self.columns}}

    @property
    def metadata(self) -> str:
        """The same as JSON."""
        return json.dumps(self.description)


def write(sheet: Sheet, parts: Iterable[Part], path: Path, form: str) -> int:
    """All rows are in the file; returns how many. `form` is one of WRITERS.

    BadOption or UnfinishedFile if it cannot be written; then the file is as it was.
    """
    with user_file("output", path) as part:
        return WRITERS[form](sheet, parts, part)


def write_csv(sheet: Sheet, parts: Iterable[Part], file: TextIO) -> int:
    """A line with the names, then a line a row; returns how many rows."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(column.name for column in sheet.columns)
    rows = 0
    for part in parts:
        columns = [part[column.name].tolist() for column in sheet.columns]
        writer.writerows(zip(*columns, strict=True))
        rows += len(columns[0])
    return rows


def _to_csv(sheet: Sheet, parts: Iterable[Part], path: Path) -> int:
    with path.open("w", newline="", encoding="utf-8") as file:
        return write_csv(sheet, parts, file)


def _to_npz(sheet: Sheet, parts: Iterable[Part], path: Path) -> int:
    """An array a column, and one more for the metadata. All rows are in memory at once."""
    held = list(parts)
    arrays: dict[str, Any] = {"metadata": np.array(sheet.metadata)}
    for column in sheet.columns:
        none = np.empty(0, column.type)
        arrays[column.name] = np.concatenate([none, *(part[column.name] for part in held)])
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return len(arrays[sheet.columns[0].name])


def _to_parquet(sheet: Sheet, parts: Iterable[Part], path: Path) -> int:
    """With the metadata in the schema, and each column's meaning in its field."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        reason = "Parquet needs an extra; run `pip install 'unmove[export]'` first"
        raise BadOption("form", "parquet", reason) from error
    schema = pyarrow.schema(
        [
            pyarrow.field(
                column.name,
                pyarrow.from_numpy_dtype(column.type),
                nullable=False,
                metadata={"description": column.meaning},
            )
            for column in sheet.columns
        ],
        metadata={"unmove": sheet.metadata},
    )
    rows = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        tables = (pyarrow.table(part, schema=schema) for part in parts)
        for group in _gathered(tables):
            writer.write_table(pyarrow.concat_tables(group))
            rows += sum(map(len, group))
    return rows


def _gathered(tables: Iterable[Any]) -> Iterator[list[Any]]:
    """The tables in groups of enough rows, the last one as it comes."""
    group: list[Any] = []
    for table in tables:
        group.append(table)
        if sum(map(len, group)) >= ROWS_A_GROUP:
            yield group
            group = []
    if group:
        yield group


WRITERS: Final[dict[str, Callable[[Sheet, Iterable[Part], Path], int]]] = {
    "parquet": _to_parquet,
    "npz": _to_npz,
    "csv": _to_csv,
}
