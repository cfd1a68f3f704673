"""A damaged or hostile file is refused by an error of ours, or read as what it was."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.fuzz import Fuzzer, Parts
from unmove.errors import DamagedFile, FileError, ForeignFile, NewerFormat, OlderFormat
from unmove.kernels.arrays import Ranks
from unmove.kernels.cache import cache_folder
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.codec.blocks import ZstdCoder
from unmove.store.folder import Folder
from unmove.store.format import MAGIC, PREAMBLE
from unmove.store.reader import TableFile
from unmove.successors.file_source import FileSource
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric

KQK, KPK = Material.parse("KQK"), Material.parse("KPK")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(small_tables: Folder, tmp_path: Path) -> Path:
    """A copy of a small table, to be damaged."""
    return Path(shutil.copy(small_tables.file(KQK, Metric.DTM), tmp_path / "KQvK.dtm.unmove"))


def ranks_of(path: Path) -> Ranks:
    """All that a file stores."""
    with TableFile(path) as file:
        return file.ranks(file.sides[0], np.arange(file.meta.planes))


def test_every_flipped_bit_is_found_or_harmless(copy: Path) -> None:
    """A file with any one bit changed is refused, or it still decodes to the same ranks."""
    good, ranks = copy.read_bytes(), ranks_of(copy)
    harmless, first = 0, good.index(Parts.of(good).blocks)
    blocks = range(first, first + len(Parts.of(good).blocks))
    with copy.open("r+b", buffering=0) as file, TableFile(copy) as opened:
        for place in range(8 * len(good)):
            at, bit = divmod(place, 8)
            os.pwrite(file.fileno(), bytes([good[at] ^ 1 << bit]), at)
            try:
                if at in blocks and bit != at % 8:  # refused at once, before the file is read anew
                    opened.block(0)
                assert np.array_equal(ranks_of(copy), ranks)
                harmless += 1
            except FileError:
                pass
            os.pwrite(file.fileno(), good[at : at + 1], at)
    assert harmless <= 8 * (32 + 4 * 7)  # the digest, and what fills up sections


def test_the_check_finds_every_changed_byte(copy: Path) -> None:
    """A file that passes its check has every byte as it was written."""
    good = copy.read_bytes()
    with copy.open("r+b", buffering=0) as file:
        for at in range(0, len(good), 3):
            os.pwrite(file.fileno(), bytes([good[at] ^ 0x40]), at)
            with pytest.raises(FileError), TableFile(copy) as table:
                table.check()
            os.pwrite(file.fileno(), good[at : at + 1], at)


@pytest.mark.parametrize("size", [0, 5, 8, 40, 127, 128, 159, 160, 2000, -32, -8, -1])
def test_a_truncated_file_is_refused(copy: Path, size: int) -> None:
    """A file that ends early is called damaged, whatever is left of it."""
    copy.write_bytes(copy.read_bytes()[:size])
    with pytest.raises(DamagedFile, match=r"KQvK\.dtm\.unmove"):
        TableFile(copy)


def test_a_file_that_is_too_long_is_refused(copy: Path) -> None:
    """A file that goes on after its end is called damaged."""
    copy.write_bytes(copy.read_bytes() + b"\0")
    with pytest.raises(DamagedFile, match="is too long"):
        TableFile(copy)


def test_a_foreign_file_is_refused(copy: Path) -> None:
    """A file without our magic is not a table."""
    copy.write_bytes(b"\x89PNG" + copy.read_bytes()[4:])
    with pytest.raises(ForeignFile, match="not an unmove table"):
        TableFile(copy)


@pytest.mark.parametrize(("version", "error"), [(99, NewerFormat), (0, OlderFormat)])
def test_a_file_of_another_version_is_refused(
    copy: Path, version: int, error: type[FileError]
) -> None:
    """A file of a later or earlier format is not guessed at, and called just that."""
    data = bytearray(copy.read_bytes())
    data[len(MAGIC)] = version
    copy.write_bytes(bytes(data))
    with pytest.raises(error, match=f"format {version};"):
        TableFile(copy)


def test_a_damaged_block_is_named_when_it_is_read(small_tables: Folder, tmp_path: Path) -> None:
    """A file opens with a damaged block, reads the others, and refuses that one."""
    path = tmp_path / "KPvK.dtm.unmove"
    data = bytearray(small_tables.file(KPK, Metric.DTM).read_bytes())
    data[-64] ^= 0xFF
    path.write_bytes(bytes(data))
    with TableFile(path) as file:
        file.ranks(file.sides[0], np.arange(16))
        with pytest.raises(DamagedFile, match="block 1"):
            file.ranks(file.sides[0], np.arange(16, 24))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("planes", 10**12), ("planes", 10**30), ("planes", -1), ("planes", float("inf"))),
        *(("material", "K" * 900_000 + "1"), ("material", "KKQ"), ("material", "KvKQ")),
        *(("longest", []), ("legal", [float("inf"), 1]), ("histogram", None), ("kept", "red")),
        ("histogram", [[[3 + i, 1] for i in range(3601)], []]),
    ],
)
def test_an_impossible_description_is_refused(copy: Path, key: str, value: object) -> None:
    """Facts that no table has are refused when the file is opened, at once."""
    parts = Parts.of(copy.read_bytes())
    facts = json.loads(parts.meta) | {key: value}
    copy.write_bytes(parts._replace(meta=json.dumps(facts).encode()).file())
    with pytest.raises(DamagedFile):
        TableFile(copy)


@pytest.mark.parametrize("text", [b"", b"null", b"[]", b"{}", b"\xff\xfe", b"[" * 200_000, b"{"])
def test_a_description_that_is_none_is_refused(copy: Path, text: bytes) -> None:
    """So is a section that is no description."""
    copy.write_bytes(Parts.of(copy.read_bytes())._replace(meta=text).file())
    with pytest.raises(DamagedFile):
        TableFile(copy)


def test_a_plain_block_with_impossible_ranks_is_refused(small_tables: Folder) -> None:
    """A rank where no legal position is, or none where one is, cannot have been written."""
    with small_tables.open(KQK, Metric.DTM) as file:
        places = np.arange(file.meta.planes)
        coder, ranks, known = (
            ZstdCoder(file.order(file.sides[0])),
            file.ranks(file.sides[0], places),
            file.facts(file.sides[0], places),
        )
        illegal = file.order(file.sides[0]).illegal
    out = np.empty_like(ranks)
    coder.decode(coder.encoded(ranks, known), 10, places, known, out)
    assert np.array_equal(out, ranks)
    for where, rank in ((ranks == illegal, 0), (ranks != illegal, illegal), (ranks == 0, 255)):
        wrong = ranks.copy()
        wrong.ravel()[np.flatnonzero(where)[7]] = rank
        with pytest.raises(ValueError, match=r"fit|rank"):
            coder.decode(coder.encoded(wrong, known), 10, places, known, out)


# ---- Corruptions with the checksums put right ----------------------------------------------------


def fuzz(table: Path, kind: str, count: int, cache: Path) -> tuple[int, int]:
    """How many of so many hostile files were refused, and how many gave other values.

    They are read by another process, with bounds checked in kernels, and a limit of memory.
    """
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_OPT": "1",  # compiled sooner, with the same checks
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "tests.support.fuzz", str(table), kind, str(count)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.returncode}\n{done.stderr}"
    refused, changed = map(int, done.stdout.split())
    return refused, changed


@pytest.fixture(scope="module")
def cache() -> Path:
    """Where kernels with their bounds checked are kept, from run to run while they stay as is."""
    folder = cache_folder() / "bounds-checked"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize(("kind", "count"), [("frame", 1000), ("directory", 1000)])
def test_corrupted_headers_and_directories_are_refused(
    small_tables: Folder, cache: Path, kind: str, count: int
) -> None:
    """Two thousand of them give an error of ours or the same values, and nothing else."""
    refused, changed = fuzz(small_tables.file(KPK, Metric.DTM), kind, count, cache)
    assert refused > 0.8 * count
    assert changed == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["frame", "directory"])
def test_a_hundred_thousand_corruptions_are_refused(
    small_tables: Folder, cache: Path, kind: str
) -> None:
    """So do a hundred thousand."""
    refused, changed = fuzz(small_tables.file(KPK, Metric.DTM), kind, 50_000, cache)
    assert refused > 40_000
    assert changed == 0


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *(("meta", 200), ("model", 500), ("strange", 100), ("blocks", 200)),
        pytest.param("meta", 6_000, marks=pytest.mark.slow),
        pytest.param("model", 15_000, marks=pytest.mark.slow),
        pytest.param("strange", 3_000, marks=pytest.mark.slow),
        pytest.param("blocks", 4_000, marks=pytest.mark.slow),
    ],
)
def test_hostile_sections_lead_nobody_astray(
    small_tables: Folder, cache: Path, kind: str, count: int
) -> None:
    """Descriptions, models and blocks that nobody wrote are refused or give possible ranks."""
    refused, _ = fuzz(small_tables.file(KPK, Metric.DTM), kind, count, cache)
    assert refused > 0.5 * count


@pytest.mark.parametrize("kind", ["meta", "model", "blocks"])
def test_answers_from_hostile_files_are_errors_or_values(
    small_tables: Folder, tmp_path: Path, kind: str
) -> None:
    """What survives the checks is searched and answered without any error but ours."""
    fuzzer = Fuzzer(small_tables.file(KPK, Metric.DTM).read_bytes(), random.Random(11))
    path = tmp_path / "KPvK.dtm.unmove"
    with SubtableCache(small_tables) as subtables:
        for _ in range(150):
            path.write_bytes(getattr(fuzzer, kind)())
            try:
                with TableFile(path) as file:
                    FileSource(file, subtables.of(file.metric), WorkerPool(1)).load()
            except FileError:
                pass


def test_a_damaged_model_is_found_by_an_optimised_interpreter(copy: Path) -> None:
    """`python -O` leaves out assertions, and no check: what cannot be read is to be built anew."""
    parts = Parts.of(copy.read_bytes())
    copy.write_bytes(parts._replace(model=bytes(len(parts.model))).file())
    program = (
        "import sys; from pathlib import Path; from unmove.material import Material\n"
        "from unmove.solver.plan import make_plan; from unmove.store.folder import Folder\n"
        "from unmove.values import Metric\n"
        "plan = make_plan([Material.parse('KQvK')], [Metric.DTM], Folder(Path(sys.argv[1])))\n"
        "print(*(job.material for job in plan.jobs))"
    )
    for flags in ([], ["-O"]):
        told = subprocess.run(
            [sys.executable, *flags, "-c", program, copy.parent],
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.split() == ["KvK", "KQvK"]


def test_the_preamble_is_as_long_as_the_page_says(copy: Path) -> None:
    """The first section begins at 128."""
    assert PREAMBLE == 128
    assert copy.read_bytes()[PREAMBLE : PREAMBLE + 1] == b"{"
