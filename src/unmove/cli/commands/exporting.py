"""The command `unmove export`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmove.cli.options import Dir, Json, Name, ThreadsOption, folder_of, interruptible, threads_of
from unmove.cli.output import emit_json, progress_bar, size_text
from unmove.errors import BadOption
from unmove.material import Material
from unmove.store.atomic import user_stream
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.interop.columnar import Part, Sheet

STANDARD_OUTPUT = "-"


def export(
    name: Name,
    output: Annotated[
        str, typer.Option(help="Write this file; - writes CSV to the standard output.")
    ],
    form: Annotated[
        list[str] | None,
        typer.Option("--format", help="Write parquet, npz or csv (default: by the file's name)."),
    ] = None,
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Write this distance; give it again for others (default: dtm)."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="QUERY", help="Write just the positions that a query of `find` is true of."
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Write this many of the positions, drawn at random.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed the draw of --sample: same seed, same positions.")
    ] = 0,
    fen: Annotated[bool, typer.Option("--fen", help="Add a column with the FEN.")] = False,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Write positions and their values for other programs.

    The file has a row for each position, and columns for the squares of the men, the side to move,
    the outcome and the distances. What they mean stands in docs/export.md and in the file.

    \b
    Examples:
      unmove export KQvKR --output kqkr.parquet
      unmove export KPvK --metric dtm --metric dtz --sample 100000 --fen --output kpk.parquet
      unmove export KRvKP --where "wtm win" --output - | head
    """
    from unmove.research.dataset import Request, opened, sheet_of

    chosen = _format_of(output, form or [])
    metrics = tuple(each for each in Metric if each in (metric or [Metric.DTM]))
    request = Request(Material.as_written(name), metrics, where, sample, seed, fen)
    sheet, folder, workers = sheet_of(request), folder_of(directory), threads_of(threads)
    with (
        interruptible(_unfinished(output)),
        progress_bar(f"Exporting {request.material}") as report,
        opened(request, folder, workers, report) as parts,
    ):
        written = _write(sheet, parts, output, chosen)
    _tell(sheet, output, chosen, written, as_json=as_json)


def _format_of(output: str, said: list[str]) -> str:
    """The format that the options and the name of the file agree on; BadOption otherwise."""
    from unmove.interop.columnar import WRITERS

    for form in said:
        if form not in WRITERS:
            raise BadOption("form", form, f"it must be one of {', '.join(WRITERS)}")
    path = Path(output)
    if output == STANDARD_OUTPUT:
        path = Path("standard-output.csv")
    elif path.is_dir():
        raise BadOption("output", output, "it is a folder; name a file in it")
    suffix = path.suffix.removeprefix(".").lower()
    named = list(dict.fromkeys([*said, *([suffix] if suffix in WRITERS else [])]))
    if not named:
        reason = f"its name ends in none of {', '.join(WRITERS)}; choose one of them with --format"
        raise BadOption("output", output, reason)
    if len(named) > 1:
        both = " and ".join(named)
        what = "standard output is CSV" if output == STANDARD_OUTPUT else "a file has one format"
        raise BadOption("form", both, f"{what}, and its name must agree")
    return named[0]


def _write(sheet: Sheet, parts: Iterable[Part], output: str, form: str) -> int:
    """All rows are written; returns how many."""
    from unmove.interop.columnar import write, write_csv

    if output != STANDARD_OUTPUT:
        return write(sheet, parts, Path(output), form)
    with user_stream("output", "the standard output"):
        written = write_csv(sheet, parts, sys.stdout)
        sys.stdout.flush()
        return written


def _tell(sheet: Sheet, output: str, form: str, written: int, *, as_json: bool) -> None:
    """What was written is reported, on standard error if the rows went to standard output."""
    beside = output == STANDARD_OUTPUT
    size = Path(output).stat().st_size if not beside and Path(output).is_file() else None
    if as_json:
        answer = {"file": output, "format": form, "positions": written, "bytes": size}
        emit_json({**answer, **sheet.description}, err=beside)
    else:
        where = "the standard output" if beside else output
        of_size = "" if size is None else f" ({size_text(size)})"
        typer.echo(f"{written:,} positions are in {where}{of_size}.", err=beside)


def _unfinished(output: str) -> str:
    """What to say of an export that was stopped."""
    if output == STANDARD_OUTPUT:
        return "Positions are missing from what was written."
    return f"{output} is as it was before."
