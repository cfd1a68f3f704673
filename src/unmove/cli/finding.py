"""What `unmove find` and `unmove zugzwangs` do and show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unmove.cli.options import Dir, Json, Name, Threads, folder_of, threads_of
from unmove.cli.output import emit
from unmove.errors import BadOption, NothingAsked
from unmove.material import Material, all_of
from unmove.store.folder import Folder
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.research.find import Finder
    from unmove.research.notes import Note
    from unmove.research.query import Query
    from unmove.research.scan import Report, Scan

    Open = Callable[[Material, Metric], tuple[Scan, Report]]

HEADINGS = {
    "full": "full point",
    "white": "half, White wins",
    "black": "half, Black wins",
}


def find(
    name: Name,
    where: Annotated[
        str,
        typer.Option(metavar="QUERY", help='Such as "wtm win and dtm == max"; docs/queries.md.'),
    ],
    metric: Annotated[
        Metric | None, typer.Option(help="Which table (default: what the query names, or dtm).")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Draw so many at random.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="With --sample: same seed, same draw.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after so many.")] = None,
    count: Annotated[bool, typer.Option("--count", help="Tell just how many there are.")] = False,
    epd: Annotated[bool, typer.Option("--epd", help="EPD with a comment, instead of FEN.")] = False,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Find the positions of an endgame that a query is true of, each once modulo symmetry."""
    from unmove.research.find import Finder
    from unmove.research.query import parse

    query, material = parse(where), Material.parse(name).canonical()
    chosen = _metric_of(query, metric)
    with _opened(folder_of(directory), threads) as opened:
        scan, report = opened(material, chosen)
        finder = Finder(scan, query)
        if count:
            found = finder.count(report)
            answer = {"material": str(material), "where": where, "positions": found}
            emit(answer) if as_json else typer.echo(found)
            return
        for note in _notes(finder, sample, seed, limit, report):
            _show(note, epd=epd, as_json=as_json)


def zugzwangs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MATERIAL]...", help="Such as KRvKN.")
    ] = None,
    men: Annotated[int | None, typer.Option(help="All endgames of 3 up to this many men.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List them as EPD.")] = False,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Count mutual zugzwangs, or list them: a side that is to move would rather not be.

    Full point: whoever is to move loses. Half, White wins: White to move draws, Black to move
    loses. Half, Black wins: White to move loses, Black to move draws.
    """
    from unmove.research import zugzwang

    folder = folder_of(directory)
    rows = []
    wanted = _wanted(names or [], men)
    with _opened(folder, threads) as opened:
        for material in wanted:
            scan, report = opened(material, _built(folder, material))
            if listed:
                for found in zugzwang.zugzwangs(scan, report):
                    _show(found.note(scan), epd=True, as_json=as_json)
                continue
            row = {"material": str(material), **zugzwang.count(scan, report)}
            rows.append(row)
            if as_json:
                emit(row)
    if rows and not as_json:
        Console(soft_wrap=True).print(_table(rows))


def _notes(
    finder: Finder, sample: int | None, seed: int, limit: int | None, report: Report
) -> Iterator[Note]:
    """The notes to show; with a limit no more is looked for than it takes."""
    found: Iterable[Any] = finder.matches(report)
    if sample is not None:
        found = finder.sample(sample, seed, report)
    return islice((note for some in found for note in finder.notes(some)), limit)


def _show(note: Note, *, epd: bool, as_json: bool) -> None:
    if as_json:
        emit({"fen": note.fen, "epd": note.epd, "comment": note.comment})
    else:
        typer.echo(note.epd if epd else note.fen)


def _metric_of(query: Query, asked: Metric | None) -> Metric:
    """The one metric of a query."""
    named = query.metrics | ({asked} if asked else set())
    if len(named) > 1:
        names = " and ".join(sorted(metric.value for metric in named))
        raise BadOption("--where", "with this query", f"it speaks of {names}, and one must do")
    return next(iter(named), Metric.DTM)


def _wanted(names: list[str], men: int | None) -> list[Material]:
    """The endgames that are named, and all of 3 up to so many men."""
    wanted = [Material.parse(name).canonical() for name in names]
    if men is not None:
        if men < 3:
            raise BadOption("--men", men, "an endgame to look at has at least 3 men")
        wanted += [material for number in range(3, men + 1) for material in all_of(number)]
    if not wanted:
        raise NothingAsked("Name an endgame, such as KRvKN, or use --men.")
    return list(dict.fromkeys(wanted))


def _built(folder: Folder, material: Material) -> Metric:
    """The first metric that is built, or else DTM, to say what is missing."""
    return next((metric for metric in Metric if folder.has(material, metric)), Metric.DTM)


@contextmanager
def _opened(folder: Folder, threads: int) -> Iterator[Open]:
    """How to open a table for a walk, with a bar on a terminal that shows how far it is."""
    from unmove.answers.shelves import Shelves
    from unmove.planes.layouts import check_supported
    from unmove.research.scan import Scan

    console = Console(stderr=True)
    with (
        Shelves(folder, threads_of(threads)) as shelves,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("", total=1.0)

        def opened(material: Material, metric: Metric) -> tuple[Scan, Report]:
            check_supported(material)
            folder.require(material, metric)
            bar.reset(task, description=f"Scanning {material} {metric}")
            return Scan(shelves, material, metric), lambda done: bar.update(task, completed=done)

        yield opened


def _table(rows: list[dict[str, Any]]) -> Table:
    """A row an endgame, and all of them."""
    table = Table("endgame", box=None, pad_edge=False)
    for heading in HEADINGS.values():
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row["material"], *(f"{row[kind]:,}" for kind in HEADINGS))
    if len(rows) > 1:
        table.add_row("all", *(f"{sum(row[kind] for row in rows):,}" for kind in HEADINGS))
    return table
