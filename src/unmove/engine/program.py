"""The program `unmove-uci`: commands are read at all times, one a line, until the end.

The end is `quit`, the end of the input, a closed output, Ctrl-C or SIGTERM. At the end of the input
what was asked is still answered.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from unmove.engine.commands import Engine
from unmove.engine.talk import Talk
from unmove.version import __version__

LONGEST_COMMAND: Final = 1 << 17
"""Bytes; a game of ten thousand moves takes less."""
CLOSED_OUTPUT: Final = 1
TERMINATED: Final = 130


def run(tables_path: str = "") -> int:
    """The engine talks with the GUI until it is told to quit; returns the exit code."""
    talk = Talk(sys.stdout.buffer if sys.stdout else None)  # none, if it was closed
    engine = Engine(talk, tables_path)
    code = 0
    with _terminable():
        try:
            for command in _commands(sys.stdin, engine.say):
                engine.do(command)
                engine.running &= not talk.closed
                if not engine.running:
                    break
            at_rest = engine.end()
        except KeyboardInterrupt:
            engine.running, code = False, TERMINATED
            at_rest = engine.end()
    if talk.closed:
        code = CLOSED_OUTPUT
        with suppress(OSError, ValueError, AttributeError):  # no second failure at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not at_rest:
        os._exit(code)
    return code


def main() -> None:
    """The program `unmove-uci`, which takes no options."""
    if len(sys.argv) > 1:
        asked = sys.argv[1] in ("-h", "--help", "--version")
        text = f"unmove-uci {__version__}: an engine for GUIs, without options of its own."
        print(f"{text} `unmove uci --help` says more.", file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    sys.exit(run())


def _commands(stream: TextIO | None, say: Callable[[str], object]) -> Iterator[str]:
    """The lines of a stream until its end. One that is too long is left out, and that is told."""
    if stream is None:
        return
    cut = False
    with suppress(OSError, ValueError):  # a closed file, a terminal that is gone
        while data := stream.buffer.readline(LONGEST_COMMAND):
            whole = data.endswith(b"\n") or len(data) < LONGEST_COMMAND
            if whole and not cut:
                yield data.decode("utf-8", "surrogateescape").replace("\0", " ")
            elif whole:
                say(f"A command has more than {LONGEST_COMMAND:,} characters, and is left out.")
            cut = not whole


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM is taken like Ctrl-C, where there are signals."""
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
