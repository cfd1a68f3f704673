"""What `unmove info` and `unmove check` do and show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from unmove.answers.shelves import Shelves
from unmove.cli.output import size_text
from unmove.crew.crew import Crew
from unmove.errors import BadOption, DamagedFile, FileError, MissingTable
from unmove.material import Material
from unmove.store.digest import values_digest
from unmove.store.folder import Folder
from unmove.store.format import BOTH
from unmove.store.reader import TableFile
from unmove.values import Metric


def info_answer(path: Path) -> dict[str, Any]:
    """What a file says of itself, as plain data."""
    if not path.is_file():
        raise BadOption("FILE", path, "there is no such file")
    with TableFile(path) as file:
        meta, summary = file.meta, file.summary
        return {
            "file": str(path),
            "material": str(meta.material),
            "metric": meta.metric.value,
            "bytes": file.size,
            "positions": sum(summary.legal),
            "bits_a_position": round(8 * file.size / max(1, sum(summary.legal)), 4),
            "stored": meta.stored,
            "coder": meta.coder,
            "planes": meta.planes,
            "blocks": meta.blocks,
            "legal": list(summary.legal),
            "max_moves": summary.max_moves(meta.metric),
            "values": meta.values,
            "made_by": meta.made_by,
        }


def show_info(path: Path, console: Console) -> None:
    """The same for a person."""
    answer = info_answer(path)
    stored = f"{answer['stored'].capitalize()} to move is stored, the other side found by one ply"
    if answer["stored"] == BOTH:
        stored = "Both sides to move are stored"
    lines = [
        f"{answer['material']} {answer['metric']}, {size_text(answer['bytes'])}",
        f"{answer['positions']:,} positions, {answer['bits_a_position']} bits each",
        f"{stored}; {answer['planes']:,} planes in {answer['blocks']:,} blocks, "
        f"coder {answer['coder']}",
        f"values  {answer['values']}",
        f"made by {answer['made_by']}",
    ]
    console.print("\n".join(lines), highlight=False)


def check_tables(
    folder: Folder, names: Sequence[str], values: bool, threads: int, console: Console
) -> Iterator[dict[str, Any]]:
    """A verdict for each table of the folder, or of the endgames named."""
    wanted = [Material.parse(name) for name in names]
    tables = [key for key in folder.tables() if not wanted or key[0] in wanted]
    for material in wanted:
        if material not in [found for found, _ in tables]:
            raise MissingTable(str(material), Metric.DTM.value, folder.path)
    with Progress(console=console, transient=True) as bar, Crew(threads) as crew:
        task = bar.add_task("Checking", total=len(tables))
        for material, metric in tables:
            bar.update(task, description=f"Checking {material} {metric}")
            answer = {"material": str(material), "metric": metric.value, "error": None}
            try:
                _check(folder, material, metric, values, crew)
            except FileError as error:
                answer["error"] = str(error)
            yield answer
            bar.advance(task)


def _check(folder: Folder, material: Material, metric: Metric, values: bool, crew: Crew) -> None:
    """Every byte and every block of a table, and its values; a FileError if something is wrong."""
    with folder.open(material, metric) as file:
        file.check(crew.map)
        if not values:
            return
        with Shelves(folder, crew.workers) as shelves:
            table = shelves.load(material, metric)
        if values_digest(table, file.fold, crew.map) != file.meta.values:
            raise DamagedFile(file.path, "has other values than it was written with")
