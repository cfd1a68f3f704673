"""A comparison with other programs' files at work, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from unmove.api.comparison import ComparedTable, ComparisonJob, compare
from unmove.cli.output import emit, progress_bar, time_text
from unmove.errors import ValuesDiffer
from unmove.research.comparing import Agreement, OtherFiles
from unmove.store.folder import Folder

MEANINGS: Final = {
    Agreement.SHORT: "one ply short there, as the file counts in pairs of plies",
    Agreement.MATE: "checkmates, lost in one ply there and in none here",
    Agreement.CURSED: "cursed wins and blessed losses that both have, counted to other zeroings",
    Agreement.WRONG: "of which only one of both can be right",
}
"""What is said once of each kind that occurs."""


def run_comparison(
    jobs: Sequence[ComparisonJob],
    folder: Folder,
    files: OtherFiles,
    threads: int,
    *,
    as_json: bool,
) -> None:
    """The tables are compared; before that, what it takes is printed.

    ValuesDiffer at the end, if some value is wrong.
    """
    console = Console(stderr=as_json, soft_wrap=True)
    console.print(describe(jobs, files, threads), highlight=False)
    width = max(len(str(job.material)) for job in jobs)
    total: Counter[Agreement] = Counter()
    first = ""
    for job in jobs:
        with progress_bar(f"Comparing {job.material}", console) as report:
            compared = compare(job, folder, files, threads, report)
        counts = _counts(compared)
        total += counts
        if compared.wrong and not first:
            first = compared.examples[Agreement.WRONG.key][0].fen
        if as_json:
            emit(compared)
        else:
            _show(compared, counts, width, console)
    _explain(total, files, console)
    if first:
        raise ValuesDiffer(total[Agreement.WRONG], first)


def describe(jobs: Sequence[ComparisonJob], files: OtherFiles, threads: int) -> str:
    """One sentence: how much there is to compare, and how long it takes by estimate."""
    count = sum(job.positions for job in jobs)
    seconds = sum(job.seconds(files, threads) for job in jobs)
    tables = "1 table" if len(jobs) == 1 else f"{len(jobs)} tables"
    return (
        f"Comparing {count:,} positions of {tables} with {files.source.capitalize()} files: "
        f"about {time_text(seconds)}."
    )


def _counts(compared: ComparedTable) -> Counter[Agreement]:
    return Counter({each: getattr(compared, each.key) for each in Agreement})


def _show(
    compared: ComparedTable, counts: Counter[Agreement], width: int, console: Console
) -> None:
    """A line for the table, and one for each example that is wrong."""
    parts = [f"{counts[each]:,} {each.key}" for each in Agreement if counts[each]]
    console.print(
        f"{compared.material!s:<{width}}  {compared.metric}  {', '.join(parts)} "
        f"({time_text(compared.seconds)})",
        highlight=False,
    )
    for example in compared.examples.get(Agreement.WRONG.key, ()):
        numbers = f"ours {example.ours}, theirs {example.theirs}"
        console.print(f"  {example.fen}: {numbers}", highlight=False)


def _explain(total: Counter[Agreement], files: OtherFiles, console: Console) -> None:
    """The sum, and what the kinds mean that occur."""
    for agreement, meaning in MEANINGS.items():
        if total[agreement]:
            console.print(f"{agreement.key}: {meaning}.", highlight=False)
    verdict = "some values are wrong" if total[Agreement.WRONG] else "no value is wrong"
    console.print(
        f"{sum(total.values()):,} positions compared with {files.source.capitalize()} files: "
        f"{verdict}.",
        highlight=False,
    )
