"""Answers for machines: the records of `api`, and the JSON that commands make of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import chess
import pytest
from typer.testing import CliRunner

from unmove import Metric, Outcome, Outcome50, Tablebase
from unmove.api.positions import FailedProbe, RankedPosition, line, probe, probe_many, probe_or_fail
from unmove.api.record import to_json
from unmove.cli.app import app
from unmove.errors import BadFen
from unmove.games.boards import AnyBoard
from unmove.store.folder import Folder
from unmove.values import Code

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "data" / "answers.json").read_text(encoding="utf-8")
)
"""What commands printed before there were records: each command with its lines of JSON."""
UNSTEADY = re.compile(r'("seconds": )[\d.]+|("made_by": )"[^"]*"|("program": )"[^"]*"')
ROOK = "8/8/8/3k4/8/2r5/8/KQ6 w - - 0 1"


@pytest.mark.parametrize("number", range(len(GOLDEN)), ids=lambda n: " ".join(GOLDEN[n]["command"]))
def test_the_json_of_commands_is_what_it_was(
    small_tables: Folder, court_tables: Folder, tmp_path: Path, number: int
) -> None:
    """Byte for byte, but for times and versions."""
    (tmp_path / "fens.txt").write_text(GOLDEN[number].get("input", ""), encoding="utf-8")
    places = {"tables": str(small_tables.path), "courts": str(court_tables.path)}
    places["fens"] = str(tmp_path / "fens.txt")
    command = [word.format(**places) for word in GOLDEN[number]["command"]]
    result = CliRunner().invoke(app, [*command, "--json"])
    text = UNSTEADY.sub(lambda found: f"{found[1] or found[2] or found[3]}0", result.stdout)
    for name, place in places.items():
        text = text.replace(place, f"{{{name}}}")
    assert text.splitlines() == GOLDEN[number]["lines"]
    assert result.exit_code == GOLDEN[number]["code"]


def test_a_probe_looks_a_position_up_once_for_each_metric(
    tablebase: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outcomes and distances follow from one code by each metric; so it is with moves."""
    look_ups: Counter[tuple[str, Metric]] = Counter()
    original = Tablebase._stored

    def counted(self: Tablebase, board: AnyBoard, metric: Metric) -> Code:
        look_ups[board.fen(), metric] += 1
        return original(self, board, metric)

    monkeypatch.setattr(Tablebase, "_stored", counted)
    answer = tablebase.probe(chess.Board(ROOK))
    assert {metric: look_ups[ROOK, metric] for metric in Metric} == dict.fromkeys(Metric, 1)
    assert (answer.outcome, answer.outcome50) == (Outcome.WIN, Outcome50.WIN)
    assert (answer.dtm, answer.dtz) == (65, 55)
    look_ups.clear()
    probe(tablebase, ROOK)
    assert {metric: look_ups[ROOK, metric] for metric in Metric} == dict.fromkeys(Metric, 1)
    look_ups.clear()
    tablebase.probe_wdl(chess.Board(ROOK))
    assert look_ups[ROOK, Metric.DTM] == 1 and look_ups[ROOK, Metric.DTC] == 0


def test_one_probe_says_what_the_single_ones_say(tablebase: Tablebase) -> None:
    """With a clock, an en-passant right, in a draw, at mate and at stalemate."""
    for fen in (
        ROOK,
        "8/8/8/3k4/8/2r5/8/KQ6 w - - 60 1",
        "8/8/8/8/3pP3/k7/8/K7 b - e3 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    ):
        board = chess.Board(fen)
        answer = tablebase.probe(board)
        assert answer.outcome == tablebase.probe_wdl(board)
        assert answer.outcome50 == tablebase.probe_wdl50(board)
        assert answer.dtm == tablebase.probe_dtm(board)
        assert answer.dtc == tablebase.probe_dtc(board)
        assert answer.dtz == tablebase.probe_dtz(board)
        (one,) = probe_many(tablebase, [fen])
        ranked = probe(tablebase, fen)
        assert to_json(ranked) == to_json(one) | {"moves": [to_json(m) for m in ranked.moves]}


def test_a_probe_leaves_out_what_is_not_built(tmp_path: Path, small_tables: Folder) -> None:
    """One metric is enough for an answer; the others are None."""
    for name in ("KvK", "KQvK"):
        file = small_tables.path / f"{name}.dtc.unmove"
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with Tablebase(tmp_path) as tables:
        answer = tables.probe(chess.Board("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"))
    assert (answer.outcome, answer.outcome50) == (Outcome.WIN, None)
    assert (answer.dtm, answer.dtc, answer.dtz) == (None, 1, None)


def test_a_record_has_typed_fields_and_cannot_be_changed(tablebase: Tablebase) -> None:
    """Enumerations inside, words outside; an error is told as the surface tells it."""
    answer = probe_or_fail(tablebase, ROOK)
    assert isinstance(answer, RankedPosition)
    assert answer.outcome == Outcome.WIN and to_json(answer)["outcome"] == "win"
    assert line(tablebase, ROOK, Metric.DTZ).metric == Metric.DTZ
    with pytest.raises(FrozenInstanceError):
        answer.dtm = None  # type: ignore[misc]
    failed = probe_or_fail(tablebase, "x" * 500)
    assert isinstance(failed, FailedProbe) and isinstance(failed.error, BadFen)
    assert to_json(failed, lambda error: "no") | {"fen": ""} == {
        "fen": "",
        "error": "no",
        "kind": "BadFen",
    }
    assert len(failed.fen) < 200


def test_what_json_cannot_say_is_no_field_of_a_record() -> None:
    """A mistake of ours is found by the first use, not by a client."""

    @dataclass(frozen=True)
    class Wrong:
        field: object

    with pytest.raises(TypeError, match="complex"):
        to_json(Wrong(1j))
