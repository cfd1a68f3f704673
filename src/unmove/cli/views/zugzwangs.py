"""Counts of mutual zugzwangs, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from unmove.api.search import ZugzwangCount
from unmove.cli.output import show_table
from unmove.variants import Game


def show_zugzwangs(counts: Sequence[ZugzwangCount], console: Console) -> None:
    """A table for each game."""
    by_game: dict[Game, list[ZugzwangCount]] = {}
    for count in counts:
        by_game.setdefault(count.material.game, []).append(count)
    for game, rows in by_game.items():
        show_table(_table(game, rows), console)
        for sentence in dict.fromkeys(_counted(game, rows)):
            console.print(sentence, highlight=False)


def _table(game: Game, rows: Sequence[ZugzwangCount]) -> Table:
    """A row for each endgame, and their sums."""
    table = Table("endgame", box=None, pad_edge=False)
    for heading in ("full point", *(f"half, {name} wins" for name in game.side_names)):
        table.add_column(heading, justify="right")
    numbers = [(row.full, row.white, row.black) for row in rows]
    for row, kinds in zip(rows, numbers, strict=True):
        table.add_row(str(row.material), *(f"{number:,}" for number in kinds))
    if len(rows) > 1:
        table.add_row("all", *(f"{sum(kind):,}" for kind in zip(*numbers, strict=True)))
    return table


def _counted(game: Game, rows: Sequence[ZugzwangCount]) -> Iterator[str]:
    """How positions are counted: what is true of all rows first, then what is of one."""
    yield game.symmetry
    for row in rows:
        if own := row.counted.removeprefix(game.symmetry).strip():
            yield own
