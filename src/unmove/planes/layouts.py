"""The layouts of all games, and what depends on the kind of their planes."""

from __future__ import annotations

from unmove.games.boards import AnyBoard
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.kinds import PLANE_KINDS, resolved
from unmove.planes.layout import Layout
from unmove.values import Side
from unmove.variants import Game

AnyLayout = Layout | CourtLayout


def layout_of(material: Material, pad: int = 0, part: tuple[int, int] | None = None) -> AnyLayout:
    """The layout of a material. Planes of court by court have no padding and one part."""
    layout: AnyLayout = _layout_class(material.game).of(material, pad, part)
    return layout


def of_kings(layout: AnyLayout) -> Layout:
    """The layout, if its planes are king by king; TypeError otherwise."""
    if not isinstance(layout, Layout):
        raise TypeError(f"{layout.material} is no endgame of chess")
    return layout


def of_courts(layout: AnyLayout) -> CourtLayout:
    """The layout, if its planes are court by court; TypeError otherwise."""
    if not isinstance(layout, CourtLayout):
        raise TypeError(f"{layout.material} is no endgame of xiangqi")
    return layout


def board_at(layout: AnyLayout, side: Side, index: int) -> AnyBoard:
    """The board of a cell (plane * cells + cell), with `side` to move."""
    board: AnyBoard = resolved(layout.kind.board)(layout, side, index)
    return board


def check_supported(material: Material) -> None:
    """There is a layout for this material; TooManyMen otherwise.

    To be asked before anything is enumerated: an endgame of 32 men leads into billions of others.
    """
    _layout_class(material.game).check_supported(material)


def check_men(men: int, game: Game) -> None:
    """There is a layout for every endgame of so many men; TooManyMen otherwise."""
    _layout_class(game).check_men(men)


def _layout_class(game: Game) -> type[Layout] | type[CourtLayout]:
    found: type[Layout] | type[CourtLayout] = resolved(PLANE_KINDS[game.name].layout)
    return found
