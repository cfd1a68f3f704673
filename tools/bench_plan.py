"""Set estimates beside what builds take: `make bench-plan`. On a machine that does nothing else.

Each plan is built into a fresh folder by a process of its own, with all cores and compiled kernels;
of some, the smaller endgames are there before: from the folder that is named, or built first. The
table is that of docs/reports/0006-estimates.md; a ratio is the estimate in what it took. Plans may
be named after the folder, all of them are measured otherwise. The constants of time, the only ones
that depend on the machine, stand together in `unmove/solver/estimate.py`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import unmove.cli.app  # noqa: F401, its libraries take memory in the command, too
from unmove.cli.output import size_text, time_text
from unmove.material import Material, all_of, work_order
from unmove.pool.machine import usable_cores
from unmove.solver.build import Means, build
from unmove.solver.estimate import Cost
from unmove.solver.plan import make_plan
from unmove.store.folder import Folder
from unmove.values import Metric
from unmove.variants import GAMES


@dataclass(frozen=True)
class Case:
    """What is built: endgames that are named, or all up to some number of men."""

    names: tuple[str, ...] = ()
    men: int = 0
    game: str = "chess"
    metrics: tuple[Metric, ...] = tuple(Metric)
    alone: bool = False
    """Whether the smaller endgames are there before."""

    @property
    def wanted(self) -> list[Material]:
        counts = range(2, self.men + 1)
        everything = [m for men in counts for m in all_of(men, game=GAMES[self.game])]
        return [*map(Material.parse, self.names), *everything]


DTM = (Metric.DTM,)
CASES = {
    "all of 3 men": Case(men=3),
    "all of 4 men": Case(men=4),
    "all of xiangqi, 4 men": Case(men=4, game="xiangqi"),
    "KQvKR": Case(("KQvKR",)),
    "KBNvK": Case(("KBNvK",)),
    "KPvKP": Case(("KPvKP",)),
    "xiangqi:KPvKA": Case(("xiangqi:KPvKA",)),
    "xiangqi:KCPvKAA": Case(("xiangqi:KCPvKAA",)),
    "KBBvKN, DTM alone": Case(("KBBvKN",), metrics=DTM, alone=True),
    "KQRvKR, DTM alone": Case(("KQRvKR",), metrics=DTM, alone=True),
    "KRPvKR, DTM alone": Case(("KRPvKR",), metrics=DTM, alone=True),
}


class _Silent:
    def started(self, job: object) -> None: ...
    def progressed(self, progress: object) -> None: ...
    def writing(self, job: object) -> None: ...
    def finished(self, built: object) -> None: ...


def measure(label: str, folder: Folder) -> dict[str, dict[str, float]]:
    """The estimate and the cost of a case, built in this process."""
    case, threads = CASES[label], usable_cores()
    plan = make_plan(case.wanted, case.metrics, folder)
    took = build(plan, folder, Means(threads), _Silent())
    return {"estimated": asdict(plan.cost(threads)), "took": asdict(took)}


def prepare(case: Case, folder: Folder, there: Folder) -> None:
    """The smaller endgames are in the folder, if the case wants them there."""
    if not case.alone:
        return
    needed = [m for m in work_order(case.wanted) if m not in case.wanted]
    for metric in case.metrics:
        for material in needed:
            if there.has(material, metric):
                shutil.copy(there.file(material, metric), folder.path)
    build(make_plan(needed, case.metrics, folder), folder, Means(usable_cores()), _Silent())


def in_a_process(label: str, there: Folder) -> tuple[Cost, Cost]:
    """The estimate and the cost of a case, built by a process of its own."""
    with tempfile.TemporaryDirectory() as path:
        prepare(CASES[label], Folder(Path(path)), there)
        command = [sys.executable, "-m", "tools.bench_plan", "--measure", path, label]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(run.stdout)
    return Cost(**found["estimated"]), Cost(**found["took"])


def compile_kernels() -> None:
    """Every kernel is compiled, so that no case waits for it."""
    with tempfile.TemporaryDirectory() as path:
        materials = [Material.parse(name) for name in ("KPvKP", "xiangqi:KCPvKA")]
        folder = Folder(Path(path))
        build(make_plan(materials, list(Metric), folder), folder, Means(1), _Silent())


def row(label: str, estimated: Cost, took: Cost) -> str:
    """A row of the table."""
    cells = [label]
    for text, expected, found in (
        (time_text, estimated.seconds, took.seconds),
        (size_text, estimated.memory, took.memory),
        (size_text, estimated.disk, took.disk),
    ):
        cells += [text(expected), text(found), f"{expected / found:.2f}"]
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """The table; or one case in this process."""
    if arguments[0] == "--measure":
        print(json.dumps(measure(arguments[2], Folder(Path(arguments[1])))))
        return
    there, *labels = arguments
    compile_kernels()
    print("| plan | time, estimated | took | ratio | memory | took | ratio | disk | took | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for label in labels or CASES:
        print(row(label, *in_a_process(label, Folder(Path(there)))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
