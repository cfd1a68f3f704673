"""`unmove reproduce`: published figures beside ours, and what it says of them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import answers
from tests.support.commands import run
from unmove.cli.app import main
from unmove.papers import nalimov, published, wu_beal
from unmove.papers.catalogue import PAPERS, papers_named, plan_of
from unmove.papers.context import ReproductionContext
from unmove.papers.figures import UNEXPLAINED, Comparison, Figure
from unmove.papers.published import DATA, number_of, rows_of
from unmove.papers.report import by_table, markdown
from unmove.store.folder import Folder

DOCUMENT = Path(__file__).parents[2] / "docs" / "reproduction.md"
TEXT = {"endgame", "endgames", "constraints", "side", "scheme", "figure", "source", "run"}
TEXT |= {"material", "table", "row", "column", "reason", "why", "proof"}


@pytest.fixture(scope="module")
def figures(small_tables: Folder) -> list[Figure]:
    """All figures of all papers, as far as tables of four men go."""
    scratch = ReproductionContext(small_tables, men=2)
    return [figure for paper in PAPERS.values() for figure in paper.figures(scratch)]


def tally(figures: list[Figure]) -> dict[str, Counter[Comparison]]:
    return {table: Counter(f.verdict for f in some) for table, some in by_table(figures)}


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.csv")))
def test_every_published_file_is_numbers_under_names(name: str) -> None:
    """Every row of every file has all columns, and a number where one is due."""
    rows = rows_of(name)
    assert rows
    for row in rows:
        assert None not in row and None not in row.values(), row
        for column in row.keys() - TEXT:
            assert number_of(row[column]) is not None or row[column] == ""


def test_numbers_are_read_as_printed() -> None:
    """Whole, decimal, products, and none where print has a dash."""
    assert [number_of(text) for text in ("610", "-55.90", "462*62*61", "")] == [
        610,
        -55.9,
        462 * 62 * 61,
        None,
    ]


def test_index_figures_are_equal_but_for_known_ones(figures: list[Figure]) -> None:
    """All sizes of Tables 1, 6, 7 and 9 to 14 are equal, or differ for a reason that is known."""
    expected = {
        nalimov.ENTRIES: (290, 0),
        nalimov.OVERHEADS: (868, 2),
        nalimov.TOTALS: (40, 0),
        nalimov.SUMMARY: (24, 6),
        nalimov.SCHEMES: (117, 3),
        nalimov.CONSTRAINTS: (9, 3),
        nalimov.BROKEN_ENTRIES: (289, 1),
        wu_beal.SIZES: (324, 0),
    }
    found = tally(figures)
    for table, (equal, differ) in expected.items():
        verdicts = found[table.name]
        assert (verdicts[Comparison.EQUAL], verdicts[Comparison.DIFFERS]) == (equal, differ), (
            table.name
        )
        assert verdicts.total() == equal + differ


def test_figures_of_four_men_are_equal(figures: list[Figure]) -> None:
    """The longest mates of 2 to 4 men, Zellner's and Thompson's counts come out of our tables."""
    found = tally(figures)
    assert found[nalimov.LONGEST.name] == {
        Comparison.EQUAL: 36 * 4,
        Comparison.NEEDS_TABLES: 110 * 4,
    }
    assert found["Table 1: positions of the subgames by moves to mate"] == {Comparison.EQUAL: 19}
    longest = {f.row: f for f in figures if f.paper == "wendroff" and f.column == "max to win"}
    assert (longest["KQK"].ours, longest["KRKN"].ours) == (10, 27)
    assert longest["KRKN"].verdict is Comparison.DIFFERS and "misprint" in longest["KRKN"].why
    assert longest["KRBKNN"].verdict is Comparison.NEEDS_TABLES


def test_every_difference_is_explained_and_every_explanation_used(figures: list[Figure]) -> None:
    """What differs is in the list of known differences, and that list has nothing else."""
    assert not [figure.what for figure in figures if figure.unexplained]
    differing = {(f.table, f.row, f.column) for f in figures if f.verdict is Comparison.DIFFERS}
    unknown = {(f.table, f.row, f.column) for f in figures if f.verdict is Comparison.NEEDS_TABLES}
    known = {(row["table"], row["row"], row["column"]) for row in rows_of("differences")}
    assert differing <= known <= differing | unknown


def test_a_known_difference_excuses_no_other_number() -> None:
    """Where print is known to be wrong, ours has still to be the number that was proved."""
    place = "KNNKB", "broken btm", 616_152
    assert nalimov.BROKEN_ENTRIES.figure(*place, 4_272_301).why != UNEXPLAINED
    wrong = nalimov.BROKEN_ENTRIES.figure(*place, 4_272_302)
    assert (wrong.verdict, wrong.why) == (Comparison.DIFFERS, UNEXPLAINED)


def test_our_files_are_set_beside_the_index(figures: list[Figure], small_tables: Folder) -> None:
    """Where a table is built, its cells and bytes stand beside the entries of both sides."""
    beside = next(f.beside for f in figures if f.table == nalimov.ENTRIES.name and f.row == "KQKR")
    assert beside is not None and beside.cells is not None
    assert beside.entries == 1_563_735 + 1_649_196
    assert beside.cells in (1_150_703, 1_384_538)
    assert beside.bytes == (small_tables.path / "KQvKR.dtm.unmove").stat().st_size
    assert beside.fewer == round(100 - 100 * beside.cells / beside.entries, 1)


def test_the_page_has_every_figure(figures: list[Figure]) -> None:
    """The Markdown reads back: a line for each row, its numbers and its verdict."""
    page = markdown(list(PAPERS.values()), figures, "unmove reproduce")
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    assert ["KQKR", "35", "35", "35", "35", "18", "18", "19", "19", "equal"] in lines
    (misprint,) = [line for line in lines if line[:2] == ["KRKN", "2,621,440"]]
    number = misprint[-1].removeprefix("differs (").removesuffix(")")
    assert misprint[2:5] == ["2,621,440", "21", "27"]
    assert f"\n{number}. A misprint" in page
    first = page.index(f"### {nalimov.LONGEST.name}")
    table = page[first : page.index("###", first + 3)]
    assert table.count("needs tables: `unmove build") == 110
    assert "    unmove reproduce nalimov --men 5\n" in table
    rows = {(f.table, f.row) for f in figures}
    assert sum(len(line) > 3 and line[0] in {row for _, row in rows} for line in lines) >= len(rows)


def test_the_committed_page_is_what_is_written_today(figures: list[Figure]) -> None:
    """Tables that need nothing built stand in docs/reproduction.md line by line."""
    page = markdown(list(PAPERS.values()), figures, "unmove reproduce")
    committed = DOCUMENT.read_text("utf-8")
    for table in (nalimov.OVERHEADS, nalimov.TOTALS, nalimov.SUMMARY, nalimov.BROKEN_ENTRIES):
        first = page.index(f"### {table.name}")
        section = page[first : page.find("\n#", first + 3)]
        assert section in committed, table.name


def test_json_has_every_field(small_tables: Folder) -> None:
    """One object a figure, with the command that repeats it."""
    code, out, _ = run("reproduce", "kbbkn", "--no-build", "--json", folder=small_tables.path)
    found = answers(out)
    assert code == 0
    assert [row["published"] for row in found] == [row["ours"] for row in found]
    assert found[18] == {
        "paper": "kbbkn",
        "table": "Table 1: positions of the subgames by moves to mate",
        "row": "19",
        "column": "mfreq",
        "published": 30,
        "ours": 30,
        "verdict": "equal",
        "why": "",
        "command": "unmove reproduce kbbkn --men 4",
        "beside": None,
    }


def test_tables_are_built_on_demand(tmp_path: Path) -> None:
    """From nothing tables are built, figures compared, a page written; a repeat builds none."""
    page = tmp_path / "page.md"
    arguments = "reproduce", "wu-beal", "--men", "3", "--dir", str(tmp_path / "tables")
    code, out, _ = run(*arguments, "--markdown", str(page))
    assert code == 0
    assert "Building " in out and "unmove reproduce wu-beal --men 9" in out
    assert "| KPvK | 10 | 10 | equal |" in page.read_text("utf-8")
    assert str(tmp_path) not in page.read_text("utf-8")
    assert not plan_of(papers_named(["wu-beal"]), 3, Folder(tmp_path / "tables")).jobs
    code, out, _ = run(*arguments)
    assert code == 0 and "Building " not in out


def test_what_is_not_built_is_named(tmp_path: Path) -> None:
    """Without tables, and without leave to build any, figures say what they need."""
    folder = str(tmp_path / "nowhere")
    code, out, _ = run("reproduce", "zellner", "thompson", "--no-build", "--json", "--dir", folder)
    found = {row["row"]: row for row in answers(out)}
    assert code == 0 and not Path(folder).exists()
    assert found["legal positions"]["ours"] == 320_680
    assert found["longest mate, moves"]["verdict"] == "needs tables"
    assert found["longest mate, moves"]["why"] == "unmove build KBBvK --metric dtm"
    assert {found[name]["verdict"] for name in ("KRBKBN", "KRBKNN")} == {"needs tables"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["knuth"], "nalimov, wu-beal"),
        (["zellner", "--men", "1"], "at least 2 men"),
        (["zellner", "--markdown", "no/such/folder/page.md"], "no such folder"),
    ],
)
def test_wrong_questions_are_answered_with_a_sentence(arguments: list[str], said: str) -> None:
    """A paper, a number or a file that cannot be: exit code 2."""
    code, _, error = run("reproduce", *arguments)
    assert code == 2 and said in error


def test_a_wrong_figure_is_reported(
    small_tables: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A figure that was tampered with differs, without a reason: exit code 5."""
    data = shutil.copytree(DATA, tmp_path / "data")
    path = data / "kbbkn_mfreq.csv"
    path.write_text(path.read_text("utf-8").replace("19,30", "19,31"), "utf-8")
    monkeypatch.setattr(published, "DATA", data)
    monkeypatch.setattr(
        sys, "argv", ["unmove", "reproduce", "kbbkn", "--no-build", "--dir", str(small_tables.path)]
    )
    with pytest.raises(SystemExit) as stopped:
        main()
    out, error = capsys.readouterr()
    assert stopped.value.code == 5
    assert "31 in print, 30 here" in out and UNEXPLAINED in out
    assert "for no known reason: 1, first" in error


@pytest.mark.slow
def test_all_figures_are_reproduced(tmp_path: Path) -> None:
    """With all tables built nothing is left open, and nothing unexplained."""
    folder = Path(os.environ["UNMOVE_PROVE_DIR"])
    page = tmp_path / "page.md"
    arguments = "--men", "9", "--no-build", "--json", "--markdown", str(page)
    code, out, _ = run("reproduce", *arguments, folder=folder)
    found: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert Counter(row["verdict"] for row in found) == {
        "equal": len(found) - 40,
        "differs": 40,
    }
    assert sum(row["table"] == nalimov.LONGEST.name for row in found) == 146 * 4
    assert "needs tables:" not in page.read_text("utf-8")
