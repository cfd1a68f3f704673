"""Written Syzygy files give the values of our tables to python-chess, which is the witness."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from unmove import Tablebase
from unmove.api.comparison import ComparisonJob, compare
from unmove.cli.app import app
from unmove.cli.failures import exit_code, told
from unmove.errors import DamagedFile, UnmoveError
from unmove.interop.syzygy import exporting, making, subtables
from unmove.interop.syzygy.candidates import candidates
from unmove.interop.syzygy.distances import DistanceMap, stored_value
from unmove.interop.syzygy.entries import Entries, probed_tokens
from unmove.interop.syzygy.making import PairMaker, PairPaths
from unmove.interop.syzygy.tokens import ALLOWED, OUTCOME_KINDS, TokenSource
from unmove.interop.syzygy.walks import SampleShape, TokenField
from unmove.kernels.syzygy.freedom import fill_runs
from unmove.kernels.syzygy.gathering import transpose
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.probe.positions import chart_of
from unmove.research.comparing import SyzygyFiles
from unmove.store.folder import Folder
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import BROKEN, DRAW, FIFTY, Level, loss_code, win_code

NO_PROCESS = (1 << 22) + 1
"""A number that no process has: Linux gives none above 1 << 22."""
NAMES = ("KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KNNvK", "KRvKR", "KQvKR", "KPvKP")


def export(folder: Folder, output: Path, *arguments: str) -> Result:
    """`unmove export --format syzygy` in this process; what it raised is raised."""
    options = ("--format", "syzygy", "--output", str(output), "--dir", str(folder.path))
    result = CliRunner().invoke(app, ["export", *arguments, *options])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="session")
def written(small_tables: Folder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of some endgames, written by one thread."""
    output = tmp_path_factory.mktemp("syzygy")
    result = export(small_tables, output, *NAMES, "--threads", "1")
    assert result.exit_code == 0
    return output


@pytest.fixture(scope="session")
def witness(written: Path) -> Iterator[chess.syzygy.Tablebase]:
    """These files, as python-chess reads them."""
    with chess.syzygy.open_tablebase(str(written)) as tablebase:
        yield tablebase


def boards(name: str, count: int, seed: int = 1) -> Iterator[chess.Board]:
    """Random legal positions, either side the first one; half of those with pawns en passant."""
    rng = random.Random(f"{name} {seed}")
    men = [chess.Piece.from_symbol(letter) for letter in name.split("v")[0]]
    men += [chess.Piece.from_symbol(letter.lower()) for letter in name.split("v")[1]]
    while count:
        board, swapped = chess.Board(None), rng.random() < 0.5
        for square, man in zip(rng.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece(man.piece_type, man.color != swapped))
        board.turn = rng.random() < 0.5
        if rng.random() < 0.5:
            _allow_en_passant(board)
        if board.is_valid():
            count -= 1
            yield board


def _allow_en_passant(board: chess.Board) -> None:
    """If a pawn of the side that has moved may just have come two steps, it can be taken."""
    rank, back = (4, 8) if board.turn else (3, -8)
    for pawn in board.pieces(chess.PAWN, not board.turn):
        behind = [pawn + back, pawn + 2 * back]
        if chess.square_rank(pawn) == rank and not any(map(board.piece_at, behind)):
            board.ep_square = behind[0]
            if not board.is_valid() or not board.has_legal_en_passant():
                board.ep_square = None


def is_sharp(board: chess.Board) -> bool:
    """Whether a pawn may promote at once: then a witness asks for files that are not here."""
    seventh = chess.BB_RANK_7 if board.turn else chess.BB_RANK_2
    return bool(board.pawns & board.occupied_co[board.turn] & seventh)


