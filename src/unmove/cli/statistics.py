"""What `unmove stats` answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from unmove.cli.output import show_table
from unmove.errors import BadOption
from unmove.material import Material
from unmove.probe.tablebase import Tablebase
from unmove.research.histogram import by_moves
from unmove.research.plots import plot as draw
from unmove.research.records import Played, Record, played, records, write_lines, write_pgn
from unmove.store.folder import Folder
from unmove.store.summary import SIDE_KEYS, TURN_KEYS, Summary
from unmove.values import Metric, plies_of, result_of
from unmove.variants import CHESS


def summaries(folder: Folder, material: Material) -> dict[Metric, Summary]:
    """The statistics of each metric that is built, sides as written; MissingTable when none is."""
    found, stored = {}, material.canonical()
    for metric in folder.built(stored):
        with folder.open(stored, metric) as file:
            found[metric] = file.summary_as(material)
    return found


def stats_answer(folder: Folder, material: Material) -> dict[str, Any]:
    """The statistics of a material as plain data."""
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    answer: dict[str, Any] = {
        "material": str(material),
        "men": material.men,
        "complexity": material.complexity.value,
        "counted": material.game.symmetry,
        "counts": {turn: counts.counts(side) for side, turn in enumerate(TURN_KEYS)},
    }
    answer["counts50"] = None
    if Metric.DTZ in found:
        answer["counts50"] = {
            turn: found[Metric.DTZ].counts50(side) for side, turn in enumerate(TURN_KEYS)
        }
    for metric in Metric:
        summary = found.get(metric)
        answer[f"max_{metric.value}_moves"] = summary.max_moves(metric) if summary else None
    answer["longest"] = {
        metric.value: {which.replace(" ", "_"): fen for which, fen in s.longest.items()}
        for metric, s in found.items()
    }
    answer["longest_positions"] = {
        metric.value: {
            f"{SIDE_KEYS[record.winner]}_wins_{TURN_KEYS[record.side]}": record.positions
            for record in records(summary, material, metric)
        }
        for metric, summary in found.items()
    }
    answer["histogram"] = {
        metric.value: _histogram(summary, metric) for metric, summary in found.items()
    }
    return answer


def _histogram(summary: Summary, metric: Metric) -> dict[str, dict[str, dict[str, int]]]:
    """Positions by side to move, outcome (DTZ: under the 50-move rule) and plies."""
    result: dict[str, dict[str, dict[str, int]]] = {}
    for side, turn in enumerate(TURN_KEYS):
        rows: dict[str, dict[str, int]] = {"win": {}, "loss": {}}
        for code, positions in sorted(summary.histogram[side].items()):
            plies = str(plies_of(code, metric))
            rows.setdefault(result_of(code, metric).word.replace(" ", "_"), {})[plies] = positions
        result[turn] = rows
    return result


def write_files(
    folder: Folder,
    material: Material,
    metric: Metric | None,
    *,
    plot: Path | None,
    pgn: Path | None,
    lines: Path | None,
) -> list[str]:
    """The files that are asked for are written; a sentence for each."""
    if pgn and material.game != CHESS:
        raise BadOption("--pgn", pgn, "PGN is for chess; --lines writes the same lines as text")
    counted, summary = _chosen(summaries(folder, material), folder, material, metric)
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
    """The records with their lines; how far it is, is shown."""
    console = Console(stderr=True)
    shown = track(
        found, "Playing", console=console, transient=True, disable=not console.is_terminal
    )
    with Tablebase(folder) as tables:
        return [played(tables, record) for record in shown]


def _chosen(
    found: dict[Metric, Summary], folder: Folder, material: Material, metric: Metric | None
) -> tuple[Metric, Summary]:
    """The metric that is asked for, or else the first that is built; MissingTable without it."""
    counted = metric or next(iter(found))
    if counted not in found:
        material.game.require(counted)
        raise folder.missing(material.canonical(), counted)
    return counted, found[counted]


def show_stats(folder: Folder, material: Material, metric: Metric | None, console: Console) -> None:
    """Counts, longest wins and the histogram, for a person."""
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    counted, histogram = _chosen(found, folder, material, metric)
    console.print(
        f"{material}: {material.men} men, {material.complexity.value}. {material.game.symmetry}",
        highlight=False,
    )
    names = material.game.side_names
    _show_counts(names, [counts.counts(side) for side in (0, 1)], counts.legal, console)
    if Metric.DTZ in found:
        console.print("\nUnder the 50-move rule", highlight=False)
        counts50 = [found[Metric.DTZ].counts50(side) for side in (0, 1)]
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
    """A line a record, with one position of it and how many there are."""
    for record in found:
        moves = f"{record.moves} move{'' if record.moves == 1 else 's'}"
        among = f"{record.positions:,} position{'' if record.positions == 1 else 's'}"
        console.print(f"  {record.title}: {moves:>9}  {record.fen}  ({among})", highlight=False)
    if not found:
        console.print("  There are none.", highlight=False)


def _histogram_table(summary: Summary, names: Sequence[str], metric: Metric) -> Table:
    """A row a number of moves: how many positions of each outcome each side to move has of them."""
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
