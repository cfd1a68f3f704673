"""Measure a service: `python -m tools.bench_service TABLES`, on an otherwise idle machine.

A server with the tables of a folder of three and four men is started. 64 clients keep their
connections and ask `/standard` about random positions: first each position once (cold: planes are
not decoded yet), then others from the same planes (planes decoded, answers not cached), then
the same positions again (answers cached). Printed are answers a second, the CPU seconds of the
server for each answer, and the 50th and 99th percentile of milliseconds. With `--questions N` the
memory of the server is printed while N questions are asked, with `--hostile N` what it answers to
N questions of rubbish.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
import urllib.parse
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator

import psutil

from tools.compare_service import positions

CLIENTS = 64
RUBBISH = ("\0", "K" * 3000, "%00", "8/8", "9" * 300, "(" * 500, "\r\nX: y", "../..", "KQvKR", "-1")
PATHS = ("standard", "standard/mainline", "xiangqi", "find", "random", "stats/KQvKR.json", "a/b")
NAMES = ("fen", "play", "metric", "material", "where", "kind", "dtc", "limit")


class Server:
    """A server of a folder, in a process of its own."""

    def __init__(self, folder: str) -> None:
        command = [sys.executable, "-m", "unmove", "serve", "--dir", folder, "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--log-level", "error"], stderr=subprocess.PIPE, text=True
        )
        line = self._process.stderr.readline() if self._process.stderr else ""
        self.port = int(line.split()[2].rstrip("/").rsplit(":", 1)[1])
        self._state = psutil.Process(self._process.pid)

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        times = self._state.cpu_times()
        return float(times.user + times.system)

    @property
    def memory(self) -> int:
        """Resident bytes."""
        return int(self._state.memory_info().rss)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


async def ask(port: int, paths: Iterator[str], taken: list[float], seen: Counter[int]) -> None:
    """One client asks, one question after the other, on one connection while it is kept."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for path in paths:
        start = time.perf_counter()
        writer.write(f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        await reader.readexactly(int(fields.get(b"content-length", b"0")))
        seen[status] += 1
        taken.append(time.perf_counter() - start)
        if fields.get(b"connection") == b"close":
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()


def load(server: Server, name: str, paths: Iterable[str]) -> Counter[int]:
    """All questions are asked by CLIENTS clients, and a row is printed."""
    shared, taken, seen = iter(paths), list[float](), Counter[int]()

    async def run() -> None:
        await asyncio.gather(*(ask(server.port, shared, taken, seen) for _ in range(CLIENTS)))

    start, cpu = time.perf_counter(), server.cpu
    asyncio.run(run())
    seconds, used = time.perf_counter() - start, server.cpu - cpu
    taken.sort()
    p50, p99 = (1000 * taken[int(len(taken) * part)] for part in (0.5, 0.99))
    rate, own = len(taken) / seconds, 1000 * used / len(taken)
    print(
        f"| {name} | {len(taken):,} | {rate:,.0f} | {own:.2f} | {p50:.0f} | {p99:.0f} |", flush=True
    )
    return seen


def rubbish(count: int, seed: int = 0) -> Iterator[str]:
    """Questions that make no sense."""
    rng = random.Random(seed)
    for _ in range(count):
        asked = {name: rng.choice(RUBBISH) for name in rng.sample(NAMES, rng.randint(0, 4))}
        yield f"{rng.choice(PATHS)}?{urllib.parse.urlencode(asked)}"


def main() -> None:
    """Prints a table."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables")
    parser.add_argument("--questions", type=int, default=0)
    parser.add_argument("--hostile", type=int, default=0)
    parser.add_argument("--positions", type=int, default=3000)
    asked = parser.parse_args()
    server = Server(asked.tables)
    fens = [board.fen() for board in positions(asked.positions, 1)]
    first = [f"standard?{urllib.parse.urlencode({'fen': fen})}" for fen in fens]
    clocked = [path.replace("+0+1", "+1+1") for path in first]
    print("| | questions | a second | server CPU ms each | p50 ms | p99 ms |")
    print("|---|---|---|---|---|---|")
    load(server, "cold", first)
    load(server, "planes decoded", clocked)
    load(server, "answers cached", first)
    if asked.hostile:
        seen = load(server, "rubbish", rubbish(asked.hostile))
        print(dict(sorted(seen.items())))
    done = 0
    while done < asked.questions:
        step = [path.replace("+0+1", f"+{done % 97}+{done}") for path in first]
        load(server, f"memory {server.memory / 1e6:,.0f} MB before", step)
        done += len(step)
    if asked.questions:
        print(f"memory at the end: {server.memory / 1e6:,.0f} MB")
    server.stop()


if __name__ == "__main__":
    main()
