"""The papers: their names, sources, figures, and the tables that these need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from unmove.errors import BadOption
from unmove.material import Material
from unmove.papers import nalimov, notes, wu_beal
from unmove.papers.context import ReproductionContext
from unmove.papers.figures import Figure
from unmove.solver.plan import Plan, make_plan
from unmove.store.folder import Folder
from unmove.values import Metric

Wants = Callable[[int], list[tuple[Material, Metric]]]


@dataclass(frozen=True)
class Paper:
    """A paper with its figures, and the tables they need up to some number of men."""

    key: str
    source: str
    figures: Callable[[ReproductionContext], Iterator[Figure]]
    wanted: Wants
    remark: str = ""
    """What else its figures take, or how they count, as a sentence."""


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "nalimov",
            "E. V. Nalimov, G. McC. Haworth, E. A. Heinz, Space-efficient indexing of endgame "
            "tables for chess (2001)",
            nalimov.figures,
            nalimov.wanted,
            "The indexes of all 145 endgames are counted: about half a minute.",
        ),
        Paper(
            "wu-beal",
            "R. Wu, D. F. Beal, Retrograde Analysis of some Chinese Chess Endgames (1996)",
            wu_beal.figures,
            wu_beal.wanted,
            "The loop as printed is run in memory; with --men 9 that takes minutes and 4 GB.",
        ),
        Paper(
            "zellner",
            "H. Zellner, KBBK squeezed into a micro (1987)",
            notes.zellner,
            notes.kbbk_wants,
        ),
        Paper(
            "kbbkn",
            "H. J. van den Herik, I. S. Herschberg, The KBBKN statistics: new data from Ken "
            "Thompson (1987)",
            notes.kbbkn,
            notes.kbbk_wants,
            "The paper does not say how it counts. Our reading, found from its numbers: White's "
            "wins of KBBK, White to move, modulo symmetry, each twice (18 rows tell that); and "
            "the two mates in one of KBKN once (the first row alone tells that).",
        ),
        Paper(
            "wendroff",
            "B. Wendroff, T. Warnock, L. Stiller, D. Mayer, R. Brickner, Bits and pieces: "
            "constructing chess endgame databases on parallel and vector architectures (1993)",
            notes.wendroff,
            notes.wendroff_wants,
        ),
        Paper(
            "thompson", "K. Thompson, 6-Piece Endgames (1996)", notes.thompson, notes.thompson_wants
        ),
    )
}


def papers_named(names: Iterable[str]) -> list[Paper]:
    """The papers of these names, all of them if there are none; BadOption for an unknown one."""
    names = list(names)
    for name in names:
        if name not in PAPERS:
            raise BadOption("paper", name, f"it must be one of {', '.join(PAPERS)}")
    return [paper for key, paper in PAPERS.items() if not names or key in names]


def most_men() -> int:
    """The men of the largest endgame that a paper needs."""
    wanted = (table for paper in PAPERS.values() for table in paper.wanted(sys.maxsize))
    return max(material.men for material, _ in wanted)


def plan_of(papers: Iterable[Paper], men: int, folder: Folder) -> Plan:
    """The plan for the tables that the papers need and the folder does not have."""
    wanted = list(dict.fromkeys(table for paper in papers for table in paper.wanted(men)))
    plans = []
    for metric in Metric:
        materials = [material for material, wants in wanted if wants == metric]
        if materials:
            plans.append(make_plan(materials, [metric], folder))
    return Plan([job for plan in plans for job in plan.jobs], sum(p.finished for p in plans))
