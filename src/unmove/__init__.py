"""unmove: chess endgames worked out perfectly, by retrograde analysis on bit planes."""

from unmove.errors import UnmoveError
from unmove.material import Material
from unmove.probe.batches import Batch
from unmove.probe.bulk import Values
from unmove.probe.cache import CacheStatistics
from unmove.probe.tablebase import RankedMove, Tablebase, open_tables
from unmove.values import Metric, Outcome, Outcome50

__all__ = [
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
    "open_tables",
]

__version__ = "0.1.0"
