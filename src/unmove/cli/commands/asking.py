"""The commands `unmove probe`, `unmove line` and `unmove play`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from unmove.cli.failures import INTERRUPTED, exit_code
from unmove.cli.options import Dir, Fen, Json, SyzygyDir, folder_of, syzygy_of
from unmove.cli.output import emit, tell
from unmove.errors import BadOption, NothingAsked, UnmoveError
from unmove.values import Metric, Side

if TYPE_CHECKING:
    from unmove.api.positions import FailedProbe, ProbedPosition
    from unmove.probe.tablebase import Tablebase


def probe(
    fens: Annotated[
        list[str] | None,
        typer.Argument(metavar="FEN", help="Give positions, each as a FEN in quotes."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="Read a FEN or an EPD from each line of this file; - is standard input. "
            "Blank lines and lines that begin with # are left out.",
        ),
    ] = None,
    directory: Dir = None,
    syzygy: SyzygyDir = None,
    as_json: Json = False,
) -> None:
    """Tell who wins a position and how fast, and rank its moves.

    With --input many positions are answered at once, as JSON lines without moves. A position that
    cannot be answered does not keep the others from being answered. With --syzygy, files of that
    folder tell outcomes under the 50-move rule and distances to zeroing where our DTZ table is
    missing; their distances may be one ply short.

    \b
    Examples:
      unmove probe '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
      unmove probe --json '3k5/4P4/9/9/9/9/9/9/9/4K4 w'
      unmove probe --input positions.epd
      unmove probe --syzygy ~/syzygy '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
    """
    from unmove.api.positions import probe_many
    from unmove.probe.tablebase import Tablebase

    if not fens and source is None:
        raise NothingAsked("Give a FEN in quotes, or a file of FENs with --input")
    asked = _positions(source) if source is not None else ()
    with Tablebase(folder_of(directory)) as tables:
        if syzygy is not None:
            codes = _probe_both(tables, syzygy, fens or [], asked, as_json)
        else:
            answered = _emitted if as_json else _shown
            codes = [answered(tables, fen) for fen in fens or []]
            codes += [_emit(answer) for answer in probe_many(tables, asked)]
    raise typer.Exit(next(filter(None, codes), 0))


def line(
    fen: Fen,
    metric: Annotated[Metric, typer.Option(help="Play best by this distance.")] = (Metric.DTM),
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Show best play of both sides, to mate.

    \b
    Examples:
      unmove line '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
      unmove line --metric dtz '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
    """
    from unmove.api import positions
    from unmove.cli.views.positions import line_note, verdict
    from unmove.games.boards import parse_fen
    from unmove.probe.tablebase import Tablebase

    with Tablebase(folder_of(directory)) as tables:
        answer = positions.line(tables, fen, metric)
        if as_json:
            emit(answer)
            return
        board = parse_fen(fen)
        typer.echo(verdict(board, tables.probe(board)))
        typer.echo(answer.line or "No side can force anything.")
        if note := line_note(answer):
            typer.echo(note)


def play(
    fen: Fen,
    side: Annotated[
        str | None,
        typer.Option(help="Play white (or red) or black yourself (default: the side to move)."),
    ] = None,
    metric: Annotated[Metric, typer.Option(help="Play best by this distance.")] = (Metric.DTM),
    directory: Dir = None,
) -> None:
    """Play against perfect play, with a verdict on every move.

    \b
    Examples:
      unmove play '8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1'
      unmove play '3k5/4P4/9/9/9/9/9/9/9/4K4 w' --side black
    """
    from unmove.cli.views.game import Session
    from unmove.games.boards import parse_fen, rules_of
    from unmove.probe.tablebase import Tablebase
    from unmove.research.playing import PlayedGame
    from unmove.store.summary import SIDE_KEYS

    board = parse_fen(fen)
    names = rules_of(board).game.side_names
    sides = {name.lower(): Side(i) for pair in (SIDE_KEYS, names) for i, name in enumerate(pair)}
    if side is not None and side.lower() not in sides:
        raise BadOption("side", side, f"it must be one of {', '.join(sides)}")
    with Tablebase(folder_of(directory)) as tables:
        game = PlayedGame(tables, board, metric)
        try:
            Session(game, sides[side.lower()] if side else game.side, input).run()
        except KeyboardInterrupt:
            typer.echo("\nGoodbye.")
            raise typer.Exit(INTERRUPTED) from None


def _probe_both(
    tables: Tablebase, folders: Path, fens: Sequence[str], many: Iterable[str], as_json: bool
) -> list[int]:
    """Positions are answered by our tables and Syzygy files; returns exit codes."""
    from unmove.api import syzygy
    from unmove.api.lichess.knowledge import Sources
    from unmove.api.positions import FailedProbe
    from unmove.cli.views.syzygy import show_position

    codes, sources = [], Sources(tables, syzygy_of(folders))
    for fen in fens:
        answer = syzygy.probe_or_fail(sources, fen)
        if as_json:
            codes.append(_emit(answer))
        elif isinstance(answer, FailedProbe):
            tell(answer.error)
            codes.append(exit_code(answer.error))
        else:
            show_position(answer, Console(soft_wrap=True))
    return codes + [_emit(answer) for answer in syzygy.probe_many(sources, many)]


def _emitted(tables: Tablebase, fen: str) -> int:
    """A position is answered in JSON; returns the exit code of its error, or 0."""
    from unmove.api.positions import probe_or_fail

    return _emit(probe_or_fail(tables, fen))


def _shown(tables: Tablebase, fen: str) -> int:
    """A position is answered for a person; returns the exit code of its error, or 0."""
    from unmove.cli.views.positions import show_position

    try:
        show_position(tables, fen, Console(soft_wrap=True))
    except UnmoveError as error:
        tell(error)
        return exit_code(error)
    return 0


def _emit(answer: ProbedPosition | FailedProbe) -> int:
    """An answer is printed; returns the exit code of its error, or 0."""
    emit(answer)
    error = getattr(answer, "error", None)
    return exit_code(error) if error else 0


def _positions(source: str) -> Iterator[str]:
    """The FENs of a file's lines. A byte that is not UTF-8 spoils its line, and no other one."""
    from unmove.games.epd import fen_of_epd

    try:
        with sys.stdin.buffer if source == "-" else Path(source).open("rb") as data:
            file = TextIOWrapper(data, encoding="utf-8-sig", errors="replace")
            lines = (text.strip() for text in file)
            yield from (fen_of_epd(text) for text in lines if text and not text.startswith("#"))
    except OSError as error:
        raise BadOption("source", source, error.strerror or str(error)) from error
