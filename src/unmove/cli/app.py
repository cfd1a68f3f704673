"""The program `unmove`: its commands, and how it ends.

Commands import what they need when they are run: help and version come without NumPy and Numba.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

import unmove
from unmove.cli.commands.asking import line, play, probe
from unmove.cli.commands.building import build
from unmove.cli.commands.comparing import compare
from unmove.cli.commands.counting import stats
from unmove.cli.commands.exporting import export
from unmove.cli.commands.finding import find, zugzwangs
from unmove.cli.commands.inspecting import check, info, list_tables
from unmove.cli.commands.planning import plan
from unmove.cli.commands.playing import uci
from unmove.cli.commands.proving import verify
from unmove.cli.commands.recoding import recode
from unmove.cli.commands.reproducing import reproduce
from unmove.cli.commands.serving import serve
from unmove.cli.commands.warming import Notice, warm
from unmove.cli.failures import exit_code, told
from unmove.cli.output import emit_json, tell
from unmove.errors import UnmoveError, WorkError
from unmove.kernels.watch import watch

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "build": build,
    "plan": plan,
    "probe": probe,
    "line": line,
    "play": play,
    "uci": uci,
    "stats": stats,
    "find": find,
    "zugzwangs": zugzwangs,
    "export": export,
    "serve": serve,
    "list": list_tables,
    "info": info,
    "check": check,
    "recode": recode,
    "verify": verify,
    "compare": compare,
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
        _fail(told(error), type(error), exit_code(error), as_json)
    except typer.TyperException as error:  # a mistake in the use of commands and options
        _fail(error.format_message(), type(error), error.exit_code, as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError as error:
        failure = WorkError(
            "the memory ran out",
            "close other programs and run the same command again. Finished tables are intact",
        )
        _fail(str(failure), type(error), exit_code(failure), as_json)


def _fail(sentence: str, kind: type[Exception], code: int, as_json: bool) -> NoReturn:
    """The program says why it fails, and ends."""
    if as_json:
        emit_json({"error": sentence, "kind": kind.__name__})
    else:
        tell(sentence)
    sys.exit(code)
