"""unmove: chess endgames worked out perfectly, by retrograde analysis on bit planes."""

from unmove.errors import UnmoveError
from unmove.material import Material
from unmove.probe.tablebase import RankedMove, Tablebase
from unmove.values import Metric, Outcome, Outcome50

__all__ = [
    "Material",
    "Metric",
    "Outcome",
    "Outcome50",
    "RankedMove",
    "Tablebase",
    "UnmoveError",
]

__version__ = "0.1.0"
