"""Tables solved in memory, and ways to spoil them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Palette
from unmove.material import Material
from unmove.pool.workers import WorkerPool
from unmove.solver.loop import solve
from unmove.store.table import Table
from unmove.values import Metric


@cache
def solved(material: Material, metric: Metric) -> Table:
    """The table of an endgame, solved in memory with all it depends on."""
    return solve(material, metric, lambda smaller: solved(smaller, metric), WorkerPool(1)).table()


def table_of(name: str, metric: Metric = Metric.DTM) -> Table:
    return solved(Material.parse(name), metric)


def codes_of(table: Table, side: int) -> NDArray[np.int64]:
    """The code of every cell, one after the other."""
    return table.palette[table.cells[side]].ravel()


def with_number(table: Table, side: int, index: int, number: int) -> Table:
    """The same table with another number in one cell."""
    cells = [each.copy() for each in table.cells]
    cells[side].ravel()[index] = number
    return replace(table, cells=(cells[0], cells[1]))


def with_code(table: Table, side: int, index: int, code: int) -> Table:
    """The same table with another code in one cell."""
    palette = table.palette
    if code not in palette:
        palette = Palette(np.append(palette, code))
    number = int(np.flatnonzero(palette == code)[0])
    return with_number(replace(table, palette=palette), side, index, number)
