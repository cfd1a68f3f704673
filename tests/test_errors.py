"""Errors as values: they travel between processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from unmove import UnmoveError
from unmove.errors import BadFen, DamagedFile, MissingTable, TooManyMen

EXAMPLES = [
    BadFen("8/8", "two ranks"),
    MissingTable("KQvK", "dtm", Path("tables")),
    TooManyMen(7, 5),
    DamagedFile(Path("KQvK.dtm.unmove"), "is truncated"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_is_pickled_with_its_fields(error: UnmoveError) -> None:
    """Class, sentence and facts are those of the error that was pickled."""
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def _fail() -> None:
    raise BadFen("8/8", "two ranks")


def test_an_error_comes_out_of_a_worker_process() -> None:
    """A pool of processes hands over the error itself, not a failure to unpickle it."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(BadFen, match="two"):
        pool.submit(_fail).result()


def test_a_message_names_a_few_missing_tables() -> None:
    """An endgame of six men may need a hundred; the error has them all."""
    names = [f"K{'Q' * n}vK" for n in range(1, 31)]
    error = MissingTable("KPPPPvK", "dtm", Path("tables"), names)
    assert "and 22 more, which are not in tables" in str(error)
    assert error.missing == tuple(names)
