"""Every example of the README, of docs/ and of the documents beside them does what it says.

The blocks of a document are run one after the other, in a folder that is empty at first.

A `console` block is a session. A line that begins with `$ ` is a command; what stands below it is
all that it prints, a line `...` for any lines or none. A command fails if an error is shown and
succeeds otherwise; with nothing below it, it may print what it likes. In a game of `unmove play`
what is typed stands behind the prompt. A block that builds tables begins without any; every other
one finds those of all endgames of up to four men, and of one of xiangqi. Times, threads, memory
and what is said of compiling are the machine's, and not compared. A command is run in this process
if it is one of ours alone, and by a shell if it has pipes, variables or other programs.

A `python` block goes on where the one before it ended. The comment behind an expression is its
value, or its value, a colon and words.

A `sh` block is an illustration, and not run.
"""

from __future__ import annotations

import ast
import io
import os
import re
import shlex
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tools import picture

from tests.conftest import build_into, linked
from tests.support.commands import shown
from unmove.probe.tablebase import Tablebase
from unmove.store.folder import Folder

ROOT = Path(__file__).parent.parent
BESIDE = ("README.md", "CONTRIBUTING.md", "examples/README.md")
DOCUMENTS = [*(ROOT / name for name in BESIDE), *sorted((ROOT / "docs").rglob("*.md"))]
XIANGQI = "xiangqi:KPvKA"
RUNNING = ("console", "python")
ILLUSTRATING = ("sh", "")

FENCE = re.compile(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)
PROMPT = re.compile(r"^((?:White|Red|Black) to move> )(.*)$", re.MULTILINE)
MACHINES = [  # what differs from run to run, and what is compared in its place
    (re.compile(r"^Compiling the kernels, once.*\n", re.MULTILINE), ""),
    (re.compile(r"(\d+ h )?(\d+ min( \d+ s)?|\d+(\.\d+)? s)\b"), "TIME"),
    (re.compile(r"with \d+ threads?\b"), "with THREADS"),
    (re.compile(r"[\d.]+ [kMG]B of memory\b"), "MEMORY"),
    (re.compile(r"^Compiling the kernels, once.*\n", re.MULTILINE), ""),
]


class Block(NamedTuple):
    """A piece of a document between fences."""

    document: Path
    line: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


class Example(NamedTuple):
    """A command, and what it prints; None if that is not told."""

    command: str
    output: str | None


def blocks_of(document: Path) -> Iterator[Block]:
    """All blocks of a document."""
    text = document.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield Block(document, text.count("\n", 0, match.start()) + 1, match[2], match[3])


def examples_of(text: str) -> Iterator[Example]:
    """The commands of a console block."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Example(command, output.strip("\n") or None)


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
RUN = list(dict.fromkeys(block.document for block in BLOCKS if block.language in RUNNING))


@pytest.fixture(scope="module")
def tables(small_tables: Folder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables that examples find."""
    folder = tmp_path_factory.mktemp("documents")
    linked(folder, small_tables)
    return build_into(folder, XIANGQI).path


@pytest.mark.parametrize("document", RUN, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_do_what_the_documents_say(
    document: Path, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a document one after the other, in one folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    checks = Checks()
    names: dict[str, Any] = {Checks.NAME: checks}
    for block in blocks_of(document):
        folder = tmp_path / f"tables-{block.line}" if "unmove build" in block.text else tables
        monkeypatch.setenv("UNMOVE_DIR", str(folder))
        if block.language == "console":
            for example in examples_of(block.text):
                check(example)
        elif block.language == "python":
            exec(compile(checks.of(block.text), block.name, "exec"), names)
            assert checks.made > 0, block.name


def check(example: Example) -> None:
    """A command prints what it is said to, and fails only if it is said to."""
    code, printed = run(example)
    expected = example.output or ""
    fails = re.search(r'^unmove: |"error": "', expected, re.MULTILINE) is not None
    assert (code != 0) == fails, f"{example.command}\n{printed}"
    if example.output is not None:
        assert matches(printed, expected), f"{example.command}\nprints\n{printed}"


def test_every_block_is_run_or_an_illustration() -> None:
    """No block is passed over for its language; what is not run has no session in it."""
    assert {block.language for block in BLOCKS} >= set(RUNNING)
    for block in BLOCKS:
        assert block.language in RUNNING + ILLUSTRATING, block.name
        if block.language in ILLUSTRATING:
            assert not re.search(r"^ *(\$|>>>) ", block.text, re.MULTILINE), block.name


def test_the_picture_shows_what_is_printed(small_tables: Folder) -> None:
    """The README's picture is the one that is drawn today."""
    with Tablebase(small_tables.path) as opened:
        assert picture.PICTURE.read_text(encoding="utf-8") == picture.drawn(opened)


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("a\nb\nc\n", "a\nb\nc", True),
        ("a\nb\nc\n", "a\n...\nc", True),
        ("a\nc\n", "a\n...\nc", True),
        ("a\nb\nc\n", "a\nc", False),
        ("a\nb\nc\n", "a\n...\nd", False),
        ("a\nb\n", "a", False),
        ("solved in 0.09 s with 2 threads", "solved in 1 min 3 s with 16 threads", True),
        ("solved in 0.09 s", "longest win 9 moves", False),
        ("Compiling the kernels, once: about 30 s.\na\n", "a", True),
        ("a.b", "axb", False),
    ],
)
def test_outputs_are_compared_line_by_line(printed: str, expected: str, same: bool) -> None:
    """Only what `...` and the machine's figures stand for may differ."""
    assert matches(printed, expected) == same


