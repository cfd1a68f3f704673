"""Surroundings that are not as a program would have them: permissions, homes, caches, folders."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import numba
import numpy as np
import pytest
from typer.testing import CliRunner

import unmove
from tests.conftest import build_into
from unmove import Material, Metric, Tablebase, open_tables
from unmove.cli.app import app
from unmove.cli.commands import warming
from unmove.errors import MissingTable, NoHome, NothingAsked, UnreadableFile
from unmove.kernels import cache, jit
from unmove.kernels.watch import watch
from unmove.store import folder as folder_module
from unmove.store.folder import Folder, default_folder
from unmove.store.reader import TableFile
from unmove.store.source import narrow_up_to

KQVK = Material.parse("KQvK")
FEN = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
NAME = "KQvK.dtm.unmove"

# Runs many commands in one process, and prints what came of each.
DRIVER = """
import contextlib, io, json, sys
{prelude}
from unmove.cli.app import main
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["unmove", *line]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=sys.__stdout__)
"""
NOBODY = """
import pwd
def unknown(user):
    raise KeyError(user)
pwd.getpwuid = pwd.getpwnam = unknown
"""


def without_privileges() -> None:
    """What is started now is bound by permissions, root or not."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability)  # PR_CAPBSET_DROP; fails for those who have none


