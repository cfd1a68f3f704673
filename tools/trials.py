"""Trials of the file's compression: what other choices would cost; docs/reports/0003.

    python -m tools.trials FOLDER KQvKR KBBvKN ...

For each table and each variant: bytes of the blocks, the model and the directory, and how long
encoding took.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.codec.facts import PlaneFacts
from unmove.material import Material
from unmove.planes.layout import CELLS
from unmove.pool.workers import WorkerPool
from unmove.solver.build import table_encoder_of
from unmove.solver.loop import solve
from unmove.store.codec import learning
from unmove.store.codec.blocks import TreeCoder
from unmove.store.codec.learning import LearningPlanes, Reading, learn
from unmove.store.codec.order import Order
from unmove.store.encoder import StoredSides, TableEncoder
from unmove.store.folder import Folder
from unmove.store.format import planes_a_block
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


def words_of(cells: NDArray[Any]) -> NDArray[np.uint64]:
    """Cells as rows of bits."""
    bits = np.packbits(cells.reshape(-1, 64, 64), axis=2, bitorder="little")
    return np.ascontiguousarray(bits).view(np.uint64).reshape(-1, 64)


def colours_swapped(planes: LearningPlanes) -> LearningPlanes:
    """The outer king inside."""
    ranks, known = planes

    def exchanged(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
        bits = np.unpackbits(rows.view(np.uint8).reshape(-1, 64, 8), axis=2, bitorder="little")
        return words_of(bits.transpose(0, 2, 1))

    swapped = np.ascontiguousarray(ranks.reshape(-1, 64, 64).transpose(0, 2, 1))
    facts = PlaneFacts(exchanged(known.legal), exchanged(known.checked), known.men)
    return Ranks(swapped.reshape(-1, CELLS)), facts


@contextmanager
def learning_with(name: str, value: object) -> Iterator[None]:
    """Something of `learning` is another way for a while."""
    before = getattr(learning, name)
    setattr(learning, name, value)
    try:
        yield
    finally:
        setattr(learning, name, before)


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


def variants(encoder: TableEncoder) -> Iterator[tuple[str, Callable[[], dict[str, float]]]]:
    """The trials of a table."""
    planes, legal = len(encoder.fold.stored), encoder.summary.legal

    def plain(choice: StoredSides, turn: bool = False) -> dict[str, float]:
        def read(some: NDArray[np.int64]) -> LearningPlanes:
            found = encoder.read(choice, some)
            return colours_swapped(found) if turn else found

        return size_of(encoder.order(choice), planes, legal[choice.sides[0]], read)

    def plain_with(choice: StoredSides, name: str, value: object) -> dict[str, float]:
        with learning_with(name, value):
            return plain(choice)

    for choice in encoder.choices():
        marked = ", conversions marked" if choice.conversions else ""
        yield f"{'White' if choice.sides[0] == 0 else 'Black'}{marked}", partial(plain, choice)
    (best,) = encoder.choose()
    yield "chosen, White's king outer", lambda: plain(best, turn=True)
    none = np.zeros(0, np.int64)
    yield (
        "chosen, without position features",
        partial(plain_with, best, "position_features_with", lambda men: none),
    )
    for leaves in (64, 1024, 4096):
        counts = (leaves + 1) * (encoder.order(best).illegal + 1)
        yield f"chosen, at most {leaves} leaves", partial(plain_with, best, "MOST_COUNTS", counts)


def main() -> None:
    folder = Folder(Path(sys.argv[1]))
    with WorkerPool(1) as pool, SubtableCache(folder) as subtables:
        for name in sys.argv[2:]:
            partial = solve(Material.parse(name), Metric.DTM, subtables.of(Metric.DTM), pool)
            encoder = table_encoder_of(partial, pool)
            for title, trial in variants(encoder):
                found = trial()
                print(
                    f"{name:9}{title:40}{found['bytes']:>13,.0f} bytes "
                    f"{found['bits']:6.3f} bits a cell {found['seconds']:6.1f} CPU s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
