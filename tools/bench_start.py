"""What it takes to start, in CPU time and memory, as Markdown. docs/reports/0007 has the results.

    python -m tools.bench_start FOLDER [RUNS [SOURCES]...]

Each row is a process of its own, run RUNS times (default: 15); the least counts. CPU time is
that of user and system, memory the largest it had; of that its own is what is no page of a
file, such as a library that processes share. FOLDER must have the tables of KQvKR. Kernels and
bytecode are compiled before. SOURCES are `src` folders of other versions, for three columns more
each; versions take turns, so that they suffer alike from other work on the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

FEN = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
KERNEL = """
import numpy
from unmove.kernels.scores import survey
survey(*numpy.zeros((2, 1, 1), numpy.uint8))
"""
PROBE = f"""
import chess, sys, unmove
with unmove.open_tables(sys.argv[1]) as tables:
    tables.probe_dtm(chess.Board({FEN!r}))
"""
PROGRAM = """
import os, sys
os.environ["UNMOVE_DIR"] = sys.argv.pop(1)
sys.argv[1:] = {!r}
from unmove.cli.app import main
main()
"""
ROWS = {
    "python": "",
    "import numpy": "import numpy",
    "import llvmlite.binding": "import llvmlite.binding",
    "import numba": "import numba",
    "import numba, one kernel from the cache": KERNEL,
    "import chess": "import chess",
    "import unmove": "import unmove",
    "import unmove, one probe": PROBE,
    "unmove --version": PROGRAM.format(["--version"]),
    "unmove list": PROGRAM.format(["list"]),
    "unmove probe FEN": PROGRAM.format(["probe", FEN]),
}
TELL = """
import atexit, sys
def tell():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            print(line.split()[1], file=sys.stderr)
atexit.register(tell)
"""


def measured(script: str, folder: str, environment: dict[str, str]) -> tuple[float, float]:
    """The CPU time of one run in ms, and its memory in MB."""
    process = os.posix_spawn(
        sys.executable,
        [sys.executable, "-c", script, folder],
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(process, 0)
    assert status == 0, script
    return 1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024


def own_memory(script: str, folder: str, environment: dict[str, str]) -> float:
    """MB that are no pages of files, when the process ends."""
    command = [sys.executable, "-c", TELL + script, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return int(done.stderr.split()[-1]) / 1024


def main() -> None:
    folder, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with TemporaryDirectory() as bytecode:
        common = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        common.pop("PYTHONDONTWRITEBYTECODE", None)
        versions = [common, *({**common, "PYTHONPATH": source} for source in sys.argv[3:])]
        print("| |" + " CPU ms | MB | of its own |" * len(versions))
        print("| --- |" + " ---: | ---: | ---: |" * len(versions))
        for name, script in ROWS.items():
            found = [[measured(script, folder, each) for each in versions] for _ in range(runs)]
            own = [own_memory(script, folder, version) for version in versions]
            cells = [
                f" {min(times):.0f} | {min(sizes):.0f} | {mine:.0f} |"
                for mine, taken in zip(own, zip(*found, strict=True), strict=True)
                for times, sizes in [tuple(zip(*taken, strict=True))]
            ]
            print(f"| `{name}` |" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
