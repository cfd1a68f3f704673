"""What `unmove list`, `unmove info` and `unmove check` do and show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unmove.cli.output import show_table, size_text
from unmove.errors import BadOption, DamagedFile, FileError, MissingTable, NoTables, StrayFile
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.digest import values_digest
from unmove.store.folder import Folder
from unmove.store.format import BOTH
from unmove.store.reader import TableFile
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


def list_answer(folder: Folder) -> list[dict[str, Any]]:
    """The tables of a folder and then its stray files, as plain data."""
    rows = []
    for material, metric in folder.tables():
        with suppress(MissingTable, FileNotFoundError):  # somebody removes it meanwhile
            rows.append(_row(folder, material, metric))
    rows.sort(key=lambda row: (row["men"], row["material"], row["metric"]))
    strays = [
        _stray(error) | {"men": None, "positions": None, "bytes": error.path.lstat().st_size}
        for error in folder.strays()
    ]
    return rows + strays


def _row(folder: Folder, material: Material, metric: Metric) -> dict[str, Any]:
    """What `unmove list` tells of a table; the error, if its file has one."""
    path = folder.find(material, metric)
    row = _answer(path, material, metric) | {
        "men": material.men,
        "positions": None,
        "bytes": path.lstat().st_size,
    }
    try:
        with folder.open(material, metric) as file:
            row["positions"], row["bytes"] = sum(file.summary.legal), file.size
    except FileError as error:
        row["error"] = str(error)
    return row


def show_list(rows: Sequence[dict[str, Any]], folder: Folder, console: Console) -> None:
    """The same for a person, files with an error left out."""
    sound = [row for row in rows if not row["error"]]
    if not rows:
        typer.echo(f"No tables in {folder} yet. Try: unmove build KQvKR")
        return
    table = Table("table", "metric", box=None, pad_edge=False)
    for column in ("positions", "size"):
        table.add_column(column, justify="right")
    for row in sound:
        table.add_row(
            row["material"], row["metric"], f"{row['positions']:,}", size_text(row["bytes"])
        )
    show_table(table, console)
    total = sum(row["bytes"] for row in sound)
    typer.echo(f"{len(sound)} tables, {size_text(total)}, in {folder}")


def _answer(path: Path, material: Material, metric: Metric) -> dict[str, Any]:
    return {"file": str(path), "material": str(material), "metric": metric.value, "error": None}


def _stray(error: StrayFile) -> dict[str, Any]:
    return {"file": str(error.path), "material": None, "metric": None, "error": str(error)}


def info_answer(path: Path) -> dict[str, Any]:
    """What a file says of itself, as plain data."""
    with suppress(PermissionError):  # of which the file itself will tell
        if not path.is_file():
            raise BadOption("FILE", path, "there is no such file")
    with TableFile(path) as file:
        meta, summary = file.meta, file.summary
        return {
            "file": str(path),
            "material": str(meta.material),
            "metric": meta.metric.value,
            "bytes": file.size,
            "positions": sum(summary.legal),
            "bits_a_position": round(8 * file.size / max(1, sum(summary.legal)), 4),
            "stored": meta.stored,
            "coder": meta.coder,
            "planes": meta.planes,
            "blocks": meta.blocks,
            "legal": list(summary.legal),
            "max_moves": summary.max_moves(meta.metric),
            "values": meta.values,
            "made_by": meta.made_by,
        }


def show_info(path: Path, console: Console) -> None:
    """The same for a person."""
    answer = info_answer(path)
    stored = f"{answer['stored'].capitalize()} to move is stored, the other side found by one ply"
    if answer["stored"] == BOTH:
        stored = "Both sides to move are stored"
    lines = [
        f"{answer['material']} {answer['metric']}, {size_text(answer['bytes'])}",
        f"{answer['positions']:,} positions, {answer['bits_a_position']} bits each",
        f"{stored}; {answer['planes']:,} planes in {answer['blocks']:,} blocks, "
        f"coder {answer['coder']}",
        f"values  {answer['values']}",
        f"made by {answer['made_by']}",
    ]
    console.print("\n".join(lines), highlight=False)


def check_answers(
    folder: Folder, names: Sequence[str], values: bool, threads: int, console: Console
) -> Iterator[dict[str, Any]]:
    """A verdict on each table of the folder and on stray files, or on the endgames named."""
    wanted = [Material.parse(name) for name in names]
    tables = [key for key in folder.tables() if not wanted or key[0] in wanted]
    strays = [] if wanted else list(folder.strays())
    for material in wanted:
        if material not in [found for found, _ in tables]:
            raise folder.missing(material, Metric.DTM)
    if not tables and not strays:
        raise NoTables(Path(str(folder)), "there is nothing to check")
    with (
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
        WorkerPool(threads) as pool,
    ):
        task = bar.add_task("Checking", total=len(tables))
        for material, metric in tables:
            bar.update(task, description=f"Checking {material} {metric}")
            answer = _answer(folder.find(material, metric), material, metric)
            try:
                _check(folder, material, metric, values, pool)
            except FileError as error:
                answer["error"] = str(error)
            yield answer
            bar.advance(task)
    yield from map(_stray, strays)


def show_check(answers: Sequence[dict[str, Any]], console: Console) -> None:
    """One sentence on all verdicts."""
    tables = [answer for answer in answers if answer["material"]]
    damaged = sum(answer["error"] is not None for answer in tables)
    strays = len(answers) - len(tables)
    files = "1 file has" if strays == 1 else f"{strays} files have"
    more = f" {files} no table's name." if strays else ""
    console.print(f"{len(tables)} tables checked, {damaged} damaged.{more}", highlight=False)


def exit_code(answers: Sequence[dict[str, Any]]) -> int:
    """What a command ends with: not 0 if a file is bad."""
    return FileError.exit_code if any(answer["error"] for answer in answers) else 0


def _check(
    folder: Folder, material: Material, metric: Metric, values: bool, pool: WorkerPool
) -> None:
    """Every byte and every block of a table, and its values; a FileError if something is wrong."""
    with folder.open(material, metric) as file:
        file.check(pool.map)
        if not values:
            return
        with SubtableCache(folder, pool=pool) as subtables:
            digest = values_digest(subtables.whole(material, metric), file.fold, pool.map)
        if digest != file.meta.values:
            raise DamagedFile(file.path, "has other values than it was written with")
