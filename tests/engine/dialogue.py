"""A talk with the engine as a GUI has it: a process of its own, lines to it and lines from it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue

PROGRAM = (sys.executable, "-c", "from unmove.engine.program import main; main()")
COMPILING = "Kernels are compiled"  # is said or not, as the machine has them or not
SECONDS = 120  # that an answer may take: kernels may have to be compiled


class Dialogue:
    """A running engine; `said` is all that it has said."""

    def __init__(self, tables: str | Path, *command: str) -> None:
        self.process = subprocess.Popen(
            command or PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"UNMOVE_DIR": str(tables)},
        )
        self.said: list[str] = []
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if COMPILING.encode() not in line:
                self._lines.put(line.decode().rstrip("\n"))
        self._lines.put(None)

    def send(self, *lines: str | bytes) -> None:
        """The engine gets lines."""
        assert self.process.stdin is not None
        for line in lines:
            data = line if isinstance(line, bytes) else line.encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def until(self, *beginnings: str) -> list[str]:
        """What is said up to the first line that begins so, this one included."""
        found: list[str] = []
        while not (found and found[-1].startswith(beginnings)):
            found.append(self._next())
        return found

    def ask(self, *lines: str | bytes) -> list[str]:
        """What is said to these lines, up to the best move."""
        self.send(*lines)
        return self.until("bestmove", "nobestmove")

    def told(self, *lines: str | bytes) -> list[str]:
        """What is said to these lines, up to the answer of `isready`."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def rest(self) -> list[str]:
        """What is said until the program ends."""
        found = []
        while (line := self._lines.get(timeout=SECONDS)) is not None:
            found.append(line)
        self.said += found
        return found

    def end(self) -> tuple[int, str]:
        """The input ends, and the program; its exit code and what it wrote to standard error."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=SECONDS)
        return code, self.process.stderr.read().decode()

    def _next(self) -> str:
        try:
            line = self._lines.get(timeout=SECONDS)
        except Empty:
            line = None
        assert line is not None, f"nothing more is said after {self.said[-5:]}"
        self.said.append(line)
        return line


def field(line: str, name: str) -> str:
    """The word after a word of a line about thinking."""
    words = line.split()
    return words[words.index(name) + 1]


def line_of_play(line: str) -> list[str]:
    """The moves of a line about thinking."""
    return line.split(" pv ")[1].split()
