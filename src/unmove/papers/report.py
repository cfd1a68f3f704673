"""Figures as text: counts, reasons, our storage, and all of it as one page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from unmove.papers.catalogue import Paper
from unmove.papers.figures import Comparison, Figure, OurStorage
from unmove.papers.published import FigureValue

STORAGE = ("cells we code", "fewer by", "bytes of our file", "bits an entry", "bytes a position")


def number_text(value: FigureValue) -> str:
    """A number as a person reads it; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


def by_table(figures: Iterable[Figure]) -> Iterator[tuple[str, list[Figure]]]:
    """The figures of each table."""
    for (_, table), some in groupby(figures, key=lambda figure: (figure.paper, figure.table)):
        yield table, list(some)


def counts(figures: Sequence[Figure]) -> list[int]:
    """How many there are, and how many of each comparison."""
    return [len(figures), *(sum(f.verdict == verdict for f in figures) for verdict in Comparison)]


def reasons(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """The figures that differ, by reason."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        if figure.verdict == Comparison.DIFFERS:
            found.setdefault(figure.why, []).append(figure)
    return found


def difference_text(figure: Figure) -> str:
    """The published number and ours."""
    published, ours = number_text(figure.published), number_text(figure.ours)
    return f"{figure.what}: {published} in print, {ours} here"


def storage_text(figures: Iterable[Figure]) -> str:
    """What our files of a table's endgames take, summed; empty if there are none."""
    rows = list({figure.row: figure.beside for figure in figures if figure.beside}.values())
    if not rows:
        return ""
    entries = sum(row.entries for row in rows)
    text = []
    if all(row.cells is not None for row in rows):
        total = OurStorage(entries, sum(row.cells or 0 for row in rows))
        text.append(f"we code {total.cells:,} cells, {total.fewer} % fewer")
    if all(row.bytes is not None for row in rows):
        total = OurStorage(entries, bytes=sum(row.bytes or 0 for row in rows))
        text.append(f"our files take {total.bytes:,} bytes, {total.bits} bits an entry")
    return f"Where print has {entries:,} entries, " + ", and ".join(text) + "." if text else ""


def markdown(papers: Sequence[Paper], figures: Sequence[Figure], command: str) -> str:
    """The page: a summary, where print differs and why, and every table in full."""
    numbers = {why: number for number, why in enumerate(reasons(figures), 1)}
    lines = [
        "# Published figures beside ours",
        "",
        "Written by this command, and not to be edited. Where figures come from stands in",
        "[src/unmove/papers/data](../src/unmove/papers/data/README.md).",
        "",
        f"    {command}",
        "",
        *_summary(figures),
        "",
        "## Where print differs",
        "",
        *_differences(figures),
    ]
    for paper in papers:
        lines += ["", f"## {paper.source}", *(["", paper.remark] if paper.remark else [])]
        for table, some in by_table(f for f in figures if f.paper == paper.key):
            lines += ["", f"### {table}", "", f"    {some[0].command}", ""]
            if storage := storage_text(some):
                lines += [storage, ""]
            lines += _table(some, numbers)
    return "\n".join(lines) + "\n"


def _summary(figures: Sequence[Figure]) -> Iterator[str]:
    yield from _head(["paper", "table", "figures", *Comparison])
    for table, some in by_table(figures):
        yield _line([some[0].paper, table, *map(number_text, counts(some))])
    yield _line(["all", "", *map(number_text, counts(figures))])


def _differences(figures: Sequence[Figure]) -> Iterator[str]:
    if not reasons(figures):
        yield "Nowhere."
    for number, (why, some) in enumerate(reasons(figures).items(), 1):
        yield f"{number}. {why}"
        for figure in some:
            yield f"   - {difference_text(figure)}"


def _table(figures: Sequence[Figure], numbers: dict[str, int]) -> Iterator[str]:
    """A line for each row: every number and ours, the comparison, our storage."""
    columns = list(dict.fromkeys(figure.column for figure in figures))
    storage = STORAGE if any(figure.beside for figure in figures) else ()
    yield from _head(["", *(name for c in columns for name in (c, "ours")), "verdict", *storage])
    for row, some in groupby(figures, key=lambda figure: figure.row):
        by_column = {figure.column: figure for figure in some}
        cells = [cell for column in columns for cell in _cells(by_column.get(column))]
        verdict = _verdict(list(by_column.values()), numbers)
        beside = next(iter(by_column.values())).beside
        yield _line([row, *cells, verdict, *(_storage(beside) if storage else ())])


def _cells(figure: Figure | None) -> tuple[str, str]:
    if figure is None:
        return "", ""
    known = figure.verdict in (Comparison.EQUAL, Comparison.DIFFERS)
    return number_text(figure.published), number_text(figure.ours) if known else ""


def _verdict(figures: Sequence[Figure], numbers: dict[str, int]) -> str:
    """The comparison of a row: equal, or what is not, with the number of the reason."""
    texts = {
        Comparison.DIFFERS: lambda f: f"differs ({numbers[f.why]})",
        Comparison.NEEDS_TABLES: lambda f: f"needs tables: `{f.why}`",
    }
    found = [texts[f.verdict](f) for f in figures if f.verdict != Comparison.EQUAL]
    return "; ".join(dict.fromkeys(found)) or "equal"


def _storage(beside: OurStorage | None) -> tuple[str, ...]:
    if beside is None:
        return ("",) * len(STORAGE)
    percent = "" if beside.fewer is None else f"{beside.fewer} %"
    rest = (beside.bits, beside.bytes_a_position)
    numbers = ["" if number is None else f"{number:,}" for number in (beside.cells, beside.bytes)]
    return (numbers[0], percent, numbers[1], *("" if n is None else str(n) for n in rest))


def _head(columns: Iterable[str]) -> Iterator[str]:
    names = list(columns)
    yield _line(names)
    yield "|" + " --- |" * len(names)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
