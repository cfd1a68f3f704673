"""The command `unmove uci`."""

from __future__ import annotations

import typer

from unmove.cli.options import Dir


def uci(directory: Dir = None) -> None:
    """Be an engine for chess and xiangqi GUIs.

    It speaks UCI, UCCI and the dialects of xiangqi, and moves by the tables. The program
    unmove-uci is the same without options, for GUIs that take just a file. docs/engine.md says how
    to install it.

    \b
    Examples:
      unmove uci
      echo 'go infinite' | unmove uci --dir tables
    """
    from unmove.engine.program import run

    raise typer.Exit(run("" if directory is None else str(directory)))
