"""Commands run in this process: a new one would take longer to start than most of them take."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from unmove.cli.app import main
from unmove.kernels.watch import watch


def run(*arguments: str, folder: Path | None = None, stdin: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command; what it raises is raised."""
    out, err = _stream(), _stream()
    environment = {} if folder is None else {"UNMOVE_DIR": str(folder)}
    with mock.patch.dict(os.environ, environment):
        code = _exit_code(arguments, stdin, out, err)
    return code, _text(out), _text(err)


def shown(arguments: Sequence[str], stdin: str) -> tuple[int, str]:
    """Exit code of a command, and all that a terminal would show of it."""
    screen = _stream()
    code = _exit_code(arguments, stdin, screen, screen)
    return code, _text(screen)


def _exit_code(
    arguments: Sequence[str], stdin: str, out: io.TextIOWrapper, err: io.TextIOWrapper
) -> int:
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
    with (
        mock.patch.object(sys, "argv", ["unmove", *arguments]),
        mock.patch.multiple(sys, stdin=typed, stdout=out, stderr=err),
    ):
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        finally:
            watch(None)  # a kernel that a test compiles later is no matter of this command
    raise AssertionError("a command ends with an exit code")


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
