"""The statistics of an endgame, for people, and the files that people ask for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from unmove.api.statistics import chosen_summary, summaries
from unmove.cli.output import show_table
from unmove.errors import BadOption
from unmove.material import Material
from unmove.probe.tablebase import Tablebase
from unmove.research.histogram import by_moves
from unmove.research.plots import plot as draw
from unmove.research.records import Played, Record, played, records, write_lines, write_pgn
from unmove.store.folder import Folder
from unmove.store.summary import Summary
from unmove.values import SIDES, Metric
from unmove.variants import CHESS


def write_files(
    folder: Folder,
    material: Material,
    metric: Metric | None,
    *,
    plot: Path | None,
    pgn: Path | None,
    lines: Path | None,
) -> list[str]:
    """The files that are asked for are written; returns a sentence for each."""
    if pgn and material.game != CHESS:
        raise BadOption("pgn", pgn, "PGN is for chess; --lines writes the same lines as text")
    counted, summary = chosen_summary(folder, material, metric)
    written = []
    if plot:
        draw(summary, material, counted, plot)
        written.append(f"The histogram is in {plot}.")
    asked = [(path, write) for path, write in ((pgn, write_pgn), (lines, write_lines)) if path]
    longest = _played(folder, records(summary, material, counted)) if asked else []
    for path, write in asked:
        write(longest, path)
        written.append(f"The longest wins ({len(longest)}) are in {path}.")
    return written


def _played(folder: Folder, found: Sequence[Record]) -> list[Played]:
    """The records with their lines; a bar shows the progress."""
    console = Console(stderr=True)
    shown = track(
        found, "Playing", console=console, transient=True, disable=not console.is_terminal
    )
    with Tablebase(folder) as tables:
        return [played(tables, record) for record in shown]


def show_statistics(
    folder: Folder, material: Material, metric: Metric | None, console: Console
) -> None:
    """Counts, longest wins and the histogram."""
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    counted, histogram = chosen_summary(folder, material, metric)
    console.print(
        f"{material}: {material.men} men, {material.complexity.value}. {material.game.symmetry}",
        highlight=False,
    )
    names = material.game.side_names
    _show_counts(names, [counts.counts(side) for side in SIDES], counts.legal, console)
    if Metric.DTZ in found:
        console.print("\nUnder the 50-move rule", highlight=False)
        counts50 = [found[Metric.DTZ].counts50(side) for side in SIDES]
        _show_counts(names, counts50, counts.legal, console)
    for other, summary in found.items():
        console.print(f"\nLongest wins ({other.value})", highlight=False)
        _show_longest(records(summary, material, other), console)
    console.print(f"\nPositions by moves ({counted.value})", highlight=False)
    show_table(_histogram_table(histogram, names, counted), console)


def _show_counts(
    names: Sequence[str], counts: list[dict[str, int]], legal: Sequence[int], console: Console
) -> None:
    """Two rows for each side to move: positions, and their share of the legal ones."""
    table = Table("to move", box=None, pad_edge=False)
    for column in counts[0]:
        table.add_column(column.replace("_", " "), justify="right")
    for name, row, whole in zip(names, counts, legal, strict=True):
        table.add_row(name, *(f"{count:,}" for count in row.values()))
        table.add_row("", *(f"{count / whole:.2%}" for count in row.values()))
    show_table(table, console)


def _show_longest(found: Sequence[Record], console: Console) -> None:
    """A line for each record, with one of its positions and how many there are."""
    for record in found:
        moves = f"{record.moves} move{'' if record.moves == 1 else 's'}"
        among = f"{record.positions:,} position{'' if record.positions == 1 else 's'}"
        console.print(f"  {record.title}: {moves:>9}  {record.fen}  ({among})", highlight=False)
    if not found:
        console.print("  There are none.", highlight=False)


def _histogram_table(summary: Summary, names: Sequence[str], metric: Metric) -> Table:
    """A row for each number of moves: positions by side to move and outcome."""
    columns = by_moves(summary, metric)
    table = Table("moves", box=None, pad_edge=False)
    for side, result in columns:
        table.add_column(f"{names[side]} to move: {result.word}", justify="right")
    for moves in sorted({moves for counts in columns.values() for moves in counts}):
        table.add_row(
            str(moves),
            *(f"{counts[moves]:,}" if moves in counts else "" for counts in columns.values()),
        )
    return table
