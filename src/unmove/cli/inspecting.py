"""The commands about the files of tables: `unmove list`, `unmove info` and `unmove check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import Dir, Json, Threads, folder_of, threads_of
from unmove.cli.output import emit, tell


def list_tables(directory: Dir = None, as_json: Json = False) -> None:
    """List the tables that are built.

    A file that cannot be read as a table is named with its error, and the exit code is 4.

    \b
    Examples:
      unmove list
      unmove list --dir my/tables --json
    """
    from unmove.cli.files import exit_code, list_answer, show_list

    folder = folder_of(directory)
    rows = list_answer(folder)
    for row in rows:
        if as_json:
            emit(row)
        elif row["error"]:
            tell(row["error"])
    if not as_json:
        show_list(rows, folder, Console(soft_wrap=True))
    raise typer.Exit(exit_code(rows))


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
    from unmove.cli.files import info_answer, show_info

    if as_json:
        emit(info_answer(file))
    else:
        show_info(file, Console(soft_wrap=True))


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
    threads: Threads = 0,
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
    from unmove.cli.files import check_answers, exit_code, show_check

    folder = folder_of(directory)
    console = Console(stderr=as_json, soft_wrap=True)
    answers = []
    for answer in check_answers(folder, names or [], values, threads_of(threads), console):
        answers.append(answer)
        if as_json:
            emit(answer)
        elif answer["error"]:
            tell(answer["error"])
    if not as_json:
        show_check(answers, console)
    raise typer.Exit(exit_code(answers))
