"""Tables that are cut into parts: the same bytes as in one piece, for any number of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from tests.conftest import Quiet, build_into
from tests.support.parts import built_in_parts, solve_in_parts
from unmove.errors import OutOfDisk
from unmove.material import Material, all_of
from unmove.planes.layouts import layout_of
from unmove.pool.workers import WorkerPool
from unmove.solver import disk_log
from unmove.solver.build import Means, build
from unmove.solver.cutting import cut_of, lead_side, slices_of
from unmove.solver.exchange import DamagedStretch, Meeting, PartsEnded, Stretch
from unmove.solver.keeper import Keeper, ThreadExchange
from unmove.solver.loop import PAD, Progress
from unmove.solver.plan import make_plan
from unmove.solver.ply_log import PlyName, Settled
from unmove.store.folder import Folder
from unmove.store.log_file import LogFile
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BLACK, WHITE, Code, Level, Metric

XIANGQI = ("KRvKC", "KPPvKA", "KHvKP")


@pytest.fixture(scope="module")
def xiangqi(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Endgames of xiangqi, one with attackers of both sides."""
    names = [f"xiangqi:{name}" for name in XIANGQI]
    return build_into(tmp_path_factory.mktemp("xiangqi"), *names)


@pytest.mark.parametrize(
    ("name", "metric", "parts"),
    [
        *(("KQvKR", Metric.DTM, parts) for parts in (1, 2, 3, 5)),
        *((name, Metric.DTM, 3) for name in ("KNNvK", "KRvKP", "KPPvK", "KvK")),
        *((name, Metric.DTZ, 5) for name in ("KQvKR", "KRvKN", "KPvK")),
    ],
)
def test_parts_give_the_bytes_of_one_piece(
    name: str, metric: Metric, parts: int, small_tables: Folder, tmp_path: Path
) -> None:
    """Endgames that both sides win, with like men, with pawns of either side."""
    material, path = Material.parse(name), tmp_path / "table.unmove"
    found = built_in_parts(path, material, metric, small_tables, parts)
    assert found == {"KvK": 1, "KPvK": 4}.get(name, parts)
    assert path.read_bytes() == small_tables.file(material, metric).read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
@pytest.mark.parametrize("metric", list(Metric))
def test_all_small_endgames_have_the_same_bytes_in_any_number_of_parts(
    metric: Metric, small_tables: Folder, tmp_path: Path
) -> None:
    """All of 3 and 4 men, in 1, 2, 3 and 5 parts."""
    for material in [*all_of(3), *all_of(4)]:
        for parts in (1, 2, 3, 5):
            path = tmp_path / f"{material}.{parts}.unmove"
            built_in_parts(path, material, metric, small_tables, parts)
            expected = small_tables.file(material, metric).read_bytes()
            assert path.read_bytes() == expected, (material, parts)


@pytest.mark.parametrize("name", XIANGQI)
@pytest.mark.parametrize("metric", [Metric.DTM, Metric.DTC])
def test_parts_of_xiangqi_give_the_bytes_of_one_piece(
    name: str, metric: Metric, xiangqi: Folder, tmp_path: Path
) -> None:
    """The lead may be of either side; what arrives on one part only is waited for on all."""
    material = Material.parse(f"xiangqi:{name}")
    for parts in (2, 5):
        path = tmp_path / f"{parts}.unmove"
        assert built_in_parts(path, material, metric, xiangqi, parts, threads=2) == parts
        assert path.read_bytes() == xiangqi.file(material, metric).read_bytes()


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 10, 64])
@pytest.mark.parametrize("name", ["KQvKR", "KNNvK", "KBNvKN", "xiangqi:KRvKC"])
def test_a_cut_has_all_planes_once_and_no_move_of_the_other_side_crosses_it(
    name: str, parts: int
) -> None:
    """Planes with the men of the lead's side in the same place are of the same part."""
    layout = layout_of(Material.parse(name), PAD)
    cut = cut_of(layout, parts)
    assert 1 <= len(cut.planes) <= parts
    assert (cut.planes[0][0], cut.planes[-1][1]) == (0, layout.count)
    assert all(one[1] == other[0] for one, other in pairwise(cut.planes))
    owner: dict[bytes, int] = {}
    own_men = [i for i, man in enumerate(layout.men) if man.side == lead_side(layout)]
    seen: list[int] = []
    for part, planes in enumerate(cut.planes):
        frame = replace(layout, cut=planes).frame
        assert len(frame.planes) == cut.bands[part][-1][1] - cut.bands[part][0][0] > 0
        seen += frame.planes.tolist()
        for men in np.unique(frame.squares[frame.planes][:, own_men], axis=0):
            assert owner.setdefault(men.tobytes(), part) == part
    assert seen == layout.apart.tolist()


def test_slices_that_are_solved_together_have_the_same_steps_to_go() -> None:
    """Each orbit is in one range; no range crosses a part, or has more than it may."""
    layout = layout_of(Material.parse("KPPvK"), PAD)
    rounds = slices_of(layout, 3, 5)
    ranges = [each for pieces in rounds for each in pieces]
    assert [orbit for first, stop in ranges for orbit in range(first, stop)] == list(
        range(layout.parts[-1][1])
    )
    ends = {stop for _, stop in layout.parts}
    for pieces in rounds:
        assert len(pieces) <= 3
        assert all(0 < stop - first <= 5 for first, stop in pieces)
        assert not ends & {stop for _, stop in pieces[:-1]}


