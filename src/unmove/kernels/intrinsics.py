"""Instructions that Numba lacks: bit counts, prefetch, and whole planes in vector registers.

A plane is 64 words, eight vectors of eight. LLVM splits them into the vectors of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from unmove.kernels.scratch import MOST_SOURCES

_I1, _I8, _I16, _I32, _I64 = (ir.IntType(width) for width in (1, 8, 16, 32, 64))
_ROWS = ir.VectorType(_I64, 8)
_BYTES = ir.VectorType(_I8, 64)
_ACCUMULATOR = 32  # words kept in registers at a time while a list of planes is or-ed


def _intrinsic(define: Callable[..., Any]) -> Any:
    """An intrinsic for kernels. The type checker takes it as `Any`."""
    return intrinsic(define)


def _row(context: Any, builder: Any, kind: Any, array: Any, index: Any, width: int = 64) -> Any:
    """A pointer to the first word of row `index` of a C-ordered array, by default of planes."""
    data = context.make_array(kind)(context, builder, array).data
    words = builder.bitcast(data, _I64.as_pointer())
    return builder.gep(words, [builder.mul(index, ir.Constant(_I64, width))])


def _load(builder: Any, words: Any, offset: int, vector: Any) -> Any:
    at = builder.gep(words, [ir.Constant(_I64, offset)])
    value = builder.load(builder.bitcast(at, vector.as_pointer()))
    value.align = 8
    return value


def _store(builder: Any, value: Any, words: Any, offset: int) -> None:
    at = builder.gep(words, [ir.Constant(_I64, offset)])
    builder.store(value, builder.bitcast(at, value.type.as_pointer())).align = 8


def _declare(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


@_intrinsic
def at(typing_context: Any, index: Any) -> Any:
    """An index without a sign: array[at(i)] is array[i] for i >= 0.

    Numba lets a negative index count from the end of an array, and so tests the sign of a signed
    index at each access. Without `at`, decoding a plane takes 1.3 times as long.
    """
    index = getattr(index, "literal_type", index)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], signature.args[0], types.uint64)

    return types.uint64(index), generate


@_intrinsic
def lowest(typing_context: Any, word: Any) -> Any:
    """The number of the lowest set bit of a non-zero word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 1))

    return types.int64(types.uint64), generate


@_intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """The number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


def _fetch(builder: Any, words: Any, lines: int) -> None:
    """Ask the memory for a number of cache lines."""
    fetch = _declare(
        builder, "llvm.prefetch.p0", ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32]
    )
    for line in range(lines):
        at = builder.gep(words, [ir.Constant(_I64, 8 * line)])
        read, keep, data = (ir.Constant(_I32, x) for x in (0, 3, 1))
        builder.call(fetch, [builder.bitcast(at, _I8.as_pointer()), read, keep, data])


def _prefetching(width: int, lines: int) -> Any:
    """An intrinsic `prefetch(rows, index)` for rows of so many words: asks for so many lines."""

    def fetch(typing_context: Any, rows: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            row = _row(context, builder, signature.args[0], args[0], args[1], width)
            _fetch(builder, row, lines)
            return context.get_dummy_value()

        return types.void(rows, types.int64), generate

    return _intrinsic(fetch)


prefetch = _prefetching(64, 8)  # a plane
prefetch_word = _prefetching(1, 1)  # the beginning of an entry
prefetch_rank = _prefetching(8, 1)  # eight rows of a plane
fetch_rows = _prefetching(4, 2)  # four rows of a tree


@_intrinsic
def copy_record(typing_context: Any, space: Any, to: Any, at: Any) -> Any:
    """space[to : to + 16] = space[at : at + 16], of a flat array of 16-bit numbers."""
    vector = ir.VectorType(_I16, 16)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        first = builder.bitcast(data, _I16.as_pointer())
        target, source = (
            builder.bitcast(builder.gep(first, [index]), vector.as_pointer()) for index in args[1:]
        )
        record = builder.load(source)
        record.align = 2
        builder.store(record, target).align = 2
        return context.get_dummy_value()

    return types.void(space, types.int64, types.int64), generate


@_intrinsic
def or_listed(
    typing_context: Any,
    frames: Any,
    symmetry: Any,
    planes: Any,
    source: Any,
    clear: Any,
    path: Any,
    listing: Any,
    count: Any,
) -> Any:
    """frames[symmetry] |= planes[source[l, i]] & clear[path[l, i]], all i < count, l the listing.

    The accumulator stays in registers over the whole list: 1.4 times as fast as the plain loop,
    which reads and writes it for every plane.
    """
    vector = ir.VectorType(_I64, _ACCUMULATOR)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bound = zip(signature.args, args, strict=True)
        frames, (_, symmetry), planes, source, clear, path, (_, listing), (_, count) = bound

        def entry(row: Any, i: Any) -> Any:
            return builder.load(builder.gep(row, [i]))

        sources = _row(context, builder, *source, listing, MOST_SOURCES)
        paths = _row(context, builder, *path, listing, MOST_SOURCES)
        target = _row(context, builder, *frames, symmetry)
        zero, one = ir.Constant(_I64, 0), ir.Constant(_I64, 1)
        for part in range(0, 64, _ACCUMULATOR):
            before = _load(builder, target, part, vector)
            entered = builder.block
            loop = builder.append_basic_block("listed")
            done = builder.append_basic_block("listed.done")
            builder.cbranch(builder.icmp_signed(">", count, zero), loop, done)
            builder.position_at_end(loop)
            i, total = builder.phi(_I64), builder.phi(vector)
            plane = _row(context, builder, *planes, entry(sources, i))
            mask = _row(context, builder, *clear, entry(paths, i))
            seen = builder.and_(*(_load(builder, row, part, vector) for row in (plane, mask)))
            more = builder.or_(total, seen)
            following = builder.add(i, one)
            for phi, first, then in ((i, zero, following), (total, before, more)):
                phi.add_incoming(first, entered)
                phi.add_incoming(then, loop)
            builder.cbranch(builder.icmp_signed("<", following, count), loop, done)
            builder.position_at_end(done)
            result = builder.phi(vector)
            result.add_incoming(before, entered)
            result.add_incoming(more, loop)
            _store(builder, result, target, part)
        return context.get_dummy_value()

    arguments = (frames, types.int64, planes, source, clear, path, types.int64, types.int64)
    return types.void(*arguments), generate


@_intrinsic
def filled_words(typing_context: Any, planes: Any, index: Any) -> Any:
    """A mask of the words of planes[index] that are not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = _row(context, builder, signature.args[0], args[0], args[1])
        found = ir.Constant(_I64, 0)
        for first in range(0, 64, 8):
            eight = _load(builder, words, first, _ROWS)
            filled = builder.icmp_unsigned("!=", eight, ir.Constant(_ROWS, [0] * 8))
            mask = builder.zext(builder.bitcast(filled, _I8), _I64)
            found = builder.or_(found, builder.shl(mask, ir.Constant(_I64, first)))
        return found

    return types.uint64(planes, types.int64), generate


