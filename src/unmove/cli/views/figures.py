"""Published figures beside ours, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from unmove.cli.output import show_table
from unmove.papers.catalogue import Paper
from unmove.papers.context import ReproductionContext
from unmove.papers.figures import Comparison, Figure
from unmove.papers.report import (
    by_table,
    counts,
    difference_text,
    number_text,
    reasons,
    storage_text,
)


def watched(paper: Paper, context: ReproductionContext, console: Console) -> Iterator[Figure]:
    """The figures of a paper, with a line that names the one at work."""
    console.print(f"\n{paper.key}: {paper.source}", highlight=False)
    if paper.remark:
        console.print(paper.remark, highlight=False)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(paper.key, total=None)
        for figure in paper.figures(context):
            bar.update(task, description=f"{figure.table}: {figure.row}")
            yield figure


def show(figures: Sequence[Figure], console: Console) -> None:
    """How many figures are equal, which are not and why, what our files take, what is missing."""
    show_table(_counts(figures), console)
    for why, some in reasons(figures).items():
        console.print(f"Differs: {why}", highlight=False, markup=False)
        for figure in some:
            console.print(f"  {difference_text(figure)}", highlight=False, markup=False)
    for _, some in by_table(figures):
        if text := storage_text(some):
            console.print(text, highlight=False)
    missing = Counter(need for figure in figures if (need := _need(figure)))
    for need, number in missing.items():
        console.print(f"{need}: {number:,} of the figures", highlight=False)


def show_all(figures: Sequence[Figure], console: Console) -> None:
    """Every figure."""
    table = Table("figure", box=None, pad_edge=False)
    for column in ("published", "ours"):
        table.add_column(column, justify="right")
    table.add_column("verdict")
    for figure in figures:
        numbers = number_text(figure.published), number_text(figure.ours)
        table.add_row(figure.what, *numbers, figure.verdict)
    show_table(table, console)


def _counts(figures: Sequence[Figure]) -> Table:
    """A row for each table: how many figures have each verdict that occurs."""
    shown = [column for column, number in enumerate(counts(figures)) if number]
    table = Table("table", box=None, pad_edge=False)
    for column in shown:
        table.add_column(("figures", *Comparison)[column], justify="right")
    for name, some in by_table(figures):
        numbers = counts(some)
        table.add_row(name, *(number_text(numbers[column]) for column in shown))
    return table


def _need(figure: Figure) -> str:
    """What a figure needs; empty if it needs nothing."""
    needs = figure.verdict == Comparison.NEEDS_TABLES
    return f"Needs tables ({figure.command})" if needs else ""
