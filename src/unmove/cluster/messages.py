"""What the driver sends to a task, and what a task answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmove.cluster.parcels import Digest
from unmove.material import Material
from unmove.solver.build import Built
from unmove.solver.keeping import TableName
from unmove.solver.loop import Progress
from unmove.store.folder import Folder
from unmove.values import Metric


@dataclass(frozen=True)
class NodeRules:
    """What a node works with; the same for all nodes of a run."""

    folder: Path | None = None
    """A folder of its own; None for one of the user's."""
    cache: int = 20_000_000_000
    """The most bytes of tables that it keeps there, but for those it is at work with."""
    scratch: Path | None = None
    """Where logs of large tables are; None for the build's folder if the node sees it."""


@dataclass(frozen=True)
class SentTable:
    """A table's file in the object store."""

    digest: Digest
    chunks: Sequence[Any]
    """A reference to each, in order."""


@dataclass(frozen=True)
class TaskOrder:
    """One table to make."""

    material: Material
    metric: Metric
    both: bool
    """Whether both sides to move are stored."""
    version: str
    """Of the driver's program."""
    target: Folder
    """The folder of the build, as the driver names it; absolute."""
    mark: str
    """The name of a file there: who finds it sees the same folder."""
    tables: Mapping[TableName, Digest]
    """Those that it may read."""
    sent: Mapping[TableName, SentTable]
    """Those of them that were sent to a node before."""
    threads: int
    memory: int
    """The limit by which it is decided whether the log is on the disk."""
    patience: float
    rules: NodeRules


@dataclass(frozen=True)
class PartOrder:
    """A part of one table to solve."""

    order: TaskOrder
    part: int


@dataclass(frozen=True)
class TaskStarted:
    """A node has begun."""

    host: str
    node: str
    """The key by which Ray knows it."""


@dataclass(frozen=True)
class WritingTable:
    """The table is solved."""


@dataclass(frozen=True)
class LacksTables:
    """The task has ended: it must be sent again, with these tables."""

    tables: Sequence[TableName]


@dataclass(frozen=True)
class TableMade:
    """The table is made, and its file follows in chunks of bytes."""

    built: Built
    peak: int
    """The most memory that the process has had, in bytes."""


@dataclass(frozen=True)
class PartSolved:
    """The task of a part has done all it had to."""

    peak: int
    """The most memory that the process has had, in bytes."""
    received: int
    """The bytes that it got from other parts."""


@dataclass(frozen=True)
class PartStopped:
    """The task of a part has ended, as another one has failed."""


@dataclass(frozen=True)
class TaskFailed:
    """The task has ended with an error of ours."""

    error: Exception


Message = (
    TaskStarted
    | Progress
    | WritingTable
    | LacksTables
    | TableMade
    | PartSolved
    | PartStopped
    | TaskFailed
    | bytes
)
