"""The tables that the options name: opened when they are needed, and anew when an option changes.

Only the thread that thinks calls these functions. What they import takes a second.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from unmove.engine.options import OF_TABLES, Settings
from unmove.engine.talk import told
from unmove.errors import NoTables, UnmoveError

if TYPE_CHECKING:
    from unmove.probe.tablebase import Tablebase

BARE_KINGS: Final = {
    "chess": "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "xiangqi": "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
}
"""By game: a position that every folder of its tables has."""


class ChosenTables:
    """The tables of the folder of TablesPath, or of the user's own; `say` tells what is amiss."""

    def __init__(self, settings: Settings, say: Callable[[str], object]) -> None:
        self._settings = settings
        self._say = say
        self._tables: Tablebase | None = None
        self._options: tuple[str, ...] = ()  # by which they were opened
        self._tried: set[str] = set()

    def load(self) -> None:
        """All that thinking takes is imported."""
        import unmove.engine.search
        import unmove.probe.tablebase  # noqa: F401

    def open(self) -> Tablebase:
        """The tables, open. A folder that is not there is told of once, and has no tables."""
        from unmove.pool.machine import usable_cores
        from unmove.probe.tablebase import Tablebase
        from unmove.store.folder import Folder, default_folder

        wanted = tuple(self._settings[key] for key in OF_TABLES)
        if self._tables is None or wanted != self._options:
            path, megabytes, threads = wanted
            folder = Folder.named(path) if path else default_folder()
            if path and not folder.exists():
                self._say(told(NoTables(Path(str(folder)), "there is no such folder")))
            self.close()
            cores = min(int(threads), usable_cores())
            self._tables, self._options = Tablebase(folder, int(megabytes) << 20, cores), wanted
        return self._tables

    def try_out(self, game: str) -> None:
        """The tables have answered once: kernels are loaded, or compiled, before a clock runs."""
        from unmove.games.boards import parse_fen

        tables = self.open()
        if game not in self._tried:
            self._tried.add(game)
            with suppress(UnmoveError):  # what is missing is told when it is asked for
                tables.moves(parse_fen(BARE_KINGS[game]))
                # Planes that are probed often are evaluated whole, either side to move.
                tables.probe_fens([BARE_KINGS[game].replace(" w ", f" {side} ") for side in "wb"])

    def close(self) -> None:
        """Files are closed and threads ended."""
        if self._tables is not None:
            self._tables.close()
