"""Counting placements of xiangqi endgames: the published numbers, and brute force."""

from __future__ import annotations

from itertools import product

import pytest

from tests.reference.xiangqi import squares_of
from unmove.material import Material
from unmove.papers.wu_beal import material_of, rows
from unmove.papers.xiangqi_counts import count_all, count_database, count_real
from unmove.variants import XIANGQI


@pytest.mark.parametrize(("key", "published"), rows())
def test_counts_are_those_of_1996(key: str, published: dict[str, int]) -> None:
    """All 108 rows of Wu and Beal, by counting; the sides may change places."""
    for material in (material_of(key), material_of(key).canonical()):
        assert count_all(material) == published["all"]
        assert count_real(material) == published["real"]
        assert count_database(material) == published["database"]


def test_there_are_108_rows() -> None:
    """No row is lost or read twice."""
    assert len(dict(rows())) == 108


@pytest.mark.parametrize("name", ["KPvKP", "KHvKE", "KAEvKAE", "KPvKEE"])
def test_counts_are_those_of_brute_force(name: str) -> None:
    """Placing the men one by one gives the same number, soldiers of both sides included."""
    material = Material.parse(name, game=XIANGQI)
    letters = f"K{material.white}k{material.black.lower()}"
    total = real = 0
    for squares in product(*map(squares_of, letters)):
        total += 1
        if len(set(squares)) < len(squares):
            continue
        white, black = squares[0], squares[letters.index("k")]
        between = range(white + 9, black, 9)
        real += white % 9 != black % 9 or any(square in between for square in squares)
    assert (count_all(material), count_real(material)) == (total, real)
