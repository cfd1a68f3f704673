"""Coding a plane's symbols in the contexts of `contexts.py`: range asymmetric numeral systems.

Every leaf has a table of its symbols with frequencies that sum to 2 ** 15. The coder's state is a
number below 2 ** 32. A symbol of frequency f, whose table has frequencies of sum c before it,
changes the state to

    (state // f) * 2 ** 15 + c + state % f

If that would not fit, the lowest 16 bits of the state are moved out first. Decoding undoes this
step by step, so the symbols are coded last to first. A symbol that is rare in a leaf is coded as
an escape there, and then in the last table, which has all symbols.

The encoder's first state is 0, so a sound decoding ends at 0. Once the state has reached 2 ** 16
it never falls below again, and bits are moved out only from larger states. So the decoder moves
bits in whenever its state is below 2 ** 16 and words are left. It is told how many words there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmove.kernels.arrays import Ranks
from unmove.kernels.bits import ONE
from unmove.kernels.codec.coders import (
    FREQUENCY_BITS,
    FREQUENCY_SUM,
    INVERSE_BITS,
    Decoder,
    Encoder,
)
from unmove.kernels.codec.contexts import (
    BOARDS,
    DONE,
    LANES,
    Context,
    begin_lane,
    begin_strip,
    boards_done,
    goes_on,
    next_cells,
    ranks_around,
    to_next_cell,
)
from unmove.kernels.codec.facts import PlaneFacts
from unmove.kernels.codec.features import set_up, set_up_ranks
from unmove.kernels.codec.ranks import (
    RankOrder,
    context_value,
    first_loss,
    rank_of_value,
    symbol_of,
    value_from,
)
from unmove.kernels.codec.scratch import BOARD, EXTRA, PLACE, ContextValues
from unmove.kernels.codec.tree import (
    AWAY,
    FREQUENCY,
    FREQUENCY_STEP,
    LEAF,
    REST_BITS,
    REST_HIGH,
    REST_LOW,
    ROW,
    SLOT,
    SLOT_STEP,
    Tree,
)
from unmove.kernels.intrinsics import at
from unmove.kernels.jit import inlined, kernel
from unmove.planes.layout import CELLS

LANE_CELLS = 64 * BOARDS
FILLED = 1 << 16  # a state from here on needs no more bits
MORE = 255  # in a size: another byte follows


class ModelScratch(NamedTuple):
    """Room for the contexts of a plane: of the even lane from 0 on, of the odd from LANE_CELLS."""

    space: ContextValues
    leaves: NDArray[np.int32]  # [i]: the leaf of the i-th legal cell
    symbols: NDArray[np.int32]  # [i]: its symbol


class ModelledPlanes(NamedTuple):
    """The leaf and the symbol of each legal cell of some planes: all that is left to be coded.

    They are in order of the strips of the planes. A strip's even lane comes before its odd one. A
    strip whose legal cells are all draws is not coded, and has no cells here.
    """

    leaves: NDArray[np.uint16]
    symbols: NDArray[np.uint16]
    bounds: NDArray[np.int64]  # [LANES * strip + lane]: its first cell; one more entry at the end


class Block(NamedTuple):
    """The bytes of a block, and where its lanes are in them."""

    sizes: NDArray[np.uint8]  # all bytes; the first of them are the sizes of the lanes
    words: NDArray[np.uint16]  # the same bytes as words
    bounds: NDArray[np.int64]  # [lane]: its first word; one more entry closes the last lane


class Blocks(NamedTuple):
    """The bytes of a file, and for each of some planes where its block is in them."""

    sizes: NDArray[np.uint8]  # all bytes; each block begins with the sizes of its lanes
    words: NDArray[np.uint16]  # the same bytes as words
    spans: NDArray[np.int64]  # [i, SPAN_FIRST .. SPAN_WANTED]: of the i-th plane
    bounds: NDArray[np.int64]  # room for the bounds of the lanes of one block, see `Block`


SPAN_FIRST, SPAN_STOP, SPAN_PLANES, SPAN_WANTED = range(4)
"""Of a span: the first byte of the plane's block, and the byte after its last one; how many planes
the block has; which of them the plane is."""


def model_scratch(space: ContextValues) -> ModelScratch:
    """Room for the contexts of one plane."""
    leaves, symbols = np.zeros((2, CELLS), np.int32)
    return ModelScratch(space, leaves, symbols)


@inlined
def model_strip(
    plane: int,
    strip: int,
    ranks: Ranks,
    facts: PlaneFacts,
    order: RankOrder,
    tree: Tree,
    scratch: ModelScratch,
) -> tuple[int, int]:
    """The scratch space has the leaves and symbols of the legal cells of a strip of a plane.

    The space is set up for the plane. Returns where they end in either lane.
    """
    space, beside = scratch.space, scratch.space[EXTRA:]
    legal, plane_ranks = facts.legal[plane], ranks[plane]
    begin_strip(strip, order, space)
    end, end_beside = 0, LANE_CELLS
    one, two = begin_lane(0, strip, order.strips), begin_lane(1, strip, order.strips)
    while goes_on(one, two, one.stop, two.stop):
        one, two, cell, other = next_cells(one, two, legal, tree, space, beside)
        if one.inner < DONE:
            rank = int(np.int64(plane_ranks[at(one.outer * 64 + one.inner)]))
            model_cell(end, rank, cell, order, tree, space, scratch)
            end += 1
            one = to_next_cell(one, legal)
        if two.inner < DONE:
            rank = int(np.int64(plane_ranks[at(two.outer * 64 + two.inner)]))
            model_cell(end_beside, rank, other, order, tree, beside, scratch)
            end_beside += 1
            two = to_next_cell(two, legal)
    return end, end_beside


@inlined
def model_cell(
    i: int,
    rank: int,
    cell: Context,
    order: RankOrder,
    tree: Tree,
    space: ContextValues,
    scratch: ModelScratch,
) -> None:
    """leaves[i] and symbols[i] are those of a cell, and its neighbours-to-be can see its value."""
    scratch.leaves[at(i)] = tree.rows[at(cell.row * ROW + LEAF)]
    scratch.symbols[at(i)] = symbol_of(rank, order, space)
    space[at(cell.place)] = context_value(rank, order)


@inlined
def is_drawn(
    plane: int, strip: int, ranks: Ranks, legal: NDArray[np.uint64], order: RankOrder
) -> bool:
    """Whether all legal cells of a strip of a plane are draws."""
    size = CELLS // order.strips
    for cell in range(strip * size, (strip + 1) * size):
        is_legal = (legal[plane, cell >> 6] >> np.uint64(cell & 63)) & ONE
        if ranks[plane, cell] != order.wins and is_legal:
            return False
    return True


@kernel
def model_planes(
    ranks: Ranks,
    facts: PlaneFacts,
    order: RankOrder,
    tree: Tree,
    scratch: ModelScratch,
    out: ModelledPlanes,
) -> None:
    """`out` has the leaves and symbols of all planes."""
    end, is_set_up = 0, False
    for number in range(order.strips * ranks.shape[0]):
        plane, strip = number // order.strips, number % order.strips
        if strip == 0:
            is_set_up = False
        ends = 0, LANE_CELLS
        if not is_drawn(plane, strip, ranks, facts.legal, order):
            if not is_set_up:
                set_up(plane, facts, scratch.space)
                is_set_up = True
            ends = model_strip(plane, strip, ranks, facts, order, tree, scratch)
        for lane in range(LANES):
            out.bounds[LANES * number + lane] = end
            for i in range(lane * LANE_CELLS, ends[lane]):
                out.leaves[at(end)] = scratch.leaves[at(i)]
                out.symbols[at(end)] = scratch.symbols[at(i)]
                end += 1
    out.bounds[LANES * order.strips * ranks.shape[0]] = end


@kernel
def count_symbols(modelled: ModelledPlanes, counts: NDArray[np.int64]) -> None:
    """counts[leaf, symbol] has grown by how often each occurs."""
    for i in range(modelled.bounds[-1]):
        counts[at(modelled.leaves[at(i)]), at(modelled.symbols[at(i)])] += 1


@inlined
def push_entry(
    entry: int, state: int, encoder: Encoder, out: NDArray[np.uint16], end: int
) -> tuple[int, int]:
    """The state and the end of `out` (which grows downwards) after one more entry.

    With f the frequency, the state is below f * 2 ** 17 when it is divided. So its product with
    the inverse fits 64 bits, and exceeds the true quotient by less than 2 ** 47 / f.
    """
    frequency = encoder.tables.frequency[at(entry)]
    if state >= frequency << 17:
        end -= 1
        out[at(end)] = np.uint16(state & 0xFFFF)
        state >>= 16
    product = np.uint64(state) * encoder.inverse[at(entry)]
    quotient = np.int64(product >> np.uint64(INVERSE_BITS))
    return state + quotient * (FREQUENCY_SUM - frequency) + encoder.tables.begin[at(entry)], end


@inlined
def encode_lane(
    first: int,
    stop: int,
    modelled: ModelledPlanes,
    encoder: Encoder,
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    end: int,
) -> int:
    """out[end:] = the words of a lane, whose cells are first .. stop-1; returns the new end."""
    escaped, escape = encoder.entry.shape[0] - 1, encoder.entry.shape[1] - 1
    state, begin = 0, buffer.shape[0]
    for i in range(stop - 1, first - 1, -1):
        leaf, symbol = at(modelled.leaves[at(i)]), at(modelled.symbols[at(i)])
        entry = int(encoder.entry[leaf, symbol])
        if entry < 0:
            rare = int(encoder.entry[escaped, symbol])
            state, begin = push_entry(rare, state, encoder, buffer, begin)
            entry = int(encoder.entry[leaf, escape])
        state, begin = push_entry(entry, state, encoder, buffer, begin)
    if state >= FILLED:
        out[end] = state >> 16
        end += 1
    out[end] = state & 0xFFFF
    end += 1
    for i in range(begin, buffer.shape[0]):
        out[end + i - begin] = buffer[i]
    return int(end + buffer.shape[0] - begin)


@kernel
def encode(
    modelled: ModelledPlanes,
    encoder: Encoder,
    buffer: NDArray[np.uint16],
    out: NDArray[np.uint16],
    sizes: NDArray[np.int64],
) -> int:
    """out = the words of all lanes, sizes[strip, lane] = how many each has; returns their sum.

    A strip without cells has none. `buffer` is room for the words of one lane.
    """
    end, bounds = 0, modelled.bounds
    for strip in range(sizes.shape[0]):
        sizes[strip, 0] = sizes[strip, 1] = 0
        if bounds[LANES * strip] == bounds[LANES * strip + LANES]:
            continue
        for lane in range(LANES):
            begin, first = end, LANES * strip + lane
            end = encode_lane(
                bounds[first], bounds[first + 1], modelled, encoder, buffer, out, begin
            )
            sizes[strip, lane] = end - begin
    return end


@inlined
def find_entry(low: int, entry: int, entries: NDArray[np.int16]) -> tuple[int, int, int, int]:
    """The entry of a leaf, from this one on, whose range has the low bits of a state."""
    first = at(4 * entry)
    while low > int(entries[first]) + int(entries[first + ONE]):
        first += np.uint64(4)
    begin, last = int(entries[first]), int(entries[first + ONE])
    return begin, last, int(entries[first + np.uint64(2)]), int(entries[first + np.uint64(3)])


@inlined
def refill(state: int, words: NDArray[np.uint16], word: int, stop: int) -> tuple[int, int]:
    """The state, with a word moved in if there is room and a word, and the number of the next."""
    if state < FILLED and word < stop:
        return (state << 16) | int(np.int64(words[at(word)])), word + 1
    return state, word


@inlined
def first_state(words: NDArray[np.uint16], word: int, stop: int) -> tuple[int, int]:
    """The state that a decoder begins with, and the number of the next word."""
    state, word = refill(0, words, word, stop)
    return refill(state, words, word, stop)


@inlined
def pop_value(
    row: int,
    state: int,
    words: NDArray[np.uint16],
    word: int,
    stop: int,
    decoder: Decoder,
    space: ContextValues,
) -> tuple[int, int, int]:
    """The value of a cell whose leaf is in a row, the state, and the number of the next word."""
    rows, first = decoder.tree.rows, row * ROW
    low = state & (FREQUENCY_SUM - 1)
    begin = int(rows[at(first + FREQUENCY)]) + 1
    second = int(low >= begin)  # a third of the time: a branch would be mispredicted
    begin &= -second
    last = int(rows[at(first + FREQUENCY + FREQUENCY_STEP * second)])
    slot = int(rows[at(first + SLOT + SLOT_STEP * second)])
    away = int(rows[at(first + AWAY + SLOT_STEP * second)])
    if low > begin + last:
        high = int(rows[at(first + REST_HIGH)]) << REST_BITS
        rest = high | int(rows[at(first + REST_LOW)])
        begin, last, slot, away = find_entry(low, rest, decoder.entries)
    state = (last + 1) * (state >> FREQUENCY_BITS) + low - begin
    state, word = refill(state, words, word, stop)
    if slot == 0:
        low = state & (FREQUENCY_SUM - 1)
        begin, last, slot, away = find_entry(low, decoder.escaped, decoder.entries)
        state = (last + 1) * (state >> FREQUENCY_BITS) + low - begin
        state, word = refill(state, words, word, stop)
    return value_from(slot, away, space), state, word


@inlined
def decode_strip(
    plane: int,
    strip: int,
    words: NDArray[np.uint16],
    bounds: NDArray[np.int64],
    boards: tuple[int, int],
    facts: PlaneFacts,
    decoder: Decoder,
    space: ContextValues,
) -> tuple[bool, int, int]:
    """The work space has values of a strip, whose lanes have the first three of these bounds.

    It is set up for the plane. At least so many boards of each lane of the strip are decoded.
    Returns whether the words can be what was written, which only the end of a strip tells, and how
    many boards of each lane are done.
    """
    beside, legal = space[EXTRA:], facts.legal[plane]
    middle, last = bounds[1], bounds[2]
    begin_strip(strip, decoder.order, space)
    state, word = first_state(words, bounds[0], middle)
    state_beside, word_beside = first_state(words, middle, last)
    strips = decoder.order.strips
    one, two = begin_lane(0, strip, strips), begin_lane(1, strip, strips)
    before = one.begun
    even, odd = min(before + boards[0], one.stop), min(before + boards[1], two.stop)
    while goes_on(one, two, even, odd):
        one, two, cell, other = next_cells(one, two, legal, decoder.tree, space, beside)
        if one.inner < DONE:
            value, state, word = pop_value(cell.row, state, words, word, middle, decoder, space)
            space[at(cell.place)] = value
            one = to_next_cell(one, legal)
        if two.inner < DONE:
            value, state_beside, word_beside = pop_value(
                other.row, state_beside, words, word_beside, last, decoder, beside
            )
            beside[at(other.place)] = value
            two = to_next_cell(two, legal)
    sound = word == middle and word_beside == last and (state | state_beside) == 0
    done, done_beside = boards_done(one) - before, boards_done(two) - before
    return sound or done + done_beside < LANES * (one.stop - before), done, done_beside


@inlined
def put_draws(
    plane: int,
    cells: tuple[int, int],
    legal: NDArray[np.uint64],
    draw: int,
    illegal: int,
    out: Ranks,
) -> None:
    """out[plane] = the ranks of a range of cells, of which the legal ones are all draws."""
    for cell in range(cells[0], cells[1]):
        is_legal = (legal[plane, cell >> 6] >> np.uint64(cell & 63)) & ONE
        out[plane, cell] = draw if is_legal else illegal


@inlined
def copy_ranks(
    plane: int,
    strip: tuple[int, int],
    legal: NDArray[np.uint64],
    illegal: int,
    space: ContextValues,
    out: Ranks,
) -> None:
    """out[plane] = the ranks of a range of cells, whose values are in the work space."""
    for row in range(strip[0] // 8, strip[1] // 8):
        first = int(PLACE[at(row >> 3)] * BOARD + PLACE[at(8 * (row & 7))])
        cells = legal[plane, at(row >> 3)] >> np.uint64(8 * (row & 7))
        for i in range(8):
            rank = rank_of_value(int(space[at(first + i)]))
            is_legal = (cells >> np.uint64(i)) & ONE
            out[plane, at(8 * row + i)] = rank if is_legal else illegal


@inlined
def find_bounds(sizes: NDArray[np.uint8], bounds: NDArray[np.int64]) -> bool:
    """bounds[lane] = the first word of each lane, and at the end where the last one's words end.

    A size is the sum of bytes up to the first that is not MORE. The words begin at the next even
    byte. Returns whether the block has as many words as its sizes say.
    """
    lanes, byte, words = bounds.shape[0] - 1, 0, 0
    for lane in range(lanes):
        bounds[lane] = words
        while byte < sizes.shape[0] and sizes[byte] == MORE:
            words += MORE
            byte += 1
        if byte == sizes.shape[0]:
            return False
        words += int(np.int64(sizes[byte]))
        byte += 1
    first = (byte + 1) >> 1
    bounds[lanes] = words
    for lane in range(lanes + 1):
        bounds[lane] += first
    return bool(2 * bounds[lanes] == sizes.shape[0]) and (byte & 1 == 0 or sizes[byte] == 0)


@kernel
def decode(
    block: Block,
    wanted: NDArray[np.int64],
    facts: PlaneFacts,
    decoder: Decoder,
    space: ContextValues,
    out: Ranks,
) -> int:
    """out[i] = the ranks of the plane wanted[i] of a block, given the facts of the wanted planes.

    block.bounds is written. Returns -1 on success, the number of the first corrupt plane, or the
    number of planes if the block's sizes are inconsistent.
    """
    strips = decoder.order.strips
    if not find_bounds(block.sizes, block.bounds):
        return int(block.bounds.shape[0] // (LANES * strips))
    for i in range(wanted.shape[0]):
        bounds = block.bounds[LANES * strips * wanted[i] :]
        if bounds[0] < bounds[LANES * strips]:
            set_up(i, facts, space)
        for strip in range(strips):
            every = BOARDS // strips, BOARDS // strips
            lanes = bounds[LANES * strip :]
            sound, _, _ = put_strip(i, strip, block.words, lanes, every, facts, decoder, space, out)
            if not sound:
                return int(wanted[i])
    return -1


@inlined
def put_strip(
    plane: int,
    strip: int,
    words: NDArray[np.uint16],
    bounds: NDArray[np.int64],
    boards: tuple[int, int],
    facts: PlaneFacts,
    decoder: Decoder,
    space: ContextValues,
    out: Ranks,
) -> tuple[bool, int, int]:
    """out[plane] has the ranks of a strip, of at least so many boards; else as `decode_strip`."""
    order = decoder.order
    size, illegal = CELLS // order.strips, first_loss(order) + order.losses
    cells = strip * size, (strip + 1) * size
    if bounds[0] == bounds[2]:
        put_draws(plane, cells, facts.legal, order.wins, illegal, out)
        return True, BOARDS // order.strips, BOARDS // order.strips
    sound, done, done_beside = decode_strip(
        plane, strip, words, bounds, boards, facts, decoder, space
    )
    copy_ranks(plane, cells, facts.legal, illegal, space, out)
    return sound, done, done_beside


@kernel
def decode_boards(
    blocks: Blocks,
    boards: NDArray[np.int64],
    facts: PlaneFacts,
    decoder: Decoder,
    space: ContextValues,
    out: Ranks,
) -> int:
    """out[i] = ranks of the i-th plane, of at least boards[i, lane] boards of each lane.

    Lanes are numbered strip by strip. After its cells a row of `out` has how many boards of each
    lane are decoded; the ranks of the others mean nothing. A strip of which no board is asked for
    is left out. Returns the number of the first corrupt plane, -1 if there is none.
    """
    strips = decoder.order.strips
    for i in range(boards.shape[0]):
        first, stop = blocks.spans[i, SPAN_FIRST], blocks.spans[i, SPAN_STOP]
        bounds = blocks.bounds[: LANES * strips * blocks.spans[i, SPAN_PLANES] + 1]
        if not find_bounds(blocks.sizes[first:stop], bounds):
            return i
        own = bounds[LANES * strips * blocks.spans[i, SPAN_WANTED] :]
        words = blocks.words[first >> 1 : stop >> 1]
        for strip in range(strips):
            lane = LANES * strip
            asked, done, done_beside = (boards[i, lane], boards[i, lane + 1]), 0, 0
            if asked[0] + asked[1] > 0:
                if own[lane] < own[lane + LANES]:
                    first_rank, stop_rank = ranks_around(strip, strips)
                    set_up_ranks(i, first_rank, stop_rank, facts, space)
                sound, done, done_beside = put_strip(
                    i, strip, words, own[lane:], asked, facts, decoder, space, out
                )
                if not sound:
                    return i
            out[i, CELLS + lane], out[i, CELLS + lane + 1] = done, done_beside
    return -1
