"""Limits come before work, and estimates are what a build takes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from tests.conftest import build_into
from unmove import Metric, Tablebase
from unmove.cli.app import app
from unmove.cli.failures import exit_code, told
from unmove.cli.output import size_text
from unmove.errors import OutOfDisk, OutOfMemory, TooManyMen
from unmove.material import Material, all_of
from unmove.planes.layouts import check_men, check_supported
from unmove.pool.machine import slowness, usable_cores
from unmove.solver.estimate import PATIENCE, Cost, Estimate, is_logged, seconds_of
from unmove.solver.plan import Plan, make_plan
from unmove.store.folder import Folder
from unmove.variants import CHESS, XIANGQI, Game

TOO_MANY = "KPPPPPPPPvKPPPPPPPP"
ALL_MEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
TOLERANCE = 0.3


def ask(*arguments: object) -> tuple[int, str]:
    """What a command ends with, and all it says."""
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if isinstance(result.exception, TooManyMen):
        return exit_code(result.exception), told(result.exception)
    return result.exit_code, result.output


@pytest.fixture
def no_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever enumerates endgames, or what they depend on, fails."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("endgames are enumerated before the limit is asked for")

    for place in (
        "unmove.cli.options.all_of",
        "unmove.solver.plan.work_order",
        "unmove.store.folder.work_order",
    ):
        monkeypatch.setattr(place, refuse)


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        (["build", "--men", 9], "up to 6"),
        (["build", "--men", 99], "up to 6"),
        (["build", TOO_MANY], "up to 6"),
        (["build", "xiangqi:KRRCCHvK"], "attackers .* up to 4"),
        (["build", "xiangqi:KRRCCHHPPPPPvKRRCCHHPPPPP"], "attackers .* up to 4"),
        (["build", "--game", "xiangqi", "--men", 9], "up to 6.* up to 4 attackers"),
        (["zugzwangs", "--men", 99], "up to 6"),
        (["zugzwangs", TOO_MANY], "up to 6"),
        (["reproduce", "--men", 99], "up to 9"),
        (["stats", TOO_MANY], "up to 6"),
        (["verify", TOO_MANY], "up to 6"),
        (["verify", TOO_MANY, "--metric", "dtm"], "up to 6"),
        (["check", TOO_MANY], "up to 6"),
        (["find", TOO_MANY, "--where", "draw"], "up to 6"),
        (["export", TOO_MANY, "--output", "rows.csv"], "up to 6"),
    ],
)
def test_too_many_men_are_refused_before_anything_is_enumerated(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    no_enumeration: None,
    arguments: list[object],
    limit: str,
) -> None:
    """Every command says the limit and ends with 3, without a look at smaller endgames."""
    monkeypatch.chdir(tmp_path)
    code, said = ask(*arguments, "--dir", tmp_path)
    assert code == 3
    assert re.search(limit, said)
    assert not list(tmp_path.glob("*.csv"))


def test_a_position_of_all_men_is_refused_before_anything_is_enumerated(
    tmp_path: Path, no_enumeration: None
) -> None:
    """Probing the start of a game says at once that it has too many men."""
    with Tablebase(tmp_path) as tables:
        _, errors = tables.answer_fens([ALL_MEN])
    assert isinstance(errors[0], TooManyMen)
    code, said = ask("line", ALL_MEN, "--dir", tmp_path)
    assert (code, "up to 6" in said) == (3, True)


@pytest.mark.parametrize(("game", "most"), [(CHESS, 6), (XIANGQI, 6)])
def test_all_endgames_up_to_the_limit_of_men_can_be_built(game: Game, most: int) -> None:
    """`--men` takes the largest number of men of which no endgame is refused, and no larger one."""
    for material in all_of(most, game=game):
        check_supported(material)
    check_men(most, game)
    with pytest.raises(TooManyMen, match=f"up to {most}"):
        check_men(most + 1, game)


def test_a_metric_given_twice_is_built_once(tmp_path: Path) -> None:
    """`--metric dtm --metric dtm` plans, counts and builds each table once."""
    code, said = ask("build", "KvK", "--metric", "dtm", "--metric", "dtm", "--dir", tmp_path)
    assert code == 0
    assert "Building 1 tables" in said
    assert len(re.findall(r"^KvK +dtm", said, re.MULTILINE)) == 1


def test_threads_beyond_the_cores_are_neither_used_nor_counted(tmp_path: Path) -> None:
    """`--threads 1000` works with the cores there are, says so, and is estimated like that."""
    plan = make_plan([Material.parse("KQvKR")], [Metric.DTM], Folder(tmp_path))
    cores = usable_cores()
    assert plan.cost(1000) == plan.cost(cores)
    code, said = ask("build", "KvK", "--metric", "dtm", "--threads", 1000, "--dir", tmp_path)
    assert code == 0
    assert f"Threads: {cores} of 1000, as there are no more cores to use." in said
    assert f"with {cores} thread" in said


def test_a_slower_machine_takes_longer_and_logs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Estimated seconds grow with the slowness; what one core takes two minutes for is logged.

    So is a table of a thousand million cells, however fast the machine.
    """
    assert slowness() > 0
    plan = make_plan([Material.parse("KQvKR")], [Metric.DTM], Folder(tmp_path))
    for slow in (1.0, 8.0):
        monkeypatch.setattr("unmove.solver.plan.slowness", lambda slow=slow: slow)
        assert plan.cost(1).seconds == pytest.approx(slow * seconds_of(plan.estimates, 1))
    table = plan.estimates[-1]
    for share, logged in ((0.9, False), (1.1, True)):
        slow = share * PATIENCE / table.seconds
        monkeypatch.setattr("unmove.solver.estimate.slowness", lambda slow=slow: slow)
        assert is_logged(table, 16, inf) == logged
    monkeypatch.setattr("unmove.solver.estimate.slowness", lambda: 0.01)
    sizes = {Material.parse(name): name == "KBBvKNN" for name in ("KBBvKNN", "KRPvKR")}
    assert {m: is_logged(Estimate(m, Metric.DTM), 2, inf) for m in sizes} == sizes


