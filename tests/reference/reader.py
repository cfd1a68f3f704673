"""A second reader of table files, written from docs/format.md alone.

Plain Python with zstandard and python-chess, nothing of `unmove`: slow, and independent of the
reader it is compared with. The sections named here are those of the document, in its order.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from itertools import accumulate, combinations, product
from math import comb
from pathlib import Path
from typing import NamedTuple

import chess
import zstandard

BROKEN, DRAW, MATED = 0, 1, 2  # codes (section 2)
LETTERS = "NBRQP"  # the order of kinds (section 3)
PIECES = {letter: chess.Piece.from_symbol(letter).piece_type for letter in LETTERS}

Squares = tuple[int, ...]
Placement = tuple[Squares, ...]
"""Sets of squares, ascending, one for each of some groups."""


class Damaged(Exception):
    """The file is not as the document says."""


def require(holds: bool, what: str) -> None:
    """Refuse the file unless `what` holds."""
    if not holds:
        raise Damaged(what)


# ---- 1. Frame -----------------------------------------------------------------------------------


def sections_of(raw: bytes) -> tuple[int, dict[bytes, bytes]]:
    """The version, and the sections of a file by their tags; all but the blocks is checked."""
    require(len(raw) >= 160 and raw[:8] == b"\x89unmove\n", "magic")
    version, count, size, table_sum, head_sum = struct.unpack_from("<IIQII", raw, 8)
    require(zlib.crc32(raw[:28]) == head_sum, "checksum of the frame")
    require(version in (1, 2) and (count, size) == (4, len(raw)), "version, sections or size")
    require(zlib.crc32(raw[32:128]) == table_sum, "checksum of the table of sections")
    require(hashlib.sha256(raw[:-32]).digest() == raw[-32:], "digest")
    found, end = {}, 128
    for index, expected in enumerate((b"meta", b"modl", b"dire", b"blks")):
        tag, checksum, offset, size = struct.unpack_from("<4sIQQ", raw, 32 + 24 * index)
        require(tag == expected and offset == aligned(end), "place of a section")
        require(not any(raw[end:offset]), "bytes between sections")
        end = offset + size
        require(end <= len(raw) - 32, "size of a section")
        found[tag] = raw[offset:end]
        require(
            checksum == (0 if tag == b"blks" else zlib.crc32(found[tag])), "checksum of a section"
        )
    require(aligned(end) == len(raw) - 32 and not any(raw[end:-32]), "bytes after the sections")
    return version, found


def aligned(offset: int) -> int:
    """The first multiple of 8 that is not before `offset`."""
    return (offset + 7) // 8 * 8


def unpacked(frame: bytes, limit: int) -> bytes:
    """The content of a zstandard frame, whose size the frame tells and is at most `limit`."""
    try:
        size = zstandard.frame_content_size(frame)
        require(0 <= size <= limit, "size of a frame")
        return zstandard.ZstdDecompressor().decompress(frame)
    except zstandard.ZstdError as error:
        raise Damaged(str(error)) from error


# ---- 3 and 4. Planes ----------------------------------------------------------------------------


def rank_of(squares: Iterable[int]) -> int:
    """The rank of a set of squares."""
    return sum(comb(square, i + 1) for i, square in enumerate(sorted(squares)))


def seen(t: int, square: int) -> int:
    """A square under symmetry t."""
    rank, file = divmod(square, 8)
    if t & 4:
        rank, file = file, rank
    if t & 2:
        rank = 7 - rank
    if t & 1:
        file = 7 - file
    return 8 * rank + file


def seen_all(t: int, placement: Placement) -> Placement:
    """A placement under symmetry t."""
    return tuple(tuple(sorted(seen(t, square) for square in group)) for group in placement)


class Group(NamedTuple):
    """Like men of one side."""

    size: int
    kind: int  # in LETTERS
    side: int  # 0 White, 1 Black

    @property
    def piece(self) -> chess.Piece:
        return chess.Piece(PIECES[LETTERS[self.kind]], self.side == 0)


class Layout:
    """Where positions of one material stand: orbits of the lead, planes, stored planes."""

    def __init__(self, material: str) -> None:
        sides = [side[1:] for side in material.split("v")]
        groups = sorted(
            Group(men.count(letter), kind, side)
            for side, men in enumerate(sides)
            for kind, letter in enumerate(LETTERS)
            if letter in men
        )
        pawns = sorted((g for g in groups if LETTERS[g.kind] == "P"), key=lambda g: g.side)
        self.lead = pawns or [g for g in groups if g.side == 0][:1]
        self.others = [g for g in groups if g not in self.lead]
        self.symmetries = range(2) if pawns else range(8)
        self.board_squares = range(8, 56) if pawns else range(64)
        self.representative = cache(self._representative)
        self.smallest_image = cache(self._smallest_image)

    @cached_property
    def representatives(self) -> list[Placement]:
        """Of each orbit the placement of the lead that stands for it."""
        choices = [combinations(self.board_squares, group.size) for group in self.lead]
        placements = [p for p in product(*choices) if disjoint(p)]
        return sorted({self.representative(p)[0] for p in placements}, key=self.place_in_order)

    def _representative(self, lead: Placement) -> tuple[Placement, int]:
        """What stands for a placement of the lead, and the first symmetry that leads there."""
        images = [(self.lead_number(seen_all(t, lead)), t) for t in self.symmetries]
        t = min(images)[1]
        return seen_all(t, lead), t

    def lead_number(self, lead: Placement) -> int:
        """The rank of the only set; of two sets of pawns, both ranks as one number."""
        return self.appended(0, self.lead, lead)

    def appended(self, number: int, groups: list[Group], placement: Placement) -> int:
        """A number with the ranks of further groups as its lower digits."""
        for group, squares in zip(groups, placement, strict=True):
            number = number * comb(64, group.size) + rank_of(squares)
        return number

    def place_in_order(self, lead: Placement) -> tuple[int, int]:
        """What representatives are sorted by: steps to promotion (0 without pawns), number."""
        steps = 0
        if len(self.symmetries) == 2:
            for group, squares in zip(self.lead, lead, strict=True):
                steps += sum(s // 8 if group.side else 7 - s // 8 for s in squares)
        return steps, self.lead_number(lead)

    @cached_property
    def orbits(self) -> dict[Placement, int]:
        """The number of each representative."""
        return {lead: orbit for orbit, lead in enumerate(self.representatives)}

    def stabilisers(self, lead: Placement) -> list[int]:
        """The symmetries that map a representative onto itself."""
        return [t for t in self.symmetries if seen_all(t, lead) == lead]

    def _smallest_image(self, lead: Placement, others: Placement) -> tuple[int, int]:
        """The smallest number of a plane's images, and a symmetry that leads there."""
        orbit = self.orbits[lead]
        return min(
            (self.appended(orbit, self.others, seen_all(t, others)), t)
            for t in self.stabilisers(lead)
        )

    @cached_property
    def stored(self) -> dict[int, Placement]:
        """The stored planes in order: number, and squares of the lead's and the other groups."""
        choices = [sorted(combinations(range(64), g.size), key=rank_of) for g in self.others]
        found = {}
        for orbit, lead in enumerate(self.representatives):
            for others in product(*choices):
                number = self.appended(orbit, self.others, others)
                if disjoint(lead + others) and self.smallest_image(lead, others)[0] == number:
                    found[number] = lead + others
        return found

    @cached_property
    def places(self) -> dict[int, int]:
        """The place of each stored plane."""
        return {number: place for place, number in enumerate(self.stored)}

    @cached_property
    def placements(self) -> list[Placement]:
        """The men of each stored plane."""
        return list(self.stored.values())

    def find(self, board: chess.Board) -> tuple[int, int, int]:
        """The place of a position, and the squares of White's and Black's king there."""
        lead, others = (
            tuple(tuple(board.pieces(g.piece.piece_type, g.piece.color)) for g in groups)
            for groups in (self.lead, self.others)
        )
        lead, t = self.representative(lead)
        number, u = self.smallest_image(lead, seen_all(t, others))
        white, black = (seen(u, seen(t, king)) for king in kings_of(board))
        return self.places[number], white, black

    def men(self, place: int) -> chess.BaseBoard:
        """The men of a stored plane on a board without kings."""
        board = chess.BaseBoard.empty()
        for group, squares in zip(self.lead + self.others, self.placements[place], strict=True):
            for square in squares:
                board.set_piece_at(square, group.piece)
        return board


