"""What a build over a cluster is made of, without a cluster."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import build_into
from tests.support.commands import shown
from unmove.cluster.demand import ClusterNode, cluster_cost, demand_of, needs_of, urgency_of
from unmove.cluster.messages import NodeRules, TaskOrder
from unmove.cluster.node_folder import NodeFolder
from unmove.cluster.parcels import TaskLost, chunks_of, digest_of, put_together
from unmove.errors import NoCluster, OutOfMemory, UnwritableFolder
from unmove.material import Material, all_of
from unmove.solver.build import Means
from unmove.solver.plan import Job, Plan, make_plan
from unmove.store.folder import Folder
from unmove.values import Metric

G = 10**9
SMALL, LARGE = ClusterNode("a", "one", 2, 4 * G), ClusterNode("b", "two", 4, 16 * G)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A queen or a rook against a king."""
    return build_into(tmp_path_factory.mktemp("parts"), "KQvK", "KRvK", metrics=[Metric.DTM])


@pytest.fixture
def queen(tables: Folder) -> Path:
    return tables.file(Material.parse("KQvK"), Metric.DTM)


def plan_of(men: int, folder: Path) -> Plan:
    return make_plan(all_of(men), [Metric.DTM], Folder(folder))


def order_of(target: Folder, rules: NodeRules, mark: str = "none") -> TaskOrder:
    """An order of a table that needs those of the fixture."""
    tables = {name: digest_of(target.find(*name)) for name in target.tables()}
    return TaskOrder(
        *(Material.parse("KQvKR"), Metric.DTM, False, "1", target, mark, tables, {}, 1, G, 0.0),
        rules,
    )


def test_the_most_urgent_job_begins_the_longest_chain(tmp_path: Path) -> None:
    """A table is at least as urgent as every one that needs it, and takes time itself."""
    plan = plan_of(4, tmp_path)
    urgency = urgency_of(plan)
    for job in plan.jobs:
        later = [other for other in plan.jobs if (job.material, job.metric) in needs_of(other)]
        longest = max((urgency[each.material, each.metric] for each in later), default=0.0)
        expected = longest + job.estimate.seconds
        assert urgency[job.material, job.metric] == pytest.approx(expected)
    first = max(urgency, key=lambda name: urgency[name])
    assert first[0].name == "KvK"


def test_a_small_table_has_a_core_and_a_large_one_those_of_the_largest_node() -> None:
    """What is large is decided by the time a table takes; memory is set aside for either."""
    job = Job(Material.parse("KQvKR"), Metric.DTM)
    small = demand_of(job, 0, [SMALL, LARGE], Means(64))
    assert (small.cores, small.is_large) == (1, False)
    large = demand_of(job, 0, [SMALL, LARGE], Means(64, patience=0.0))
    assert (large.cores, large.is_large) == (4, True)
    assert demand_of(job, 0, [LARGE], Means(3, patience=0.0)).cores == 3
    assert demand_of(job, G, [LARGE], Means(64)).memory == pytest.approx(small.memory + G, rel=0.1)


def test_a_table_that_fits_no_node_is_refused() -> None:
    """The sentence says how much memory it takes, and how much the largest node has."""
    job = Job(Material.parse("KQRvKR"), Metric.DTM)
    with pytest.raises(OutOfMemory) as refused:
        demand_of(job, 0, [ClusterNode("a", "one", 2, 10**8)], Means(2))
    assert refused.value.available == 10**8


def test_the_estimate_counts_all_cores_and_no_less_than_the_longest_chain(tmp_path: Path) -> None:
    """More nodes make a build shorter, up to a point."""
    plan = plan_of(4, tmp_path)
    one, two, many = (cluster_cost(plan, n * [LARGE], Means(4)).seconds for n in (1, 2, 1000))
    assert two < one
    assert many == cluster_cost(plan, 2000 * [LARGE], Means(4)).seconds
    assert cluster_cost(Plan([], 3), [LARGE], Means(4)).seconds == 0


def test_a_file_arrives_as_it_was_sent(queen: Path, tmp_path: Path) -> None:
    """It has the same bytes under its own name."""
    copy = tmp_path / queen.name
    put_together(copy, chunks_of(queen))
    assert copy.read_bytes() == queen.read_bytes()
    assert digest_of(copy) == queen.read_bytes()[-32:]


@pytest.mark.parametrize("place", [0, 20, 300, -40, -1])
def test_a_file_that_is_damaged_on_its_way_is_not_published(
    queen: Path, tmp_path: Path, place: int
) -> None:
    """One flipped bit anywhere: nothing is there afterwards, and it can be sent again."""
    data = bytearray(queen.read_bytes())
    data[place] ^= 1
    with pytest.raises(TaskLost, match="did not arrive"):
        put_together(tmp_path / queen.name, [bytes(data[:100]), bytes(data[100:])])
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_one_sentence(queen: Path, tmp_path: Path) -> None:
    """The folder is gone."""
    with pytest.raises(UnwritableFolder):
        put_together(tmp_path / "gone" / queen.name, chunks_of(queen))


