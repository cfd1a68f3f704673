"""Trials of the file's compression: what other choices would cost; docs/reports/0003.

    python -m tools.trials FOLDER KQvKR KBBvKN ...

For each table and each variant: bytes of the blocks, the model and the directory, and how long
encoding took. `closed` takes, for a fixed white king and white men, Black's man as outer and
Black's king as inner square, so that all quiet moves of Black stay in the block.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.answers.manuscript import Choice, Manuscript
from unmove.answers.shelves import Shelves
from unmove.crew.crew import Crew
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.solver.build import manuscript_of
from unmove.solver.loop import solve
from unmove.store import learning
from unmove.store.blocks import TreeCoder
from unmove.store.folder import Folder
from unmove.store.format import planes_a_block
from unmove.store.learning import Reading, learn
from unmove.store.order import Order
from unmove.store.table import CellArray
from unmove.values import Metric

Planes = tuple[CellArray, NDArray[np.uint64]]


def words_of(legal: NDArray[Any]) -> NDArray[np.uint64]:
    """Cells as rows of bits."""
    bits = np.packbits(legal.reshape(-1, 64, 64), axis=2, bitorder="little")
    return np.ascontiguousarray(bits).view(np.uint64).reshape(-1, 64)


def turned(planes: Planes) -> Planes:
    """The outer king inside."""
    ranks, legal = planes
    bits = np.unpackbits(legal.view(np.uint8).reshape(-1, 64, 8), axis=2, bitorder="little")
    swapped = ranks.reshape(-1, 64, 64).transpose(0, 2, 1)
    return np.ascontiguousarray(swapped).reshape(-1, CELLS), words_of(bits.transpose(0, 2, 1))


def closed(manuscript: Manuscript, choice: Choice) -> Planes:
    """Blocks of Black's man and king, one for each placement of White's men modulo symmetry."""
    order = manuscript.order(choice)
    layout = manuscript.table.layout
    fold, kept = manuscript.fold, np.arange(len(manuscript.fold.kept))
    ranks = np.concatenate(
        [manuscript.ranks(choice, choice.sides[0], part) for part in np.array_split(kept, 64)]
    )
    assert layout.men[-1].side == 1, "Black's man must be the last"
    groups = layout.count // 64
    blocks: CellArray = np.full((groups, 64, 64, 64), order.illegal)  # group, man, Black, White
    planes = fold.kept
    blocks = blocks.astype(order.kind)
    blocks[planes // 64, planes % 64] = ranks.reshape(-1, 64, 64)
    blocks = blocks.transpose(0, 3, 1, 2).reshape(-1, CELLS)  # group and White's king; man, Black's
    legal = blocks != order.illegal
    some = legal.any(axis=1)
    return np.ascontiguousarray(blocks[some]), words_of(legal[some])


def size_of(order: Order, planes: int, cells: int, read: Reading) -> dict[str, float]:
    """What the tree makes of some planes."""
    start = process_time()
    model = learn(order, planes, cells, read)
    coder, blocks = TreeCoder(model), 0
    for first in range(0, planes, planes_a_block(CELLS)):
        some = np.arange(first, min(first + planes_a_block(CELLS), planes))
        blocks += len(coder.encoded(*read(some)))
    directory = 8 * -(-planes // planes_a_block(CELLS))
    total = blocks + len(model.to_bytes()) + directory
    return {"bytes": total, "bits": 8 * total / cells, "seconds": process_time() - start}


def variants(manuscript: Manuscript) -> Iterator[tuple[str, Callable[[], dict[str, float]]]]:
    """The trials of a table."""
    planes, legal = len(manuscript.fold.kept), manuscript.summary.legal

    def plain(choice: Choice, turn: bool = False) -> dict[str, float]:
        def read(some: NDArray[np.int64]) -> Planes:
            found = manuscript.read(choice, some)
            return turned(found) if turn else found

        return size_of(manuscript.order(choice), planes, legal[choice.sides[0]], read)

    def in_closed_blocks(choice: Choice) -> dict[str, float]:
        ranks, cells = closed(manuscript, choice)
        return size_of(
            manuscript.order(choice),
            len(ranks),
            int(np.bitwise_count(cells).sum()),
            lambda some: (ranks[some], cells[some]),
        )

    def with_leaves(choice: Choice, leaves: int) -> dict[str, float]:
        before = learning.LEAVES
        learning.LEAVES = ((0, leaves),)  # type: ignore[assignment]
        try:
            return plain(choice)
        finally:
            learning.LEAVES = before

    for choice in manuscript.choices():
        marked = ", conversions marked" if choice.conversions else ""
        yield f"{'White' if choice.sides[0] == 0 else 'Black'}{marked}", partial(plain, choice)
    best = manuscript.choose()
    yield "chosen, White's king outer", lambda: plain(best, turn=True)
    for leaves in (64, 256, 1024):
        yield f"chosen, at most {leaves} leaves", partial(with_leaves, best, leaves)
    last = manuscript.table.layout.men[-1]
    if last.side == 1 and not manuscript.table.material.has_pawns and best.sides[0] == 0:
        yield "chosen, closed blocks", lambda: in_closed_blocks(best)


def main() -> None:
    folder = Folder(Path(sys.argv[1]))
    with Crew(1) as crew, Shelves(folder) as shelves:
        for name in sys.argv[2:]:
            draft = solve(Material.parse(name), Metric.DTM, shelves.of(Metric.DTM), crew)
            manuscript = manuscript_of(draft, crew)
            for title, trial in variants(manuscript):
                found = trial()
                print(
                    f"{name:9}{title:40}{found['bytes']:>13,.0f} bytes "
                    f"{found['bits']:6.3f} bits a cell {found['seconds']:6.1f} CPU s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
