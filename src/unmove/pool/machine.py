"""What the machine has, and has left, as far as it tells.

psutil is asked where it knows, and imported only then: a probe on Linux does without.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from math import sqrt
from pathlib import Path
from time import thread_time

_CGROUP = Path("/sys/fs/cgroup")
TIMED_BYTES, TIMED_LEVEL, TIMES = 1 << 18, 9, 3
REFERENCE = 0.0316
"""Seconds that `slowness` measures on the machine of docs/reports/0006-estimates.md."""


def usable_cores() -> int:
    """The cores this process may run on; all there are where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    import psutil

    process = psutil.Process()
    if hasattr(process, "cpu_affinity"):
        return len(process.cpu_affinity())
    return psutil.cpu_count() or 1


@cache
def slowness() -> float:
    """How many times as long as the machine of the estimates this one takes, on one core.

    A search for matches is timed, that of zstandard. Like the solver and the codec it computes with
    integers, waits for the nearer caches, and branches in ways that are hard to foresee. These wait
    for the memory, too, whose speed differs less: hence the square root. CPU time is counted, so
    that others who work on the machine do not matter.
    """
    import numpy as np
    import zstandard

    data = np.random.default_rng(0).integers(0, 4, TIMED_BYTES, np.uint8).tobytes()
    packer, best = zstandard.ZstdCompressor(TIMED_LEVEL), float("inf")
    for _ in range(TIMES):
        start = thread_time()
        packer.compress(data)
        best = min(best, thread_time() - start)
    return sqrt(best / REFERENCE)


def peak_memory() -> int:
    """The most bytes this process has had resident at a time; what it has now if nothing tells.

    `getrusage` begins with what the process had that started this one, so Linux is asked otherwise.
    """
    try:
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import psutil

    memory = psutil.Process().memory_info()
    try:
        import resource
    except ImportError:
        return int(getattr(memory, "peak_wset", memory.rss))  # Windows tells it here
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def resident_memory() -> int:
    """The bytes that this process has resident now."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import psutil

        return int(psutil.Process().memory_info().rss)


def free_memory() -> int:
    """Bytes this process can still take: the least of what system, container and shell allow."""
    import psutil

    limits = [psutil.virtual_memory().available, _container(), _address_space()]
    return max(0, min(limit for limit in limits if limit is not None))


def _container() -> int | None:
    """What the container's limit (cgroup v2) leaves; psutil does not know of it."""
    try:
        limit = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        return limit - int((_CGROUP / "memory.current").read_text(encoding="ascii"))
    except (OSError, ValueError):  # no container, or no limit: "max"
        return None


def _address_space() -> int | None:
    """What `ulimit -v` leaves, where there is such a thing."""
    try:
        import resource
    except ImportError:
        return None
    import psutil

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit - psutil.Process().memory_info().vms