class Stops(Exception):
    """What a part fails with."""


@pytest.mark.parametrize(("name", "ply"), [("KQvKR", 25), ("KRvKP", 60)])
def test_a_table_whose_part_fails_goes_on_from_its_log(
    name: str, ply: int, small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All parts end; the next run settles only what was not logged, to the same bytes."""
    material, path = Material.parse(name), tmp_path / "table.unmove"
    levels: list[Progress] = []

    def fail(progress: Progress) -> None:
        levels.append(progress)
        if len(levels) == ply:
            raise Stops

    monkeypatch.setattr(disk_log, "BAND_CELLS", 50 * 4096)
    with pytest.raises(Stops):
        built_in_parts(path, material, Metric.DTM, small_tables, 3, report=fail)
    assert not path.exists()
    with LogFile(path, material, Metric.DTM) as log:
        logged = sum("level" in record for record in log.records)
    assert logged
    written: list[int] = []
    append = disk_log.DiskLog.append

    def count(self: disk_log.DiskLog, *given: object) -> None:
        written.append(self.part)
        append(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(disk_log.DiskLog, "append", count)
    built_in_parts(path, material, Metric.DTM, small_tables, 3)
    assert path.read_bytes() == small_tables.file(material, Metric.DTM).read_bytes()
    again: list[int] = written[:]
    written.clear()
    built_in_parts(tmp_path / "whole.unmove", material, Metric.DTM, small_tables, 3)
    assert len(again) + logged == len(written)


def test_a_log_of_parts_is_gone_on_with_in_one_piece_and_begun_again_by_others(
    small_tables: Folder, tmp_path: Path
) -> None:
    """One process goes on with it; another number of parts begins again. The bytes are the same."""
    material = Material.parse("KQvKR")
    levels: list[Progress] = []

    def fail(progress: Progress) -> None:
        levels.append(progress)
        if len(levels) == 20:
            raise Stops

    for number, goes_on in enumerate((True, False)):
        folder = build_into(tmp_path / str(number), "KQvK", "KRvK", metrics=[Metric.DTM])
        path = folder.file(material, Metric.DTM)
        levels.clear()
        with pytest.raises(Stops):
            built_in_parts(path, material, Metric.DTM, small_tables, 3, report=fail)
        if goes_on:
            plan = make_plan([material], [Metric.DTM], folder)
            build(plan, folder, Means(1), Quiet())
        else:
            built_in_parts(path, material, Metric.DTM, small_tables, 2)
        assert path.read_bytes() == small_tables.file(material, Metric.DTM).read_bytes()


def test_a_stretch_that_is_damaged_on_its_way_is_noticed(
    small_tables: Folder, tmp_path: Path
) -> None:
    """The part that gets it says so, and nothing is published."""

    class Damages(ThreadExchange):
        def fetched(self, stretch: Stretch) -> Stretch:
            pieces = [bytes([piece[0] ^ 1]) + piece[1:] for piece in stretch.pieces]
            return stretch._replace(pieces=tuple(pieces))

    path = tmp_path / "table.unmove"
    with pytest.raises(DamagedStretch, match="did not arrive as it was sent"):
        built_in_parts(path, Material.parse("KQvKR"), Metric.DTM, small_tables, 2, exchange=Damages)
    assert not path.exists()


def test_a_full_disk_ends_all_parts_with_its_sentence(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever brings the last stretch is told why, and the others that they cannot go on."""

    def full(self: disk_log.DiskLog, *given: object) -> None:
        raise OutOfDisk(tmp_path, 10, 1)

    monkeypatch.setattr(disk_log.DiskLog, "append", full)
    material = Material.parse("KQvKR")
    with (
        LogFile(tmp_path / "table.unmove", material, Metric.DTM) as log,
        SubtableCache(small_tables) as subtables,
        WorkerPool(1) as pool,
    ):
        keeper = Keeper(log, material, Metric.DTM, pool, 3, 1)
        with pytest.raises((OutOfDisk, PartsEnded)) as caught:
            solve_in_parts(keeper, subtables)
    error = caught.value.__cause__ or caught.value
    assert isinstance(error, OutOfDisk)


def test_all_parts_get_what_all_have_brought_in_their_order() -> None:
    """Again and again; what is done with it is done once, before anybody has it."""
    done: list[list[Stretch]] = []
    meeting = Meeting(3, done.append)
    got: dict[int, list[list[Stretch]]] = {place: [] for place in range(3)}

    def take_part(place: int) -> None:
        for turn in range(50):
            got[place].append(meeting.gather(place, Stretch(numbers=(place, turn))))
            assert len(done) > turn

    threads = [Thread(target=take_part, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [[Stretch(numbers=(place, turn)) for place in range(3)] for turn in range(50)]
    assert done == got[0] == got[1] == got[2] == expected


def test_a_piece_that_is_not_what_was_sent_is_refused() -> None:
    """A stretch has a checksum for each piece."""
    ply = PlyName(WHITE, Level(1), BLACK, Code(3))
    stretch = Stretch.of(ply, Settled(5, 1), [b"abc", b"de"])
    assert (stretch.numbers, stretch.piece(1)) == ((5, 1), b"de")
    with pytest.raises(DamagedStretch):
        stretch._replace(pieces=(b"abc", b"dd")).piece(1)