def run_all(
    *commands: list[str],
    prelude: str = "",
    environment: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> list[tuple[int, str, str]]:
    """Exit code, standard output and standard error of each command."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER.format(prelude=prelude)],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        preexec_fn=before,
    )
    assert not done.stderr and not done.returncode, done.stderr
    return [(code, out, err) for code, out, err in map(json.loads, done.stdout.splitlines())]


@pytest.fixture
def queens(small_tables: Folder, tmp_path: Path) -> Folder:
    """A folder of its own with the tables of KQvK and KvK."""
    place = tmp_path / "queens"
    place.mkdir()
    for metric in Metric:
        for material in (KQVK, Material.parse("KvK")):
            shutil.copy(small_tables.file(material, metric), place)
    return Folder(place)


def test_a_table_that_may_not_be_read_is_a_sentence_in_every_command(
    queens: Folder, tmp_path: Path
) -> None:
    """Exit code 4, the reason, no advice to delete it, and no traceback, also with --json."""
    fens = tmp_path / "fens.txt"
    fens.write_text(FEN)
    for metric in Metric:
        queens.file(KQVK, metric).chmod(0)
    where, output = ["--dir", str(queens.path)], ["--output", str(tmp_path / "k.csv")]
    commands = [
        ["probe", FEN, *where],
        ["probe", FEN, "--json", *where],
        ["probe", "--input", str(fens), *where],
        ["line", FEN, *where],
        ["line", FEN, "--json", *where],
        ["play", FEN, *where],
        ["stats", "KQvK", *where],
        ["stats", "KQvK", "--json", *where],
        ["verify", "KQvK", *where],
        ["check", *where],
        ["check", "KQvK", "--json", *where],
        ["export", "KQvK", *output, *where],
        ["find", "KQvK", "--where", "wtm", *where],
        ["zugzwangs", "KQvK", *where],
        ["build", "KQvK", *where],
        ["info", str(queens.path / NAME)],
        ["info", "--json", str(queens.path / NAME)],
    ]
    for command, (code, out, err) in zip(
        commands, run_all(*commands, before=without_privileges), strict=True
    ):
        assert code == 4, command
        assert "cannot be read (Permission denied)" in out + err, command
        assert "delete" not in out + err, command


def test_a_folder_that_may_not_be_read_is_a_sentence(queens: Folder) -> None:
    """One that cannot be entered answers nothing; one that cannot be listed answers probes."""
    where = ["--dir", str(queens.path)]
    listing = [["list", *where], ["list", "--json", *where], ["check", *where]]
    probing = [["probe", FEN, *where], ["probe", FEN, "--json", *where]]
    queens.path.chmod(0)
    for code, out, err in run_all(*listing, *probing, before=without_privileges):
        assert (code, "cannot be read (Permission denied)" in out + err) == (4, True)
    queens.path.chmod(0o300)
    answers = run_all(*listing, *probing, before=without_privileges)
    queens.path.chmod(0o700)
    assert [code for code, _, _ in answers] == [4, 4, 4, 0, 0]


@pytest.mark.parametrize("kind", ["folder", "dangling link", "loop"])
def test_what_is_called_a_table_and_is_no_file_cannot_be_read(queens: Folder, kind: str) -> None:
    """A folder, a link to nothing or to itself: UnreadableFile with the reason of the system."""
    path = queens.file(KQVK, Metric.DTM)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere" if kind == "dangling link" else path.name)
    with Tablebase(queens) as tables, pytest.raises(UnreadableFile) as caught:
        tables.probe_dtm(chess.Board(FEN))
    assert caught.value.path == path
    assert "delete" not in str(caught.value)


def test_a_table_that_vanishes_before_it_is_opened_is_missing(
    queens: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove it between the listing and the opening."""

    def late(path: Path) -> TableFile:
        path.unlink()
        return TableFile(path)

    monkeypatch.setattr(folder_module, "TableFile", late)
    with pytest.raises(MissingTable):
        queens.open(KQVK, Metric.DTM)


def test_an_error_of_the_disk_is_told(queens: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says when a file is opened is in the sentence."""

    def broken(path: Path, *_: object) -> Any:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr(Path, "open", broken)
    with pytest.raises(UnreadableFile, match="Input/output error"):
        queens.open(KQVK, Metric.DTM)


def test_without_a_home_all_works_that_needs_none(queens: Folder, tmp_path: Path) -> None:
    """Neither $HOME nor an entry among the users: --dir is enough, else a sentence asks for it."""
    where = ["--dir", str(queens.path)]
    fine = [["--version"], ["--help"], ["list", *where], ["probe", FEN, *where]]
    homeless = [["list"], ["probe", FEN], ["build", "KQvK"], ["list", "--dir", "~"]]
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    for name in ("UNMOVE_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    private_cache(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER.format(prelude=NOBODY)],
        input=json.dumps([*fine, *homeless]),
        capture_output=True,
        text=True,
        env={**environment, "TMPDIR": str(tmp_path)},
    )
    assert not done.stderr
    codes, texts = zip(
        *((code, out + err) for code, out, err in map(json.loads, done.stdout.splitlines())),
        strict=True,
    )
    assert codes == (0, 0, 0, 0, 2, 2, 2, 2)
    assert all("UNMOVE_DIR" in text and "--dir" in text for text in texts[len(fine) :])


def private_cache(place: Path) -> Path:
    """The folder for kernels below a folder for temporary files, with those that are compiled."""
    folder = place / f"unmove-{os.geteuid()}-kernels-{cache.sources_digest()}"
    folder.mkdir(mode=0o700)
    for kernels in jit.folder().iterdir():
        if kernels.is_dir():
            (folder / kernels.name).symlink_to(kernels)
    return folder


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The usual cache cannot be written; temporary files go to the folder that is yielded."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place


def test_an_unwritable_cache_is_replaced_by_one_private_folder(no_cache: Path) -> None:
    """The second process finds what the first one compiled, and nothing else is left behind."""
    first, second = cache.cache_folder(), cache.cache_folder()
    assert first == second
    assert list(no_cache.iterdir()) == [first]
    assert stat.S_IMODE(first.stat().st_mode) == 0o700


def test_kernels_of_a_cache_that_can_only_be_read_are_used(
    no_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are copied into the private folder, as when an image was built by another user."""
    usual = no_cache.parent / "usual"
    monkeypatch.setenv("XDG_CACHE_HOME", str(usual))
    kernels = cache.cache_folder() / "kernels_1" / "decode.nbc"
    kernels.parent.mkdir()
    kernels.write_bytes(b"code")
    written = cache._written

    def refused(folder: Path) -> Path:
        if usual in folder.parents:
            raise PermissionError(folder)
        return written(folder)

    monkeypatch.setattr(cache, "_written", refused)
    private = cache.cache_folder()
    assert private.parent == no_cache
    assert (private / "kernels_1" / "decode.nbc").read_bytes() == b"code"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@pytest.mark.parametrize("trap", ["open to all", "link", "file"])
def test_code_is_never_run_from_a_folder_that_others_can_write(no_cache: Path, trap: str) -> None:
    """A folder that is not ours alone is left alone; what is used instead goes with the process."""
    script = (
        "from unmove.kernels.cache import cache_folder; f = cache_folder(); print(f, f.is_dir())"
    )
    folder = no_cache / f"unmove-{os.geteuid()}-kernels-{cache.sources_digest()}"
    if trap == "open to all":
        folder.mkdir()
        folder.chmod(0o777)
    elif trap == "link":
        (no_cache / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to("elsewhere")
    else:
        folder.touch()
    before = sorted(no_cache.iterdir())
    environment = {**os.environ, "TMPDIR": str(no_cache)}
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    used, there = out.stdout.split()
    assert there == "True" and Path(used) != folder and Path(used).parent == no_cache
    assert sorted(no_cache.iterdir()) == before


def test_a_cache_that_the_user_names_is_used(tmp_path: Path) -> None:
    """$NUMBA_CACHE_DIR is respected."""
    script = "from unmove.kernels.jit import folder; print(folder())"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "mine")}
    out = subprocess.check_output([sys.executable, "-c", script], text=True, env=environment)
    assert out.strip() == str(tmp_path / "mine")


def _double(values: np.ndarray[Any, np.dtype[np.int64]]) -> int:
    return int(2 * values[0])


def test_a_kernel_is_compiled_once_and_a_spoilt_cache_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener hears of each compilation; a torn file, or no room for one, is no error."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    heard: list[str | None] = []
    watch(heard.append)
    values = np.array([21])
    assert jit.kernel(_double)(values) == 42
    assert heard == ["_double", None]
    assert jit.kernel(_double)(values) == 42
    assert heard == ["_double", None]
    (compiled,) = tmp_path.rglob("*.nbc")
    compiled.write_bytes(compiled.read_bytes()[:100])
    assert jit.kernel(_double)(values) == 42
    assert heard == ["_double", None] * 2
    third = jit.kernel(_double)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").touch()
    assert third(values) == 42
    assert heard == ["_double", None] * 3
    watch(None)


def test_a_command_says_once_and_on_stderr_that_it_compiles(queens: Folder, tmp_path: Path) -> None:
    """Whatever else is compiled already; the answer stays as it is, and a second run is silent."""
    copied = tmp_path / "cache" / "unmove" / f"kernels-{cache.sources_digest()}"
    shutil.copytree(jit.folder(), copied)
    with Tablebase(queens) as tables:
        tables.probe_wdl(chess.Board(FEN))  # compiles here what a probe needs
    shutil.copytree(jit.folder(), copied, dirs_exist_ok=True)
    for kernel in copied.rglob("rans.decode_boards-*"):
        kernel.unlink()
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = ["probe", FEN, "--json", "--dir", str(queens.path)]
    (first,) = run_all(command, environment=environment)
    (second,) = run_all(command, environment=environment)
    assert (first[0], second[0]) == (0, 0)
    assert first[1] == second[1] and json.loads(first[1])["outcome"] == "win"
    assert first[2].startswith("Compiling the kernels, once: about ")
    assert first[2].count("\n") == 1
    assert second[2] == ""


def test_the_notice_tells_how_long_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    """Once a command, by what the command needs, and never on standard output."""
    for command, seconds in (("probe", "20 s"), ("build", "1 min 0 s")):
        notice = warming.Notice(command)
        for kernel in ("decode", None, "convert", None):
            notice(kernel)
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("Compiling") == 1 and f"about {seconds}" in err


def test_a_second_warm_has_nothing_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled before, by this version and for this machine, is known."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    asked: list[Path] = []
    monkeypatch.setattr(warming, "_run_all", lambda _, place: asked.append(place))
    first, second = (CliRunner().invoke(app, ["warm"]) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert len(asked) == 1
    assert "Compiled in" in first.stdout
    assert second.stdout.startswith("Nothing to do")


@pytest.mark.slow
def test_after_warm_nothing_is_compiled(tmp_path: Path) -> None:
    """In a new cache: builds, proofs, probes and searches of both games find all they need."""
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "UNMOVE_DIR": str(tmp_path / "t")}
    (warmed,) = run_all(["warm"], environment=environment)
    assert warmed[0] == 0
    compiled = sorted((tmp_path / "cache").rglob("*.nbc"))
    csv = ["--output", str(tmp_path / "out.csv")]
    commands = [
        ["build", "KRPvK", "KBNvK", "xiangqi:KHPvKA", "xiangqi:KRvKAE"],
        ["verify", "KRPvK", "xiangqi:KHPvKA"],
        ["check", "--values"],
        ["probe", "8/8/8/8/3k4/8/3P4/R3K3 w - - 0 1", "3k5/9/9/9/4P4/9/9/9/4H4/4K4 w"],
        ["line", "8/8/8/8/3k4/8/3P4/R3K3 w - - 0 1", "--metric", "dtz"],
        ["stats", "KRPvK", "--pgn", str(tmp_path / "out.pgn")],
        ["find", "KRPvK", "--where", "only move or underpromotion", "--limit", "3"],
        ["find", "KRPvK", "--where", "cursed or check", "--sample", "3"],
        ["find", "xiangqi:KHPvKA", "--where", "only move or zugzwang", "--limit", "3"],
        ["zugzwangs", "KRPvK", "KPvK"],
        ["export", "KRvK", *csv],
        ["export", "xiangqi:KPvKA", *csv],
        ["export", "KRvK", "--format", "syzygy", "--output", str(tmp_path / "syzygy")],
    ]
    for code, _, err in run_all(*commands, environment=environment):
        assert (code, "Compiling" in err) == (0, False), err
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == compiled


@pytest.mark.slow
def test_large_tables_have_kernels_of_their_own(queens: Folder, tmp_path: Path) -> None:
    """A table whose cells take two bytes has the same values, and the same file."""
    with narrow_up_to(16):
        built = build_into(tmp_path / "wide", "KQvK", metrics=[Metric.DTM])
        with Tablebase(built) as tables:
            assert tables.to_numpy("KQvK").values.codes.dtype == np.uint16
    one, other = (folder.file(KQVK, Metric.DTM).read_bytes() for folder in (queens, built))
    assert one == other


def test_import_and_the_first_probe_take_what_they_need(queens: Folder) -> None:
    """Package and program alone import no NumPy; a probe loads kernels and no compiler."""
    script = """
import sys, unmove
import unmove.cli.app
assert not {"numpy", "numba", "chess"} & set(sys.modules)
import chess
with unmove.open_tables(sys.argv[1]) as tables:
    assert tables.probe_dtm(chess.Board(sys.argv[2])) == 1
assert "numba" in sys.modules
assert not {"numba.np.linalg", "matplotlib", "pyarrow"} & set(sys.modules)
"""
    with Tablebase(queens) as tables:
        tables.probe_dtm(chess.Board(FEN))
    subprocess.run([sys.executable, "-c", script, str(queens.path), FEN], check=True)


def test_everything_the_package_offers_is_there() -> None:
    """By name, by star and in `dir`; and nothing else is made up."""
    for name in unmove.__all__:
        assert getattr(unmove, name) is not None
        assert name in dir(unmove)
    with pytest.raises(AttributeError, match="no attribute 'mate'"):
        unmove.mate  # noqa: B018


def test_a_tilde_is_the_home_of_the_user(queens: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """In $UNMOVE_DIR, in --dir and in Python; a user whom nobody knows is a mistake."""
    monkeypatch.setenv("HOME", str(queens.path.parent))
    monkeypatch.setenv("UNMOVE_DIR", "~/queens")
    assert default_folder() == queens
    with open_tables("~/queens") as tables:
        assert tables.probe_dtm(chess.Board(FEN)) == 1
    runner = CliRunner()
    for arguments in (["list"], ["list", "--dir", "~/queens"]):
        assert "KQvK" in runner.invoke(app, arguments).stdout
    with pytest.raises(NoHome, match="~nobody-of-this-name"):
        open_tables("~nobody-of-this-name/tables")


def test_several_folders_are_searched_in_their_order(
    queens: Folder, small_tables: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """$UNMOVE_DIR, --dir and Python name them; the first that has a table counts."""
    other = tmp_path / "other"
    other.mkdir()
    for name in ("KRvK", "KQvK"):
        shutil.copy(small_tables.file(Material.parse(name), Metric.DTM), other)
    both = Folder(queens.path, (other,))
    monkeypatch.setenv("UNMOVE_DIR", f"{queens.path}{os.pathsep}{other}")
    assert default_folder() == both
    with open_tables([queens.path, str(other)]) as tables:
        assert tables.folder == both
        names = [f"{material}.{metric}" for material, metric in tables.tables()]
        assert names == sorted(set(names)) and {"KRvK.dtm", "KQvK.dtz"} <= set(names)
        assert tables.probe_dtm(chess.Board("7k/8/6K1/5R2/8/8/8/8 w - - 0 1")) == 1
        assert pickle.loads(pickle.dumps(tables)).folder == both
        with pytest.raises(MissingTable, match=f"{queens.path}{os.pathsep}{other}"):
            tables.probe_dtm(chess.Board("7k/8/6K1/5P2/8/8/8/8 w - - 0 1"))
    with both.open(KQVK, Metric.DTM) as file:
        assert file.path == queens.file(KQVK, Metric.DTM)
    result = CliRunner().invoke(app, ["list"])
    assert "KRvK" in result.stdout and str(both) in result.stdout
    with pytest.raises(NothingAsked):
        open_tables([])


def test_a_build_writes_to_the_first_folder_and_leans_on_the_others(
    queens: Folder, tmp_path: Path
) -> None:
    """What another folder has is not built again."""
    new = tmp_path / "new"
    where = ["--dir", f"{new}{os.pathsep}{queens.path}", "--metric", "dtm"]
    for name in ("KQvK", "KQQvK"):
        assert CliRunner().invoke(app, ["build", name, *where]).exit_code == 0
    assert [path.name for path in new.iterdir()] == ["KQQvK.dtm.unmove"]
    assert CliRunner().invoke(app, ["verify", "KQQvK", *where]).exit_code == 0


def test_a_folder_can_be_added_to_open_tables(queens: Folder, small_tables: Folder) -> None:
    """As in python-chess: its tables are there from now on, also those that were missed before."""
    board = chess.Board("7k/8/6K1/5R2/8/8/8/8 w - - 0 1")
    with open_tables(queens.path) as tables:
        with pytest.raises(MissingTable):
            tables.probe_dtm(board)
        assert tables.add_directory(small_tables.path) == len(list(small_tables.tables()))
        assert tables.probe_dtm(board) == 1


def test_a_folder_that_can_only_be_read_answers_and_takes_nothing_new(queens: Folder) -> None:
    """Reading works, a build with nothing to do too; one that must write ends with 5."""
    queens.path.chmod(0o500)
    where = ["--dir", str(queens.path)]
    commands = [["list"], ["probe", FEN], ["verify", "KQvK"], ["build", "KQvK"], ["build", "KRvK"]]
    answers = run_all(*([*command, *where] for command in commands), before=without_privileges)
    queens.path.chmod(0o700)
    assert [code for code, _, _ in answers] == [0, 0, 0, 0, 5]
    assert "cannot be written (Permission denied)" in answers[-1][2]


def test_a_reader_that_goes_away_ends_a_command_with_1(queens: Folder) -> None:
    """As in `unmove find ... | head -1`: no traceback, whatever was still to be written."""
    command = ["find", "KQvK", "--where", "wtm or btm", "--dir", str(queens.path)]
    with subprocess.Popen(
        [sys.executable, "-m", "unmove", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (1, b"")