def disjoint(placement: Placement) -> bool:
    """No square is taken twice."""
    taken = [square for group in placement for square in group]
    return len(set(taken)) == len(taken)


def kings_of(board: chess.Board) -> tuple[int, int]:
    """White's and Black's king."""
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    assert white is not None and black is not None
    return white, black


# ---- 5. The order of cells ----------------------------------------------------------------------


def legal_cells(men: chess.BaseBoard, mover: chess.Color) -> list[bool]:
    """Whether the cells 64 * Black's king + White's king are legal with `mover` to move.

    The other side's king may stand where nothing of the mover attacks, which depends on where the
    mover's own king stands in the way.
    """
    legal = [False] * 4096
    for own in range(64):
        if men.piece_at(own):
            continue
        board = men.copy()
        board.set_piece_at(own, chess.Piece(chess.KING, mover))
        taken = board.occupied
        for square in chess.scan_forward(board.occupied_co[mover]):
            taken |= board.attacks_mask(square)
        for other in range(64):
            if not taken >> other & 1:
                legal[64 * other + own if mover else 64 * own + other] = True
    return legal


# ---- 7.1 Neighbours -----------------------------------------------------------------------------

STEPS = (
    *((0, 0, -1, 0), (0, 0, 0, -1), (0, 0, -1, -1), (0, 0, 1, -1), (0, 0, -2, 0), (0, 0, 0, -2)),
    *((-1, 0, 0, 0), (0, -1, 0, 0), (-1, -1, 0, 0), (1, -1, 0, 0), (-2, 0, 0, 0), (0, -2, 0, 0)),
    *((-1, 0, 1, 0), (-1, 0, 0, 1), (-1, 0, -1, 0), (-1, 0, 0, -1), (-1, 0, 1, 1)),
    *((0, -1, 1, 0), (0, -1, 0, 1), (0, -1, -1, 0), (0, -1, 0, -1), (0, -1, 1, 1)),
)
OUTSIDE = 4096  # the work space has one cell more, for all that is off the board
NOTHING = -1


