"""The commands about the files of tables: `unmove list`, `unmove info` and `unmove check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from unmove.cli.failures import exit_code
from unmove.cli.options import Dir, Json, ThreadsOption, folder_of, threads_of
from unmove.cli.output import emit, tell
from unmove.material import Material

if TYPE_CHECKING:
    from unmove.api.files import CheckedFile


def list_tables(directory: Dir = None, as_json: Json = False) -> None:
    """List the tables that are built.

    A file that cannot be read as a table is named with its error, and the exit code is 4.

    \b
    Examples:
      unmove list
      unmove list --dir my/tables --json
    """
    from unmove.api import files
    from unmove.cli.views.files import show_list

    folder = folder_of(directory)
    rows = files.list_tables(folder)
    codes = [_report(row, as_json) for row in rows]
    if not as_json:
        show_list(rows, folder, Console(soft_wrap=True))
    raise typer.Exit(next(filter(None, codes), 0))


def info(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", readable=False, help="Name the file of a table."),
    ],
    as_json: Json = False,
) -> None:
    """Tell what a table file holds.

    \b
    Example:
      unmove info my/tables/KQvKR.dtm.unmove
    """
    from unmove.api import files
    from unmove.cli.views.files import show_info

    answer = files.info(file)
    if as_json:
        emit(answer)
    else:
        show_info(answer, Console(soft_wrap=True))


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MATERIAL", help="Name endgames, such as KQvKR (default: all tables)."
        ),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Work out every value of both sides as well.")
    ] = False,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Check that table files are what was written.

    Digests must be right and every block must decode. Each damaged file is named, and the exit code
    is 4 if there is one.

    \b
    Examples:
      unmove check
      unmove check KQvKR --values
    """
    from unmove.api.files import FileCheck
    from unmove.cli.views.files import show_check, watched

    asked = FileCheck.of(folder_of(directory), [Material.parse(name) for name in names or []])
    console = Console(stderr=as_json, soft_wrap=True)
    checked, codes = [], []
    for file in watched(asked, console, values=values, threads=threads_of(threads)):
        checked.append(file)
        codes.append(_report(file, as_json))
    if not as_json:
        show_check(checked, console)
    raise typer.Exit(next(filter(None, codes), 0))


def _report(file: CheckedFile, as_json: bool) -> int:
    """A file is printed as JSON, or what is wrong with it; returns the error's exit code, or 0."""
    if as_json:
        emit(file)
    elif file.error:
        tell(file.error)
    return exit_code(file.error) if file.error else 0
