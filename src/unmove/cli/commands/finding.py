"""The commands `unmove find` and `unmove zugzwangs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from unmove.cli.options import Dir, Json, Name, ThreadsOption, endgames_of, folder_of, threads_of
from unmove.cli.output import emit, progress_bar
from unmove.material import Material
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.api.search import FoundCount, FoundPosition


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
    threads: ThreadsOption = 0,
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
    from unmove.api.search import Search, scanner

    search = Search(Material.as_written(name), where, metric)
    with (
        scanner(folder_of(directory), threads_of(threads)) as tables,
        progress_bar(f"Scanning {search.material} {search.metric}") as report,
    ):
        scan = tables.open(search.material, search.metric)
        if count:
            _show_count(search.count(scan, report), as_json=as_json)
            return
        found = search.positions(scan, report, sample=sample, seed=seed, limit=limit)
        for position in found:
            _show(position, epd=epd, as_json=as_json)
        if hint := search.hint(scan):
            emit(hint, err=True) if as_json else typer.echo(f"Hint: {hint.hint}", err=True)


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
    threads: ThreadsOption = 0,
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
    from unmove.api.search import count_zugzwangs, list_zugzwangs, scanner
    from unmove.cli.views.zugzwangs import show_zugzwangs

    folder, counts = folder_of(directory), []
    wanted = endgames_of(names, men, fewest=3)
    with scanner(folder, threads_of(threads)) as tables:
        for material in wanted:
            scan = tables.open(material)
            with progress_bar(f"Scanning {material} {scan.metric}") as report:
                if listed:
                    for position in list_zugzwangs(scan, report):
                        _show(position, epd=True, as_json=as_json)
                    continue
                counts.append(count_zugzwangs(scan, report))
            if as_json:
                emit(counts[-1])
    if not as_json:
        show_zugzwangs(counts, Console(soft_wrap=True))


def _show(position: FoundPosition, *, epd: bool, as_json: bool) -> None:
    if as_json:
        emit(position)
    else:
        typer.echo(position.epd if epd else position.fen)


def _show_count(count: FoundCount, *, as_json: bool) -> None:
    """The number, and beside it how it is counted or why it is none."""
    if as_json:
        emit(count)
        return
    typer.echo(count.positions)
    typer.echo(f"Hint: {count.hint}" if count.hint else count.counted, err=True)
