"""Options that several commands have, and what they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmove.cli.failures import INTERRUPTED
from unmove.errors import BadOption, NoTables, NothingAsked
from unmove.material import Material, all_of
from unmove.pool.machine import usable_cores
from unmove.variants import CHESS, GAMES, Game

if TYPE_CHECKING:
    from unmove.interop.syzygy.tablebase import SyzygyTablebase
    from unmove.store.folder import Folder

GOES_ON = "Finished tables are intact; run the same command again to go on."
"""What to say then of a command that builds."""

Dir = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        readable=False,  # which opening the folder will report
        help=f"Use the tables of this folder, or of several with {os.pathsep} between "
        "(default: $UNMOVE_DIR, or one of the user's).",
    ),
]
SyzygyDir = Annotated[
    Path | None,
    typer.Option(
        "--syzygy",
        readable=False,  # which opening the folder will report
        metavar="DIR",
        help="Ask the Syzygy files of this folder where a DTZ table of ours is missing, or of "
        f"several with {os.pathsep} between.",
    ),
]
Pawnless = Annotated[
    bool, typer.Option("--pawnless", help="Leave out endgames with pawns, with --men.")
]
GameName = Annotated[
    str, typer.Option("--game", help="Read names as endgames of chess or of xiangqi.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON, one object a line; errors are JSON too.")
]
ThreadsOption = Annotated[
    int,
    typer.Option(
        "--threads",
        show_default=False,
        help="Work with this many threads (default: one for each core).",
    ),
]
Name = Annotated[
    str,
    typer.Argument(metavar="MATERIAL", help="Name the endgame, such as KQvKR or xiangqi:KPvKA."),
]
Fen = Annotated[str, typer.Argument(metavar="FEN", help="Give the position as a FEN in quotes.")]


class Sides(StrEnum):
    """Which sides to move a file stores."""

    ONE = "one"
    BOTH = "both"


@contextmanager
def interruptible(sentence: str) -> Iterator[None]:
    """Ctrl-C ends the command with a sentence and its exit code."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped. {sentence}", err=True)
        raise typer.Exit(INTERRUPTED) from None


LEAST_MEMORY = 200_000_000  # the program alone takes more than a hundred megabytes


def folder_of(path: Path | None, *, new: bool = False) -> Folder:
    """The folders that are named, or the user's own.

    At least one that is named must exist, unless it may be new: NoTables otherwise.
    """
    from unmove.store.folder import Folder, default_folder

    folder = Folder.named(str(path)) if path is not None else default_folder()
    named = path is not None or os.environ.get("UNMOVE_DIR")
    if named and not new and not folder.exists():
        raise NoTables(Path(str(folder)), "there is no such folder")
    return folder


def syzygy_of(path: Path | None) -> SyzygyTablebase | None:
    """The Syzygy files of the folders that are named; None without any.

    NoOtherFiles for a folder that is not there, BadOption if none has files of outcomes.
    """
    from unmove.interop.syzygy.tablebase import open_syzygy
    from unmove.store.folder import Folder

    if path is None:
        return None
    files = open_syzygy(Folder.named(str(path)))
    if not files.names():
        raise BadOption("syzygy", path, "there are no .rtbw files in it")
    return files


def game_of(name: str) -> Game:
    """The game of this name; BadOption if there is none."""
    if name not in GAMES:
        raise BadOption("game", name, f"it must be one of {', '.join(GAMES)}")
    return GAMES[name]


def endgames_of(
    names: Iterable[str] | None,
    men: int | None,
    *,
    fewest: int,
    game: Game = CHESS,
    pawns: bool = True,
) -> list[Material]:
    """The named endgames, as written, and all of `fewest` up to `men` men; each once.

    TooManyMen is raised before anything is enumerated.
    """
    from unmove.planes.layouts import check_men, check_supported

    wanted = [Material.as_written(name, game=game) for name in names or ()]
    for material in wanted:
        check_supported(material)
    if men is not None:
        if men < fewest:
            raise BadOption("men", men, f"it must be at least {fewest}")
        check_men(men, game)
        for number in range(fewest, men + 1):
            wanted += all_of(number, pawns=pawns, game=game)
    if not wanted:
        raise NothingAsked(f"Name an endgame, such as {game.examples[0]}, or use --men.")
    return list(dict.fromkeys(wanted))


def threads_of(asked: int, cores: int | None = None) -> int:
    """The number of threads: 0 means all cores, and more than there are would not help.

    The cores are those of this machine, unless others are meant.
    """
    cores = cores or usable_cores()
    if asked < 0:
        raise BadOption("threads", asked, "it must be at least 1")
    if asked > cores:
        typer.echo(f"Threads: {cores} of {asked}, as there are no more cores to use.", err=True)
    return min(asked, cores) or cores


def memory_of(asked: str | None) -> int | None:
    """A limit of so many bytes, enough for the program itself; None if nothing is asked."""
    if asked is None:
        return None
    amount = bytes_of("memory", asked)
    if amount < LEAST_MEMORY:
        raise BadOption("memory", asked, f"it must be at least {LEAST_MEMORY // 10**6}M")
    return amount


def bytes_of(parameter: str, asked: str) -> int:
    """So many bytes, written as 8G, 500M or 8000000000."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kMGT]?)(?:i?B)?", asked.strip(), re.IGNORECASE)
    if match is None:
        raise BadOption(parameter, asked, "write a number of bytes, such as 8G or 500M")
    return int(float(match[1]) * 1000 ** " kmgt".index(match[2].lower() or " "))


def scratch_of(asked: Path | None) -> Path | None:
    """A folder that is there; None if nothing is asked."""
    if asked is not None and not asked.expanduser().is_dir():
        raise BadOption("scratch", asked, "there is no such folder")
    return asked.expanduser() if asked is not None else None
