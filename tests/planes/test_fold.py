"""Which planes a file stores."""

from __future__ import annotations

import numpy as np
import pytest

from unmove.kernels.fold import fold
from unmove.material import Material
from unmove.planes.layout import Layout
from unmove.planes.layouts import layout_of, of_kings
from unmove.planes.symmetry import IMAGE, MIRROR_FILES, SYMMETRIES


def image_of(layout: Layout, plane: int, symmetry: int) -> int | None:
    """The plane onto which a symmetry maps a plane; None if it moves the lead.

    Pawns allow no symmetry but the mirroring of files.
    """
    if layout.material.has_pawns and symmetry not in (0, MIRROR_FILES):
        return None
    squares = layout.placement(plane)
    moved = [sorted(int(IMAGE[symmetry, square]) for square in group) for group in squares]
    if moved[: layout.leaders] != [sorted(group) for group in squares[: layout.leaders]]:
        return None
    return layout.cell(moved, (0, 1)) // layout.cells


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KRvKN", "KBBvK", "KPvK", "KPPvK", "KPvKP"])
def test_a_file_stores_the_first_of_all_images(name: str) -> None:
    """Each plane is that of the first of its images, seen through the first symmetry to it."""
    layout = of_kings(layout_of(Material.parse(name)))
    found = fold(layout)
    assert found.stored.tolist() == sorted(set(found.stored.tolist()))
    for plane in range(0, layout.count, 1 + layout.count // 1500):
        men = [square for group in layout.placement(plane) for square in group]
        images = {
            t: image for t in range(SYMMETRIES) if (image := image_of(layout, plane, t)) is not None
        }
        own = sum(1 << t for t, image in images.items() if image == plane)
        first = min(images.values())
        symmetry = min(t for t, image in images.items() if image == first)
        assert found.own[plane] == own
        assert found.symmetry[plane] == symmetry
        if len(set(men)) < len(men):
            assert found.stored_index[plane] == -1
        else:
            assert found.stored[found.stored_index[plane]] == first


def test_the_planes_of_six_men_are_counted() -> None:
    """As many as the file of KRBvKNN has."""
    found = fold(of_kings(layout_of(Material.parse("KRBvKNN"))))
    assert len(found.stored) == 953_666
    assert np.count_nonzero(found.stored_index >= 0) == 1_191_330
