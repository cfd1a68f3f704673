"""Engines that the tests of a file share: to start one takes longer than most questions."""

from __future__ import annotations

import os
from collections.abc import Iterator

import chess.engine
import pytest

from tests.engine.dialogue import PROGRAM, SECONDS, Dialogue
from unmove.store.folder import Folder


@pytest.fixture(scope="session")
def both_games(small_tables: Folder, court_tables: Folder) -> str:
    """Folders with tables of chess up to four men, and some of xiangqi."""
    return f"{small_tables}{os.pathsep}{court_tables}"


@pytest.fixture(scope="module")
def dialogue(both_games: str) -> Iterator[Dialogue]:
    """An engine that has been told nothing yet, at the end of which nobody is alarmed."""
    opened = Dialogue(both_games)
    yield opened
    assert opened.end() == (0, "")


@pytest.fixture(scope="module")
def engine(both_games: str) -> Iterator[chess.engine.SimpleEngine]:
    """The engine as python-chess has it."""
    with chess.engine.SimpleEngine.popen_uci(
        [*PROGRAM], timeout=SECONDS, env=os.environ | {"UNMOVE_DIR": both_games}
    ) as opened:
        yield opened
