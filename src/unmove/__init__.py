"""unmove: chess endgames worked out perfectly, by retrograde analysis on bit planes."""

from unmove.errors import UnmoveError
from unmove.material import Material
from unmove.probe.batches import Batch
from unmove.probe.bulk import Values
from unmove.probe.cache import CacheStatistics
from unmove.probe.tablebase import RankedMove, Tablebase, open_tables
from unmove.values import UNKNOWN, Metric, Outcome, Outcome50
from unmove.version import __version__

__all__ = [
    "UNKNOWN",
    "Batch",
    "CacheStatistics",
    "Material",
    "Metric",
    "Outcome",
    "Outcome50",
    "RankedMove",
    "Tablebase",
    "UnmoveError",
    "Values",
    "__version__",
    "open_tables",
]
