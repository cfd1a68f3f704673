"""unmove: chess endgames worked out perfectly, by retrograde analysis on bit planes."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unmove.version import __version__

if TYPE_CHECKING:
    from unmove.errors import UnmoveError
    from unmove.interop.opening import open_tables
    from unmove.interop.syzygy.answers import SyzygyValues
    from unmove.interop.syzygy.batches import SyzygyBatch
    from unmove.interop.syzygy.tablebase import SyzygyTablebase, open_syzygy
    from unmove.material import Material
    from unmove.probe.answer import Answer, RankedMove
    from unmove.probe.batches import Batch
    from unmove.probe.bulk import Values
    from unmove.probe.plane_cache import CacheStatistics
    from unmove.probe.tablebase import Tablebase
    from unmove.values import UNKNOWN, Metric, Outcome, Outcome50

__all__ = [
    "UNKNOWN",
    "Answer",
    "Batch",
    "CacheStatistics",
    "Material",
    "Metric",
    "Outcome",
    "Outcome50",
    "RankedMove",
    "SyzygyBatch",
    "SyzygyTablebase",
    "SyzygyValues",
    "Tablebase",
    "UnmoveError",
    "Values",
    "__version__",
    "open_syzygy",
    "open_tables",
]

_MODULES = {
    "UNKNOWN": "values",
    "Answer": "probe.answer",
    "Batch": "probe.batches",
    "CacheStatistics": "probe.plane_cache",
    "Material": "material",
    "Metric": "values",
    "Outcome": "values",
    "Outcome50": "values",
    "RankedMove": "probe.answer",
    "SyzygyBatch": "interop.syzygy.batches",
    "SyzygyTablebase": "interop.syzygy.tablebase",
    "SyzygyValues": "interop.syzygy.answers",
    "Tablebase": "probe.tablebase",
    "UnmoveError": "errors",
    "Values": "probe.bulk",
    "open_syzygy": "interop.syzygy.tablebase",
    "open_tables": "interop.opening",
}


def __getattr__(name: str) -> Any:
    """What the package offers, imported when it is asked for: Numba takes a third of a second."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    collecting = gc.isenabled()
    gc.disable()  # nothing of what modules make is garbage, and to look costs a tenth of the time
    try:
        module = import_module(f"{__name__}.{_MODULES[name]}")
    finally:
        if collecting:
            gc.enable()
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
