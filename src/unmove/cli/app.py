"""The commands of `unmove`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import unmove
from unmove.cli.exporting import export
from unmove.cli.finding import find, zugzwangs
from unmove.cli.options import Dir, Json, Name, Threads, folder_of, threads_of
from unmove.cli.output import emit, size_text
from unmove.cli.playing import play
from unmove.cli.probing import (
    bulk_answers,
    line_answer,
    line_note,
    probe_answer,
    show_probe,
    verdict,
)
from unmove.cli.reproducing import reproduce
from unmove.cli.statistics import list_answer, show_stats, stats_answer, write_files
from unmove.errors import BadOption, FileError, NothingAsked, UnmoveError
from unmove.game import CHESS, GAMES
from unmove.games.boards import parse_fen
from unmove.material import Material, all_of
from unmove.probe.tablebase import Tablebase
from unmove.values import Metric

app = typer.Typer(
    help="Endgames of chess and xiangqi worked out perfectly: build, probe, tell the best line.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command()
def build(
    materials: Annotated[
        list[str] | None, typer.Argument(metavar="[MATERIAL]...", help="Such as KQvKR.")
    ] = None,
    men: Annotated[int | None, typer.Option(help="All endgames of 3 up to this many men.")] = None,
    pawnless: Annotated[bool, typer.Option("--pawnless", help="With --men: no pawns.")] = False,
    game: Annotated[
        str, typer.Option(help="Whose endgames are meant, chess or xiangqi; a name may tell too.")
    ] = CHESS.name,
    metric: Annotated[
        list[Metric] | None, typer.Option(help="Metric to build (repeatable; default: all).")
    ] = None,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Build tables, and every smaller endgame they need."""
    from unmove.cli.progress import run_plan
    from unmove.solver.plan import make_plan

    workers = threads_of(threads)
    folder = folder_of(directory)
    if game not in GAMES:
        raise BadOption("--game", game, f"it is one of {', '.join(GAMES)}")
    wanted = [Material.parse(name, game=GAMES[game]) for name in materials or []]
    if men is not None:
        if men < 2:
            raise BadOption("--men", men, "an endgame has at least 2 men")
        wanted += [
            material
            for number in range(2, men + 1)
            for material in all_of(number, pawns=not pawnless, game=GAMES[game])
        ]
    if not wanted:
        raise NothingAsked("Name an endgame, such as KQvKR, or use --men.")
    folder.prepare()
    plan = make_plan(wanted, metric or list(Metric), folder)
    console = Console(stderr=as_json, soft_wrap=True)
    run_plan(plan, folder, workers, console)
    if as_json:
        for material in dict.fromkeys(wanted):
            emit(stats_answer(folder, material))
    elif plan.jobs:
        console.print(f"Done. Try: unmove stats {wanted[-1]}", highlight=False)


