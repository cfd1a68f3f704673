"""The command `unmove warm`, and how people learn that kernels are compiled."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from unmove.cli.output import time_text
from unmove.errors import WorkError

if TYPE_CHECKING:
    from rich.status import Status

SECONDS = {
    "build": 60,
    "reproduce": 60,
    "verify": 40,
    "find": 30,
    "zugzwangs": 30,
    "export": 30,
    "warm": 200,
}
"""How long a command compiles if nothing is compiled yet."""
SECONDS_TO_PROBE = 20

# The type of cells depends on the number of values of a table: small and large tables use different
# kernels. With a lower limit a small table passes for a large one.
PALETTE_LIMITS = (256, 40, 16)
BASE_COMMANDS = ("build KQvKP KRvKP KBvKP KNvKP --metric dtm", "build KPvK")
WARMING_COMMANDS = (
    "build KPvKP --metric dtm",
    "build xiangqi:KPvKA xiangqi:KRvKE xiangqi:KCvKH",
    "verify KPvKP",
    "verify xiangqi:KPvKA xiangqi:KCvKH",
    "check KPvK --values",
    "probe --input {fens}",
    "probe '8/8/8/8/3pP3/k7/8/K7 b - e3 0 1'",
    "find KPvK --where 'only move' --count",
    "find KPvK --where 'zugzwang or check' --count",
    "find xiangqi:KPvKA --where 'only move' --count",
    "find xiangqi:KPvKA --where 'zugzwang or check' --count",
    "export KPvK --output {csv}",
    "export xiangqi:KPvKA --output {csv}",
    "export KPvK --format syzygy --output {syzygy}-{limit}",
    "probe --syzygy {syzygy}-{limit} '8/8/8/8/4k3/8/4P3/4K3 w - - 0 1'",
)
WARMING_FENS = (
    "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1",
    "8/8/8/8/4k3/8/4P3/4K3 b - - 0 1",
    "3k5/4P4/9/9/9/9/9/9/9/4K4 w",
)


class Notice:
    """A listener that tells people that kernels are compiled, and shows it on a terminal."""

    def __init__(self, command: str | None) -> None:
        self._seconds = SECONDS.get(command or "", SECONDS_TO_PROBE)
        self._said = False
        self._status: Status | None = None

    def __call__(self, kernel: str | None) -> None:
        self.stop()
        if kernel is None:
            return
        if not self._said:
            typer.echo(
                f"Compiling the kernels, once: about {time_text(self._seconds)}. "
                "(`unmove warm` compiles all there are.)",
                err=True,
            )
            self._said = True
        if sys.stderr.isatty() and sys.stderr is sys.__stderr__:  # and no bar is moving there
            from rich.console import Console

            self._status = Console(stderr=True).status(f"Compiling {kernel}")
            self._status.start()

    def stop(self) -> None:
        """Nothing moves on the screen."""
        if self._status is not None:
            self._status.stop()
            self._status = None


def warm(context: typer.Context) -> None:
    """Compile all kernels, once, before they are needed.

    Otherwise each command compiles what it needs when it is first run. Compiled kernels are kept in
    the user's cache, for this version of the program and this kind of machine.

    \b
    Example:
      unmove warm
    """
    from unmove.kernels.jit import compiler, folder
    from unmove.version import __version__

    done = folder() / f"warm-{__version__}-{compiler()}"
    if done.exists():
        typer.echo(f"Nothing to do: all kernels are in {folder()}.")
        return
    start = perf_counter()
    typer.echo(f"Compiling all kernels, once: about {time_text(SECONDS['warm'])}.", err=True)
    with TemporaryDirectory(prefix="unmove-warm-") as place:
        _run_all(context.find_root().command, Path(place))
    done.touch()
    typer.echo(f"Compiled in {time_text(perf_counter() - start)}; all kernels are in {folder()}.")


def _run_all(program: Any, place: Path) -> None:
    """Every command is run, with cells of every type."""
    from rich.console import Console
    from rich.progress import Progress

    from unmove.store.source import narrow_up_to

    names = {"fens": place / "fens.txt", "csv": place / "out.csv", "syzygy": place / "syzygy"}
    names["fens"].write_text("\n".join(WARMING_FENS), encoding="utf-8")
    steps = [(256, str(place / "base"), step) for step in BASE_COMMANDS]
    steps += [
        (limit, f"{place / str(limit)}{os.pathsep}{place / 'base'}", step)
        for limit in PALETTE_LIMITS
        for step in WARMING_COMMANDS
    ]
    screen = Console(file=sys.stderr)  # whose output is not redirected
    with Progress(console=screen, transient=True) as bar, Path(os.devnull).open("w") as no:
        task = bar.add_task("Compiling", total=len(steps))

        def show(kernel: str | None) -> None:
            bar.update(task, description=f"Compiling {kernel}" if kernel else "Trying it out")

        for limit, folders, step in steps:
            command = [*shlex.split(step.format(limit=limit, **names)), "--dir", folders]
            with narrow_up_to(limit), redirect_stdout(no), redirect_stderr(no):
                if program.main(command, standalone_mode=False, obj=show):
                    raise WorkError(f"`unmove {step}` failed.")
            bar.advance(task)
