"""The command `unmove compare`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmove.cli.options import (
    Dir,
    Json,
    ThreadsOption,
    endgames_of,
    folder_of,
    interruptible,
    threads_of,
)
from unmove.errors import BadOption, NothingAsked
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.research.comparing import GaviotaFiles, SyzygyFiles

SEVERAL = f"or of several with {os.pathsep} between"


def compare(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR."),
    ] = None,
    syzygy: Annotated[
        Path | None,
        typer.Option(
            readable=False,  # which opening the folder will report
            metavar="DIR",
            help=f"Compare with the Syzygy files of this folder, {SEVERAL}.",
        ),
    ] = None,
    gaviota: Annotated[
        Path | None,
        typer.Option(
            readable=False,
            metavar="DIR",
            help=f"Compare with the Gaviota files of this folder, {SEVERAL}.",
        ),
    ] = None,
    men: Annotated[
        int | None, typer.Option(help="Compare all endgames of 3 up to this many men.")
    ] = None,
    metric: Annotated[
        Metric | None,
        typer.Option(
            help="Compare the tables of this distance (default: the one that the files tell most "
            "about, of those that are built)."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Compare so many positions of each endgame, drawn at random."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draw other positions for the sample.")] = 0,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Compare our values with those of Syzygy or Gaviota files.

    Every position of an endgame is compared, or a sample. Differences that the files' conventions
    explain are counted apart; a wrong value, ours or theirs, ends the command with exit code 5.

    \b
    Examples:
      unmove compare KQvKR KRvKN --syzygy ~/syzygy
      unmove compare --men 4 --syzygy ~/syzygy
      unmove compare KQvK --gaviota ~/gaviota --sample 20000
    """
    from unmove.api.comparison import ComparisonJob
    from unmove.cli.views.comparing import run_comparison

    materials = endgames_of(names, men, fewest=3)
    folder, workers = folder_of(directory), threads_of(threads)
    with interruptible("Nothing was written."), _files(syzygy, gaviota) as files:
        jobs = [ComparisonJob.of(folder, each, files, metric, sample, seed) for each in materials]
        run_comparison(jobs, folder, files, workers, as_json=as_json)


def _files(syzygy: Path | None, gaviota: Path | None) -> SyzygyFiles | GaviotaFiles:
    """The files to compare with; NothingAsked without any, BadOption with both kinds."""
    from unmove.research.comparing import GaviotaFiles, SyzygyFiles
    from unmove.store.folder import Folder

    if syzygy is not None and gaviota is not None:
        raise BadOption("gaviota", gaviota, "compare with one kind of files at a time")
    if syzygy is not None:
        return SyzygyFiles(Folder.named(str(syzygy)))
    if gaviota is not None:
        return GaviotaFiles(Folder.named(str(gaviota)))
    raise NothingAsked("Name the folder to compare with: --syzygy DIR or --gaviota DIR")
