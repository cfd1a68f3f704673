"""The kinds of planes: for each, the classes that play the roles that depend on it.

A plane is king by king, or court by court. Every room above asks a layout for its kind, and the
kind for the class that does the room's work. So a third kind of plane is one more record here, and
its classes.

Imports point downwards only, and this is one of the lowest rooms. So a role is a dotted path,
`package.module:name`, which is imported when it is first asked for. Each room has one accessor
that gives the result its type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from unmove.variants import CHESS, XIANGQI, Game


@dataclass(frozen=True)
class PlaneKind:
    """A kind of plane. Roles are dotted paths; see `resolved`."""

    name: str
    """As files have it."""
    game: Game
    """The game whose tables have such planes."""
    layout: str
    """The numbering of planes; see `layouts.layout_of`."""
    board: str
    """The function from a cell to its board; see `layouts.board_at`."""
    backend: str
    """What the solver works with; see `solver.backend.SolverBackend`."""
    arrangement: str
    """How planes are laid out in a file; see `store.codec.arrangement.Arrangement`."""
    position_map: str
    """From squares to cells, and back; see `probe.positions.PositionMap`."""
    proof: str
    """See `verify.fixpoint.Proof`."""
    move_counter: str
    """See `research.choices.MoveCounter`."""
    has_contexts: bool
    """Whether the codec has a tree of contexts for its planes. Else a file stores both sides."""


KING_PLANES: Final = PlaneKind(
    name="kings",
    game=CHESS,
    layout="unmove.planes.layout:Layout",
    board="unmove.planes.position:board_at",
    backend="unmove.solver.kings:KingsBackend",
    arrangement="unmove.store.codec.arrangement:KingsArrangement",
    position_map="unmove.probe.positions:KingsPositionMap",
    proof="unmove.verify.kings:KingsProof",
    move_counter="unmove.research.choices:KingsMoveCounter",
    has_contexts=True,
)

COURT_PLANES: Final = PlaneKind(
    name="courts",
    game=XIANGQI,
    layout="unmove.planes.court_layout:CourtLayout",
    board="unmove.planes.position:court_board_at",
    backend="unmove.solver.courts:CourtsBackend",
    arrangement="unmove.store.codec.arrangement:CourtsArrangement",
    position_map="unmove.probe.positions:CourtsPositionMap",
    proof="unmove.verify.courts:CourtProof",
    move_counter="unmove.research.choices:CourtsMoveCounter",
    has_contexts=False,
)

PLANE_KINDS: Final = {kind.game.name: kind for kind in (KING_PLANES, COURT_PLANES)}
"""By name of the game."""


@cache
def resolved(path: str) -> Any:
    """What a dotted path names."""
    module, name = path.split(":")
    return getattr(import_module(module), name)
