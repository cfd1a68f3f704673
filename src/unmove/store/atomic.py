"""A file is complete under its name, or it is not there.

It is written under another name in the same folder, synced to the disk, and renamed. A failure or
interrupt on the way leaves what was there before. A process that is killed leaves its unfinished
file; the next one that writes the same file removes it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from threading import get_ident
from typing import Final

from unmove.errors import BadOption, UnfinishedFile

NO_SPACE_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The error numbers that mean that there is no room for a file."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path of an unfinished file, which becomes `path` at the end.

    On an error `path` stays as it was. The mode is that of a plain `open`. A symbolic link stays,
    and leads to the new file. For what is no regular file (`/dev/stdout`, a pipe) the path itself
    is given.
    """
    before, target = _mode(path), _link_target(path)
    if target.is_symlink() or (before is not None and not stat.S_ISREG(before)):
        yield path
        return
    remove_unfinished(target.parent, escape(target.name))
    part = target.with_name(f".{target.name}.{os.getpid()}.{get_ident()}.new")
    try:
        part.touch(exist_ok=False)
        if before is not None:
            part.chmod(stat.S_IMODE(before))
        yield part
        _sync(part, os.O_RDWR)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # not every system can sync a folder, and the file is in place
        _sync(target.parent, os.O_RDONLY)


@contextmanager
def user_file(option: str, path: Path) -> Iterator[Path]:
    """`replacing` for a file that an option asks for, with the errors of `user_stream`."""
    with user_stream(option, path), replacing(path) as part:
        yield part


@contextmanager
def user_stream(option: str, path: Path | str) -> Iterator[None]:
    """Errors of writing for an option become errors with a sentence.

    BadOption if the file cannot be written, UnfinishedFile if there is no room for it.
    """
    try:
        yield
    except BrokenPipeError:  # the reader has stopped reading: no mistake in the option
        raise
    except FileNotFoundError as error:
        raise BadOption(option, path, "there is no such folder") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in NO_SPACE_ERRORS:
            raise UnfinishedFile(option, path, reason) from error
        raise BadOption(option, path, reason) from error


def remove_unfinished(folder: Path, names: str) -> None:
    """Unfinished files of these names (a pattern) whose processes have ended are removed."""
    for part in folder.glob(f".{names}.*.new"):
        process = part.name.split(".")[-3]
        if process.isdecimal() and not _is_alive(int(process)):
            part.unlink(missing_ok=True)


def _link_target(path: Path) -> Path:
    """Where symbolic links lead. A link in /proc, to an open file, is not followed."""
    while path.is_symlink() and not (folder := path.parent.resolve()).is_relative_to("/proc"):
        path = folder / path.readlink()
    return path


def _mode(path: Path) -> int | None:
    """The mode of the file, None if there is none; OSError where `open` would raise it."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return mode


def _sync(path: Path, flags: int) -> None:
    """The file (opened for writing), or the entries of a folder (for reading), are on the disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_alive(process: int) -> bool:
    """Whether there is such a process."""
    import psutil

    return psutil.pid_exists(process)
