"""Material: names, order, dependencies, classes."""

from __future__ import annotations

import pytest

from unmove.errors import BadMaterial
from unmove.material import Complexity, Material, all_of, work_order
from unmove.variants import XIANGQI


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


def test_a_name_is_kept_as_written_where_colours_matter() -> None:
    """`as_written` keeps the sides, whatever the spelling of the rest; `parse` turns them."""
    written = Material.as_written("krvkq")
    assert (written.name, written.is_canonical) == ("KRvKQ", False)
    assert written.canonical() == Material.parse("krvkq") == written.swapped()
    assert Material.as_written("KQvKR").is_canonical
    assert Material.as_written("KPvKP").is_canonical
    assert str(Material.as_written("xiangqi:KAvKP")) == "xiangqi:KAvKP"


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


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("xiangqi:KCPvKAAEE", "KCPvKAAEE"),  # two attackers before five men without one
        ("XIANGQI:kaaeekpc", "KCPvKAAEE"),
        ("xiangqi-KCPvKAAEE", "KCPvKAAEE"),
        ("xiangqi:KPACvKEAEA", "KCAPvKAAEE"),
        ("xiangqi:KNRvKBBAA", "KRHvKAAEE"),
        ("xiangqi:KRKPP", "KPPvKR"),
        ("xiangqi:KCKR", "KRvKC"),
        ("xiangqi:KHKHA", "KHAvKH"),
        ("xiangqi:KKE", "KEvK"),
        ("xiangqi:KK", "KvK"),
    ],
)
def test_names_of_xiangqi_put_the_attackers_first(name: str, canonical: str) -> None:
    """The side with more attackers comes first, then stronger ones; B and N are read as E and H."""
    material = Material.parse(name)
    assert (material.name, material.game) == (canonical, XIANGQI)
    assert str(material) == f"xiangqi:{canonical}"
    assert material.stem == f"xiangqi-{canonical}"
    assert Material.parse(str(material)) == Material.parse(material.stem) == material
    assert Material.parse(canonical, game=XIANGQI) == material


def test_the_game_is_part_of_the_name() -> None:
    """Chess needs no prefix, and one name may be an endgame of each game."""
    assert Material.parse("chess:KRKP", game=XIANGQI) == Material.parse("KRvKP")
    assert str(Material.parse("KRvKP")) == Material.parse("KRvKP").stem == "KRvKP"
    assert Material.parse("KRvKP") != Material.parse("xiangqi:KRvKP")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("xiangqi:KQK", "'Q' is no man of xiangqi"),
        ("xiangqi:KAAAK", "at most 2 A"),
        ("xiangqi:KNHNK", "at most 2 H"),
        ("xiangqi:KKPPPPPP", "at most 5 P"),
        ("xiangqi:KKK", "one king only"),
        ("xiangqi:CK", "the two kings"),
        ("shogi:KRK", "'shogi' is no game; there are chess and xiangqi"),
    ],
)
def test_a_name_that_is_no_endgame_of_xiangqi_is_refused(name: str, reason: str) -> None:
    """A side has no more men of a kind than the game begins with."""
    with pytest.raises(BadMaterial, match=reason) as caught:
        Material.parse(name)
    assert repr(name) in str(caught.value)
    assert ("xiangqi:KCPvKAAEE" in str(caught.value)) == name.startswith("xiangqi")


def test_conversions_of_xiangqi_are_captures() -> None:
    """Soldiers do not promote, and the sides may change places when an attacker is taken."""
    material = Material.parse("xiangqi:KCPvKA")
    assert material.conversions() == material.captures()
    assert {m.name for m in material.captures()} == {"KPvKA", "KCvKA", "KCPvK"}
    assert {m.name for m in Material.parse("xiangqi:KPvKA").captures()} == {"KAvK", "KPvK"}


def test_the_headliner_stands_on_70_endgames() -> None:
    """KCAPvKAAEE needs the subsets of its men, but for those that differ in sides alone."""
    material = Material.parse("xiangqi:KCAPvKAAEE")
    needed = material.dependencies()
    # 8 sets of C, A, P by 9 of AAEE, the whole left out; KAvK is KvKA with the sides exchanged.
    assert len(needed) == 8 * 9 - 1 - 1
    assert {m.game for m in needed} == {XIANGQI}
    seen: set[Material] = set()
    for smaller in work_order([material]):
        assert set(smaller.conversions()) <= seen
        seen.add(smaller)
    assert len(seen) == len(needed) + 1


def test_all_endgames_of_xiangqi_keep_its_limits() -> None:
    """Six kinds beside the king give 6 endgames of three men; none has three of a kind but P."""
    assert [len(all_of(men, game=XIANGQI)) for men in (2, 3, 4)] == [1, 6, 21 + 21]
    assert len(all_of(4, pawns=False, game=XIANGQI)) == 15 + 15
    assert {m.name for m in all_of(5, game=XIANGQI) if "PPP" in m.name} == {"KPPPvK"}
    assert not any("AAA" in m.name for m in all_of(5, game=XIANGQI))


@pytest.mark.parametrize(
    ("name", "complexity", "level"),
    [
        ("KAAEEKAAEE", Complexity.TRIVIAL, 0),
        ("KCEK", Complexity.TRIVIAL, 0),
        ("KPK", Complexity.SIMPLE, 1),
        ("KPPK", Complexity.N_SIMPLE, 2),
        ("KCKAA", Complexity.N_SIMPLE, 2),
    ],
)
def test_classes_of_xiangqi_count_captures(name: str, complexity: Complexity, level: int) -> None:
    """Without promotions every endgame is n-simple; those without attackers are trivial."""
    material = Material.parse(name, game=XIANGQI)
    assert (material.complexity, material.level) == (complexity, level)
