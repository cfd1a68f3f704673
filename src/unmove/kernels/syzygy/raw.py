"""Numbers in memory that the system has mapped, by their addresses.

A kernel that probes reads many files, and an array for each would be too much for a call. Nothing
here checks an address: `interop/syzygy/file.py` lays down what is inside a file before any kernel
reads it, and kernels test every number that they read before they go where it points.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _loading(width: int, *, big_endian: bool = False) -> Any:
    """An intrinsic `load(address)`: the number of so many bits that stands there."""

    def load(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.IntType(width)
            value = builder.load(builder.inttoptr(args[0], kind.as_pointer()))
            value.align = 1
            if big_endian:
                value = builder.bswap(value)
            return value if width == 64 else builder.zext(value, ir.IntType(64))

        return (types.uint64 if width == 64 else types.int64)(types.int64), generate

    return intrinsic(load)


byte_at: Final = _loading(8)
short_at: Final = _loading(16)
long_at: Final = _loading(32)
word_at: Final = _loading(64)
bits_at: Final = _loading(64, big_endian=True)
"""The first bit that stands there is the highest."""