@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize("men", [3, 4])
def test_estimated_bytes_of_chess_files_are_what_they_take(
    small_tables: Folder, tmp_path: Path, men: int, metric: Metric
) -> None:
    """All tables of up to 3 and 4 men take what was estimated, within 30 %."""
    wanted = [material for number in range(2, men + 1) for material in all_of(number)]
    plan = make_plan(wanted, [metric], Folder(tmp_path))
    _close(plan.cost(1).disk, _bytes(plan, small_tables))


def test_estimated_bytes_of_xiangqi_files_are_what_they_take(tmp_path: Path) -> None:
    """So do tables of xiangqi, with attackers on one side and on both."""
    names = ["xiangqi:KCPvKA", "xiangqi:KRvKP", "xiangqi:KHvKA"]
    built = build_into(tmp_path / "tables", *names)
    plan = make_plan(map(Material.parse, names), list(Metric), Folder(tmp_path))
    _close(plan.cost(1).disk, _bytes(plan, built))


def test_estimated_memory_is_the_peak_of_a_build(tmp_path: Path) -> None:
    """A process that builds KQvKR takes as much memory as was estimated, within 30 %.

    It says itself what it took.
    """
    build_into(tmp_path / "warm", "KQvKR", metrics=[Metric.DTM])  # compiling takes memory, too
    script = (
        "import json, sys, dataclasses; from pathlib import Path; import unmove.cli.app;"
        "from tests.conftest import Quiet; from unmove import Metric;"
        "from unmove.material import Material; from unmove.solver.build import Means, build;"
        "from unmove.solver.plan import Plan, make_plan; from unmove.store.folder import Folder;"
        "folder = Folder(Path(sys.argv[1]));"
        "plan = make_plan([Material.parse('KQvKR')], [Metric.DTM], folder);"
        "print(json.dumps([dataclasses.asdict(cost) for cost in"
        " (plan.cost(1), build(plan, folder, Means(1), Quiet()))]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "tables")]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    estimated, took = (Cost(**each) for each in json.loads(run.stdout))
    _close(estimated.memory, took.memory)
    _close(estimated.disk, took.disk)
    assert took.disk == sum(file.stat().st_size for file in (tmp_path / "tables").iterdir())


def test_a_build_says_what_was_estimated_and_what_it_took(tmp_path: Path) -> None:
    """The line at the end has both; with --json standard output has only JSON."""
    _, said = ask("build", "KQvK", "--metric", "dtm", "--dir", tmp_path)
    (plan,) = re.findall(r"^Building 2 tables with .*: about (.*)\.$", said, re.MULTILINE)
    (took, estimated) = re.findall(r"^It took (.*) \(estimated: (.*)\)\.$", said, re.MULTILINE)[0]
    assert estimated == plan
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert took.endswith(f"{size_text(size)} of disk")
    result = CliRunner().invoke(app, ["build", "KRvK", "--json", "--dir", str(tmp_path)])
    assert [json.loads(line)["material"] for line in result.stdout.splitlines()] == ["KRvK"]


def test_a_build_is_refused_if_what_is_estimated_is_not_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory and disk must suffice for the estimate, and no more than that is asked for."""
    folder = Folder(tmp_path)
    plan = make_plan([Material.parse("KQvKR")], [Metric.DTM], folder)
    cost = plan.cost(1)
    for free, disk in ((1.01 * cost.memory, 10 * cost.disk), (10 * cost.memory, 1.01 * cost.disk)):
        _have(monkeypatch, free, disk)
        plan.check_resources(folder, 1)
    _have(monkeypatch, 0.99 * cost.memory, 10 * cost.disk)
    with pytest.raises(OutOfMemory, match=rf"{cost.memory / 1e6:,.0f} MB .* are free"):
        plan.check_resources(folder, 1)
    _have(monkeypatch, 10 * cost.memory, 0.99 * cost.disk)
    with pytest.raises(OutOfDisk, match=r"MB free and about .* MB are needed"):
        plan.check_resources(folder, 1)


def _have(monkeypatch: pytest.MonkeyPatch, memory: float, disk: float) -> None:
    """The machine has so many bytes of memory and of disk."""
    monkeypatch.setattr("unmove.solver.plan.free_memory", lambda: int(memory))
    usage = SimpleNamespace(free=int(disk))
    monkeypatch.setattr("unmove.solver.plan.shutil.disk_usage", lambda _: usage)


def _bytes(plan: Plan, folder: Folder) -> int:
    """What the files of a plan take in a folder."""
    return sum(folder.file(job.material, job.metric).stat().st_size for job in plan.jobs)


def _close(estimated: float, found: float) -> None:
    assert (1 - TOLERANCE) * found < estimated < (1 + TOLERANCE) * found