def stepped(square: int, files: int, ranks: int) -> int | None:
    """A square some steps away, None if that is off the board."""
    rank, file = square // 8 + ranks, square % 8 + files
    return 8 * rank + file if 0 <= rank < 8 and 0 <= file < 8 else None


@cache
def neighbours() -> list[Squares]:
    """For each cell its 22 neighbours, OUTSIDE for those off the board."""
    found = []
    for cell in range(4096):
        around = []
        for of, or_, jf, jr in STEPS:
            outer, inner = stepped(cell // 64, of, or_), stepped(cell % 64, jf, jr)
            around.append(OUTSIDE if outer is None or inner is None else 64 * outer + inner)
        found.append(tuple(around))
    return found


# ---- 7.3 What is known of a plane ---------------------------------------------------------------


class Known:
    """The states of a plane's cells, and what the features tell of its men."""

    def __init__(self, men: chess.BaseBoard, order: Sequence[int], mover: chess.Color) -> None:
        self.legal = legal_cells(men, mover)
        quiet = legal_cells(men, not mover)
        self.states = [1 + here + (here and not quiet[i]) for i, here in enumerate(self.legal)]
        self.states.append(0)  # OUTSIDE
        self.men: list[Squares] = []
        for square in order[:4]:
            color = men.color_at(square)
            assert color is not None
            theirs, ours = men.attackers(not color, square), men.attackers(color, square)
            self.men.append((square % 8, square // 8, len(theirs), len(ours)))
        self.of_kings = [self.of_king(king) for king in range(64)]
        self.of_men = [number for man in self.men for number in man]
        self.of_men += [0] * (4 * (4 - len(self.men)))

    def of_king(self, king: int) -> list[int]:
        """The features of a king, and how far the men are away from it (7.4)."""
        away = [number for file, rank, _, _ in self.men for number in apart(king, 8 * rank + file)]
        return [king % 8, king // 8, *away] + [0] * (3 * (4 - len(self.men)))

    def features(self, cell: int, around: Sequence[int]) -> list[int]:
        """The features from 24 on (7.4)."""
        outer, inner = divmod(cell, 64)
        states = [self.states[i] for i in (*around[:2], *around[6:8], cell)]
        kings = self.of_kings[outer] + self.of_kings[inner]
        return [*states, *apart(outer, inner), *kings, *self.of_men]


@cache
def apart(one: int, other: int) -> Squares:
    """The distance of two squares, and how far they are apart in files and ranks, plus 7."""
    files, ranks = one % 8 - other % 8, one // 8 - other // 8
    return max(abs(files), abs(ranks)), files + 7, ranks + 7


# ---- 7.4 to 7.7 The model -----------------------------------------------------------------------

FEATURES = 76
MOST = [133] * 22 + [255] * 2 + [3] * 5 + [7, 14, 14] + 2 * ([7, 7] + 4 * [7, 14, 14])
MOST += 4 * [7, 7, 3, 3]


def unfold(z: int, p: int, n: int) -> int:
    """The z-th of the numbers below n, nearest to p first."""
    m = min(p, n - 1 - p)
    if z <= 2 * m:
        return p - (z + 1) // 2 if z % 2 else p + z // 2
    return z if p < n - 1 - p else n - 1 - z


def frequency(weight: int) -> int:
    """The frequency of a weight (7.6); 0 for the one that has what is left."""
    return weight if weight < 8 else (4 + weight % 4) << (weight // 4 - 1)


class Frequencies:
    """One table of symbols (7.6)."""

    def __init__(self, counts: dict[int, int]) -> None:
        require(min(counts.values()) > 0, "frequencies")
        self.symbols = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
        self.sizes = [counts[symbol] for symbol in self.symbols]
        self.begins = [sum(self.sizes[:i]) for i in range(len(self.sizes))]


class Lane:
    """A lane: its words and state (7.7), and its predictions (7.2)."""

    def __init__(self, words: Sequence[int], win: int, loss: int) -> None:
        self.words, self.used, self.state = words, 0, 0
        self.win, self.loss = win, loss
        self.take()
        self.take()

    def take(self) -> None:
        """The state, with the next word if it has room."""
        if self.state < 65536 and self.used < len(self.words):
            self.state = 65536 * self.state + self.words[self.used]
            self.used += 1

    def symbol(self, table: Frequencies) -> int:
        """The next symbol."""
        high, low = divmod(self.state, 32768)
        i = bisect_right(table.begins, low) - 1
        self.state = table.sizes[i] * high + low - table.begins[i]
        self.take()
        return table.symbols[i]

    def finish(self) -> None:
        """Refuse a lane whose words do not end where its cells do."""
        require(self.used == len(self.words) and self.state == 0, "end of a lane")


class Model:
    """The tree and the tables of `modl`, for w wins and l losses."""

    def __init__(self, section: bytes, wins: int, losses: int) -> None:
        content = unpacked(section, 1 << 24)
        self.w, self.l = wins, losses
        try:
            self.read(content)
        except struct.error as error:
            raise Damaged("modl ends too early") from error

    def read(self, content: bytes) -> None:
        """Take the content apart."""
        leaves, symbols, self.start_win, self.start_loss = struct.unpack_from("<4I", content)
        require(symbols == self.w + self.l + 3, "number of symbols")
        require(leaves <= 16384, "size of the model")
        require(self.start_win < max(self.w, 1) and self.start_loss < max(self.l, 1), "start")
        nodes, offset = 2 * leaves - 1, 16
        require(leaves >= 1 and offset + 2 * nodes <= len(content), "number of leaves")
        self.feature = content[offset : offset + nodes]
        self.bound = content[offset + nodes : offset + 2 * nodes]
        offset += 2 * nodes
        sizes = struct.unpack_from(f"<{leaves + 1}H", content, offset)
        offset += 2 * len(sizes)
        parts = [content[offset + i * sum(sizes) :][: sum(sizes)] for i in range(3)]
        steps = [low + 256 * high for low, high in zip(*parts[:2], strict=True)]
        weights = parts[2]
        require(len(content) == offset + 3 * sum(sizes), "size of modl")

        inner = [node for node in range(nodes) if self.feature[node] != 255]
        require(len(inner) == leaves - 1, "number of leaves")
        for node in inner:
            require(self.feature[node] < FEATURES, "features")
            require(self.bound[node] < MOST[self.feature[node]], "bounds")
        require(all(2 * i + 1 > node for i, node in enumerate(inner)), "order of nodes")
        self.child = {node: 2 * i + 1 for i, node in enumerate(inner)}
        self.leaf = {n: i for i, n in enumerate(n for n in range(nodes) if n not in self.child)}

        self.tables: list[Frequencies] = []
        first = 0
        for size in sizes:
            chosen, symbol, counts = range(first, first + size), 0, {}
            for i in chosen:
                require(steps[i] > 0 or i == first, "order of symbols")
                symbol += steps[i]
                counts[symbol] = frequency(weights[i])
            rest = [symbol for symbol, count in counts.items() if count == 0]
            require(len(rest) == 1, "weights of 0")
            counts[rest[0]] = 32768 - sum(counts.values())
            require(symbol <= symbols - (len(self.tables) == leaves), "symbols")
            self.tables.append(Frequencies(counts))
            first += size

    def number(self, x: int, win: int, loss: int) -> int:
        """The feature made of a neighbour of spaced rank x (7.4)."""
        w = self.w
        if x == NOTHING:
            return 0
        if x < w:
            return 33 + (-32 if x < win - 32 else 32 if x > win + 32 else x - win)
        if x < w + 64:
            return 66 + x - w - 32
        return 101 + (-32 if x < loss - 32 else 32 if x > loss + 32 else x - loss)

    def table(
        self, known: list[int], around: Sequence[int], work: list[int], win: int, loss: int
    ) -> Frequencies:
        """The table of a cell, of which the features from 24 on are known (7.4)."""
        told = min(win, 255), min(loss - 64 - self.w - 3, 255), *known
        node = 0
        while (feature := self.feature[node]) != 255:
            if feature >= 22:
                number = told[feature - 22]
            else:
                number = self.number(work[around[feature]], win, loss)
            node = self.child[node] + (number > self.bound[node])
        return self.tables[self.leaf[node]]

    def rank(self, symbol: int, win: int, loss: int) -> int:
        """What a symbol means (7.5)."""
        w = self.w
        if symbol < 3:
            return w + symbol
        if symbol < w + 3:
            return unfold(symbol - 3, win, w)
        return w + 3 + unfold(symbol - w - 3, loss - 64 - w - 3, self.l)

    def decode(self, coded: Sequence[Sequence[int]], known: Known) -> list[int]:
        """The ranks of a plane's cells (7.2 to 7.7), strip by strip (11); `coded` has its lanes."""
        ranks, size = [self.w + self.l + 3] * 4096, 4096 * 2 // len(coded)
        for first in range(0, 4096, size):
            lanes = coded[2 * first // size : 2 * first // size + 2]
            self.decode_strip(range(first, first + size), lanes, known, ranks)
        return ranks

    def decode_strip(
        self, cells: range, coded: Sequence[Sequence[int]], known: Known, ranks: list[int]
    ) -> None:
        """The ranks of some cells; no value of the cells before them is known."""
        w, escape = self.w, self.w + self.l + 3
        if not any(coded):
            for cell in cells:
                ranks[cell] = w if known.legal[cell] else escape
            return
        lanes = [Lane(words, self.start_win, w + 3 + self.start_loss + 64) for words in coded]
        work = [NOTHING] * 4097
        for cell in cells:
            around = neighbours()[cell]
            if not known.legal[cell]:
                continue
            lane = lanes[cell // 512 % 2]
            for x in (work[around[i]] for i in (7, 6, 1, 0)):  # the last that tells counts
                if 0 <= x < w:
                    lane.win = x
                elif x >= w + 3 + 64:
                    lane.loss = x
            told = known.features(cell, around)
            symbol = lane.symbol(self.table(told, around, work, lane.win, lane.loss))
            if symbol == escape:
                symbol = lane.symbol(self.tables[-1])
            rank = ranks[cell] = self.rank(symbol, lane.win, lane.loss)
            work[cell] = rank if rank < w else rank + 32 if rank < w + 3 else rank + 64
        for lane in lanes:
            lane.finish()


# ---- 2, 5 and 6. The file -----------------------------------------------------------------------


class Run:
    """The blocks of one side to move: its values as they are stored."""

    def __init__(
        self, layout: Layout, mover: chess.Color, codes: Iterable[int], strips: int
    ) -> None:
        self.layout, self.mover, found = layout, mover, list(codes)
        self.lanes = 2 * strips
        self.wins: list[int] = sorted(code for code in found if code % 2)
        self.losses: list[int] = sorted((code for code in found if code % 2 == 0), reverse=True)
        self.w, self.l = len(self.wins), len(self.losses)
        self.model: Model | None = None
        self.blocks: list[bytes] = []
        self.cells: dict[int, list[int]] = {}

    def ranks(self, place: int) -> list[int]:
        """The ranks of a stored plane, cells 64 * Black's king + White's; w + l + 3: not legal."""
        if place not in self.cells:
            if self.model is None:
                self.cells[place] = self.unpacked_ranks(place)
            else:
                order = [square for group in self.layout.placements[place] for square in group]
                known = Known(self.layout.men(place), order, self.mover)
                self.cells[place] = self.model.decode(self.words(place), known)
        return self.cells[place]

    def words(self, place: int) -> list[Sequence[int]]:
        """The words of a plane's lanes (section 6, coder `tree`)."""
        number, index = divmod(place, 16)
        block, end, sizes = self.blocks[number], 0, []
        for _ in range(self.lanes * min(16, len(self.layout.stored) - 16 * number)):
            size = 0
            while block[end : end + 1] == b"\xff":
                size, end = size + 255, end + 1
            require(end < len(block), "size of a block")
            sizes.append(size + block[end])
            end += 1
        require(end % 2 == 0 or block[end : end + 1] == b"\0", "byte after the sizes")
        end += end % 2
        require(len(block) == end + 2 * sum(sizes), "size of a block")
        words = struct.unpack(f"<{sum(sizes)}H", block[end:])
        bounds = list(accumulate(sizes, initial=0))
        own = range(self.lanes * index, self.lanes * (index + 1))
        return [words[bounds[i] : bounds[i + 1]] for i in own]

    def unpacked_ranks(self, place: int) -> list[int]:
        """The ranks of a plane (section 6, coder `zstd`)."""
        block, index = divmod(place, 16)
        planes = min(16, len(self.layout.stored) - 16 * block)
        width = 2 if self.w + self.l + 4 > 256 else 1
        content = unpacked(self.blocks[block], planes * 4096 * width)
        require(len(content) == planes * 4096 * width, "size of a block")
        plane = content[index * 4096 * width : (index + 1) * 4096 * width]
        return [rank for (rank,) in struct.iter_unpack("<H" if width == 2 else "<B", plane)]

    def code(self, rank: int) -> int | None:
        """The code of a rank, None for a conversion."""
        if rank < self.w:
            return self.wins[rank]
        if rank < self.w + 2:
            return DRAW
        if rank == self.w + 2:
            return None
        return self.losses[rank - self.w - 3] if rank < self.w + 3 + self.l else BROKEN

    def stored(self, board: chess.Board) -> int | None:
        """The code of a position with this side to move, None for a mark."""
        place, white, black = self.layout.find(board)
        return self.code(self.ranks(place)[64 * black + white])


class Reader:
    """One file: its values as they are stored, by side to move."""

    def __init__(self, path: Path) -> None:
        version, sections = sections_of(path.read_bytes())
        require(len(sections[b"meta"]) <= 1 << 20, "size of meta")
        self.meta = json.loads(sections[b"meta"])
        require(self.meta["game"] == "chess" and self.meta["layout"] == "kings", "game or layout")
        require(self.meta["coder"] in ("tree", "zstd"), "coder")
        self.metric: str = self.meta["metric"]
        self.layout = Layout(self.meta["material"])
        colours = {"white": chess.WHITE, "black": chess.BLACK}
        self.second: chess.Color | None = None
        kept = [chess.WHITE, chess.BLACK]
        if version == 2:
            require(self.meta["kept"] == "both", "sides of version 2")
            self.second = colours[self.meta["second"]]
        else:
            kept = [colours[self.meta["kept"]]]
        require(self.meta["planes"] == len(kept) * len(self.layout.stored), "number of planes")
        strips = self.meta["strips"] if version == 2 else 1
        require(strips in (1, 2, 4), "strips")
        self.sides = {
            mover: Run(self.layout, mover, self.codes_of(mover), strips) for mover in kept
        }
        self.take_models(sections[b"modl"])
        self.cut(sections[b"dire"], sections[b"blks"])

    def codes_of(self, mover: chess.Color) -> list[int]:
        """The codes of the wins and losses of a side to move."""
        return [code for code, _ in self.meta["histogram"][0 if mover else 1]]

    def take_models(self, section: bytes) -> None:
        """The model of each side; in version 2 the size of the first one comes before them."""
        if self.meta["coder"] != "tree":
            require(not section, "modl of a file without a model")
            return
        models = [section]
        if self.second is not None:
            require(len(section) >= 8, "size of modl")
            (size,) = struct.unpack_from("<Q", section)
            require(size <= len(section) - 8, "size of a model")
            models = [section[8 : 8 + size], section[8 + size :]]
        for run, model in zip(self.sides.values(), models, strict=True):
            run.model = Model(model, run.w, run.l)

    def cut(self, directory: bytes, blocks: bytes) -> None:
        """The blocks of each side, each with its checksum right."""
        a_side = -(-len(self.layout.stored) // 16)
        require(len(directory) == 8 * a_side * len(self.sides), "size of the directory")
        found, offset = [], 0
        for size, checksum in struct.iter_unpack("<II", directory):
            found.append(blocks[offset : offset + size])
            require(zlib.crc32(found[-1]) == checksum, "checksum of a block")
            offset += size
        require(offset == len(blocks), "size of the blocks")
        for number, run in enumerate(self.sides.values()):
            run.blocks = found[number * a_side : (number + 1) * a_side]


# ---- 8. Any position ----------------------------------------------------------------------------


def level_of(code: int) -> int:
    """The level of a win or loss."""
    return (code - 1) // 2


def preference(code: int) -> tuple[int, int]:
    """Greatest for quick wins, then slow wins, draws, slow losses, quick losses."""
    if code == DRAW:
        return 0, 0
    return (1, -level_of(code)) if code % 2 else (-1, level_of(code))


def score(code: int, metric: str, converts: bool, zeroes: bool) -> int:
    """What a move to a position with this code is worth to its mover."""
    if code == DRAW:
        return DRAW
    level = level_of(code) + 1
    if metric == "dtc" and converts:
        level = 1
    elif metric == "dtz":
        level = (101 if level > 101 else 1) if zeroes else 201 if level == 101 else level
    return 2 * level + 2 if code % 2 else 2 * level + 1


def material_of(board: chess.Board, side: chess.Color) -> str:
    """The men of a side, such as KQP."""
    men = board.occupied_co[side]
    kinds = (board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns)
    return "".join(
        [letter * (men & kind).bit_count() for letter, kind in zip("KQRBNP", kinds, strict=True)]
    )


def is_marked(board: chess.Board, move: chess.Move, *, of_king: bool) -> bool:
    """Whether a mark may mean this move: a conversion, or of the second side one of the king."""
    if board.is_capture(move) or move.promotion:
        return True
    return of_king and board.piece_type_at(move.from_square) == chess.KING


class Shelf:
    """A folder of tables, asked for any position."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reader = cache(self._reader)

    def _reader(self, material: str, metric: str) -> Reader | None:
        """The table of a material, None if there is no such file."""
        path = self.folder / f"{material}.{metric}.unmove"
        return Reader(path) if path.exists() else None

    def value(self, board: chess.Board, metric: str) -> int:
        """The code of a position, seen by the side to move."""
        if not board.has_legal_en_passant():
            return self.plain_value(board, metric)
        taking = list(board.generate_legal_ep())
        best = self.best(board, metric, taking)
        if len(taking) == board.legal_moves.count():
            return best
        without = board.copy(stack=False)
        without.ep_square = None
        return max(best, self.plain_value(without, metric), key=preference)

    def plain_value(self, board: chess.Board, metric: str) -> int:
        """The code of a position without a right to take en passant."""
        white, black = material_of(board, chess.WHITE), material_of(board, chess.BLACK)
        reader, seen_so = self.reader(f"{white}v{black}", metric), board
        if reader is None:
            reader, seen_so = self.reader(f"{black}v{white}", metric), board.mirror()
        if reader is None:
            raise FileNotFoundError(f"{white}v{black}.{metric}")
        if seen_so.turn in reader.sides:
            code = reader.sides[seen_so.turn].stored(seen_so)
            if code is not None:
                return code
            of_king = seen_so.turn == reader.second
            moves = [move for move in board.legal_moves if is_marked(board, move, of_king=of_king)]
        else:
            moves = list(board.legal_moves)
            if not moves:
                return MATED if board.is_check() else DRAW
        return self.best(board, metric, moves)

    def best(self, board: chess.Board, metric: str, moves: list[chess.Move]) -> int:
        """What the best of some moves is worth."""
        found = []
        for move in moves:
            converts = board.is_capture(move) or move.promotion is not None
            zeroes = board.is_zeroing(move)
            board.push(move)
            found.append(score(self.value(board, metric), metric, converts, zeroes))
            board.pop()
        return max(found, key=preference)


# ---- 9. `values` --------------------------------------------------------------------------------


def values_digest(shelf: Shelf, reader: Reader) -> str:
    """The digest of both sides' values, each found by asking the shelf."""
    digests = hashlib.sha256()
    for mover in (chess.WHITE, chess.BLACK):
        for first in range(0, len(reader.layout.stored), 1000):
            part = hashlib.sha256()
            for place in range(first, min(first + 1000, len(reader.layout.stored))):
                part.update(struct.pack("<4096H", *plane_codes(shelf, reader, place, mover)))
            digests.update(part.digest())
    return digests.hexdigest()


def plane_codes(shelf: Shelf, reader: Reader, place: int, mover: chess.Color) -> list[int]:
    """The codes of the cells 64 * White's king + Black's king of a stored plane."""
    men = reader.layout.men(place)
    legal = legal_cells(men, mover)
    codes = [BROKEN] * 4096
    for cell in range(4096):
        white, black = divmod(cell, 64)
        if legal[64 * black + white]:
            board = chess.Board.empty()
            board.set_piece_map(
                men.piece_map()
                | {
                    white: chess.Piece(chess.KING, chess.WHITE),
                    black: chess.Piece(chess.KING, chess.BLACK),
                }
            )
            board.turn = mover
            codes[cell] = shelf.value(board, reader.metric)
    return codes
