"""Measure six men: `python -m tools.bench_six FOLDER NAME ...`, on an otherwise idle machine.

The smaller endgames are built first, into the folder. Each endgame is then built by DTM (or
`NAME:dtc`) in a process of its own, into a folder of its own, and the row of
docs/reports/0008-six-men.md is printed: seconds of wall clock and of CPU, the peak of memory until
then, the bytes of the log and of the file. `--memory BYTES` before the folder sets the limit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, process_time

from unmove.material import Material
from unmove.pool.machine import peak_memory, usable_cores
from unmove.solver.build import Built, Means, build
from unmove.solver.loop import Progress
from unmove.solver.plan import Job, make_plan
from unmove.store.folder import Folder
from unmove.values import Metric, level_of


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
        codes = [code for side in built.summary.histogram for code in side]
        self.rows["written"]["plies"] = max(map(level_of, codes), default=0)

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
    arguments, memory = sys.argv[1:], None
    if arguments[0] == "--one":
        name, metric, place, limit = arguments[1:]
        found = measure(name, Metric(metric), Folder(Path(place)), int(limit) or None)
        print(json.dumps(found))
        return
    if arguments[0] == "--memory":
        memory, arguments = int(arguments[1]), arguments[2:]
    folder = Folder(Path(arguments[0]))
    print(
        "| endgame | | estimated: s, GB | wall s | CPU s | peak GB | log GB, or file MB | plies |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for each in arguments[1:]:
        name, _, metric = each.partition(":")
        _row(name, Metric(metric or "dtm"), folder, memory)


def _row(name: str, metric: Metric, folder: Folder, memory: int | None) -> None:
    material = Material.parse(name).canonical()
    smaller = [m for m in material.dependencies() if m != material]
    folder.prepare()
    build(make_plan(smaller, [metric], folder), folder, Means(usable_cores()), Clock(folder.path))
    command = [sys.executable, "-m", "tools.bench_six", "--one", name, metric.value]
    run = subprocess.run(
        [*command, str(folder.path), str(memory or 0)], check=True, capture_output=True, text=True
    )
    found = json.loads(run.stdout)
    guess = f"{found['estimated']['seconds']:.0f}, {found['estimated']['memory'] / 1e9:.1f}"
    for what, size in (("solved", "log"), ("written", "file")):
        row = found[what]
        bytes_text = f"{row[size] / (1e9 if size == 'log' else 1e6):.2f}"
        print(
            f"| {name} {metric} | {what} | {guess} | {row['wall']:.0f} | {row['cpu']:.0f} "
            f"| {row['memory'] / 1e9:.2f} | {bytes_text} | {row.get('plies', '')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
