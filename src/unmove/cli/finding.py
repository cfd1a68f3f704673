"""What `unmove find` and `unmove zugzwangs` do and show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unmove.cli.options import Dir, Json, Name, Threads, endgames_of, folder_of, threads_of
from unmove.cli.output import emit, show_table
from unmove.material import Material
from unmove.values import Metric
from unmove.variants import Game

if TYPE_CHECKING:
    from unmove.research.find import Finder
    from unmove.research.notes import Note
    from unmove.research.scan import Report, Scan
    from unmove.store.folder import Folder

    Open = Callable[[Material, Metric], tuple[Scan, Report]]


class Row(NamedTuple):
    """The mutual zugzwangs of an endgame by kind, and in sentences how they are counted."""

    material: Material
    kinds: dict[str, int]
    counted: list[str]


def find(
    name: Name,
    where: Annotated[
        str,
        typer.Option(
            metavar="QUERY",
            help='Ask this of each position, such as "wtm win and dtm == max"; docs/queries.md '
            "has the language.",
        ),
    ],
    metric: Annotated[
        Metric | None,
        typer.Option(
            help="Ask the table of this distance (default: what the query names, or dtm)."
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Draw this many positions at random.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed the draw of --sample: same seed, same positions.")
    ] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after this many positions.")] = (
        None
    ),
    count: Annotated[
        bool, typer.Option("--count", help="Tell only how many positions there are.")
    ] = False,
    epd: Annotated[
        bool, typer.Option("--epd", help="Print EPD with a comment, instead of FEN.")
    ] = False,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Find the positions of an endgame by a query.

    Of the images of a position under the symmetries of the board there is one in chess. In xiangqi
    mirror images are positions of their own. The first side of MATERIAL is White, or Red.

    \b
    Examples:
      unmove find KQvKR --where "wtm win and dtm == max"
      unmove find KRvKP --where "underpromotion" --sample 5 --seed 1 --epd
    """
    from unmove.research.find import Finder
    from unmove.research.query import metric_of, parse

    query, material = parse(where), Material.as_written(name)
    chosen = metric_of(query, metric, material.game)
    with _opened(folder_of(directory), threads) as opened:
        scan, report = opened(material, chosen)
        finder = Finder(scan, query)
        if count:
            _show_count(finder.count(report), finder.hint(), material, where, as_json=as_json)
            return
        for note in _notes(finder, sample, seed, limit, report):
            _show(note, epd=epd, as_json=as_json)
        if hint := finder.hint():
            emit({"hint": hint}, err=True) if as_json else typer.echo(f"Hint: {hint}", err=True)


def zugzwangs(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KRvKN."),
    ] = None,
    men: Annotated[
        int | None, typer.Option(help="Take all endgames of 3 up to this many men.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the positions as EPD, with comments.")
    ] = False,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Count or list mutual zugzwangs.

    In a mutual zugzwang the side to move, whichever it is, would rather not be. Full point: whoever
    is to move loses. Half, White wins: White to move draws, Black to move loses. Half, Black wins:
    White to move loses, Black to move draws. The first side of a name is White, or Red in xiangqi.

    \b
    Examples:
      unmove zugzwangs --men 4
      unmove zugzwangs KRvKN --list
    """
    from unmove.research import zugzwang

    folder = folder_of(directory)
    rows: dict[Game, list[Row]] = {}
    wanted = endgames_of(names, men, fewest=3)
    with _opened(folder, threads) as opened:
        for material in wanted:
            scan, report = opened(material, _built(folder, material))
            if listed:
                for found in zugzwang.zugzwangs(scan, report):
                    _show(found.note(scan), epd=True, as_json=as_json)
                continue
            kinds = zugzwang.count(scan, report)
            row = Row(material, kinds, _counted(scan, kinds))
            if as_json:
                emit({"material": str(material), **kinds, "counted": " ".join(row.counted)})
            else:
                rows.setdefault(material.game, []).append(row)
    for game, some in rows.items():
        _show_rows(game, some)


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


def _show_count(
    found: int, hint: str | None, material: Material, where: str, *, as_json: bool
) -> None:
    """The number, and beside it how it is counted and why it may be none."""
    counted = material.game.symmetry
    if as_json:
        answer = {"material": str(material), "where": where, "positions": found}
        emit({**answer, "counted": counted, "hint": hint})
        return
    typer.echo(found)
    typer.echo(f"Hint: {hint}" if hint else counted, err=True)


def _built(folder: Folder, material: Material) -> Metric:
    """The first metric that is built, or else DTM, to say what is missing."""
    stored = material.canonical()
    return next((metric for metric in Metric if folder.has(stored, metric)), Metric.DTM)


@contextmanager
def _opened(folder: Folder, threads: int) -> Iterator[Open]:
    """How to open a table for a walk, with a bar on a terminal that shows how far it is."""
    from unmove.research.scan import Scan
    from unmove.successors.subtable_cache import SubtableCache

    console = Console(stderr=True)
    with (
        SubtableCache(folder, threads_of(threads)) as subtables,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("", total=1.0)

        def opened(material: Material, metric: Metric) -> tuple[Scan, Report]:
            folder.require(material.canonical(), metric)
            bar.reset(task, description=f"Scanning {material} {metric}")
            return Scan(subtables, material, metric), lambda done: bar.update(task, completed=done)

        yield opened


def _counted(scan: Scan, kinds: dict[str, int]) -> list[str]:
    """How zugzwangs are counted, in sentences."""
    from unmove.research.zugzwang import full_without_twins

    material, sentences = scan.material, [scan.material.game.symmetry]
    if material.white == material.black and any(kinds.values()):
        single = full_without_twins(scan)
        sentences.append(
            f"{material} has equal sides, so each position stands beside its twin with the colours "
            f"reversed: {kinds['full']:,} full-point zugzwangs are {single:,} and their twins."
        )
    return sentences


def _show_rows(game: Game, rows: list[Row]) -> None:
    """A row an endgame, and all of them; then how they are counted."""
    table = Table("endgame", box=None, pad_edge=False)
    for heading in ("full point", *(f"half, {name} wins" for name in game.side_names)):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(str(row.material), *(f"{number:,}" for number in row.kinds.values()))
    if len(rows) > 1:
        sums = map(sum, zip(*(row.kinds.values() for row in rows), strict=True))
        table.add_row("all", *(f"{number:,}" for number in sums))
    console = Console(soft_wrap=True)
    show_table(table, console)
    for sentence in dict.fromkeys(sentence for row in rows for sentence in row.counted):
        console.print(sentence, highlight=False)
