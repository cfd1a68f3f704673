"""What people meet at the edges of the commands: folders, files, lines of input, errors, help."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
import typer

from tests.cli.test_cli import answers
from tests.conftest import build_into
from unmove import Metric
from unmove.cli.app import COMMANDS, app, main
from unmove.games.epd import fen_of_epd
from unmove.store.folder import Folder

FEN = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
QUEEN = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
SOLDIER = "3k5/4P4/9/9/9/9/9/9/9/4K4 w - - 0 1"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def unmove(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program in this process: exit code, standard output and standard error."""

    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["unmove", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return int(end.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def few(small_tables: Folder, tmp_path: Path) -> Folder:
    """Copies of the tables of KQvK and KRvK, and those they lean on, to be spoilt."""
    for name in ("KvK", "KQvK", "KRvK"):
        for path in small_tables.path.glob(f"{name}.*"):
            shutil.copy(path, tmp_path)
    return Folder(tmp_path)


@pytest.fixture(scope="module")
def soldiers(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A soldier against a king of xiangqi."""
    return build_into(tmp_path_factory.mktemp("soldiers"), "xiangqi:KPvK", metrics=[Metric.DTM])


def spoil(path: Path, place: int) -> None:
    """A byte of a file is another one."""
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(bytes(data))


ASKED: dict[str, tuple[str, ...]] = {
    "probe": (FEN,),
    "line": (FEN,),
    "play": (FEN,),
    "stats": ("KQvKR",),
    "find": ("KQvKR", "--where", "win"),
    "zugzwangs": ("KQvKR",),
    "export": ("KQvKR", "--output", "x.csv"),
    "list": (),
    "check": (),
    "verify": ("KQvKR",),
}
"""What each command that reads tables is asked."""


@pytest.mark.parametrize("command", ASKED)
def test_a_folder_that_does_not_exist_is_said_not_to(unmove: Run, command: str) -> None:
    """Every command that reads tables ends with 3 where there is no folder."""
    code, _, err = unmove(command, *ASKED[command], "--dir", "/no/such/folder")
    assert (code, "/no/such/folder: there is no such folder" in err) == (3, True), err


def test_an_empty_folder_has_nothing_to_check(
    unmove: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check of nothing is no success; a list of nothing is."""
    code, out, err = unmove("check", "--dir", str(tmp_path))
    assert (code, "nothing to check" in err, "0 damaged" in out) == (3, True, False)
    assert unmove("list", "--dir", str(tmp_path))[0] == 0
    monkeypatch.delenv("UNMOVE_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    code, out, _ = unmove("list")
    assert (code, "No tables in" in out, "unmove build" in out) == (0, True, True)
    assert unmove("check")[0] == 3


@pytest.mark.parametrize("content", [b"my own notes\n", b"", b"\x89PNG\r\n\x1a\n" * 99, b"\x89unm"])
def test_info_never_advises_to_remove_a_file_of_the_user(
    unmove: Run, tmp_path: Path, content: bytes
) -> None:
    """`info` says that a file is no table, and what to do only if it is called one."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    code, _, err = unmove("info", str(path))
    assert (code, str(path) in err, "delete" in err) == (4, True, False), err
    (tmp_path / "KQvK.dtm.unmove").write_bytes(b"my own notes\n")
    code, _, err = unmove("stats", "KQvK", "--dir", str(tmp_path))
    assert (code, "is not an unmove table; move it elsewhere" in err) == (4, True), err
    assert "delete" not in err


@pytest.mark.parametrize(
    ("stray", "word"),
    [
        ("KvKQ.dtm.unmove", "its table is called KQvK.dtm.unmove"),
        ("kqvk.dtm.unmove", "its table is called KQvK.dtm.unmove"),
        ("KQK.dtm.unmove", "its table is called KQvK.dtm.unmove"),
        ("KQvK.DTM.unmove", "its table is called KQvK.dtm.unmove"),
        ("notes.unmove", "no table has this name"),
    ],
)
def test_a_table_is_known_by_its_own_name_only(
    unmove: Run, few: Folder, stray: str, word: str
) -> None:
    """A file of another name is no table twice; `list` and `check` tell of it."""
    shutil.copy(few.path / "KQvK.dtm.unmove", few.path / stray)
    tables = list(few.tables())
    assert len(tables) == len(set(tables)) == 9
    code, out, err = unmove("list", "--dir", str(few.path))
    assert (code, out.count("KQvK"), word in err) == (4, 3, True), err
    code, out, err = unmove("check", "--dir", str(few.path))
    assert (code, word in err) == (4, True)
    assert "9 tables checked, 0 damaged. 1 file has no table's name." in out
    rows = answers(unmove("list", "--json", "--dir", str(few.path))[1])
    assert [Path(row["file"]).name for row in rows if row["error"]] == [stray]
    assert unmove("check", "KQvK", "--dir", str(few.path))[0] == 0


def test_one_damaged_file_does_not_hide_the_others(unmove: Run, few: Folder) -> None:
    """`list` has every sound table, names the other one, and ends with 4."""
    spoil(few.path / "KQvK.dtc.unmove", 40)
    code, out, err = unmove("list", "--dir", str(few.path))
    assert (code, "8 tables" in out, out.count("KQvK")) == (4, True, 2)
    assert "KQvK.dtc.unmove is damaged" in err
    rows = answers(unmove("list", "--json", "--dir", str(few.path))[1])
    assert {(row["material"], row["metric"]): row["error"] is None for row in rows} == {
        (name, metric.value): (name, metric) != ("KQvK", Metric.DTC)
        for name in ("KvK", "KQvK", "KRvK")
        for metric in Metric
    }


@pytest.mark.parametrize("place", [40, -200])
def test_damage_is_an_error_of_the_questions_it_touches(
    unmove: Run, few: Folder, place: int
) -> None:
    """Nothing is answered around a damaged file, and what does not need it is answered."""
    spoil(few.path / "KQvK.dtc.unmove", place)
    rook = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"
    where = ("--dir", str(few.path))
    code, out, err = unmove("probe", QUEEN, rook, *where)
    assert (code, "KQvK.dtc.unmove" in err, "White to move wins" in out) == (4, True, True)
    for arguments in (("--json", QUEEN, rook), ("--input", "-")):
        lines = f"{QUEEN}\n{rook}\n".encode()
        code, out, _ = unmove("probe", *arguments, *where, stdin=lines)
        bad, good = answers(out)
        assert (code, bad["kind"], good["dtc"]) == (4, "DamagedFile", 1)
    if place == 40:  # in the header, which the statistics are read with
        code, _, err = unmove("stats", "KQvK", *where)
        assert (code, "KQvK.dtc.unmove" in err) == (4, True)
        assert unmove("stats", "KRvK", *where)[0] == 0


INPUT = """\ufeff# positions to look at

8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1
8/8/8/3k4/8/2r5/8/KQ6 w - - bm Kb2 Qf5+; id "a; # b"; hmvc 12;
  8/8/8/3k4/8/2r5/8/KQ6 w - -
# the next is no position
8/8/8/3k4/8/2r5/8/KQ6 w - - bm Kb2; "
8/8/8/3k4/8/2r5/8/KQ6 w - - hmvc many;
7k/8/6K1/5Q2/8/8/8/8 w - - c0 "mate"; dm 1
"""


def test_input_may_be_epd_with_comments_and_a_byte_order_mark(
    unmove: Run, small_tables: Folder, tmp_path: Path
) -> None:
    """Blank lines and comments are no positions, operations give the clock, the rest goes on."""
    source = tmp_path / "positions.epd"
    source.write_bytes(INPUT.replace("\n", "\r\n").encode())
    code, out, _ = unmove("probe", "--input", str(source), "--dir", str(small_tables.path))
    found = answers(out)
    assert code == 2
    assert [answer.get("dtm", answer.get("kind")) for answer in found] == [
        *(65, 65, 65),
        *("BadFen", "BadFen"),
        1,
    ]
    assert found[1]["fen"] == "8/8/8/3k4/8/2r5/8/KQ6 w - - 12 1"
    assert [set(answer) for answer in found if "error" in answer] == 2 * [{"fen", "error", "kind"}]


def test_epd_of_xiangqi_is_read(unmove: Run, soldiers: Folder) -> None:
    """Both games have the same four fields and operations."""
    lines = b'3k5/4P4/9/9/9/9/9/9/9/4K4 w - - bm K5+1; id "x";\n3k5/4P4/9/9/9/9/9/9/9/4K4 r\n'
    code, out, err = unmove("probe", "--input", "-", "--dir", str(soldiers.path), stdin=lines)
    assert (code, [answer["dtm"] for answer in answers(out)]) == (0, [1, 1]), err


def test_epd_is_read_as_python_chess_writes_it() -> None:
    """The clocks of a position come through; a FEN stays what it is."""
    board = chess.Board("8/8/8/3k4/8/2r5/8/KQ6 b - - 37 81")
    assert fen_of_epd(board.epd(hmvc=37, fmvn=81, id="KQvKR; 1", acd=12)) == board.fen()
    assert fen_of_epd(board.fen()) == board.fen()
    assert fen_of_epd("") == ""


def test_a_byte_that_is_no_text_spoils_its_line_only(
    unmove: Run, small_tables: Folder, tmp_path: Path
) -> None:
    """The other lines of the file are answered; a comment may have any bytes."""
    source = tmp_path / "fens.txt"
    epd = FEN.rsplit(" ", 2)[0].encode() + b' c0 "M\xfcller";'
    source.write_bytes(b"\n".join([FEN.encode(), b"8/8/\xff8 w - -", epd, QUEEN.encode()]))
    for given, stdin in ((str(source), b""), ("-", source.read_bytes())):
        where = ("--dir", str(small_tables.path))
        code, out, _ = unmove("probe", "--input", given, *where, stdin=stdin)
        found = answers(out)
        assert code == 2
        assert [answer.get("dtm", answer.get("kind")) for answer in found] == [65, "BadFen", 65, 1]


def test_an_argument_of_any_bytes_is_answered_in_json(unmove: Run, small_tables: Folder) -> None:
    """What the shell hands over may be no text, and JSON is printed all the same."""
    odd = os.fsdecode(b"8/\xff")
    code, out, _ = unmove("probe", "--json", odd, "--dir", str(small_tables.path))
    (answer,) = answers(out)
    assert (code, answer["kind"], answer["fen"]) == (2, "BadFen", odd)
    assert out.isascii()


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (("build", "XYZ"), 2, "BadMaterial"),
        (("build",), 2, "NothingAsked"),
        (("build", "KQRBKQR"), 3, "TooManyMen"),
        (("build", "KQK", "--dir", "/dev/null/x"), 5, "UnwritableFolder"),
        (("probe",), 2, "NothingAsked"),
        (("probe", "--input", "/no/such/file"), 2, "BadOption"),
        (("line", "x"), 2, "BadFen"),
        (("line", "4k3/8/8/8/8/8/8/QRN1K3 w - - 0 1"), 3, "MissingTable"),
        (("list", "--dir", "/no/such/folder"), 3, "NoTables"),
        (("stats", "KQQ"), 2, "BadMaterial"),
        (("stats", "KQRNvK"), 3, "MissingTable"),
        (("verify", "KQRNvK"), 3, "MissingTable"),
        (("info", "/no/such/file"), 2, "BadOption"),
        (("info", __file__), 4, "ForeignFile"),
        (("check", "KQRNvK"), 3, "MissingTable"),
        (("find", "KQvK", "--where", "win and"), 2, "BadQuery"),
        (("zugzwangs",), 2, "NothingAsked"),
        (("reproduce", "nobody"), 2, "BadOption"),
        (("stats",), 2, "MissingParameter"),
        (("stats", "KQvK", "--metric", "dtx"), 2, "BadParameter"),
        (("list", "--no-such-option"), 2, "NoSuchOption"),
        (("nonsense",), 2, "UsageError"),
    ],
)
def test_errors_are_json_where_json_is_asked_for(
    unmove: Run,
    small_tables: Folder,
    arguments: tuple[str, ...],
    code: int,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One object with the sentence and its kind on standard output, nothing else, the same code."""
    monkeypatch.setenv("UNMOVE_DIR", str(small_tables.path))
    found, out, err = unmove(*arguments, "--json")
    (answer,) = answers(out)
    assert (found, answer["kind"], err) == (code, kind, "")
    assert set(answer) == {"error", "kind"}
    assert answer["error"]
    plain, out, err = unmove(*arguments)
    assert (plain, out, answer["error"] in err) == (code, "", True)


def test_every_command_has_a_help_of_sentences_with_examples(unmove: Run) -> None:
    """Examples are commands that exist with options that exist; the overview cuts no sentence."""
    _, overview, _ = unmove("--help")
    assert "unmove build KQvKR" in overview
    assert "..." not in overview.split("Commands:")[1]
    program = typer.main.get_command(app)
    for name in COMMANDS:
        code, text, _ = unmove(name, "--help")
        examples = re.findall(rf"^ +unmove ({name}.*)$", text, re.MULTILINE)
        assert (code, bool(examples)) == (0, True), name
        command = program.commands[name]  # type: ignore[attr-defined]
        for example in examples:
            command.make_context(name, shlex.split(example.split(" | ")[0])[1:])
        for parameter in command.params:
            assert re.fullmatch(r"[A-Z].*\.", parameter.help or "", re.DOTALL), (name, parameter)


def test_the_shell_completes_commands_and_options() -> None:
    """What is typed so far is completed by the program itself."""
    program = str(Path(sys.executable).parent / "unmove")
    for typed, completed in (("unmove zug", "zugzwangs"), ("unmove probe --inp", "--input")):
        environment = os.environ | {
            "_UNMOVE_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        }
        done = subprocess.run([program], capture_output=True, text=True, env=environment)
        assert done.stdout.split() == [completed], done.stderr


def test_tables_are_not_broken_by_a_narrow_screen(
    unmove: Run, small_tables: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed is the same at any width: no row is cut, none takes two lines."""
    commands = (
        ("list",),
        ("stats", "KPvKP", "--metric", "dtz"),
        ("probe", FEN),
        ("zugzwangs", "KRvKN"),
        ("reproduce", "zellner", "--no-build", "--all"),
    )
    for arguments in commands:
        said = []
        for width in ("400", "80", "40"):
            monkeypatch.setenv("COLUMNS", width)
            code, out, err = unmove(*arguments, "--dir", str(small_tables.path))
            assert (code, "…" in out) == (0, False), err
            said.append(out)
        assert said[0] == said[1] == said[2]


def test_xiangqi_is_played_by_red_and_black(unmove: Run, soldiers: Folder) -> None:
    """`probe`, `line` and `play` call the sides as players do; so do errors."""
    where = ("--dir", str(soldiers.path))
    for arguments in (("probe", SOLDIER), ("line", SOLDIER), ("play", SOLDIER)):
        code, out, err = unmove(*arguments, *where, stdin=b"P5.4\nquit\n")
        assert (code, "Red to move" in out, "White" in out) == (0, True, False), err
    code, out, _ = unmove("play", SOLDIER, "--side", "red", *where, stdin=b"K5+1\n")
    assert (code, out.rstrip().endswith("Red wins.")) == (0, True)
    _, _, err = unmove("probe", "3k5/9/9/9/9/9/9/9/9/9 w", *where)
    assert "Red must have one king" in err
