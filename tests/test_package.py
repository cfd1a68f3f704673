"""The package as a whole: what its files import, what its pages say of them, what is installed."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

import unmove
from unmove.kernels import cache
from unmove.planes.kinds import PLANE_KINDS

ROOT = Path(__file__).parent.parent
PACKAGE = Path(unmove.__file__).parent


def test_it_is_marked_as_typed() -> None:
    """Type checkers of programs that import it look for this file beside the package."""
    assert resources.files("unmove").joinpath("py.typed").is_file()


def test_the_kernel_cache_is_named_by_all_that_kernels_import() -> None:
    """Every file of ours that a kernel's file leads to is in the digest, and none is missing."""
    found, new = set[Path](), set((PACKAGE / "kernels").rglob("*.py"))
    while new:
        found |= new
        new = {file for known in new for file in imported_by(known)} - found
    assert PACKAGE / "planes" / "layout.py" in found
    assert found <= set(cache.sources())


def imported_by(file: Path) -> Iterator[Path]:
    """The files of the package that a file's import statements name, and those of their rooms.

    The package's own first page is none of them: it hands out what it imports, and defines nothing.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            package, *parts = name.split(".")
            if package == PACKAGE.name:
                for size in range(1, len(parts) + 1):
                    place = PACKAGE.joinpath(*parts[:size])
                    pages = place.with_suffix(".py"), place / "__init__.py"
                    yield from (page for page in pages if page.is_file())


def test_fields_that_change_places_change_the_name_of_the_kernel_cache(tmp_path: Path) -> None:
    """Compiled code knows the fields of a tuple by number, and like types would not betray it."""
    copy = tmp_path / "unmove"
    shutil.copytree(PACKAGE, copy)
    assert cache.sources_digest(copy) == cache.sources_digest()
    layout = copy / "planes" / "layout.py"
    text = layout.read_text(encoding="utf-8")
    exchanged = re.sub(r"^( {4}orbit: .*\n)( {4}symmetry: .*\n)", r"\2\1", text, flags=re.MULTILINE)
    assert exchanged != text
    layout.write_text(exchanged, encoding="utf-8")
    assert cache.sources_digest(copy) != cache.sources_digest()


ROOMS = sorted(page.parent for page in PACKAGE.rglob("__init__.py") if page.parent != PACKAGE)
NAMED = re.compile(r"[\w/]+\.py\b")


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_the_page_of_a_room_names_its_files(room: Path) -> None:
    """Every file of the room is named there, and every file named exists."""
    named = set(NAMED.findall((room / "__init__.py").read_text(encoding="utf-8")))
    assert {file.name for file in room.glob("*.py")} - {"__init__.py"} <= named
    for name in named:
        assert (room / name).is_file() or (PACKAGE / name).is_file(), name


COMMAND_LINE = re.compile(r"(?<![\w-])--[a-z]|`unmove |unmove (build|verify|probe|find) ")
BELOW = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.relative_to(PACKAGE).parts[0] not in ("cli", "engine", "service", "papers")
]
"""What is no surface. `papers` is left out: the commands that repeat a figure are its content."""


def test_no_room_below_the_surfaces_speaks_of_options_or_commands() -> None:
    """Errors carry facts, and whoever shows them adds the advice: a service has no options."""
    assert len(BELOW) > 100
    found = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
        for file in BELOW
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if COMMAND_LINE.search(node.value)
    ]
    assert not found


def test_every_source_that_a_document_names_exists() -> None:
    """By its place in the package, in the repository, or beside another one named there."""
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    documents += (ROOT / "docs" / "decisions").glob("*.md")
    files = [*PACKAGE.rglob("*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("tools/**/*.py")]
    places = [f"/{file.relative_to(ROOT).as_posix()}" for file in files]
    missing = [
        f"{document.name}: {name}"
        for document in documents
        for name in NAMED.findall(document.read_text(encoding="utf-8"))
        if not any(place.endswith(f"/{name.lstrip('/')}") for place in places)
    ]
    assert not missing


ELSEWHERE = """
import os, sys
import concurrent.futures.thread, chess.pgn, filelock, numba, psutil, random, rich.progress, typer
# which on Linux need what is taken away now
for name in ("fcntl", "resource", "pwd"):
    sys.modules[name] = None
for name in ("sched_getaffinity", "register_at_fork", "geteuid", "pread"):
    delattr(os, name)
import importlib, pkgutil, unmove
found = [name for _, name, _ in pkgutil.walk_packages(unmove.__path__, "unmove.")]
for name in found:
    if name != "unmove.__main__":
        importlib.import_module(name)
print(len(found))
from unmove.pool.machine import free_memory, peak_memory, usable_cores
from unmove.kernels.cache import cache_folder
assert usable_cores() >= 1 and peak_memory() > 1 << 20 and free_memory() > 0
assert cache_folder().is_dir()
"""


def test_every_module_is_imported_where_unix_is_not() -> None:
    """Without what only some systems have; cores, memory and the cache are found all the same."""
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def definitions() -> Iterator[tuple[str, str, str]]:
    """Every top-level class, alias and constant of the package: (kind, name, file)."""
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE).as_posix()
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield "class", node.name, place
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                        if isinstance(name, ast.Name):
                            kind = "constant" if name.id.isupper() else "class"
                            yield kind, name.id, place


TWINS = {"games/chess.py", "games/xiangqi.py"}  # the same facts of two games have the same names


@pytest.mark.parametrize("kind", ["class", "constant"])
def test_a_name_has_one_meaning(kind: str) -> None:
    """No two public classes of the package share a name, and no two constants."""
    places: dict[str, set[str]] = {}
    for found, name, place in definitions():
        if found == kind and not name.startswith("_"):
            places.setdefault(name, set()).add(place)
    assert places
    shared = {name: files for name, files in places.items() if len(files) > 1 and files != TWINS}
    assert not shared


def test_the_walks_go_downwards() -> None:
    """Each hop of a walk leads to a room below or stays in its room, and is a call that can be.

    The caller imports the file it calls; or calls it through a record of `planes/kinds.py`, or
    through a `Source`.
    """
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contracts["tool"]["importlinter"]["contracts"][0]["layers"]
    level = {
        room.strip().removeprefix("unmove."): i
        for i, layer in enumerate(layers)
        for room in re.split(r"[|:]", layer)
    }
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    hops = re.findall(r"^\| (\d+) \| `([\w/]+\.py)` \| `([\w/]+\.py)` \|", text, re.MULTILINE)
    assert [int(number) for number, _, _ in hops].count(1) == 3
    reached: set[str] = set()
    for number, caller, called in hops:
        reached = reached if int(number) > 1 else {caller}
        assert caller in reached, f"hop {number} starts in {caller}, which no hop has reached"
        reached.add(called)
        rooms = [Path(file).parts[0].removesuffix(".py") for file in (caller, called)]
        assert level[rooms[0]] <= level[rooms[1]], f"{caller} is below {called}"
        if called not in ROLES | SOURCES:
            assert PACKAGE / called in set(imported_by(PACKAGE / caller)), f"{caller}: {called}"


ROLES = {
    f"{path.split(':')[0].removeprefix('unmove.').replace('.', '/')}.py"
    for kind in PLANE_KINDS.values()
    for path in vars(kind).values()
    if isinstance(path, str) and ":" in path
}
SOURCES = {"successors/file_source.py", "store/table.py", "solver/partial_table.py"}
