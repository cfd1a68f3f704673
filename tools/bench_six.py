"""Measure six men: `python -m tools.bench_six FOLDER NAME ...`, on an otherwise idle machine.

The smaller endgames are built first, into the folder. Each endgame is then built by DTM (or
`NAME:dtc`) in a process of its own, into a folder of its own, and the row of
docs/reports/0008-six-men.md is printed: seconds of wall clock and of CPU, the peak of memory until
then, the bytes of the log and of the file. `--memory BYTES` sets the limit. `--csv FILE` appends a
row for each table by DTM, which `python -m tools.all_six` reads.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from unmove.material import Material
from unmove.pool.machine import peak_memory, usable_cores
from unmove.solver.build import Built, Means, build
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder
from unmove.values import Metric, level_of, win_code


class Clock:
    """A build listener that notes the state of the process when writing begins and ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._start = perf_counter(), process_time()
        self.rows: dict[str, dict[str, float]] = {}

    def started(self, job: Job) -> None: ...
    def progressed(self, progress: Progress) -> None: ...

    def writing(self, job: Job) -> None:
        self._note("solved")
        self.rows["solved"]["log"] = sum(f.stat().st_size for f in self._folder.glob(".*.log"))

    def finished(self, built: Built) -> None:
        self._note("written")
        self.rows["written"]["file"] = built.size
        wins = [
            code
            for side in built.summary.histogram
            for code in side
            if code == win_code(level_of(code))
        ]
        self.rows["written"]["plies"] = max(map(level_of, wins), default=0)

    def _note(self, what: str) -> None:
        wall, cpu = self._start
        taken = {"wall": perf_counter() - wall, "cpu": process_time() - cpu}
        self.rows[what] = {**taken, "memory": peak_memory()}


def measure(name: str, metric: Metric, folder: Folder, memory: int | None) -> dict[str, object]:
    """What a table took, and what was estimated, in this process."""
    material = Material.parse(name).canonical()
    with tempfile.TemporaryDirectory(dir=folder.path) as place:
        target = Folder(Path(place))
        for smaller in material.dependencies():
            if smaller != material:
                target.file(smaller, metric).symlink_to(folder.file(smaller, metric).resolve())
        plan = make_plan([material], [metric], target)
        clock, means = Clock(target.path), Means(usable_cores(), memory)
        estimated = asdict(plan.cost(means.threads, memory))
        build(plan, target, means, clock)
        target.file(material, metric).replace(folder.file(material, metric))
    return {"estimated": estimated, **clock.rows}


def main() -> None:
    """A row for each endgame; with `--one`, the measurements of one, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    folder = Folder(options.folder)
    tables = [each.partition(":") for each in options.names]
    if options.one:
        ((name, _, metric),) = tables
        print(json.dumps(measure(name, Metric(metric), folder, options.memory)))
        return
    print("| endgame | | estimated | wall s | CPU s | peak GB | log GB, or file MB | plies |")
    print("|---|---|---|---|---|---|---|---|")
    for name, _, metric in tables:
        _row(name, Metric(metric or "dtm"), folder, options.memory, options.csv)


def _row(name: str, metric: Metric, folder: Folder, memory: int | None, path: Path | None) -> None:
    material = Material.parse(name).canonical()
    smaller = [m for m in material.dependencies() if m != material]
    folder.prepare()
    build(make_plan(smaller, [metric], folder), folder, Means(usable_cores()), Clock(folder.path))
    command = [sys.executable, "-m", "tools.bench_six", "--one"]
    if memory is not None:
        command.append(f"--memory={memory}")
    command += [str(folder.path), f"{name}:{metric}"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(run.stdout)
    guess = found["estimated"]
    told = f"{guess['seconds']:.0f} s, {guess['memory'] / 1e9:.1f} GB, {guess['disk'] / 1e6:.0f} MB"
    for what, size in (("solved", "log"), ("written", "file")):
        row = found[what]
        bytes_text = f"{row[size] / (1e9 if size == 'log' else 1e6):.2f}"
        print(
            f"| {name} {metric} | {what} | {told} | {row['wall']:.0f} | {row['cpu']:.0f} "
            f"| {row['memory'] / 1e9:.2f} | {bytes_text} | {row.get('plies', '')} |",
            flush=True,
        )
    if path is not None and metric == Metric.DTM:
        _append(path, str(material), found)


def _append(path: Path, name: str, found: dict[str, Any]) -> None:
    solved, written = found["solved"], found["written"]
    solving, writing = round(solved["cpu"]), round(written["cpu"] - solved["cpu"])
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if is_new:
            rows.writerow(["endgame", "solving", "writing", "disk", "memory"])
        rows.writerow([name, solving, writing, written["file"], round(written["memory"])])


if __name__ == "__main__":
    main()
