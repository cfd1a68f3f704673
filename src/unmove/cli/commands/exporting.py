"""The command `unmove export`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unmove.cli.options import (
    GOES_ON,
    Dir,
    Json,
    ThreadsOption,
    endgames_of,
    folder_of,
    interruptible,
    threads_of,
)
from unmove.cli.output import emit_json, progress_bar, size_text
from unmove.errors import BadOption, NothingAsked
from unmove.material import Material
from unmove.store.atomic import user_stream
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.interop.columnar import Part, Sheet

STANDARD_OUTPUT = "-"
SYZYGY = "syzygy"
"""The format that is a folder of files for engines."""


def export(
    output: Annotated[
        str,
        typer.Option(
            help="Write this file; - writes CSV to the standard output. A folder for syzygy."
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MATERIAL",
            help="Name the endgame, such as KQvKR or xiangqi:KPvKA; several for syzygy.",
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--format", help="Write parquet, npz, csv (default: by the file's name) or syzygy."
        ),
    ] = None,
    men: Annotated[
        int | None,
        typer.Option(help="Write all endgames of 3 up to this many men, with --format syzygy."),
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
        int | None,
        typer.Option(
            min=0, help="Seed the draw of --sample: same seed, same positions (default: 0)."
        ),
    ] = None,
    fen: Annotated[bool, typer.Option("--fen", help="Add a column with the FEN.")] = False,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Write positions and their values for other programs.

    The file has a row for each position, and columns for the squares of the men, the side to move,
    the outcome and the distances. What they mean stands in docs/export.md and in the file. With
    --format syzygy it makes files for engines, of the DTZ tables: see docs/syzygy.md.

    \b
    Examples:
      unmove export KQvKR --output kqkr.parquet
      unmove export KPvK --metric dtm --metric dtz --sample 100000 --fen --output kpk.parquet
      unmove export KRvKP --where "wtm win" --output - | head
      unmove export --men 4 --format syzygy --output syzygy
    """
    from unmove.research.dataset import Request, opened, sheet_of

    if SYZYGY in (form or []):
        given: dict[str, object] = {
            "form": form if set(form or []) != {SYZYGY} else None,
            "metric": metric,
        }
        given |= {"where": where, "sample": sample, "seed": seed, "fen": fen or None}
        _export_syzygy(names, men, output, given, threads, directory, as_json=as_json)
        return
    name = _single_name(names, men)
    chosen = _format_of(output, form or [])
    metrics = tuple(each for each in Metric if each in (metric or [Metric.DTM]))
    request = Request(Material.as_written(name), metrics, where, sample, seed or 0, fen)
    sheet, folder, workers = sheet_of(request), folder_of(directory), threads_of(threads)
    with (
        interruptible(_unfinished(output)),
        progress_bar(f"Exporting {request.material}") as report,
        opened(request, folder, workers, report) as parts,
    ):
        written = _write(sheet, parts, output, chosen)
    _tell(sheet, output, chosen, written, as_json=as_json)


def _single_name(names: list[str] | None, men: int | None) -> str:
    """The endgame that a file of rows is of; BadOption or NothingAsked if it is not just one."""
    if men is not None:
        raise BadOption("men", men, "a file of positions is of one endgame, which is named")
    if not names:
        raise NothingAsked("Name an endgame, such as KQvKR.")
    if len(names) > 1:
        raise BadOption("MATERIAL", " ".join(names), "a file of positions is of one endgame")
    return names[0]


def _export_syzygy(
    names: list[str] | None,
    men: int | None,
    output: str,
    given: dict[str, object],
    threads: int,
    directory: Path | None,
    *,
    as_json: bool,
) -> None:
    """Syzygy files of these endgames are in the folder `output`, but for those that are there.

    BadOption for an option that is given and means nothing here.
    """
    from unmove.cli.views.exporting import run_pairs
    from unmove.interop.syzygy.exporting import plan_pairs

    for parameter, value in given.items():
        if value is not None:
            raise BadOption(parameter, _shown(value), "Syzygy files have no such choice")
    if output == STANDARD_OUTPUT:
        raise BadOption("output", output, "Syzygy files are written to a folder")
    materials = endgames_of(names, men, fewest=3)
    folder, workers = folder_of(directory), threads_of(threads)
    plan = plan_pairs(materials, folder, Path(output))
    with interruptible(GOES_ON):
        run_pairs(plan, folder, workers, as_json=as_json)


def _shown(value: object) -> str:
    """The value of an option as it was written."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _format_of(output: str, said: list[str]) -> str:
    """The format that the options and the name of the file agree on; BadOption otherwise."""
    from unmove.interop.columnar import WRITERS

    for form in said:
        if form not in WRITERS:
            raise BadOption("form", form, f"it must be one of {', '.join((*WRITERS, SYZYGY))}")
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
