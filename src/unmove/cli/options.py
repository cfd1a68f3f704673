"""Options that several commands have, and what they mean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from unmove.errors import BadOption
from unmove.store.folder import Folder, default_folder

INTERRUPTED = 130

Dir = Annotated[
    Path | None,
    typer.Option("--dir", help="Folder of the tables (default: $UNMOVE_DIR or a user folder)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Threads = Annotated[int, typer.Option("--threads", help="Threads to use (default: all cores).")]
Name = Annotated[str, typer.Argument(metavar="MATERIAL", help="Such as KQvKR.")]


def folder_of(path: Path | None) -> Folder:
    """The folder that --dir means."""
    return Folder(path if path is not None else default_folder())


def threads_of(asked: int) -> int:
    """The threads that --threads means."""
    if asked < 0:
        raise BadOption("--threads", asked, "it must be at least 1")
    return asked or len(os.sched_getaffinity(0))
