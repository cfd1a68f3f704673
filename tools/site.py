"""What the site of `make docs` has beside the pages of docs/. MkDocs calls these functions.

Some documents stand elsewhere in the repository, where people look for them, and are pages of the
site under other names (PAGES). The page of the commands is what their `--help` prints. Links are
written for the repository; on the site each leads to the same document. Lists are written as
CommonMark has them and indented anew for Python-Markdown, which MkDocs uses.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import unmove

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS = "docs"
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/README.md": "examples.md",
    "src/unmove/papers/data/README.md": "published.md",
}
SOURCES = {page: document for document, page in PAGES.items()}
FOLDERS = {"docs/decisions": "decisions/index.md", "docs/reports": "reports/index.md"}
COMMANDS = "commands.md"

LINK = re.compile(r"(\]\()([^()\s:#]+)(#[^()\s]*)?\)")
FENCE = re.compile(r"^( *)```.*\n(?:.*\n)*?\1```$", re.MULTILINE)
ITEM = re.compile(r"(?:[-*+]|\d+\.) +(?=\S)")
COMMAND = re.compile(r"^  (\w+)  +\S", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Where the navigation has the list of a folder, it has all documents of the folder."""
    config.nav = [with_folders(entry) for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The site has the documents of PAGES, the lists of folders and the commands, too."""
    from mkdocs.structure.files import File

    texts = {page: (ROOT / document).read_text("utf-8") for document, page in PAGES.items()}
    texts |= {page: listing(ROOT / folder) for folder, page in FOLDERS.items()}
    texts[COMMANDS] = commands()
    for page, text in texts.items():
        files.append(File.generated(config, page, content=text))
    for document in sorted(linked_files()):
        files.append(File.generated(config, document, abs_src_path=str(ROOT / document)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page's links lead to the site's pages, and its lists are read as they are meant."""
    return indented(for_site(markdown, page.file.src_uri))


def on_post_build(config: MkDocsConfig) -> None:
    """Every name that the package offers stands in the reference, or the build fails."""
    from mkdocs.exceptions import PluginError

    reference = (Path(config.site_dir) / "api.html").read_text("utf-8")
    missing = [name for name in unmove.__all__ if f'id="unmove.{name}"' not in reference]
    if missing:
        raise PluginError(f"docs/api.md lacks {', '.join(missing)}")


def for_site(markdown: str, page: str) -> str:
    """The text of a page with its links, written for the repository, made to lead to the site."""
    document = SOURCES.get(page, f"{DOCS}/{page}")

    def rewritten(match: re.Match[str]) -> str:
        target = page_of(document, match[2])
        start = posixpath.dirname(page) or "."
        return f"{match[1]}{posixpath.relpath(target, start)}{match[3] or ''})"

    return LINK.sub(rewritten, markdown)


def page_of(document: str, link: str) -> str:
    """Where on the site a link of a document leads."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(document), link))
    if target in PAGES or target in FOLDERS:
        return PAGES.get(target) or FOLDERS[target]
    return target.removeprefix(f"{DOCS}/")


def indented(markdown: str) -> str:
    """The text with the content of each list item indented by four more than the item.

    CommonMark indents it by the width of the item's marker.
    """
    lines: list[str] = []
    items: list[int] = []  # the indents of the contents of the items that are open
    fence = False
    for line in markdown.splitlines():
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        item = None if fence else ITEM.match(text)
        begins = item is not None or not lines or not lines[-1]  # else it goes on with a paragraph
        listed_before = bool(items)
        while items and text and begins and not fence and indent < items[-1]:
            items.pop()
        if item and not listed_before and lines and lines[-1]:
            lines.append("")  # in Python-Markdown a list does not interrupt a paragraph
        rest = max(indent - items[-1], 0) if items else indent
        lines.append(" " * (4 * len(items) + rest) + text if text else "")
        if item:
            items.append(indent + item.end())
        fence ^= text.startswith("```")
    return "\n".join([*lines, ""])


def with_folders(entry: Any) -> Any:
    """A part of the navigation; each page of FOLDERS in it is followed by those it lists."""
    if isinstance(entry, dict):
        return {title: with_folders(below) for title, below in entry.items()}
    if isinstance(entry, list):
        return [with_folders(below) for below in entry]
    for folder, page in FOLDERS.items():
        if entry == page:
            return [page, *(f"{Path(page).parent}/{path.name}" for path in listed(ROOT / folder))]
    return entry


def linked_files() -> set[str]:
    """The files outside docs/ to which a page links and which are no pages themselves."""
    targets = {page_of(document, link) for document in documents() for link in links_of(document)}
    pages = {*PAGES.values(), *FOLDERS.values()}
    beside = {name for name in targets - pages if not (ROOT / DOCS / name).exists()}
    return {name for name in beside if (ROOT / name).is_file()}  # MkDocs tells of what is nowhere


def documents() -> list[str]:
    """The documents that are pages, by their paths in the repository."""
    return [*PAGES, *(path.relative_to(ROOT).as_posix() for path in (ROOT / DOCS).rglob("*.md"))]


def links_of(document: str) -> list[str]:
    """The links of a document that lead into the repository, without their anchors."""
    text = FENCE.sub("", (ROOT / document).read_text("utf-8"))
    return [match[2] for match in LINK.finditer(text)]


def listed(folder: Path) -> list[Path]:
    """The documents of a folder."""
    return sorted(folder.glob("*.md"))


def listing(folder: Path) -> str:
    """A page that lists the documents of a folder by their titles."""
    lines = [f"# {folder.name.capitalize()}", ""]
    for path in listed(folder):
        title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join([*lines, ""])


def commands() -> str:
    """A page with the help of the program and of each of its commands."""
    overview = help_of()
    names = COMMAND.findall(overview.partition("\nCommands:\n")[2])
    lines = ["# Commands", "", "```", overview, "```", ""]
    for name in names:
        lines += [f"## {name}", "", "```", help_of(name), "```", ""]
    return "\n".join(lines)


def help_of(*command: str) -> str:
    """What a command prints for `--help`."""
    source = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"}
    call = [sys.executable, "-m", "unmove", *command, "--help"]
    return subprocess.run(call, env=source, check=True, capture_output=True, text=True).stdout
