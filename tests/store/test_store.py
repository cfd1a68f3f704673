"""The store: what is written is read, whole or not at all."""

from __future__ import annotations

import errno
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

from tests.reference.decoder import decoder_of, frequency_of, tables_of_model, tree_of_model
from unmove.errors import DamagedFile, OutOfDisk, UnwritableFolder
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
from unmove.store.codec import order as order_module
from unmove.store.codec.blocks import Coder, TreeCoder, ZstdCoder
from unmove.store.codec.learning import learn
from unmove.store.codec.model import Model, weight_of
from unmove.store.codec.modelling import KnownPlanes
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


@settings(max_examples=20, deadline=None)
@given(planes_of_ranks())
def test_planes_known_from_learning_are_coded_as_others_are(
    planes: tuple[Order, Ranks, PlaneFacts],
) -> None:
    """Whether or not some of a block's planes are modelled already, its bytes are the same."""
    order, ranks, facts = planes
    cells, known = int(np.bitwise_count(facts.legal).sum()), KnownPlanes()
    model = learn(
        order,
        len(ranks),
        cells,
        lambda some: (Ranks(ranks[some]), facts.of(some)),
        known=known,
    )
    plain, places = TreeCoder(model).encoded(ranks, facts), np.arange(len(ranks))
    for place in range(0, len(ranks), 3):
        assert known.take(place) is not None
    assert TreeCoder(model, known).encoded(ranks, facts, places) == plain


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


@settings(max_examples=20, deadline=None)
@given(planes_of_ranks())
def test_a_decoder_is_loaded_as_it_is_built_step_by_step(
    planes: tuple[Order, Ranks, PlaneFacts],
) -> None:
    """One pass over a model gives the rows and entries that its tree and its tables give."""
    model = learnt(*planes)
    order, tree, entries, escaped = model.decoder
    slow = decoder_of(tree_of_model(model), tables_of_model(model), model.order.for_kernels)
    assert order == slow.order and escaped == slow.escaped
    assert np.array_equal(tree.rows, slow.tree.rows)
    assert np.array_equal(tree.starts, slow.tree.starts)
    assert np.array_equal(entries, slow.entries)
    for mine, theirs in zip(model.tables, tables_of_model(model), strict=True):
        assert np.array_equal(mine, theirs)


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


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        *((name, metric) for name in ("KvK", "KNvK", "KPvK") for metric in Metric),
        ("KQvKR", Metric.DTC),
        *(pytest.param("KQvKR", each, marks=pytest.mark.slow) for each in (Metric.DTM, Metric.DTZ)),
    ],
)
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


@pytest.fixture(scope="module")
def encoder(subtables: SubtableCache) -> TableEncoder:
    """A table whose sides both capture, and one of them promotes."""
    return solved_again(subtables, Material.parse("KRvKP"))


@pytest.mark.parametrize("kept", [WHITE, BLACK])
@pytest.mark.parametrize("conversions", [False, True])
def test_every_choice_of_what_is_stored_gives_the_same_table(
    small_tables: Folder,
    subtables: SubtableCache,
    encoder: TableEncoder,
    tmp_path: Path,
    kept: Side,
    conversions: bool,
) -> None:
    """Whichever side is stored, and with conversions marked or not, all values are the same."""
    choice = StoredSides((kept,), conversions)
    assert choice in encoder.choices()
    encoder.choose = lambda: [choice]  # type: ignore[method-assign]
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

    def wrong(coder: TreeCoder, ranks: Ranks, facts: PlaneFacts, places: Any) -> bytes:
        others = Ranks(np.where(ranks == 0, ranks.dtype.type(1), ranks))
        return right(coder, others, facts)  # without places, no plane is known

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
