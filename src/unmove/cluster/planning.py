"""What a table will take that is cut over machines: a model, whose constants were measured.

docs/reports/0010-cluster.md has the measurements, docs/decisions/0014-parts-of-a-table.md says how
a table is cut. The work of a single process is that of `solver/estimate.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod

from unmove.cluster.counting import CountedEstimate
from unmove.cluster.demand import RAY_IN_A_PROCESS
from unmove.errors import BadOption
from unmove.material import Material
from unmove.planes.layouts import check_supported
from unmove.pool.machine import slowness
from unmove.solver.cutting import axes_of_lead, lead_side
from unmove.solver.estimate import CODED, FRONTIERS, PARALLEL, PROGRAM, SCORED
from unmove.values import Metric, Side

MOST_MEN_PLANNED = 7

LOGGED_A_BYTE = 6.6
"""Bytes of the log for a byte of the file: 6.4 to 7.1 for tables with long wins, see
docs/reports/0008-six-men.md."""
EXCHANGED = 0.5
"""Of the log: what one of the two sides to move has."""
PLIES_OF_SIX = 300
"""Plies of a table of six men in which something is settled, both winners: 221 to 536 in
docs/reports/0008-six-men.md."""
DEEPER = 2.0
"""The longest wins of all endgames of 5, 6 and 7 men have 253, 523 and 1,097 plies."""
MEETING = 0.02
"""Seconds until all parts have what the others have, if that is little: four parties over Ray."""
HANDLED = 3.6e-9
"""Seconds of one core for a byte that a part gets through Ray: 64 MB of each of four, on two cores,
took 1.4 s."""
FRAME = 75
"""Bytes of a plane that is a part's own: where its men can go, how it is counted."""
EVERYWHERE = 44
"""Bytes of each plane of the table in every part: its number, twice; where its men stand; how it is
counted; and where its entries are in four frontiers."""
READ_BY_PAWNS = 1.5
"""How often a plane is read for pawn moves into it that stay inside the table."""


@dataclass(frozen=True)
class Nodes:
    """Machines that are all alike, and as fast as this one."""

    number: int
    memory: int
    network: float
    """Bytes a second that a node gets and sends at a time."""
    cores: int


@dataclass(frozen=True)
class CutPlan:
    """One table over machines."""

    material: Material
    metric: Metric
    nodes: Nodes

    @cached_property
    def estimate(self) -> CountedEstimate:
        """What it takes alone."""
        return CountedEstimate(self.material, self.metric)

    @cached_property
    def pieces(self) -> list[int]:
        """Into how many pieces each part of the work can be cut, one after the other."""
        layout = self.estimate.layout
        inner = prod(layout.sizes[1 : axes_of_lead(layout)])
        return [(stop - first) * inner for first, stop in layout.parts]

    @property
    def parts(self) -> int:
        """How many nodes have something to do."""
        return min(self.nodes.number, max(self.pieces))

    @cached_property
    def share(self) -> float:
        """Of the planes: what the node with the most of them has."""
        largest = sum(-(-number // self.parts) for number in self.pieces)
        return largest / sum(self.pieces)

    @property
    def slices(self) -> bool:
        """Whether parts are slices of pawns, which need nothing of one another."""
        return self.estimate.kind == "pawns"

    @property
    def side(self) -> Side:
        """Whose men it is cut by."""
        return lead_side(self.estimate.layout)

    @property
    def plies(self) -> int:
        """In which something is exchanged. Small tables have fewer than this says."""
        return max(2, int(PLIES_OF_SIX * DEEPER ** (self.material.men - 6)))

    @property
    def log(self) -> int:
        """Bytes of the log, which one machine keeps and writes the table from."""
        return int(min(self.estimate.log, LOGGED_A_BYTE * self.estimate.disk))

    @property
    def exchanged(self) -> int:
        """Bytes that the parts have for one another, all plies together."""
        if self.parts == 1:
            return 0
        if self.slices:
            return int(READ_BY_PAWNS * 2 * self.estimate.cells)
        return int(EXCHANGED * self.log)

    @property
    def ply(self) -> int:
        """The same for one ply, on average."""
        return 0 if self.slices else self.exchanged // self.plies

    @cached_property
    def memory(self) -> int:
        """Bytes of the node that takes the most."""
        own = PROGRAM + RAY_IN_A_PROCESS + CODED * self.nodes.cores
        return own + max(self._solving, self._writing)

    @property
    def _solving(self) -> int:
        estimate, layout = self.estimate, self.estimate.layout
        if self.slices:
            return estimate.solved_on_disk(-(-max(self.pieces) // self.parts))
        every, a_set = layout.count, layout.words * 8
        own = every * self.share
        frontiers = FRONTIERS * (every + own) / 2 * a_set
        scores = SCORED[estimate.kind] * every * layout.cells
        sets = (every + own if self.parts > 1 else 2 * own) * a_set
        planes = EVERYWHERE * every + FRAME * own
        return int(planes + sets + frontiers + scores) + estimate.captured_on_disk

    @property
    def _writing(self) -> int:
        return self.estimate.written_from_disk(self.estimate.orbits_a_part())

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Seconds by what they are spent on."""
        cores = 1 - PARALLEL + PARALLEL / self.nodes.cores
        core, others = slowness() * cores, (self.parts - 1) / self.parts
        solving, whole = self.estimate.solving, self.estimate.seconds
        got = (self.exchanged + self.log) * others
        return {
            "solving": core * solving * self.share,
            "handling what others have": core * HANDLED * self.exchanged * others,
            "the network": got / self.nodes.network,
            "waiting for one another": 0.0 if self.parts == 1 else MEETING * self._meetings,
            "writing by one node": core * (whole - solving),
        }

    @property
    def _meetings(self) -> int:
        """How often all parts meet; those of slices are about log records alone."""
        return self.plies * (len(self.pieces) if self.slices else 1)

    @property
    def total(self) -> float:
        """Seconds of the table, once the smaller ones are there."""
        return sum(self.seconds.values())

    @property
    def fits(self) -> bool:
        """Whether each node has the memory."""
        return self.memory <= self.nodes.memory

    @property
    def limit(self) -> str:
        """What it takes the most of: memory if that is not there, else time."""
        if not self.fits:
            return "memory"
        return max(self.seconds, key=lambda name: self.seconds[name])


def plan_of(
    materials: Iterable[Material], metrics: Iterable[Metric], nodes: Nodes
) -> list[CutPlan]:
    """A plan for each table; BadOption for one that is not planned for."""
    found = []
    for material in materials:
        check_planned(material)
        for metric in metrics:
            material.game.require(metric)
            found.append(CutPlan(material, metric, nodes))
    return found


def check_planned(material: Material) -> None:
    """The model is of such a table; BadOption or TooManyMen otherwise."""
    if material.game.name != "chess":
        check_supported(material)
    elif material.men > MOST_MEN_PLANNED:
        reason = f"plans are made for up to {MOST_MEN_PLANNED} men, and it has {material.men}"
        raise BadOption("material", str(material), reason)