@_intrinsic
def equal_cells(typing_context: Any, cells: Any, row: Any, number: Any) -> Any:
    """The cells of row 0, 1, ... of 64 cells each (C order, unsigned) that equal a number."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cell = ir.IntType(signature.args[0].dtype.bitwidth)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        first = builder.bitcast(data, cell.as_pointer())
        at = builder.gep(first, [builder.mul(args[1], ir.Constant(_I64, 64))])
        row = builder.load(builder.bitcast(at, ir.VectorType(cell, 64).as_pointer()))
        row.align = cell.width // 8
        one = ir.Constant(ir.VectorType(cell, 64), ir.Undefined)
        one = builder.insert_element(one, builder.trunc(args[2], cell), ir.Constant(_I32, 0))
        all_equal = _lanes(builder, one, [0] * 64)
        return builder.bitcast(builder.icmp_unsigned("==", row, all_equal), _I64)

    return types.uint64(cells, types.int64, types.int64), generate


def _shuffle(builder: Any, first: Any, second: Any, lanes: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_I32, len(lanes)), lanes)
    return builder.shuffle_vector(first, second, mask)


def _lanes(builder: Any, vector: Any, lanes: list[int]) -> Any:
    return _shuffle(builder, vector, ir.Constant(vector.type, ir.Undefined), lanes)


def _mirror_files(builder: Any, rows: list[Any]) -> list[Any]:
    """Rows of a rank in reverse, and the bits of each byte in reverse."""
    reverse = _declare(builder, "llvm.bitreverse.v64i8", _BYTES, [_BYTES])

    def mirrored(row: Any) -> Any:
        bits = builder.bitcast(builder.call(reverse, [builder.bitcast(row, _BYTES)]), _ROWS)
        return _lanes(builder, bits, list(range(7, -1, -1)))

    return [mirrored(row) for row in rows]


def _mirror_ranks(builder: Any, rows: list[Any]) -> list[Any]:
    """Ranks of rows in reverse, and the bytes of each word in reverse."""
    lanes = [8 * (i // 8) + 7 - i % 8 for i in range(64)]

    def mirrored(row: Any) -> Any:
        return builder.bitcast(_lanes(builder, builder.bitcast(row, _BYTES), lanes), _ROWS)

    return [mirrored(row) for row in reversed(rows)]


def _exchange(builder: Any, rows: list[Any]) -> list[Any]:
    """The 8 x 8 bits of each word, and the 8 x 8 rows, transposed."""

    def transposed(row: Any) -> Any:
        for mask, shift in (
            (0x0F0F0F0F00000000, 28),
            (0x3333000033330000, 14),
            (0x5500550055005500, 7),
        ):
            by = ir.Constant(_ROWS, [shift] * 8)
            kept = ir.Constant(_ROWS, [mask] * 8)
            swap = builder.and_(kept, builder.xor(row, builder.shl(row, by)))
            row = builder.xor(row, builder.xor(swap, builder.lshr(swap, by)))
        return row

    rows = [transposed(row) for row in rows]
    for bit in (1, 2, 4):
        low = [i if not i & bit else i + 8 - bit for i in range(8)]
        high = [i + bit if not i & bit else i + 8 for i in range(8)]
        for i in range(8):
            if not i & bit:
                a, b = rows[i], rows[i | bit]
                rows[i] = _shuffle(builder, a, b, low)
                rows[i | bit] = _shuffle(builder, a, b, high)
    return rows


def _undoing(transform: Callable[[Any, list[Any]], list[Any]]) -> Any:
    """An intrinsic `undo(frames, into, out_of)`: frames[into] |= transform(frames[out_of])."""

    def undo(typing_context: Any, frames: Any, into: Any, out_of: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = signature.args[0]
            target = _row(context, builder, kind, args[0], args[1])
            source = _row(context, builder, kind, args[0], args[2])
            rows = transform(builder, [_load(builder, source, 8 * i, _ROWS) for i in range(8)])
            for i, row in enumerate(rows):
                merged = builder.or_(_load(builder, target, 8 * i, _ROWS), row)
                _store(builder, merged, target, 8 * i)
            return context.get_dummy_value()

        return types.void(frames, types.int64, types.int64), generate

    return _intrinsic(undo)


undo_mirror_files = _undoing(_mirror_files)
undo_mirror_ranks = _undoing(_mirror_ranks)
undo_exchange = _undoing(_exchange)
