"""The layouts of all games: chess has planes of king by king, xiangqi of court by court."""

from __future__ import annotations

from unmove.errors import TooManyMen
from unmove.games.boards import Board
from unmove.material import Material
from unmove.planes.court_layout import CourtLayout
from unmove.planes.layout import MOST_MEN, Layout
from unmove.planes.position import board_at as board_of_kings
from unmove.variants import XIANGQI, Game

AnyLayout = Layout | CourtLayout

MOST_ATTACKERS = 4  # of xiangqi: beyond that planes are too many for any memory
_ATTACKERS = "attackers (R, C, H and P)"


def layout_of(material: Material, pad: int = 0, part: tuple[int, int] | None = None) -> AnyLayout:
    """The layout of a material; only that of chess is padded and comes in parts."""
    if material.game == XIANGQI:
        return CourtLayout(material)
    return Layout(material, pad, part)


def of_kings(layout: AnyLayout) -> Layout:
    """The layout, if it is one of chess; TypeError otherwise."""
    if not isinstance(layout, Layout):
        raise TypeError(f"{layout.material} is no endgame of chess")
    return layout


def of_courts(layout: AnyLayout) -> CourtLayout:
    """The layout, if it is one of xiangqi; TypeError otherwise."""
    if not isinstance(layout, CourtLayout):
        raise TypeError(f"{layout.material} is no endgame of xiangqi")
    return layout


def board_at(layout: AnyLayout, side: int, index: int) -> Board:
    """The board of a cell (plane * cells + cell), with `side` to move."""
    if isinstance(layout, Layout):
        return board_of_kings(layout, side, index)
    board = layout.board_at(side, index)
    if board is None:
        raise ValueError(f"cell {index} of {layout.material} is no placement")
    return board


def check_supported(material: Material) -> None:
    """There is a layout for this material; TooManyMen otherwise.

    To be asked before anything is enumerated: an endgame of 32 men leads into billions of others.
    """
    if material.game == XIANGQI:
        attackers = sum(letter in XIANGQI.attackers for letter in material.white + material.black)
        if attackers > MOST_ATTACKERS:
            raise TooManyMen(attackers, MOST_ATTACKERS, _ATTACKERS)
    elif material.men > MOST_MEN:
        raise TooManyMen(material.men, MOST_MEN)


def check_men(men: int, game: Game) -> None:
    """There is a layout for every endgame of so many men; TooManyMen otherwise."""
    if game == XIANGQI:
        most = 2 + MOST_ATTACKERS
        hint = f" Larger ones are built by name, with up to {MOST_ATTACKERS} {_ATTACKERS}."
    else:
        most, hint = MOST_MEN, ""
    if men > most:
        raise TooManyMen(men, most, hint=hint)
