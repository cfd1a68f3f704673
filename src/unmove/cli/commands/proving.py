"""The command `unmove verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from unmove.cli.options import Dir, Json, ThreadsOption, folder_of, threads_of
from unmove.cli.output import emit, progress_bar, time_text
from unmove.material import Material
from unmove.values import Metric

if TYPE_CHECKING:
    from unmove.api.proof import ProvedTable


def verify(
    names: Annotated[
        list[str], typer.Argument(metavar="MATERIAL", help="Name endgames, such as KQvKR.")
    ],
    metric: Annotated[
        list[Metric] | None,
        typer.Option(help="Verify this distance; give it again for others (default: all built)."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(help="Check only so many planes, chosen at random: no proof, but quick."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Choose other planes for the sample.")] = 0,
    threads: ThreadsOption = 0,
    directory: Dir = None,
    as_json: Json = False,
) -> None:
    """Prove that every value is what its moves give.

    Moves come from another generator than that of the solver, and nothing else is shared with it.

    \b
    Examples:
      unmove verify KQvKR --metric dtm
      unmove verify KBBvKNN --sample 50000 --seed 1
    """
    from unmove.api.proof import prove

    folder, workers = folder_of(directory), threads_of(threads)
    console = Console(stderr=as_json, soft_wrap=True)
    for material in map(Material.parse, names):
        for each in dict.fromkeys(metric or folder.built(material)):
            with progress_bar(f"Verifying {material} {each}", console) as report:
                proved = prove(folder, material, each, workers, report, sample, seed)
            console.print(
                f"{material} {each}: {proved.positions:,} positions{_where(proved)} checked, "
                f"every value equals what its moves give ({time_text(proved.seconds)}).",
                highlight=False,
            )
            if as_json:
                emit(proved)


def _where(proved: ProvedTable) -> str:
    if proved.planes == proved.all_planes:
        return ""
    return f" on {proved.planes:,} of {proved.all_planes:,} planes"
