"""A whole table in a file that other programs read: Parquet, NumPy or CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from unmove.errors import BadOption
from unmove.probe.batches import Batch
from unmove.values import Metric


def export(batches: Iterator[Batch], path: Path, form: str) -> int:
    """All positions are in the file; returns how many."""
    if form not in WRITERS:
        raise BadOption("--format", form, f"it is one of {', '.join(WRITERS)}")
    try:
        return WRITERS[form](batches, path)
    except OSError as error:
        raise BadOption("--output", path, error.strerror or str(error)) from error


def _columns(batch: Batch) -> dict[str, Any]:
    """A column for each man, the side to move, and what the position is worth."""
    names = _unique([f"{'w' if man.isupper() else 'b'}{man.upper()}" for man in batch.columns])
    columns: dict[str, Any] = dict(zip(names, batch.squares.T, strict=True))
    columns["turn"] = batch.turns
    columns["outcome"] = batch.values.outcome
    if batch.values.metric == Metric.DTZ:
        columns["outcome50"] = batch.values.outcome50
    columns["plies"] = batch.values.plies
    return columns


def _unique(names: list[str]) -> list[str]:
    """Names that occur twice are numbered."""
    return [
        name if names.count(name) == 1 else f"{name}{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]


def _to_csv(batches: Iterator[Batch], path: Path) -> int:
    rows = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for batch in batches:
            columns = _columns(batch)
            if rows == 0:
                writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
            rows += len(batch)
    return rows


def _to_npz(batches: Iterator[Batch], path: Path) -> int:
    batch = Batch.joined(list(batches))
    with path.open("wb") as file:
        np.savez_compressed(file, **_columns(batch))
    return len(batch)


def _to_parquet(batches: Iterator[Batch], path: Path) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        reason = "Parquet needs an extra; run `pip install 'unmove[export]'` first"
        raise BadOption("--format", "parquet", reason) from error
    tables = (pyarrow.table(_columns(batch)) for batch in batches)
    first = next(tables)
    rows = 0
    with pyarrow.parquet.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)
            rows += len(table)
    return rows


WRITERS: dict[str, Callable[[Iterator[Batch], Path], int]] = {
    "parquet": _to_parquet,
    "npz": _to_npz,
    "csv": _to_csv,
}
