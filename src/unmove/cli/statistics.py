"""What `unmove stats` and `unmove list` answer."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from unmove.errors import MissingTable
from unmove.material import Material
from unmove.store.folder import Folder
from unmove.store.summary import TURNS, Summary
from unmove.values import Metric, Outcome, outcome50_of, outcome_of, plies_of


def summaries(folder: Folder, material: Material) -> dict[Metric, Summary]:
    """The statistics of each metric that is built; MissingTable when none is."""
    found = {}
    for metric in Metric:
        if folder.has(material, metric):
            with folder.open(material, metric) as file:
                found[metric] = file.summary
    if not found:
        raise MissingTable(str(material), Metric.DTM.value, folder.path)
    return found


def stats_answer(folder: Folder, material: Material) -> dict[str, Any]:
    """The statistics of a material as plain data; `Game.symmetry` says how it is counted."""
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    answer: dict[str, Any] = {
        "material": str(material),
        "men": material.men,
        "complexity": material.complexity.value,
        "counts": {turn: counts.counts(side) for side, turn in enumerate(TURNS)},
    }
    answer["counts50"] = None
    if Metric.DTZ in found:
        answer["counts50"] = {
            turn: found[Metric.DTZ].counts50(side) for side, turn in enumerate(TURNS)
        }
    for metric in Metric:
        summary = found.get(metric)
        answer[f"max_{metric.value}_moves"] = summary.max_moves(metric) if summary else None
    answer["longest"] = {
        metric.value: {which.replace(" ", "_"): fen for which, fen in s.longest.items()}
        for metric, s in found.items()
    }
    answer["histogram"] = {
        metric.value: _histogram(summary, metric) for metric, summary in found.items()
    }
    return answer


def _histogram(summary: Summary, metric: Metric) -> dict[str, dict[str, dict[str, int]]]:
    """Positions by side to move, outcome (DTZ: under the 50-move rule) and plies."""
    result: dict[str, dict[str, dict[str, int]]] = {}
    for side, turn in enumerate(TURNS):
        rows: dict[str, dict[str, int]] = {"win": {}, "loss": {}}
        for code, positions in sorted(summary.histogram[side].items()):
            outcome = outcome50_of(code) if metric is Metric.DTZ else outcome_of(code)
            plies = str(plies_of(code, metric))
            rows.setdefault(outcome.word.replace(" ", "_"), {})[plies] = positions
        result[turn] = rows
    return result


def show_stats(folder: Folder, material: Material, console: Console) -> None:
    """Counts, longest wins and the histogram, for a person."""
    found = summaries(folder, material)
    counts = next(iter(found.values()))
    console.print(
        f"{material}: {material.men} men, {material.complexity.value}. {material.game.symmetry}",
        highlight=False,
    )
    _show_counts([counts.counts(side) for side in (0, 1)], console)
    if Metric.DTZ in found:
        console.print("\nUnder the 50-move rule", highlight=False)
        _show_counts([found[Metric.DTZ].counts50(side) for side in (0, 1)], console)
    for metric, summary in found.items():
        console.print(f"\nLongest wins ({metric.value})", highlight=False)
        _show_longest(summary, metric, console)
    metric, summary = next(iter(found.items()))
    console.print(f"\nPositions by moves ({metric.value})", highlight=False)
    console.print(_histogram_table(summary, metric))


def _show_counts(counts: list[dict[str, int]], console: Console) -> None:
    """A row for each side to move."""
    table = Table("to move", box=None, pad_edge=False)
    for column in counts[0]:
        table.add_column(column.replace("_", " "), justify="right")
    for name, row in zip(("White", "Black"), counts, strict=True):
        table.add_row(name, *(f"{count:,}" for count in row.values()))
    console.print(table)


def _show_longest(summary: Summary, metric: Metric, console: Console) -> None:
    for key, fen in summary.longest.items():
        winner, turn = key.split(" ")
        moves = summary.max_moves(metric)[winner][turn]
        side = "White" if turn == "wtm" else "Black"
        console.print(
            f"  {winner.split('_')[0].capitalize()} wins, {side} to move: {moves} moves  {fen}",
            highlight=False,
        )


def _histogram_table(summary: Summary, metric: Metric) -> Table:
    """A row a number of moves: how many wins and losses each side to move has of them."""
    rows: dict[int, dict[tuple[int, Outcome], int]] = {}
    for side in (0, 1):
        for code, positions in summary.histogram[side].items():
            outcome = outcome_of(code)
            moves = (plies_of(code, metric) + (outcome is Outcome.WIN)) // 2
            row = rows.setdefault(moves, {})
            row[side, outcome] = row.get((side, outcome), 0) + positions
    columns = [(side, outcome) for side in (0, 1) for outcome in (Outcome.WIN, Outcome.LOSS)]
    table = Table("moves", box=None, pad_edge=False)
    for side, outcome in columns:
        table.add_column(
            f"{'White' if side == 0 else 'Black'} to move: {outcome.word}", justify="right"
        )
    for moves, row in sorted(rows.items()):
        table.add_row(str(moves), *(f"{row[c]:,}" if c in row else "" for c in columns))
    return table


def list_answer(folder: Folder) -> list[dict[str, Any]]:
    """The tables of a folder as plain data."""
    answer = []
    for material, metric in folder.tables():
        with folder.open(material, metric) as file:
            answer.append(
                {
                    "material": str(material),
                    "metric": metric.value,
                    "men": material.men,
                    "positions": sum(file.summary.legal),
                    "bytes": file.size,
                    "file": str(file.path),
                }
            )
    return sorted(answer, key=lambda row: (row["men"], row["material"], row["metric"]))
