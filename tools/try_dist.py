"""Try what `make dist` has built, as a stranger would. `python -m tools.try_dist dist`.

The archives must hold what they should. The wheel is then installed in an empty environment, away
from this repository and without its caches, and has to build a table, answer from it and offer its
public names. The first thing that is not so ends the trial with an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "unmove"
FILES_IN_SOURCE = (
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
    *("Makefile", "constraints.txt", "pyproject.toml", "hatch_build.py", "mkdocs.yml"),
)
FOLDERS_IN_SOURCE = ("tests", "docs", "examples", "tools", "web", "src/unmove")
PAGE_OF_EXPLORER = ("index.html", "static/explorer.js", "static/style.css", "static/icon.svg")
FEN = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"
IMPORTS = """
import pathlib, sys, unmove
for name in unmove.__all__:
    getattr(unmove, name)
place = pathlib.Path(unmove.__file__).parent
assert place.is_relative_to(sys.prefix), place
assert (place / "py.typed").is_file(), "py.typed"
print(unmove.__version__)
"""


def main() -> None:
    """The archives of a folder are looked at, and the wheel is tried."""
    folder = Path(sys.argv[1])
    wheel, source = only(folder, "*.whl"), only(folder, "*.tar.gz")
    check_source(source)
    check_wheel(wheel)
    with tempfile.TemporaryDirectory() as place:
        try_wheel(wheel.resolve(), Path(place))
    print(f"{wheel.name} and {source.name} are in order.")


def only(folder: Path, pattern: str) -> Path:
    """The one file of that name."""
    found = list(folder.glob(pattern))
    require(len(found) == 1, f"{len(found)} files {pattern} in {folder}")
    return found[0]


def check_source(source: Path) -> None:
    """The source archive has all that the repository keeps of the project's folders."""
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    call = ["git", "ls-files", *FILES_IN_SOURCE, *FOLDERS_IN_SOURCE]
    kept = subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    built = {f"src/unmove/service/page/{name}" for name in PAGE_OF_EXPLORER}
    missing = {*FILES_IN_SOURCE, *kept.splitlines(), *built} - names
    require(not missing, f"{source.name} lacks {', '.join(sorted(missing))}")


def check_wheel(wheel: Path) -> None:
    """The wheel has every module, the papers' figures and the mark of typed packages."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    files = (path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".csv", ".md", ".json"))
    wanted = {"unmove/py.typed", *(str(path.relative_to(PACKAGE.parent)) for path in files)}
    wanted |= {f"unmove/service/page/{name}" for name in PAGE_OF_EXPLORER}
    require(any(name.endswith(".csv") for name in wanted), "no figures of papers to look for")
    require(wanted <= names, f"{wheel.name} lacks {', '.join(sorted(wanted - names))}")


def try_wheel(wheel: Path, place: Path) -> None:
    """Installed in an empty environment, the wheel builds, probes and is imported."""
    environment = place / "environment"
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    python, program = str(programs / "python"), str(programs / "unmove")
    constraints = str(ROOT / "constraints.txt")
    run(place, python, "-m", "pip", "install", "--quiet", "--constraint", constraints, str(wheel))
    version = run(place, python, "-c", IMPORTS).strip()
    require(f"-{version}-" in wheel.name, f"{wheel.name} says that it is {version}")
    require(run(place, program, "--version").split()[-1] == version, "--version")
    require(version in run(place, str(programs / "unmove-uci"), "--version"), "unmove-uci")
    run(place, program, "build", "KQvK", "--dir", "tables")
    answer = json.loads(run(place, program, "probe", FEN, "--dir", "tables", "--json"))
    require(answer["outcome"] == "win" and answer["dtm"] == 17, f"probe answers {answer}")
    run(place, program, "verify", "KQvK", "--metric", "dtm", "--dir", "tables")
    figures = run(place, program, "reproduce", "zellner", "--no-build", "--dir", "tables", "--json")
    require('"verdict": "equal"' in figures, f"reproduce answers {figures}")


def run(place: Path, *command: str) -> str:
    """What a command prints that runs in `place`, with nothing of this environment but the path."""
    own = {name: text for name, text in os.environ.items() if not name.startswith("UNMOVE_")}
    own.pop("PYTHONPATH", None)
    own |= {"HOME": str(place), "XDG_CACHE_HOME": str(place / "cache")}
    done = subprocess.run(command, cwd=place, env=own, stdout=subprocess.PIPE, text=True)
    require(done.returncode == 0, f"{' '.join(command)} ends with {done.returncode}\n{done.stdout}")
    return done.stdout


def require(true: bool, otherwise: str) -> None:
    """The trial goes on if it is true."""
    if not true:
        sys.exit(f"make dist: {otherwise}")


if __name__ == "__main__":
    main()
