"""The functions of `unmove.api` asked slightly wrong: text is read, and anything else refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from unmove import Metric, Tablebase
from unmove.api import files, positions, proof, search, statistics
from unmove.errors import BadMaterial, BadOption, UnmoveError
from unmove.material import Material
from unmove.store.folder import Folder

FEN = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"
NUMBER: Any = 5
NOTHING: Any = None


def test_names_and_paths_are_read_as_text(small_tables: Folder, tablebase: Tablebase) -> None:
    """A path, the name of an endgame and the name of a metric do for the objects themselves."""
    path, material = str(small_tables.path), Material.as_written("KRvKQ")
    assert statistics.statistics(path, "KRvKQ") == statistics.statistics(small_tables, material)
    assert files.list_tables(path) == files.list_tables(small_tables)
    assert files.info(f"{path}/KQvK.dtm.unmove").metric == Metric.DTM
    assert positions.line(tablebase, FEN, "DTZ").metric == Metric.DTZ
    assert search.Search("KRvKQ", "white wins", "DTM").material == material
    assert len(files.FileCheck.of(path, ["KvKQ"]).tables) == len(Metric)
    with search.scanner(path) as scanner:
        assert scanner.open("KvKQ", "dtm").metric == Metric.DTM
    assert proof.prove(path, "KvKQ", "dtm").mismatches == 0


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda tables, path: statistics.statistics(path, NUMBER), BadMaterial),
        (lambda tables, path: statistics.statistics(NUMBER, "KQvK"), BadOption),
        (lambda tables, path: search.Search(NOTHING, "draw"), BadMaterial),
        (lambda tables, path: search.Search("KQvK", "draw", "dtx"), BadOption),
        (lambda tables, path: proof.prove(path, "KQvK", "dtx"), BadOption),
        (lambda tables, path: positions.line(tables, FEN, "dtx"), BadOption),
        (lambda tables, path: positions.probe_many(tables, FEN), BadOption),
    ],
)
def test_anything_else_is_refused(
    small_tables: Folder,
    tablebase: Tablebase,
    call: Callable[[Tablebase, str], Any],
    kind: type[UnmoveError],
) -> None:
    """It is one of our errors, with a sentence; a single FEN is not taken for many."""
    with pytest.raises(kind):
        call(tablebase, str(small_tables.path))


def test_rubbish_among_many_is_a_failed_probe(tablebase: Tablebase) -> None:
    """Each line is answered or fails for itself, whatever its type."""
    asked = [FEN, "x", NUMBER, NOTHING]
    answers = list(positions.probe_many(tablebase, asked))
    assert [isinstance(each, positions.FailedProbe) for each in answers] == [False, *[True] * 3]
    assert isinstance(positions.probe_or_fail(tablebase, NOTHING), positions.FailedProbe)