@app.command()
def probe(
    fens: Annotated[list[str] | None, typer.Argument(metavar="[FEN]...")] = None,
    source: Annotated[
        str | None, typer.Option("--input", help="File with a FEN a line; - for standard input.")
    ] = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Tell a position's outcome and distances, and rank its moves.

    With --input many positions are answered at once, as JSON lines without moves.
    """
    if not fens and source is None:
        raise NothingAsked("Give a FEN in quotes, or a file of FENs with --input.")
    failed = 0
    with Tablebase(folder_of(directory).path) as tables:
        for fen in fens or []:
            if as_json:
                answer = probe_answer(tables, fen)
                code = int(answer.pop("exit_code", 0))
                failed = failed or code
                emit(answer)
            else:
                try:
                    show_probe(tables, fen, Console(soft_wrap=True))
                except UnmoveError as error:
                    failed = failed or error.exit_code
                    typer.echo(f"unmove: {error}", err=True)
        if source is not None:
            for answer in bulk_answers(tables, _lines(source)):
                failed = failed or int(answer.pop("exit_code", 0))
                emit(answer)
    raise typer.Exit(failed)


@app.command()
def line(
    fen: Annotated[str, typer.Argument(metavar="FEN")],
    metric: Annotated[Metric, typer.Option(help="What best play minimises.")] = Metric.DTM,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Play best for both sides, to mate."""
    with Tablebase(folder_of(directory).path) as tables:
        answer = line_answer(tables, fen, metric)
        if as_json:
            emit(answer)
        else:
            typer.echo(verdict(tables, parse_fen(fen)))
            typer.echo(answer["line"] or "No side can force anything.")
            if note := line_note(answer):
                typer.echo(note)


@app.command("list")
def list_tables(directory: Dir = None, as_json: Json = False) -> None:
    """List the tables that are built."""
    folder = folder_of(directory)
    rows = list_answer(folder)
    if as_json:
        for row in rows:
            emit(row)
        return
    if not rows:
        typer.echo(f"No tables in {folder.path} yet. Try: unmove build KQvKR")
        return
    table = Table("table", "metric", box=None, pad_edge=False)
    for column in ("positions", "size"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["material"], row["metric"], f"{row['positions']:,}", size_text(row["bytes"])
        )
    console = Console(soft_wrap=True)
    console.print(table)
    total = sum(row["bytes"] for row in rows)
    console.print(f"{len(rows)} tables, {size_text(total)}, in {folder.path}", highlight=False)


@app.command()
def stats(
    name: Name,
    metric: Annotated[
        Metric | None, typer.Option(help="Which distance is counted (default: the first built).")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the histogram into this file, .svg or .png.")
    ] = None,
    pgn: Annotated[
        Path | None, typer.Option(help="Write the longest wins, played out and annotated.")
    ] = None,
    lines: Annotated[
        Path | None, typer.Option(help="Write the same as text, for both games.")
    ] = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Count positions by outcome and distance, and show the longest wins."""
    folder, material = folder_of(directory), Material.as_written(name)
    written = write_files(folder, material, metric, plot=plot, pgn=pgn, lines=lines)
    if as_json:
        emit(stats_answer(folder, material))
    else:
        show_stats(folder, material, metric, Console(soft_wrap=True))
    for sentence in written:
        typer.echo(sentence, err=as_json)


@app.command()
def verify(
    names: Annotated[list[str], typer.Argument(metavar="MATERIAL...", help="Such as KQvKR.")],
    metric: Annotated[
        list[Metric] | None, typer.Option(help="Metric to verify (repeatable; default: all built).")
    ] = None,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Prove tables: every value equals what its moves give, by an independent move generator."""
    from unmove.cli.proving import prove

    folder = folder_of(directory)
    console = Console(stderr=as_json, soft_wrap=True)
    for name in names:
        for answer in prove(folder, Material.parse(name), metric, threads_of(threads), console):
            if as_json:
                emit(answer)


@app.command()
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table file.")],
    as_json: Json = False,
) -> None:
    """Tell what a table file holds."""
    from unmove.cli.files import info_answer, show_info

    if as_json:
        emit(info_answer(file))
    else:
        show_info(file, Console(soft_wrap=True))


@app.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MATERIAL]...", help="Default: all tables.")
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Work out every value of both sides as well.")
    ] = False,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Check table files: digests, and that every block decodes."""
    from unmove.cli.files import check_tables

    folder = folder_of(directory)
    console = Console(stderr=as_json, soft_wrap=True)
    checked = damaged = 0
    for answer in check_tables(folder, names or [], values, threads_of(threads), console):
        checked += 1
        damaged += answer["error"] is not None
        if as_json:
            emit(answer)
        elif answer["error"]:
            typer.echo(f"unmove: {answer['error']}", err=True)
    if not as_json:
        console.print(f"{checked} tables checked, {damaged} damaged.", highlight=False)
    raise typer.Exit(FileError.exit_code if damaged else 0)


app.command()(play)
app.command()(reproduce)
app.command()(find)
app.command()(zugzwangs)
app.command()(export)


def _lines(source: str) -> Iterator[str]:
    """The lines of a file that say something."""
    try:
        with sys.stdin if source == "-" else Path(source).open(encoding="utf-8") as file:
            yield from (text for text in (row.strip() for row in file) if text)
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption("--input", source, str(error)) from error


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"unmove {unmove.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    """Endgames of chess and xiangqi worked out perfectly: build, probe, tell the best line."""


def main() -> None:
    """The program: one sentence and the right exit code for every failure we know."""
    try:
        app()
    except UnmoveError as error:
        typer.echo(f"unmove: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        typer.echo(
            "unmove: the memory ran out; close other programs and run the same command again. "
            "Finished tables are intact.",
            err=True,
        )
        sys.exit(5)
