"""A file is complete under its name, or it is not there.

It is written under another name in the same folder, brought to the disk, and renamed. What fails
on the way, an interrupt included, leaves what was there before. A process that is killed leaves its
unfinished file, which the next one that writes the same file removes.
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

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says when there is no room for a file."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Another file was written, and `path` is that file; OSError, and `path` as it was, otherwise.

    The mode is that which a plain `open` would give. A symbolic link stays, and leads to the new
    file. What is no regular file (`/dev/stdout`, a pipe) is given out itself.
    """
    before, target = _mode(path), _behind_links(path)
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
    with suppress(OSError):  # not every system knows this of folders, and the file is there
        _sync(target.parent, os.O_RDONLY)


@contextmanager
def user_file(option: str, path: Path) -> Iterator[Path]:
    """`replacing` for a file that an option asks for, with the errors of `user_stream`."""
    with user_stream(option, path), replacing(path) as part:
        yield part


@contextmanager
def user_stream(option: str, path: Path | str) -> Iterator[None]:
    """What is written for an option fails with a sentence.

    BadOption if it cannot be written, UnfinishedFile if there is no room for it.
    """
    try:
        yield
    except BrokenPipeError:  # whoever reads has enough: no mistake of the option
        raise
    except FileNotFoundError as error:
        raise BadOption(option, path, "there is no such folder") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        if error.errno in FULL:
            raise UnfinishedFile(option, path, reason) from error
        raise BadOption(option, path, reason) from error


def remove_unfinished(folder: Path, names: str) -> None:
    """What processes that are no more left of the files that a pattern names is gone."""
    for part in folder.glob(f".{names}.*.new"):
        process = part.name.split(".")[-3]
        if process.isdecimal() and not _is_alive(int(process)):
            part.unlink(missing_ok=True)


def _behind_links(path: Path) -> Path:
    """Where symbolic links lead. One that stands for an open file, in /proc, is left as it is."""
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
    """The file, opened for writing, or the names in the folder, for reading, are on the disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_alive(process: int) -> bool:
    """Whether there is such a process."""
    import psutil

    return psutil.pid_exists(process)