def agrees(ours: int, theirs: int, board: chess.Board) -> bool:
    """Whether distances are equal, or theirs is one short, as files count in two plies."""
    if board.is_checkmate():
        return (ours, theirs) == (0, -1)
    if ours == 0:
        return theirs == 0
    return ours * theirs > 0 and abs(ours) - abs(theirs) in (0, 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_witness_reads_our_values(
    written: Path, witness: chess.syzygy.Tablebase, tablebase: Tablebase, name: str
) -> None:
    """Outcomes are ours, en passant too; so are distances, but for their unit of two plies."""
    passant = 0
    for board in boards(name, 800):
        passant += board.ep_square is not None
        assert witness.probe_wdl(board) == tablebase.probe_wdl50(board), board.fen()
        if is_sharp(board):
            continue
        assert agrees(tablebase.probe_dtz(board) or 0, witness.probe_dtz(board), board), board.fen()
    assert (passant > 2) == (name == "KPvKP")


@pytest.mark.parametrize("step", [64, pytest.param(16, marks=pytest.mark.slow)])
def test_positions_from_all_over_a_small_endgame_are_as_in_our_table(
    witness: chess.syzygy.Tablebase, tablebase: Tablebase, step: int
) -> None:
    """One in `step` of all positions of KRvK has our outcome, and our distance up to its unit."""
    for batch in tablebase.batches("KRvK", "dtz"):
        for squares, turn, ours in zip(
            batch.squares[::step].tolist(),
            batch.turns[::step].tolist(),
            batch.values.plies[::step].tolist(),
            strict=True,
        ):
            board = chess.Board(None)
            for square, letter in zip(squares, "KRk", strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            board.turn = turn == 0
            assert agrees(ours, witness.probe_dtz(board), board), board.fen()


@pytest.mark.parametrize("name", ["KQvK", "KNvK", "KPvK"])
def test_two_threads_write_the_same_bytes(
    small_tables: Folder, written: Path, tmp_path: Path, name: str
) -> None:
    """The number of threads changes nothing in a file."""
    paths = PairPaths(tmp_path, Material.parse(name))
    with SubtableCache(small_tables, 2) as cache, WorkerPool(2) as pool:
        PairMaker(cache, paths.material, pool).make(paths, lambda share: None)
    for path in paths.paths:
        assert path.read_bytes() == (written / path.name).read_bytes()


@pytest.mark.parametrize("name", ["KRvK", "KNNvK", "KPvKP"])
def test_a_walk_finds_each_position_that_a_probe_finds(small_tables: Folder, name: str) -> None:
    """The tokens of every order are those that the squares of the men lead to."""
    with SubtableCache(small_tables) as cache:
        material = Material.parse(name)
        source = TokenSource(cache, material)
        chart = chart_of(source.layout, source.fold)
        for file in (0, 3)[: 1 + material.has_pawns]:
            tokens = source.load(file)
            field = TokenField(
                source.layout,
                chart._replace(place=tokens.rows),
                tokens.distances[0],
                len(source.codes),
            )
            for descriptor in list(candidates(material, file))[:: 3 if material.has_pawns else 1]:
                stop = min(descriptor.size, 1 << 15)
                walked = field.ordered(descriptor) if stop == descriptor.size else None
                found = probed_tokens(field, descriptor, descriptor.size - stop, descriptor.size)
                part = field.sample(descriptor, SampleShape(64, 256)) if walked is None else walked
                if walked is not None:
                    assert (walked == found).all()
                else:
                    first = probed_tokens(field, descriptor, 0, len(part) // 64)
                    assert (part[: len(part) // 64] == first).all()


@pytest.mark.parametrize("order", [0, 1])
def test_values_are_gathered_from_planes_or_from_cells(small_tables: Folder, order: int) -> None:
    """Whichever stand side by side, every order has the tokens that squares lead to."""
    with SubtableCache(small_tables) as cache:
        source = TokenSource(cache, Material.parse("KQvKR"))
        tokens = source.load(0)
        chart = chart_of(source.layout, source.fold)._replace(place=tokens.rows)
        field = TokenField(source.layout, chart, tokens.outcomes[0], len(ALLOWED))
        ways = set()
        for descriptor in list(candidates(source.material, 0))[order::9]:
            ways.add(field._goes_by_planes(descriptor, field.walk(descriptor)))
            walked, first = field.ordered(descriptor), descriptor.size // 3
            found = probed_tokens(field, descriptor, first, first + 9_999)
            assert (walked[first : first + 9_999] == found).all()
    assert ways == {True, False}


def test_a_sample_is_no_larger_than_its_table() -> None:
    """All of a small table, half of a larger one, and no more than was asked for."""
    sample = SampleShape(2048, 1 << 11)
    assert sample.of(23_436) == SampleShape(1, 23_436)
    assert sample.of(1_911_252) == SampleShape(466, 1 << 11)
    assert sample.of(114_675_120) == sample
    assert SampleShape(512, 1 << 7).of(1_911_252) == SampleShape(512, 1 << 7)


def test_planes_are_transposed() -> None:
    """Also where the last block is not full."""
    values = np.arange(70 * 130, dtype=np.uint16).reshape(70, 130)
    out = np.zeros((130, 70), np.uint16)
    transpose(values, out)
    assert (out == values.T).all()


def test_what_is_there_is_kept(small_tables: Folder, tmp_path: Path) -> None:
    """A second run writes only what is missing; a file of somebody else's is left alone."""
    first = export(small_tables, tmp_path, "KQvK", "KNvK")
    assert "Writing 4 files" in first.output
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert set(before) == {"KQvK.rtbw", "KQvK.rtbz", "KNvK.rtbw", "KNvK.rtbz"}
    (tmp_path / "KNvK.rtbz").unlink()
    again = export(small_tables, tmp_path, "KQvK", "KNvK")
    assert "Writing 2 files (2 are there already)" in again.output
    assert (tmp_path / "KQvK.rtbw").stat().st_mtime_ns == before["KQvK.rtbw"]
    assert "Nothing to do: all 4 files" in export(small_tables, tmp_path, "KQvK", "KNvK").output
    data = bytearray((tmp_path / "KQvK.rtbz").read_bytes())
    data[100] ^= 1
    (tmp_path / "KQvK.rtbz").write_bytes(data)
    with pytest.raises(UnmoveError) as caught:
        export(small_tables, tmp_path, "KQvK")
    assert exit_code(caught.value) == 2
    assert "KQvK.rtbz" in told(caught.value)
    assert (tmp_path / "KQvK.rtbz").read_bytes() == data


class Stopper:
    """A pair listener that stops the work in the middle of a pair, like Ctrl-C."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.shares: list[float] = []

    def progressed(self, job: exporting.PairJob, share: float) -> None:
        """See `PairListener`."""
        self.shares.append(share)
        if str(job.material) == self._name and share > 0.5:
            raise KeyboardInterrupt

    def finished(self, pair: exporting.WrittenPair) -> None:
        """See `PairListener`."""
        assert self.shares == sorted(self.shares)
        assert len(self.shares) > 8
        self.shares.clear()


def test_a_run_that_was_stopped_goes_on(small_tables: Folder, tmp_path: Path) -> None:
    """Progress is told all the time; a pair that was finished stays, of another one nothing."""
    plan = exporting.plan_pairs(map(Material.parse, ("KPvK", "KQvK")), small_tables, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        exporting.export_pairs(plan, small_tables, 1, Stopper("KQvK"))
    assert {path.name for path in tmp_path.iterdir()} == {"KPvK.rtbw", "KPvK.rtbz"}
    (tmp_path / f".KQvK.rtbw.{NO_PROCESS}.1.new").touch()  # as a killed process leaves it
    again = export(small_tables, tmp_path, "KPvK", "KQvK")
    assert "Writing 2 files (2 are there already)" in again.output
    assert "It took" in again.output
    names = {"KPvK.rtbw", "KPvK.rtbz", "KQvK.rtbw", "KQvK.rtbz"}
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("xiangqi:KPvKA",), 2, "Syzygy files are of chess"),
        (("KvK",), 2, "two kings are a draw"),
        (("KQQ",), 2, "is no endgame"),
        ((), 2, "Name an endgame"),
        (("KQRvKQR",), 3, "unmove build KQRvKQR --metric dtz"),
        (("KQvK", "--men", "2"), 2, "--men 2"),
        (("KQvK", "--metric", "dtz"), 2, "--metric dtz"),
        (("KQvK", "--where", "win"), 2, "--where win"),
        (("KQvK", "--sample", "5"), 2, "--sample 5"),
        (("KQvK", "--seed", "5"), 2, "--seed 5"),
        (("KQvK", "--fen"), 2, "--fen True"),
        (("KQvK", "--format", "csv"), 2, "--format csv syzygy"),
    ],
)
def test_what_makes_no_syzygy_files_is_refused(
    small_tables: Folder, tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """Each mistake ends with its own code and words, and writes nothing."""
    with pytest.raises(UnmoveError) as caught:
        export(small_tables, tmp_path / "new", *arguments)
    assert (exit_code(caught.value), words in told(caught.value)) == (code, True), caught.value
    assert not (tmp_path / "new").exists()


def test_a_place_that_cannot_be_written_is_named(small_tables: Folder, tmp_path: Path) -> None:
    """A file, a folder below one, and standard output take no Syzygy files."""
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("-")):
        with pytest.raises(UnmoveError) as caught:
            export(small_tables, place, "KQvK")
        assert exit_code(caught.value) == 2
        assert f"--output {place}" in told(caught.value)


@pytest.mark.parametrize("resource", ["memory", "disk"])
def test_a_machine_that_is_too_small_is_told_so_before(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resource: str
) -> None:
    """Without the memory or the disk that it takes, nothing is begun."""
    if resource == "memory":
        monkeypatch.setattr(exporting, "free_memory", lambda: 1 << 20)
    else:
        monkeypatch.setattr(exporting, "BYTES_AN_ENTRY", 1e12)
    with pytest.raises(UnmoveError) as caught:
        export(small_tables, tmp_path, "KQvK")
    assert exit_code(caught.value) == 5
    assert not list(tmp_path.iterdir())


def test_a_file_that_differs_from_its_table_is_not_published(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong value on its way into the file is found when the file was reopened."""

    def spoiled(*arguments: Any) -> None:
        fill_runs(*arguments)
        arguments[-1][:] = (arguments[-1] + 1) % OUTCOME_KINDS

    monkeypatch.setattr(subtables, "fill_runs", spoiled)
    with pytest.raises(DamagedFile, match="differs from its table"):
        export(small_tables, tmp_path, "KQvK")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["write_outcomes", "write_distances"])
def test_a_byte_that_is_spoiled_on_the_disk_is_found(
    small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Either file is compared with what was packed, when it was reopened."""
    write = getattr(making, name)

    def spoiled(file: Any, *arguments: Any) -> None:
        write(file, *arguments)
        middle = file.seek(0, 2) // 2
        file.seek(middle)
        byte = file.read(1)[0]
        file.seek(middle)
        file.write(bytes([byte ^ 0x55]))

    writers = [spoiled if each is write else each for each in making.PAIR_WRITERS]
    monkeypatch.setattr(making, "PAIR_WRITERS", writers)
    with pytest.raises(DamagedFile):
        export(small_tables, tmp_path, "KQvKR")
    assert not list(tmp_path.iterdir())


def test_entries_that_are_not_allowed_are_counted() -> None:
    """By the token and the value of each."""
    together = np.array([[5, 2], [0, 3]])
    entries = Entries(together, np.array([4, 1]))
    allowed = np.zeros((2, 5), np.bool_)
    allowed[0, 4] = allowed[1, 1] = True
    assert entries.forbidden(allowed) == 2
    allowed[0, 1] = True
    assert entries.forbidden(allowed) == 0


def test_distances_are_counted_as_the_format_has_it() -> None:
    """Plies or units of two; beyond 100 what is late, or cursed after a zeroing."""
    assert [stored_value(win_code(Level(n)), 0) for n in (1, 2, 3, 100)] == [0, 0, 1, 49]
    assert [stored_value(win_code(Level(n)), 4) for n in (1, 2, 3, 100)] == [0, 1, 2, 99]
    assert [stored_value(loss_code(Level(n)), 8) for n in (0, 1, 2)] == [0, 0, 1]
    assert [stored_value(win_code(Level(FIFTY + n)), 12) for n in (1, 3, 101, 103)] == [0, 1, 0, 1]


def test_lists_of_distances_are_shared_or_left_out() -> None:
    """Each class has the numbers of its values by frequency; equal beginnings need no lists."""
    codes = [
        BROKEN,
        DRAW,
        DRAW,
        *(win_code(Level(n)) for n in (3, 5)),
        *(loss_code(Level(n)) for n in (3, 5)),
    ]
    counts = np.array([9, 9, 9, 1, 5, 5, 1])
    mapped = DistanceMap.of(codes, counts, (False, False))
    assert (mapped.flags, mapped.lists[:2]) == (2, ((2, 1), (1, 2)))
    assert mapped.bytes == bytes([2, 2, 1, 2, 1, 2, 0, 0])
    assert mapped.leaf.tolist() == [-1, -1, -1, 1, 0, 0, 1]
    same = DistanceMap.of(codes, np.array([9, 9, 9, 1, 5, 1, 5]), (False, False))
    assert (same.flags, same.bytes, same.leaves) == (0, b"", (2, 1))


@pytest.mark.parametrize(("name", "short", "mates"), [("KRvKR", 16_910, 1_206), ("KPvK", 0, 0)])
def test_written_files_agree_with_the_table_in_every_position(
    small_tables: Folder,
    written: Path,
    witness: chess.syzygy.Tablebase,
    name: str,
    short: int,
    mates: int,
) -> None:
    """As the published files do: as many distances of them are one ply short."""
    with SyzygyFiles(Folder(written)) as files:
        job = ComparisonJob.of(small_tables, Material.parse(name), files, None)
        found = compare(job, small_tables, files)
    assert (found.short, found.mate, found.wrong, found.cursed) == (short, mates, 0, 0)
    assert found.equal + short + mates == found.positions == job.positions
    for position in found.examples.get("short", ()):
        assert witness.probe_dtz(chess.Board(position.fen)) == position.theirs
        assert abs(position.ours) - abs(position.theirs) == 1
