"""The command `unmove reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from unmove.cli.options import (
    GOES_ON,
    Dir,
    Json,
    ThreadsOption,
    folder_of,
    interruptible,
    threads_of,
)
from unmove.cli.output import emit_json
from unmove.errors import BadOption, FiguresDiffer, TooManyMen
from unmove.store.atomic import user_file

DEFAULT_MEN = 4  # tables of five men take minutes and a gigabyte of disk


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAPER", help="Name papers, such as nalimov (default: all)."),
    ] = None,
    men: Annotated[
        int, typer.Option(help="Build what is missing of endgames of up to this many men.")
    ] = DEFAULT_MEN,
    build: Annotated[
        bool, typer.Option(help="Build tables that are missing, or take only what is there.")
    ] = True,
    every: Annotated[bool, typer.Option("--all", help="Show every figure.")] = False,
    page: Annotated[
        Path | None, typer.Option("--markdown", help="Write all figures to this file as Markdown.")
    ] = None,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Set the figures of the founding papers beside ours.

    Tables are built on demand. A figure that differs is shown with the reason.

    \b
    Examples:
      unmove reproduce
      unmove reproduce nalimov --men 5 --markdown figures.md
    """
    from unmove.cli.views.building import run_plan
    from unmove.cli.views.figures import show, show_all, watched
    from unmove.papers.catalogue import most_men, papers_named, plan_of
    from unmove.papers.context import ReproductionContext
    from unmove.papers.figures import Figure
    from unmove.papers.report import markdown
    from unmove.solver.build import Means

    if men < 2:
        raise BadOption("men", men, "an endgame has at least 2 men")
    if men > most_men():
        raise TooManyMen(men, most_men())
    if page is not None and not page.absolute().parent.is_dir():
        raise BadOption("markdown", page, "there is no such folder")
    papers, workers = papers_named(names or []), threads_of(threads)
    folder = folder_of(directory, new=True)
    console = Console(stderr=as_json, soft_wrap=True)
    if build and (plan := plan_of(papers, men, folder)).jobs:
        folder.prepare()
        run_plan(plan, folder, Means(workers), console)
    figures: list[Figure] = []
    for paper in papers:
        with interruptible(GOES_ON):
            found = list(watched(paper, ReproductionContext(folder, men, workers), console))
        figures += found
        if as_json:
            for figure in found:
                emit_json(figure.as_json())
        else:
            show(found, console)
        if every and not as_json:
            show_all(found, console)
    if page is not None:
        command = " ".join(["unmove reproduce", *(names or []), f"--men {men}"])
        with user_file("markdown", page) as part:
            text = markdown(papers, figures, f"{command} --markdown {page.name}")
            part.write_text(text, encoding="utf-8")
        console.print(f"All {len(figures):,} figures are in {page}.", highlight=False)
    if wrong := [figure for figure in figures if figure.unexplained]:
        raise FiguresDiffer(len(wrong), wrong[0].what)
