"""Material: names, order, dependencies, classes."""

from __future__ import annotations

import pytest

from unmove.errors import BadMaterial
from unmove.material import Complexity, Material, all_of, work_order


@pytest.mark.parametrize("name", ["KQKR", "KQvKR", "kqkr", "KRvKQ", "krkq", " KQVKR "])
def test_every_spelling_is_one_endgame(name: str) -> None:
    """All usual spellings of an endgame give the same canonical name."""
    assert Material.parse(name).name == "KQvKR"


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("KNKBB", "KBBvKN"), ("KRBK", "KRBvK"), ("KBRK", "KRBvK"), ("KQKRP", "KRPvKQ"), ("KK", "KvK")],
)
def test_the_stronger_side_comes_first(name: str, canonical: str) -> None:
    """More men come first, then stronger men, each side's men from queen to pawn."""
    assert Material.parse(name).name == canonical


@pytest.mark.parametrize("name", ["", "Q", "KQ", "KKK", "KXK", "QKKR", "K" + "Q" * 16 + "K", "K-K"])
def test_a_name_that_is_no_endgame_is_refused(name: str) -> None:
    """A wrong name gets a sentence that quotes it and shows a right one."""
    with pytest.raises(BadMaterial, match="KQvKR") as caught:
        Material.parse(name)
    assert repr(name) in str(caught.value)


def test_the_number_of_endgames_is_the_published_one() -> None:
    """There are 5, 30 and 110 endgames of 3, 4 and 5 men."""
    assert [len(all_of(men)) for men in (2, 3, 4, 5)] == [1, 5, 30, 110]
    assert [len(all_of(men, pawns=False)) for men in (2, 3, 4, 5)] == [1, 4, 20, 60]


def test_every_endgame_comes_after_what_it_depends_on() -> None:
    """In the order of work each conversion leads to an endgame that stands before."""
    seen: set[Material] = set()
    for material in work_order(all_of(5)):
        assert set(material.conversions()) <= seen
        seen.add(material)
    assert len(seen) == 146


def test_conversions_are_captures_and_promotions() -> None:
    """A pawn's promotion, with or without a capture, leads to each of the four pieces."""
    names = {material.name for material in Material.parse("KPKN").conversions()}
    captures = {"KPvK", "KNvK"}
    promotions = {"KQvKN", "KRvKN", "KBvKN", "KNvKN"}
    both = {"KQvK", "KRvK", "KBvK", "KNvK"}
    assert names == captures | promotions | both


@pytest.mark.parametrize(
    ("name", "complexity", "level"),
    [
        ("KK", Complexity.TRIVIAL, 0),
        ("KBK", Complexity.TRIVIAL, 0),
        ("KNNK", Complexity.SIMPLE, 1),
        ("KBNK", Complexity.SIMPLE, 1),
        ("KBNKN", Complexity.N_SIMPLE, 2),
        ("KRBKR", Complexity.N_SIMPLE, 3),
        ("KPK", Complexity.COMPLEX, None),
    ],
)
def test_classes_are_those_of_the_1993_paper(
    name: str, complexity: Complexity, level: int | None
) -> None:
    """The paper's examples fall into the paper's classes."""
    material = Material.parse(name)
    assert (material.complexity, material.level) == (complexity, level)
