"""The store: what is written is read, whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unmove.errors import DamagedFile, OutOfDisk, TableBusy, UnwritableFolder
from unmove.kernels.arrays import CellNumber, Palette, Ranks
from unmove.kernels.codec.coders import FREQUENCY_SUM
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.ranks import (
    RankOrder,
    context_value,
    fold_distance,
    rank_of_value,
    unfold_distance,
)
from unmove.kernels.codec.scratch import OUTSIDE
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.pool.workers import WorkerPool
from unmove.solver.build import table_encoder_of
from unmove.solver.loop import solve
from unmove.store.checkpoint import Checkpoint
from unmove.store.codec import order as order_module
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.learning import learn
from unmove.store.codec.model import Model, frequency_of, weight_of
from unmove.store.codec.order import Order
from unmove.store.encoder import EncodedBlocks, StoredSides, TableEncoder
from unmove.store.folder import Folder
from unmove.store.format import MOST_CODES, TREE, ZSTD, planes_a_block
from unmove.store.reader import TableFile
from unmove.store.source import PALETTE, STALEMATE, Source, planes_of
from unmove.store.table import Table
from unmove.successors.file_source import FileSource
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BLACK, WHITE, Code, Metric, Side

KQK, KRK, KPK = (Material.parse(name) for name in ("KQK", "KRK", "KPK"))


# ---- Ranks ---------------------------------------------------------------------------------------


def order_of(wins: int, losses: int) -> Order:
    """An order of so many wins and losses."""
    wins_first = tuple(Code(2 * n + 1) for n in range(1, wins + 1))
    losses_last = tuple(Code(2 * n + 2) for n in reversed(range(losses)))
    return Order(wins_first, losses_last, (wins // 2, losses // 3))


@st.composite
def planes_of_ranks(draw: st.DrawFn) -> tuple[Order, Ranks, PlaneFacts]:
    """An order with some planes of ranks: smooth or wild, drawn or not, few legal cells or many."""
    order = order_of(draw(st.integers(0, 400)), draw(st.integers(0, 400)))
    planes = draw(st.integers(1, planes_a_block(CELLS)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    legal = rng.random((planes, 64, 64)) < draw(st.sampled_from([0.0, 0.001, 0.5, 0.9, 1.0]))
    spread = draw(st.sampled_from([0, 1, 3, order.illegal]))
    middle = draw(st.sampled_from([order.draw, order.illegal // 2, 0]))
    found = middle + rng.integers(-spread, spread, (planes, 64, 64), endpoint=True)
    ranks = np.where(legal, np.clip(found, 0, order.illegal - 1), order.illegal)
    rows = np.packbits(legal, axis=2, bitorder="little").view("<u8").reshape(planes, 64)
    checked = rows & rng.integers(0, 1 << 63, rows.shape, np.uint64)
    men = rng.integers(0, 64, (planes, draw(st.integers(0, 5)), 3)) // (1, 16, 16)
    known = PlaneFacts(rows.astype(np.uint64), checked.astype(np.uint64), men.astype(np.uint8))
    return order, Ranks(ranks.reshape(planes, CELLS).astype(order.kind)), known


def learnt(order: Order, ranks: Ranks, known: PlaneFacts) -> Model:
    """A model learnt from these planes."""
    cells = int(np.bitwise_count(known.legal).sum())
    return learn(order, len(ranks), cells, lambda some: (Ranks(ranks[some]), known.of(some)))


def decoded(
    coder: Coder,
    block: bytes,
    like: Ranks,
    wanted: NDArray[np.int64],
    known: PlaneFacts,
) -> Ranks:
    """Some planes of a block with as many of them, and of the same type, as others have."""
    out = Ranks(np.empty_like(like[wanted]))
    coder.decode(block, len(like), wanted, known.of(wanted), out)
    return out


@settings(max_examples=40, deadline=None)
@given(planes_of_ranks(), st.data())
def test_planes_are_decoded_as_they_were_coded(
    planes: tuple[Order, Ranks, PlaneFacts], data: st.DataObject
) -> None:
    """Whatever the planes, both coders give them back, all of a block or some."""
    order, ranks, known = planes
    coders: list[Coder] = [TreeCoder(learnt(order, ranks, known)), ZstdCoder(order)]
    some = np.array(sorted(data.draw(st.sets(st.integers(0, len(ranks) - 1)))), np.int64)
    for coder in coders:
        block = coder.encoded(ranks, known)
        everything = np.arange(len(ranks))
        assert np.array_equal(decoded(coder, block, ranks, everything, known), ranks)
        assert np.array_equal(decoded(coder, block, ranks, some, known), ranks[some])


@settings(max_examples=20, deadline=None)
@given(planes_of_ranks(), st.integers(0, 1 << 32))
def test_planes_that_a_model_has_not_seen_are_coded_too(
    planes: tuple[Order, Ranks, PlaneFacts], seed: int
) -> None:
    """A model learnt from some planes codes any others of the same order: there are escapes."""
    order, ranks, known = planes
    coder = TreeCoder(learnt(order, ranks, known))
    rng = np.random.default_rng(seed)
    others = Ranks(rng.integers(0, order.illegal, ranks.shape).astype(order.kind))
    others[ranks == order.illegal] = order.illegal
    block = coder.encoded(others, known)
    assert np.array_equal(decoded(coder, block, ranks, np.arange(len(ranks)), known), others)


def test_planes_of_draws_take_no_words() -> None:
    """A block of draws is nothing but the sizes of its planes."""
    order = order_of(0, 0)
    ranks = Ranks(np.full((3, CELLS), order.draw, order.kind))
    legal = np.full((3, 64), (1 << 64) - 1, np.uint64)
    known = PlaneFacts(legal, legal, np.zeros((3, 1, 3), np.uint8))
    coder = TreeCoder(learnt(order, ranks, known))
    assert coder.encoded(ranks, known) == bytes(6)


@settings(max_examples=20, deadline=None)
@given(planes_of_ranks())
def test_a_model_is_read_as_it_was_written(
    planes: tuple[Order, Ranks, PlaneFacts],
) -> None:
    """The section has the questions, the frequencies and where predictions start."""
    model = learnt(*planes)
    again = Model.from_bytes(model.to_bytes(), planes[0])
    assert again.order == model.order
    for mine, theirs in zip(again.tables, model.tables, strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(again.questions, model.questions)
    assert again.to_bytes() == model.to_bytes()


def test_a_weight_is_the_frequency_below() -> None:
    """A frequency is never rounded up, by less than a fifth down, and not at all if it is small."""
    frequencies = np.arange(1, FREQUENCY_SUM + 1)
    found = frequency_of(weight_of(frequencies))
    assert (found <= frequencies).all()
    assert (5 * found > 4 * frequencies).all()
    assert (found[:8] == frequencies[:8]).all()
    assert np.array_equal(frequency_of(weight_of(found)), found)


def test_numbers_and_ranks_are_those_of_the_drawing() -> None:
    """The example drawn in `store/codec/order.py` is what an order makes of its palette."""
    assert order_module.__doc__ is not None
    drawn = {
        line.split()[0]: line.split()[1:]
        for line in order_module.__doc__.splitlines()
        if line.startswith("    ") and line.split()[-1].isdigit()
    }
    codes = [Code(int(code)) for code in drawn["Code"] if code != "-"]
    wins, losses = codes[1:3], codes[-2:]
    palette = Palette(np.array([*PALETTE, *sorted((*wins, *losses))]))
    order = Order(tuple(wins), tuple(losses), (0, 0))
    numbers = [CellNumber(int(number)) for number in drawn["CellNumber"]]
    ranks = [int(rank) for rank in drawn["Rank"]]
    conversion = CellNumber(len(palette))
    assert order.to_numbers(palette, conversion)[ranks].tolist() == numbers
    kept = [i for i, number in enumerate(numbers) if number != conversion]
    found = order.from_numbers(palette)[[numbers[i] for i in kept]].tolist()
    assert found == [ranks[i] for i in kept]
    assert palette[[numbers[i] for i in kept]].tolist() == codes


def test_folding_is_a_bijection() -> None:
    """For every size and prediction all ranks fold onto other numbers, and unfold again."""
    for size in range(1, 71):
        for predicted in range(size):
            folded = [fold_distance(rank, predicted, size) for rank in range(size)]
            assert sorted(folded) == list(range(size))
            assert [unfold_distance(each, predicted, size) for each in folded] == list(range(size))


@pytest.mark.parametrize("wins", [0, 1, 60, MOST_CODES])
def test_values_are_the_ranks_in_order(wins: int) -> None:
    """As many as a file may have are found again from their values, which the work space holds."""
    order = RankOrder(wins=wins, losses=MOST_CODES - wins, usual_win=0, usual_loss=0)
    values = [context_value(rank, order) for rank in range(MOST_CODES + 3)]
    assert [rank_of_value(value) for value in values] == list(range(MOST_CODES + 3))
    assert sorted(set(values)) == values
    assert OUTSIDE < 0 < values[0]
    assert values[-1] < -OUTSIDE <= np.iinfo(np.int16).max


# ---- Files ---------------------------------------------------------------------------------------


@pytest.fixture
def copy(small_tables: Folder, tmp_path: Path) -> Path:
    """A copy of a small table, to be damaged."""
    return Path(shutil.copy(small_tables.file(KQK, Metric.DTM), tmp_path / "KQvK.dtm.unmove"))


def solved_again(
    subtables: SubtableCache, material: Material, metric: Metric = Metric.DTM
) -> TableEncoder:
    """A table of the folder, ready to be written again."""
    pool = WorkerPool(1)
    return table_encoder_of(solve(material, metric, subtables.of(metric), pool), pool)


def assert_same_table(found: Table, expected: Source) -> None:
    """Both have the same code in every cell, and stalemates apart from other draws."""
    for side, a in enumerate(found.cells):
        b = planes_of(expected, Side(side), np.arange(expected.layout.count))
        assert np.array_equal(found.palette[a], expected.palette[b])
        assert np.array_equal(a == STALEMATE, b == STALEMATE)


@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("name", ["KvK", "KNvK", "KPvK", "KQvKR"])
def test_what_is_written_is_read(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path, name: str, metric: Metric
) -> None:
    """By either coder a table has the same cells again; by the tree even the same bytes."""
    material = Material.parse(name)
    encoder = solved_again(subtables, material, metric)
    digests = []
    for coder in (TREE, ZSTD):
        path = tmp_path / f"{coder}.unmove"
        encoder.write(path, coder)
        with TableFile(path) as file:
            file.check()
            digests.append(file.meta.values)
            assert_same_table(
                FileSource(file, subtables.of(metric), WorkerPool(1)).load(), encoder.source
            )
    assert digests[0] == digests[1]
    assert (tmp_path / "tree.unmove").read_bytes() == small_tables.file(
        material, metric
    ).read_bytes()


@pytest.mark.parametrize("kept", [WHITE, BLACK])
@pytest.mark.parametrize("conversions", [False, True])
def test_every_choice_of_what_is_stored_gives_the_same_table(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path, kept: Side, conversions: bool
) -> None:
    """Whichever side is stored, and with conversions marked or not, all values are the same."""
    encoder = solved_again(subtables, Material.parse("KRvKP"))
    choice = StoredSides((kept,), conversions)
    assert choice in encoder.choices()
    encoder.choose = lambda: choice  # type: ignore[method-assign]
    path = tmp_path / "KRvKP.dtm.unmove"
    encoder.write(path)
    with (
        TableFile(path) as file,
        small_tables.open(encoder.source.layout.material, Metric.DTM) as usual,
    ):
        assert file.sides == (kept,)
        assert file.meta.values == usual.meta.values
        assert_same_table(
            FileSource(file, subtables.of(Metric.DTM), WorkerPool(1)).load(), encoder.source
        )


def test_the_bytes_of_a_file_do_not_depend_on_the_version(
    small_tables: Folder, tmp_path: Path
) -> None:
    """A program that calls itself by another version writes the same file."""
    program = (
        "import unmove.version; unmove.version.__version__ = '99.0'\n"
        "from unmove.cli.app import main; main()"
    )
    arguments = ["build", "KQvK", "--metric", "dtm", "--dir", str(tmp_path)]
    subprocess.run([sys.executable, "-c", program, *arguments], check=True)
    written, kept = (folder.file(KQK, Metric.DTM) for folder in (Folder(tmp_path), small_tables))
    assert written.read_bytes() == kept.read_bytes()


def test_several_writers_of_a_table_do_not_meet(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path
) -> None:
    """Threads that write the same table at once all leave it whole, and nothing else."""
    encoder = solved_again(subtables, KQK)
    path = tmp_path / "KQvK.dtm.unmove"
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda _: encoder.write(path), range(8)):
            pass
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == small_tables.file(KQK, Metric.DTM).read_bytes()


def test_a_full_disk_is_told(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk is full the error says so, and no table is there that is not whole."""
    encoder = solved_again(subtables, KQK)
    path = tmp_path / "KQvK.dtm.unmove"

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutOfDisk, match="Finished tables are intact"):
            encoder.write(path)
    assert list(tmp_path.iterdir()) == []
    encoder.write(path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt(), ValueError()])
