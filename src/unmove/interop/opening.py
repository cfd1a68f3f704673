"""Tables together with the files of others that answer some questions faster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unmove.errors import NoOtherFiles
from unmove.interop.syzygy.tablebase import SyzygyTablebase, open_syzygy
from unmove.probe.tablebase import CACHE_BYTES, Tablebase
from unmove.store.folder import Folder, FolderPaths


def open_tables(
    folder: FolderPaths | None = None,
    cache_bytes: int = CACHE_BYTES,
    threads: int | None = None,
    *,
    syzygy: Path | str | Sequence[Path | str] | None = None,
) -> Tablebase:
    """The tables of a folder (default: $UNMOVE_DIR or a folder of the user's own).

    Of several folders, a table is taken from the first that has it. `syzygy` is a folder with
    `.rtbw` files, or several: they answer for outcomes wherever they have the endgame, which is
    faster, and the tables for the rest. NoOtherFiles if there is none.
    """
    outcomes = None if syzygy is None else _outcomes(syzygy)
    return Tablebase(folder, cache_bytes, threads, outcomes)


def _outcomes(syzygy: Path | str | Sequence[Path | str]) -> SyzygyTablebase:
    """The files of outcomes of these folders."""
    files = open_syzygy(syzygy)
    if not files.names():
        where = Path(str(Folder.of(syzygy)))
        raise NoOtherFiles("Syzygy", where, "no file is called like KQvK.rtbw")
    return files
