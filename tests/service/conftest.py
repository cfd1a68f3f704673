"""A service to ask, with all tables of up to four men."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from unmove import SyzygyTablebase
from unmove.service.app import application
from unmove.service.library import Library
from unmove.store.folder import Folder

LOCAL = ("127.0.0.1", 50000)


def client_of(
    folder: Folder, *, raises: bool = True, syzygy: SyzygyTablebase | None = None
) -> TestClient:
    """A client on this machine, of the service of a folder, and of Syzygy files."""
    app = application(Library(folder, syzygy=syzygy), names=None)
    return TestClient(app, client=LOCAL, raise_server_exceptions=raises)


@pytest.fixture(scope="session")
def both_games(small_tables: Folder, court_tables: Folder) -> Folder:
    """The tables of chess and of xiangqi."""
    return small_tables.plus(court_tables)


@pytest.fixture(scope="session")
def client(both_games: Folder) -> Iterator[TestClient]:
    """Asks about all tables of the tests."""
    with client_of(both_games) as found:
        yield found
