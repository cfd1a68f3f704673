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
    from unmove.api.lichess.knowledge import Sources
    from unmove.interop.syzygy.tablebase import SyzygyTablebase

BARE_KINGS: Final = {
    "chess": "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "xiangqi": "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1",
}
"""By game: a position that every folder of its tables has."""


class ChosenTables:
    """The tables of the folder of TablesPath, or of the user's own, and the files of SyzygyPath.

    `say` tells what is amiss.
    """

    def __init__(self, settings: Settings, say: Callable[[str], object]) -> None:
        self._settings = settings
        self._say = say
        self._sources: Sources | None = None
        self._options: tuple[str, ...] = ()  # by which they were opened
        self._tried: set[str] = set()

    def load(self) -> None:
        """All that thinking takes is imported."""
        import unmove.api.lichess.knowledge
        import unmove.engine.search
        import unmove.probe.tablebase  # noqa: F401

    def open(self) -> Sources:
        """The tables, open. A folder that is not there is told of once, and has no tables."""
        from unmove.api.lichess.knowledge import Sources
        from unmove.pool.machine import usable_cores
        from unmove.probe.tablebase import Tablebase
        from unmove.store.folder import Folder, default_folder

        wanted = tuple(self._settings[key] for key in OF_TABLES)
        if self._sources is None or wanted != self._options:
            path, megabytes, threads, files = wanted
            folder = Folder.named(path) if path else default_folder()
            if path and not folder.exists():
                self._say(told(NoTables(Path(str(folder)), "there is no such folder")))
            self.close()
            cores = min(int(threads), usable_cores())
            tables = Tablebase(folder, int(megabytes) << 20, cores)
            self._sources, self._options = Sources(tables, self._files(files)), wanted
        return self._sources

    def _files(self, path: str) -> SyzygyTablebase | None:
        """The Syzygy files of the folders that are there; None if none is named."""
        from unmove.interop.syzygy.tablebase import SyzygyTablebase
        from unmove.store.folder import Folder

        if not path:
            return None
        files = SyzygyTablebase()
        for folder in Folder.named(path).paths:
            try:
                files.add_directory(folder)
            except UnmoveError as error:
                self._say(told(error))
        return files

    def try_out(self, game: str) -> None:
        """The tables have answered once: kernels are loaded, or compiled, before a clock runs."""
        import chess

        from unmove.games.boards import parse_fen

        sources = self.open()
        if game not in self._tried:
            self._tried.add(game)
            with suppress(UnmoveError):  # what is missing is told when it is asked for
                if sources.syzygy is not None:
                    sources.syzygy.get_dtz(chess.Board(BARE_KINGS["chess"]))
                tables = sources.tables
                tables.moves(parse_fen(BARE_KINGS[game]))
                # Planes that are probed often are evaluated whole, either side to move.
                tables.probe_fens([BARE_KINGS[game].replace(" w ", f" {side} ") for side in "wb"])

    def close(self) -> None:
        """Files are closed and threads ended."""
        if self._sources is not None:
            self._sources.tables.close()
        if self._sources is not None and self._sources.syzygy is not None:
            self._sources.syzygy.close()