def test_a_node_knows_what_it_lacks(tables: Folder, tmp_path: Path) -> None:
    """All tables at first; none once they were sent; a file with another digest is thrown away."""
    order = order_of(tables, NodeRules(tmp_path))
    node = NodeFolder(order)
    assert node.lacking(order.tables) == list(order.tables)
    for name in order.tables:
        node.take(name, chunks_of(tables.find(*name)))
    assert not node.lacking(order.tables)
    name = Material.parse("KQvK"), Metric.DTM
    own, other = node.folder.file(*name), tables.file(Material.parse("KRvK"), Metric.DTM)
    own.write_bytes(other.read_bytes())
    assert node.lacking(order.tables) == [name]
    assert not own.exists()


def test_a_node_that_sees_the_folder_reads_it_there(tables: Folder, tmp_path: Path) -> None:
    """It is told by a file that only this build has put there."""
    mark = tables.path / ".mark"
    mark.touch()
    order = order_of(tables, NodeRules(tmp_path), ".mark")
    node = NodeFolder(order)
    mark.unlink()
    assert node.shared
    assert not node.lacking(order.tables)
    assert node.folder.find(Material.parse("KQvK"), Metric.DTM).parent == tables.path
    assert not NodeFolder(order).shared


def test_a_node_keeps_what_was_used_last(tables: Folder, tmp_path: Path) -> None:
    """Beyond the limit the oldest goes first, but for what is needed."""
    order = order_of(tables, NodeRules(tmp_path, cache=0))
    node = NodeFolder(order)
    for age, name in enumerate(order.tables):
        node.take(name, chunks_of(tables.find(*name)))
        os.utime(node.folder.file(*name), (1000 - age, 1000 - age))
    node.trim(order.tables)
    assert not node.lacking(order.tables)
    (oldest, newest), sizes = (list(order.tables)[::-1][:: len(order.tables) - 1], 0)
    sizes = sum(node.folder.file(*name).stat().st_size for name in order.tables)
    limited = NodeFolder(order_of(tables, NodeRules(tmp_path, cache=sizes - 1)))
    os.utime(node.folder.file(*oldest), (1, 1))
    limited.trim([])
    assert limited.lacking(order.tables) == [oldest]
    assert newest != oldest


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--cluster", "nonsense"], 2, "--cluster nonsense cannot be used: it must be local"),
        (["--cluster", "host:0"], 2, "it must be local, auto or HOST:PORT"),
        (["--cluster", "host:70000"], 2, "it must be local, auto or HOST:PORT"),
        (["--cluster", "ray://host:10001"], 2, "it must be local, auto or HOST:PORT"),
        (["--cluster", "127.0.0.1:1"], 5, "The cluster 127.0.0.1:1 cannot be used: nobody"),
        (["--cluster", "local", "--node-cache", "much"], 2, "--node-cache much cannot be used"),
        (["--node-cache", "1G"], 2, "it is of a build over a cluster"),
        (["--node-dir", "x"], 2, "--node-dir x cannot be used"),
        (["--parts", "2"], 2, "--parts 2 cannot be used: it is of a build over a cluster"),
        (["--cluster", "local", "--parts", "0"], 2, "it must be from 1 to 1024"),
        (["--cluster", "local", "--parts", "2", "--men", "3"], 2, "and not for --men"),
        (["--cluster", "auto", "--threads", "-1"], 2, "--threads -1 cannot be used"),
        (["--cluster", "auto", "--scratch", "gone"], 2, "there is no such folder"),
    ],
)
def test_a_mistake_is_one_sentence(
    options: list[str], code: int, sentence: str, tmp_path: Path
) -> None:
    """Nothing is started, and nothing is built."""
    folder = tmp_path / "tables"
    found, printed = shown(["build", "KQvK", *options, "--dir", str(folder)], "")
    assert found == code, printed
    assert sentence in printed and printed.count("\n") == 1
    assert not list(folder.glob("*.unmove"))


def test_a_folder_that_cannot_be_written_is_refused_before_a_cluster_is_asked(
    tmp_path: Path,
) -> None:
    """The folder is below a file."""
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "tables")
    code, printed = shown(["build", "KQvK", "--cluster", "127.0.0.1:1", "--dir", folder], "")
    assert code == 5
    assert "cannot be written" in printed and "nobody answers" not in printed


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One sentence, with the command that installs it."""
    monkeypatch.setitem(sys.modules, "ray", None)
    code, printed = shown(["build", "KQvK", "--cluster", "auto", "--dir", str(tmp_path)], "")
    assert code == 2
    assert "run `pip install 'unmove[cluster]'` first" in printed
    assert not list(tmp_path.glob("*.unmove"))


def test_advice_on_a_cluster_names_the_command_that_starts_one() -> None:
    """The error itself knows of no command line."""
    from unmove.cli.failures import told

    assert "`ray start --head`" in told(NoCluster("auto", "none runs"))