def test_what_fails_while_writing_leaves_nothing(
    subtables: SubtableCache, copy: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever ends the writing, the table that was there stays, and nothing beside it."""
    encoder, before = solved_again(subtables, KQK), copy.read_bytes()

    def fail(*_: Any) -> Iterator[bytes]:
        yield b"something"
        raise error

    monkeypatch.setattr(EncodedBlocks, "__iter__", fail)
    with pytest.raises(type(error)):
        encoder.write(copy)
    assert list(copy.parent.iterdir()) == [copy]
    assert copy.read_bytes() == before


def test_a_file_that_is_read_back_wrong_is_not_published(
    small_tables: Folder, subtables: SubtableCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that does not give back its planes is found before the file gets its name."""
    encoder = solved_again(subtables, KQK)
    right = TreeCoder.encoded

    def wrong(coder: TreeCoder, ranks: Ranks, facts: PlaneFacts) -> bytes:
        return right(coder, Ranks(np.where(ranks == 0, ranks.dtype.type(1), ranks)), facts)

    monkeypatch.setattr(TreeCoder, "encoded", wrong)
    with pytest.raises(DamagedFile, match="not written as it should be"):
        encoder.write(tmp_path / "KQvK.dtm.unmove")
    assert list(tmp_path.iterdir()) == []


def test_a_table_under_another_name_is_refused(small_tables: Folder, tmp_path: Path) -> None:
    """A file that was renamed answers no questions about another endgame or metric."""
    for name in ("KRvK.dtm.unmove", "KQvK.dtc.unmove"):
        shutil.copy(small_tables.file(KQK, Metric.DTM), tmp_path / name)
    for material, metric in ((KRK, Metric.DTM), (KQK, Metric.DTC)):
        with pytest.raises(DamagedFile, match=r"holds KQvK\.dtm"):
            Folder(tmp_path).open(material, metric)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A folder below a file cannot be made; the error names it."""
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(UnwritableFolder, match="choose another folder"):
        Folder(tmp_path / "file" / "tables").prepare()


# ---- Checkpoints ---------------------------------------------------------------------------------


def saved(
    path: Path, count: int, kind: type[np.uint8] | type[np.uint16] = np.uint8
) -> list[list[NDArray[Any]]]:
    """Some parts of different sizes, saved in a checkpoint that is then left as by a crash."""
    rng = np.random.default_rng(3)
    found: list[list[NDArray[Any]]] = []
    with Checkpoint(path, KPK, Metric.DTM) as checkpoint:
        checkpoint.discard()
    with Checkpoint(path, KPK, Metric.DTM) as checkpoint:
        assert list(checkpoint.recovered()) == []
        for part in range(count):
            shape = 2, 10 + 60 * part, CELLS
            white, black = (rng.integers(0, 300, shape) // (250 if part else 1)).astype(kind)
            won = rng.integers(0, 1 << 60, (10 + 60 * part, 64), np.uint64)
            found.append([white, black, won])
            checkpoint.save(found[-1], part + 1, {"upto": part})
    return found


def recovered(path: Path) -> list[tuple[list[NDArray[Any]], int, dict[str, Any]]]:
    """What a later run finds."""
    with Checkpoint(path, KPK, Metric.DTM) as checkpoint:
        return list(checkpoint.recovered())


def assert_recovered(path: Path, expected: list[list[NDArray[Any]]]) -> None:
    """Just the expected parts are found, with their notes."""
    found = recovered(path)
    assert [(parts, note) for _, parts, note in found] == [
        (part + 1, {"upto": part}) for part in range(len(expected))
    ]
    for (cells, _, _), sides in zip(found, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(cells, sides, strict=True))


def places(path: Path) -> tuple[Path, Path]:
    """The files of a checkpoint: cells and journal."""
    return path.with_name(f".{path.name}.part"), path.with_name(f".{path.name}.journal")


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_what_was_saved_is_recovered(
    tmp_path: Path, kind: type[np.uint8] | type[np.uint16]
) -> None:
    """All parts come back with their notes, and again, and more can be saved behind them."""
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 3, kind)
    assert_recovered(path, parts)
    with Checkpoint(path, KPK, Metric.DTM) as checkpoint:
        assert len(list(checkpoint.recovered())) == 3
        checkpoint.save(parts[0], 4, {"upto": 3})
    assert_recovered(path, [*parts, parts[0]])


def test_a_torn_journal_loses_the_last_part_only(tmp_path: Path) -> None:
    """Wherever the last line ends too early, the parts before it are recovered."""
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 3)
    cells, journal = places(path)
    lines, data = journal.read_bytes(), cells.read_bytes()
    last = lines.rstrip().rindex(b"\n") + 1
    for end in range(last, len(lines) - 1):
        journal.write_bytes(lines[:end])
        cells.write_bytes(data)
        assert_recovered(path, parts[:2])
        assert journal.read_bytes() == lines[:last]


def test_a_torn_file_loses_the_last_part_only(tmp_path: Path) -> None:
    """Wherever the cells end too early, the whole parts before are recovered."""
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 3)
    cells, journal = places(path)
    lines, data = journal.read_bytes(), cells.read_bytes()
    for missing in (1, 10, 1000):
        journal.write_bytes(lines)
        cells.write_bytes(data[:-missing])
        assert_recovered(path, parts[:2])


def test_every_flipped_bit_of_a_journal_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal with one bit changed gives back the parts before it, and nothing wrong."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # it is the bits that count here
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 2)
    cells, journal = places(path)
    lines, data = journal.read_bytes(), cells.read_bytes()
    for place in range(8 * len(lines)):
        bad = bytearray(lines)
        bad[place // 8] ^= 1 << place % 8
        for file, content in ((journal, bytes(bad)), (cells, data)):
            file.unlink(missing_ok=True)  # a file cut and written anew is flushed to the disk
            file.write_bytes(content)
        found = recovered(path)
        assert len(found) >= lines[: place // 8].count(b"\n") - 1
        for part, (sides, number, note) in enumerate(found):
            assert (number, note) == (part + 1, {"upto": part})
            assert np.array_equal(sides[0], parts[part][0])


def test_flipped_bits_of_the_cells_are_found(tmp_path: Path) -> None:
    """A part with one bit changed is not recovered, nor is what comes behind it."""
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 1)
    cells, journal = places(path)
    first = cells.stat().st_size
    parts = saved(path, 2)
    lines, data = journal.read_bytes(), cells.read_bytes()
    rng = np.random.default_rng(5)
    first_frame = range(8 * 20)
    for place in [*first_frame, *rng.integers(0, 8 * len(data), 200).tolist()]:
        bad = bytearray(data)
        bad[place // 8] ^= 1 << place % 8
        journal.write_bytes(lines)
        cells.write_bytes(bytes(bad))
        assert_recovered(path, parts[: int(place // 8 >= first)])


def test_the_journal_of_another_table_is_not_believed(tmp_path: Path) -> None:
    """A checkpoint of another metric gives nothing."""
    path = tmp_path / "KPvK.dtm.unmove"
    saved(path, 2)
    with Checkpoint(path, KPK, Metric.DTC) as checkpoint:
        assert list(checkpoint.recovered()) == []


def test_one_run_at_a_time_works_on_a_table(tmp_path: Path) -> None:
    """A second run is refused while the first is at work; afterwards nothing is left."""
    path = tmp_path / "KPvK.dtm.unmove"
    with Checkpoint(path, KPK, Metric.DTM), pytest.raises(TableBusy, match="Another run"):
        Checkpoint(path, KPK, Metric.DTM)
    with Checkpoint(path, KPK, Metric.DTM):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    """While it lives the table is busy; killed, it leaves the table to the next run."""
    path = tmp_path / "KPvK.dtm.unmove"
    program = (
        "import sys, time; from pathlib import Path; from unmove.material import Material\n"
        "from unmove.store.checkpoint import Checkpoint; from unmove.values import Metric\n"
        "with Checkpoint(Path(sys.argv[1]), Material.parse('KPvK'), Metric.DTM):\n"
        "    print('locked', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == "locked\n"
            with pytest.raises(TableBusy):
                Checkpoint(path, KPK, Metric.DTM)
        finally:
            other.kill()
    with Checkpoint(path, KPK, Metric.DTM) as checkpoint:
        assert list(checkpoint.recovered()) == []


def test_a_lock_on_a_file_that_is_gone_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that begins just when another ends holds the lock that later runs ask for."""
    path = tmp_path / "KPvK.dtm.unmove"
    lock = fcntl.flock
    ended: list[bool] = []

    def flock(file: Any, operation: int) -> None:
        if not ended:
            ended.append(True)
            places(path)[0].unlink()
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with Checkpoint(path, KPK, Metric.DTM), pytest.raises(TableBusy):
        Checkpoint(path, KPK, Metric.DTM)


def test_a_checkpoint_on_a_full_disk_keeps_what_was_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that could not be saved is told and forgotten; those before are recovered."""
    path = tmp_path / "KPvK.dtm.unmove"
    parts = saved(path, 2)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Checkpoint(path, KPK, Metric.DTM) as checkpoint, monkeypatch.context() as patched:
        assert len(list(checkpoint.recovered())) == 2
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutOfDisk):
            checkpoint.save(parts[0], 3, {"upto": 2})
    assert_recovered(path, parts)


def test_a_journal_without_its_file_is_cleared(tmp_path: Path) -> None:
    """What a run leaves that was killed just after publishing goes; a table half built stays."""
    names = [".KQvK.dtm.unmove.journal", ".KRvK.dtm.unmove.journal", ".KRvK.dtm.unmove.part"]
    for name in names:
        (tmp_path / name).touch()
    Folder(tmp_path).prepare()
    assert sorted(path.name for path in tmp_path.iterdir()) == names[1:]
