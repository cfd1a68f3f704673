"""The files of tables, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unmove.api.files import CheckedFile, FileCheck, ListedFile, TableInfo
from unmove.cli.output import show_table, size_text
from unmove.store.folder import Folder
from unmove.store.format import BOTH


def show_list(rows: Sequence[ListedFile], folder: Folder, console: Console) -> None:
    """The tables of a folder; files with an error are left out."""
    if not rows:
        typer.echo(f"No tables in {folder} yet. Try: unmove build KQvKR")
        return
    sound = [row for row in rows if not row.error]
    table = Table("table", "metric", box=None, pad_edge=False)
    for column in ("positions", "size"):
        table.add_column(column, justify="right")
    for row in sound:
        table.add_row(str(row.material), row.metric, f"{row.positions:,}", size_text(row.bytes))
    show_table(table, console)
    total = sum(row.bytes for row in sound)
    typer.echo(f"{len(sound)} tables, {size_text(total)}, in {folder}")


def show_info(info: TableInfo, console: Console) -> None:
    """What a file says of itself."""
    stored = f"{info.stored.capitalize()} to move is stored, the other side found by one ply"
    if info.stored == BOTH:
        stored = "Both sides to move are stored"
    lines = [
        f"{info.material} {info.metric}, {size_text(info.bytes)}",
        f"{info.positions:,} positions, {info.bits_a_position} bits each",
        f"{stored}; {info.planes:,} planes in {info.blocks:,} blocks, coder {info.coder}",
        f"values  {info.values}",
        f"made by {info.made_by}",
    ]
    console.print("\n".join(lines), highlight=False)


def watched(
    check: FileCheck, console: Console, *, values: bool, threads: int
) -> Iterator[CheckedFile]:
    """The verdicts of a check, with a bar that names the table at hand."""
    titles = [f"Checking {material} {metric}" for material, metric in check.tables] or [""]
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(titles[0], total=len(check.tables))
        for done, file in enumerate(check.run(values=values, threads=threads), start=1):
            yield file
            bar.update(task, completed=done, description=titles[min(done, len(titles) - 1)])


def show_check(checked: Sequence[CheckedFile], console: Console) -> None:
    """One sentence on all verdicts."""
    tables = [file for file in checked if file.material]
    damaged = sum(file.error is not None for file in tables)
    strays = len(checked) - len(tables)
    files = "1 file has" if strays == 1 else f"{strays} files have"
    more = f" {files} no table's name." if strays else ""
    console.print(f"{len(tables)} tables checked, {damaged} damaged.{more}", highlight=False)
