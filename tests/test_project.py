"""What stands around the package agrees with it: workflow, hooks, citation, changelog, site."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools import site

from unmove import __version__

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
YAML_FILES = [
    ROOT / ".pre-commit-config.yaml",
    ROOT / "CITATION.cff",
    ROOT / "mkdocs.yml",
    *sorted((ROOT / ".github").rglob("*.yml")),
]
VERSIONS = re.compile(r"^## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$", re.MULTILINE)


def read(name: str) -> Any:
    """What a YAML file of the repository says; its dates stay texts."""
    return yaml.load((ROOT / name).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


def commands_of(job: Any) -> list[str]:
    """The commands of a job of the workflow."""
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", YAML_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_yaml_file_parses_and_names_make_targets_that_exist(path: Path) -> None:
    """`make X` in a file, comments included, is a target of the Makefile."""
    text = path.read_text(encoding="utf-8")
    assert isinstance(yaml.load(text, Loader=yaml.BaseLoader), dict)
    assert set(re.findall(r"\bmake ([\w-]+)", text)) <= TARGETS


def test_documents_name_make_targets_that_exist() -> None:
    """Whoever types what a document says finds a target."""
    named = set()
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"(?:`|^)make ([\w-]+)", text, re.MULTILINE))
    assert {"demo", "test"} <= named <= TARGETS


def test_the_workflow_runs_what_the_makefile_runs() -> None:
    """Linux is required with every Python; other systems are tried; the targets are all run."""
    jobs = read(".github/workflows/ci.yml")["jobs"]
    tolerant = {name for name, job in jobs.items() if job.get("continue-on-error") == "true"}
    assert tolerant == {"elsewhere"}
    for name, job in jobs.items():
        assert ("(not required)" in job["name"]) == (name in tolerant)
        assert ("(required)" in job["name"]) == (name not in tolerant)
    pythons = ["3.11", "3.12", "3.13", "3.14"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == pythons
    assert jobs["elsewhere"]["strategy"]["matrix"]["python"] == pythons
    assert jobs["elsewhere"]["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]
    run = " ".join(command for job in jobs.values() for command in commands_of(job))
    assert {"test", "docs", "dist"} <= set(re.findall(r"\bmake ([\w-]+)", run))


def test_the_oldest_dependencies_are_the_lower_bounds() -> None:
    """The workflow pins each dependency at the version that pyproject.toml says suffices."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = dict(bound.split(">=") for bound in project["dependencies"])
    install, _ = commands_of(read(".github/workflows/ci.yml")["jobs"]["oldest"])
    pins = dict(re.findall(r"(\S+)==(\S+)", install))
    assert pins.keys() == bounds.keys()
    for name, bound in bounds.items():
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", pins[name]), name


def test_the_hooks_are_the_checks_of_make_lint() -> None:
    """What is refused by `make lint` is refused before a commit."""
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe is not None
    checks = set(re.findall(r"^\t\$\(BIN\)/(.+?)(?: \.)?$", recipe[1], re.MULTILINE))
    (local,) = read(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    entries = {hook["entry"].removeprefix(".venv/bin/") for hook in local["hooks"]}
    assert {entry.removesuffix(" --force-exclude") for entry in entries} == checks


def test_the_changelog_has_dated_versions_newest_first() -> None:
    """The program's own version is one of them."""
    found = VERSIONS.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    versions = [tuple(map(int, version.split("."))) for version, _ in found]
    assert versions == sorted(versions, reverse=True)
    assert all(date for _, date in found)
    assert __version__ in dict(found)


def test_the_citation_is_that_of_the_newest_version() -> None:
    """CITATION.cff has what its schema requires, and the changelog's version and date."""
    citation = read("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["message"]
    assert citation["title"].startswith("unmove")
    assert citation["authors"] == [{"name": "The unmove developers"}]
    newest = VERSIONS.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert newest is not None
    assert (citation["version"], citation["date-released"]) == newest.groups()


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("index.md", "docs/queries.md", "queries.md"),
        ("index.md", "docs/decisions/", "decisions/index.md"),
        ("index.md", "src/unmove/papers/data/README.md", "published.md"),
        ("export.md", "../src/unmove/values.py", "src/unmove/values.py"),
        ("tutorials/reading.md", "../../CONTRIBUTING.md", "../contributing.md"),
        ("tutorials/reading.md", "../glossary.md#words", "../glossary.md#words"),
        ("published.md", "reasons.csv", "src/unmove/papers/data/reasons.csv"),
        ("index.md", "https://example.org/docs/x.md", "https://example.org/docs/x.md"),
        ("index.md", "#in-python", "#in-python"),
    ],
)
def test_links_of_the_repository_lead_to_the_same_on_the_site(
    page: str, link: str, target: str
) -> None:
    """A link is written once, for the repository."""
    assert site.for_site(f"See [it]({link}).", page) == f"See [it]({target})."


def test_links_lead_to_files_of_the_repository() -> None:
    """No document links to what is not there."""
    for document in site.documents():
        for link in site.links_of(document):
            assert (ROOT / document).parent.joinpath(link).exists(), f"{document}: {link}"


def test_the_contents_of_list_items_are_indented_by_four() -> None:
    """Python-Markdown then reads the lists that CommonMark reads."""
    written = "Words:\n- a\n  b\n  1. c\n\n     d\n\n     ```\n     - e\n     ```\n- f\n\ng\n"
    items = "\n- a\n    b\n    1. c\n\n        d\n\n        ```\n        - e\n        ```\n- f\n"
    assert site.indented(written) == f"Words:\n{items}\ng\n"