def test_a_value_that_is_not_the_one_told_is_found() -> None:
    """The comparison of Python's values can fail."""
    checks = Checks()
    exec(compile(checks.of("1 + 1  # 2: two\n"), "right", "exec"), {Checks.NAME: checks})
    for wrong in (
        "1 + 1  # 3\n",
        "None  # nothing\n",
        "with open(__file__):\n    1 + 1  # three\n",
    ):
        names = {Checks.NAME: checks, "__file__": __file__}
        with pytest.raises(AssertionError):
            exec(compile(checks.of(wrong), "wrong", "exec"), names)


def run(example: Example) -> tuple[int, str]:
    """The exit code of a command and all that a terminal would show, what is typed included."""
    typed = [text for _, text in PROMPT.findall(example.output or "")]
    stdin = "".join(f"{text}\n" for text in typed)
    words = words_of(example.command)
    code, printed = shown(words[1:], stdin) if words else in_a_shell(example.command, stdin)
    rest = iter(typed)
    return code, PROMPT.sub(lambda m: f"{m[1]}{next(rest, '')}\n{m[2]}", printed)


def words_of(command: str) -> list[str]:
    """The words of a command that is `unmove` and nothing else; none if it needs a shell."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    plain = words[0] == "unmove" and not set(command) & set("$`*?~\\")
    return words if plain and not set(words) & {"|", ">", "<", "&", "&&", "||", ";"} else []


def in_a_shell(command: str, stdin: str) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        env=os.environ | {"PATH": programs},
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.returncode, done.stdout


def matches(printed: str, expected: str) -> bool:
    """Whether a command has printed what is expected of it."""
    lines = plain(expected).splitlines()
    pattern = "".join(r"(?:.*\n)*" if text == "..." else re.escape(f"{text}\n") for text in lines)
    return re.fullmatch(pattern, plain(printed).strip("\n") + "\n") is not None


def plain(text: str) -> str:
    """The text without what is the machine's, and without blanks at the ends of lines."""
    for figure, name in MACHINES:
        text = figure.sub(name, text)
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


class Checks(ast.NodeTransformer):
    """Makes expressions with a comment behind them compare their value with it."""

    NAME = "_is_as_told"

    def __init__(self) -> None:
        self.made = 0
        self._comments: dict[int, str] = {}

    def of(self, source: str) -> ast.Module:
        """The program of a source with its comparisons."""
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        found = (token for token in tokens if token.type == tokenize.COMMENT)
        self._comments = {token.start[0]: token.string.lstrip("# ") for token in found}
        tree: ast.Module = self.visit(ast.parse(source))
        return ast.fix_missing_locations(tree)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        told = self._comments.get(node.end_lineno or 0)
        if told is None:
            return node
        compare = ast.Call(ast.Name(self.NAME, ast.Load()), [node.value, ast.Constant(told)], [])
        return ast.copy_location(ast.Expr(compare), node)

    def __call__(self, value: object, told: str) -> None:
        texts = [repr(value)]
        if isinstance(value, Enum):
            texts.append(f"{type(value).__name__}.{value.name}")
        assert any(f"{told}: ".startswith(f"{text}: ") for text in texts), f"{told!r} is {value!r}"
        self.made += 1
