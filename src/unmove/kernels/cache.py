"""Where compiled kernels are kept: a folder named by a digest of all sources they draw from."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

PACKAGE = Path(__file__).parents[1]
SOURCES = (
    *(f"{room}/**/*.py" for room in ("kernels", "planes", "games")),
    *("material.py", "variants.py", "values.py", "errors.py"),
)
"""The files of the package that kernels import, directly or not.

Compiled code has their constants in it, and the fields of their tuples by number, not by name.
"""


def sources(package: Path = PACKAGE) -> list[Path]:
    """The files that compiled kernels depend on."""
    return sorted(file for pattern in SOURCES for file in package.glob(pattern))


def sources_digest(package: Path = PACKAGE) -> str:
    """A name that changes with the sources, or the places, of what kernels depend on."""
    digest = hashlib.sha256()
    for source in sources(package):
        text = source.read_bytes()
        digest.update(f"{source.relative_to(package).as_posix()} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """A writable folder for compiled kernels, private to this version of the sources.

    The user's own; or else one below the folder for temporary files, which the next process finds
    again; or else one that goes with this process.
    """
    name = f"kernels-{sources_digest()}"
    usual: Path | None = None
    with suppress(OSError, RuntimeError):  # not writable; nobody's home
        usual = user_cache_path("unmove", appauthor=False).expanduser() / name
        usual.mkdir(parents=True, exist_ok=True)
        return _written(usual)
    with suppress(OSError, AttributeError):  # not ours; a system without users' numbers
        folder = Path(tempfile.gettempdir()) / f"unmove-{os.geteuid()}-{name}"
        _make_private(folder, usual)
        return _written(folder)
    return _passing_folder()


def _written(folder: Path) -> Path:
    """The folder, proved to be writable; OSError otherwise."""
    with tempfile.TemporaryFile(dir=folder):
        return folder


def _make_private(folder: Path, model: Path | None) -> None:
    """The folder is there, a copy of the model if it is new; OSError if it is not ours alone.

    Code is run from it, and anybody may make such a folder before us, or a link to one.
    """
    if not folder.is_symlink() and not folder.exists():
        new = Path(tempfile.mkdtemp(prefix="unmove-"))
        with suppress(OSError, shutil.Error):  # kernels that were compiled for all users
            if model is not None and model.is_dir():
                shutil.copytree(model, new, dirs_exist_ok=True, copy_function=shutil.copyfile)
        new.chmod(stat.S_IRWXU)
        try:
            new.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(new, ignore_errors=True)
    found = folder.lstat()
    ours = found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
    if not (ours and stat.S_ISDIR(found.st_mode)):
        raise PermissionError(f"{folder} belongs to others too")


def _passing_folder() -> Path:
    """A folder that is removed when this process ends."""
    folder, owner = Path(tempfile.mkdtemp(prefix="unmove-kernels-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # and not a child that was forked off
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
