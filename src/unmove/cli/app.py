"""The program `unmove`: its commands, and how it fails.

Commands import what they need when they are run: help and version come without NumPy and Numba.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

import unmove
from unmove.cli.asking import line, play, probe
from unmove.cli.exporting import export
from unmove.cli.finding import find, zugzwangs
from unmove.cli.inspecting import check, info, list_tables
from unmove.cli.options import Dir, Json, Name, Threads, endgames_of, folder_of, threads_of
from unmove.cli.output import emit, tell
from unmove.cli.reproducing import reproduce
from unmove.cli.warming import Notice, warm
from unmove.errors import BadOption, UnmoveError, WorkError
from unmove.kernels.watch import watch
from unmove.material import Material
from unmove.values import Metric
from unmove.variants import CHESS, GAMES

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def build(
    materials: Annotated[
        list[str] | None,
        typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR or xiangqi:KPvKA."),
    ] = None,
    men: Annotated[
        int | None,
        typer.Option(help="Build all endgames of up to this many men: 5 in chess, 6 in xiangqi."),
    ] = None,
    pawnless: Annotated[
        bool, typer.Option("--pawnless", help="Leave out endgames with pawns, with --men.")
    ] = False,
    game: Annotated[
        str, typer.Option(help="Read names as endgames of chess or of xiangqi.")
    ] = CHESS.name,
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Build this distance; give it again for others (default: all)."),
    ] = None,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Build tables, and every smaller endgame they need.

    What is there already is not built again, and a run that was stopped goes on where it was.

    \b
    Examples:
      unmove build KQvKR
      unmove build --men 4 --metric dtm
      unmove build xiangqi:KPvKA
    """
    from unmove.cli.progress import run_plan
    from unmove.cli.statistics import stats_answer
    from unmove.solver.plan import make_plan

    workers = threads_of(threads)
    folder = folder_of(directory, new=True)
    if game not in GAMES:
        raise BadOption("--game", game, f"it is one of {', '.join(GAMES)}")
    asked = endgames_of(materials, men, fewest=2, game=GAMES[game], pawns=not pawnless)
    wanted = list(dict.fromkeys(material.canonical() for material in asked))
    plan = make_plan(wanted, metric or list(Metric), folder)
    if plan.jobs:
        folder.prepare()
    console = Console(stderr=as_json, soft_wrap=True)
    run_plan(plan, folder, workers, console)
    if as_json:
        for material in wanted:
            emit(stats_answer(folder, material))
    elif plan.jobs:
        console.print(f"Done. Try: unmove stats {wanted[-1]}", highlight=False)


def stats(
    name: Name,
    metric: Annotated[
        Metric | None,
        typer.Option(help="Count by this distance (default: the first that is built)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the histogram into this file, .svg or .png.")
    ] = None,
    pgn: Annotated[
        Path | None,
        typer.Option(help="Write the longest wins of chess to this PGN, played out and annotated."),
    ] = None,
    lines: Annotated[
        Path | None,
        typer.Option(help="Write the longest wins of either game to this file, as text."),
    ] = None,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Count positions, and show the longest wins.

    Positions are counted by outcome and by distance, for each side to move.

    \b
    Examples:
      unmove stats KQvKR
      unmove stats KQvKR --metric dtc --plot kqkr.svg --pgn kqkr.pgn
    """
    from unmove.cli.statistics import show_stats, stats_answer, write_files

    folder, material = folder_of(directory), Material.as_written(name)
    written = write_files(folder, material, metric, plot=plot, pgn=pgn, lines=lines)
    if as_json:
        emit(stats_answer(folder, material))
    else:
        show_stats(folder, material, metric, Console(soft_wrap=True))
    for sentence in written:
        typer.echo(sentence, err=as_json)


def verify(
    names: Annotated[
        list[str], typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR.")
    ],
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Verify this distance; give it again for others (default: all built)."),
    ] = None,
    threads: Threads = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Prove that every value is what its moves give.

    Moves come from another generator than that of the solver, and nothing else is shared with it.

    \b
    Example:
      unmove verify KQvKR --metric dtm
    """
    from unmove.cli.proving import prove

    folder = folder_of(directory)
    console = Console(stderr=as_json, soft_wrap=True)
    for name in names:
        for answer in prove(folder, Material.parse(name), metric, threads_of(threads), console):
            if as_json:
                emit(answer)


COMMANDS: dict[str, Callable[..., None]] = {
    "build": build,
    "probe": probe,
    "line": line,
    "play": play,
    "stats": stats,
    "find": find,
    "zugzwangs": zugzwangs,
    "export": export,
    "list": list_tables,
    "info": info,
    "check": check,
    "verify": verify,
    "reproduce": reproduce,
    "warm": warm,
}
"""In the order in which the help has them."""
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"unmove {unmove.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Tell the version."),
    ] = False,
) -> None:
    """Work out endgames of chess and xiangqi perfectly, and ask about them.

    \b
    To begin with, build an endgame and ask about a position of it:
      unmove build KQvKR
      unmove probe '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
    Each command says more, with examples: unmove build --help
    """
    notice = Notice(context.invoked_subcommand)
    context.call_on_close(notice.stop)
    watch(context.obj or notice)


def main() -> None:
    """The program: one sentence, or one JSON object, and the right exit code for every failure."""
    as_json = "--json" in sys.argv[1:]
    try:
        sys.exit(app(standalone_mode=not as_json))
    except UnmoveError as error:
        _fail(str(error), type(error), error.exit_code, as_json)
    except typer.TyperException as error:  # a mistake in the use of commands and options
        _fail(error.format_message(), type(error), error.exit_code, as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError as error:
        sentence = (
            "the memory ran out; close other programs and run the same command again. "
            "Finished tables are intact."
        )
        _fail(sentence, type(error), WorkError.exit_code, as_json)


def _fail(sentence: str, kind: type[Exception], exit_code: int, as_json: bool) -> NoReturn:
    """The program ends, and says why."""
    if as_json:
        emit({"error": sentence, "kind": kind.__name__})
    else:
        tell(sentence)
    sys.exit(exit_code)
