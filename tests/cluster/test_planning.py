"""What is told of a table that is cut over machines, before anything is built."""

from __future__ import annotations

import json

import pytest

from tests.support.commands import run
from unmove.cluster.counting import CountedLayout, orbits_of_pawns, orbits_of_pieces
from unmove.cluster.planning import CutPlan, Nodes
from unmove.material import Material, all_of
from unmove.planes.layout import Layout
from unmove.planes.lead import pawn_lead, piece_lead
from unmove.values import Metric

NODES = Nodes(4, 3_000_000_000, 1.25e9, 2)


def test_counted_planes_are_those_of_the_layout() -> None:
    """Numbers of orbits, parts and planes are those of the leads that are enumerated."""
    assert [orbits_of_pieces(size) for size in range(4)] == [
        len(piece_lead(size).squares) for size in range(4)
    ]
    for pawns in ((1, 0), (0, 1), (1, 1), (2, 0), (2, 1)):
        sizes = [stop - first for first, stop in pawn_lead(*pawns).parts]
        assert orbits_of_pawns(*pawns) == sizes
    for material in [*all_of(3), *all_of(4), *all_of(5, pawns=False)]:
        counted, layout = CountedLayout(material), Layout(material)
        assert (counted.count, counted.parts) == (layout.count, layout.parts), material


def test_a_plan_says_how_a_table_is_cut_and_what_each_node_has() -> None:
    """More nodes have less to solve and less memory each, down to what each of them must have."""
    material = Material.parse("KRBvKNN")
    plans = [
        CutPlan(material, Metric.DTM, Nodes(number, 1 << 40, 1.25e9, 1)) for number in (1, 4, 16)
    ]
    alone, four, sixteen = plans
    assert [plan.parts for plan in plans] == [1, 4, 16]
    assert alone.pieces == [10 * 64]  # the orbits of the bishop, the squares of the rook
    assert alone.exchanged == alone.seconds["the network"] == 0
    assert alone.memory > four.memory > sixteen.memory > 512 * four.estimate.layout.count
    assert four.exchanged == sixteen.exchanged < four.log
    assert sixteen.seconds["solving"] == pytest.approx(alone.seconds["solving"] / 16)


def test_slices_exchange_nothing_in_a_ply() -> None:
    """A table with pawns is cut into slices, as many as there are at the same number of steps."""
    plan = CutPlan(Material.parse("KPvK"), Metric.DTM, NODES)
    assert (plan.slices, plan.ply, plan.parts, max(plan.pieces)) == (True, 0, 4, 4)


def test_what_limits_a_table_is_the_memory_that_is_missing_or_the_longest_time() -> None:
    """Seven men do not fit four nodes of 3 GB; what is there in time is named by its share."""
    large = CutPlan(Material.parse("KRBNvKRB"), Metric.DTM, NODES)
    assert (large.fits, large.limit) == (False, "memory")
    small = CutPlan(Material.parse("KRBvKNN"), Metric.DTM, NODES)
    assert small.fits
    assert small.seconds[small.limit] == max(small.seconds.values())
    slow = CutPlan(small.material, Metric.DTM, Nodes(4, NODES.memory, 1e6, 2))
    assert slow.limit == "the network"


def test_the_command_plans_by_name_and_by_number_of_men() -> None:
    """One object a table, sums in words; nothing is built."""
    code, out, _ = run("plan", "KRBNvKRB", "xiangqi:KRCvKAAEE", "--nodes", "16", "--json")
    seven, xiangqi = map(json.loads, out.splitlines())
    assert (code, seven["material"], seven["fits"]) == (0, "KRBNvKRB", False)
    assert seven["total_seconds"] == pytest.approx(sum(seven["seconds"].values()), abs=0.1)
    assert xiangqi["nodes"] == 16
    code, out, _ = run("plan", "--men", "6", "--pawnless", "--nodes", "4", "--network", "1 Gbit/s")
    assert code == 0
    assert out.startswith("170 tables, one after the other: ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("KQQQQvKQQQ",), "plans are made for up to 7 men, and it has 9"),
        (("--men", "8"), "--men 8 cannot be used: it must be from 2 to 7"),
        (("KQvK", "--nodes", "0"), "--nodes 0 cannot be used"),
        (("KQvK", "--node-memory", "much"), "--node-memory much cannot be used"),
        (("KQvK", "--network", "fast"), "write a number of bits a second, such as 10G"),
        (("KQvK", "--network", "0"), "write a number of bits a second, such as 10G"),
        (("xiangqi:KRvK", "--metric", "dtz"), "its distances are dtm and dtc"),
        (("KQvK", "--game", "go"), "--game go cannot be used"),
        ((), "Name an endgame"),
    ],
)
def test_a_plan_that_cannot_be_made_is_one_sentence(
    arguments: tuple[str, ...], sentence: str
) -> None:
    """Bad names and numbers end with 2, and say what to write."""
    code, _, err = run("plan", *arguments)
    assert (code, sentence in err.replace("\n", " ")) == (2, True), err
