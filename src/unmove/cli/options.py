"""Options that many commands have."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from unmove.errors import BadOption
from unmove.store.folder import Folder, default_folder

Dir = Annotated[
    Path | None,
    typer.Option("--dir", help="Folder of the tables (default: $UNMOVE_DIR or a user folder)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Threads = Annotated[int, typer.Option("--threads", help="Threads to use (default: all cores).")]
Name = Annotated[str, typer.Argument(metavar="MATERIAL", help="Such as KQvKR.")]


def folder_of(path: Path | None) -> Folder:
    """The folder of an option, or the default one."""
    return Folder(path if path is not None else default_folder())


def threads_of(asked: int) -> int:
    """How many threads an option means; 0 is all cores."""
    if asked < 0:
        raise BadOption("--threads", asked, "it must be at least 1")
    return asked or len(os.sched_getaffinity(0))
