"""The command `unmove serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from unmove.cli.options import Dir, SyzygyDir, bytes_of, folder_of, interruptible, syzygy_of
from unmove.errors import BadOption, WorkError

LEVELS = ("debug", "info", "warning", "error")


def serve(
    host: Annotated[str, typer.Option(help="Listen on this address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Listen on this port.")] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Answer to this host name too, such as that of a proxy in front."),
    ] = None,
    cache: Annotated[
        str, typer.Option(help="Keep so many bytes of decoded planes, such as 256M or 2G.")
    ] = "256M",
    level: Annotated[
        str, typer.Option("--log-level", help=f"Log from this level on: {', '.join(LEVELS)}.")
    ] = "info",
    directory: Dir = None,
    syzygy: SyzygyDir = None,
) -> None:
    """Serve tables over HTTP, and the explorer, a page for browsers.

    \b
    Examples:
      unmove serve
      unmove serve --dir tables --port 9000
      unmove serve --syzygy ~/syzygy
      unmove serve --host 0.0.0.0 --name tables.example.org
    """
    try:
        from unmove.service.library import Library
        from unmove.service.running import serve as run
    except ModuleNotFoundError as error:
        raise WorkError(
            f"The service needs the package {error.name}",
            "install it with `pip install 'unmove[service]'`",
        ) from error
    if level not in LEVELS:
        raise BadOption("level", level, f"it must be one of {', '.join(LEVELS)}")
    library = Library(folder_of(directory), bytes_of("cache", cache), syzygy_of(syzygy))
    with interruptible("Nothing was under way."):
        run(library, host, port, names=name or (), level=level)
