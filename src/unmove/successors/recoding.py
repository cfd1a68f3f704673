"""A table's file coded anew: with both sides to move, or with one. Nothing is solved.

Values and marks are those that the solver would give to the encoder, so the bytes are those that a
build would write.
"""

from __future__ import annotations

from unmove.errors import DamagedFile
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.store.encoder import TableEncoder
from unmove.store.folder import Folder
from unmove.successors.marking import MarkedTable
from unmove.successors.subtable_cache import SubtableCache
from unmove.values import Metric


def recode(
    folder: Folder, material: Material, metric: Metric, pool: WorkerPool, *, both: bool
) -> None:
    """The table's file stores both sides to move, or the smaller one, under its name.

    It is written, reopened and compared before it replaces the other one, which is left as it is if
    anything fails. DamagedFile if the values are not those that it was written with.
    """
    with SubtableCache(folder, pool.workers) as subtables:
        with folder.open(material, metric) as file:
            path, values, summary = file.path, file.meta.values, file.summary
        whole = subtables.whole(material, metric)
        source = MarkedTable(whole, subtables.of_a_large_table(metric, WorkerPool(1)))
        encoder = TableEncoder(
            source, summary, pool.map, followed=source.followed if both else None
        )
        if encoder.values != values:
            raise DamagedFile(path, "has other values than it was written with")
        encoder.write(path)
