"""What a table will take: bytes of its file, bytes of memory, seconds of work.

All is known before anything is solved: cells, parts, men and metric. docs/reports/0006-estimates.md
sets it beside what builds took; `python -m tools.bench_plan` measures that anew.

The size of a file is what is hard to tell. Bits a position vary by a factor of 200 between
endgames, and most of that is how one-sided the endgame is. With attack(side) and defence(side) the
sums of what its men are worth,

    surplus = attack(one side) - defence(the other one), the larger of both

says whether the stronger side wins as a rule. Where it does, nearly every position has a distance;
wins get shorter with every man more, and their distances easier to foretell: a tenth less for each
point of surplus. Where it does not, most positions are draws, and hardly anything is to be told.
The data are the sizes of all 146 tables of chess of 2 to 5 men by DTM, 51 of up to 5 men by each
other metric, and 290 tables of xiangqi. The values of men in chess, and the surplus that is enough,
were chosen by looking at them, those of xiangqi tried on a grid; the bits are least squares of
their logarithms, rounded, with sums over whole plans in view.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, inf, sqrt

from unmove.kernels.codec.features import FIRST_POSITION_FEATURE, position_features_with
from unmove.material import Material
from unmove.planes.kinds import COURT_PLANES
from unmove.planes.layouts import AnyLayout, layout_of
from unmove.pool.machine import slowness
from unmove.solver.disk_log import bands_of
from unmove.solver.disk_table import HELD
from unmove.solver.keeping import KEPT_SHARE, Keeping
from unmove.store.codec.learning import COUNTED_PLANES, sample_of
from unmove.successors.promoted import share_after
from unmove.successors.subtable_cache import LOADED_BYTES
from unmove.values import Metric
from unmove.variants import CHESS, XIANGQI, Game

# Files ------------------------------------------------------------------------------------------

EASIER = 0.1  # a point of surplus more leaves exp(-0.1) of the bits, in either game


@dataclass(frozen=True)
class PieceValues:
    """What men are worth in a game, and the bits that a position takes in a file.

    A position of chess is a cell, legal or not; one of xiangqi a placement, as most cells of
    small courts are none.
    """

    attack: Mapping[str, float]
    defence: Mapping[str, float]
    enough: float
    """The least surplus that wins as a rule."""
    decided: float
    """Bits, where the surplus is just enough."""
    level: tuple[float, float]
    """Bits where it is not: in a quiet endgame and in a lively one (chess: with pawns that may
    promote; xiangqi: with attackers on both sides)."""
    barren: float
    """Bits where neither side has men to win with: a mate here and there."""
    file: int
    """Bytes of a file whose table says nothing."""
    model: int
    """Bytes more that the model and the statistics of a table with wins take at least."""
    nearly: float = 0.0
    """With so much less than enough, some positions begin to be won."""
    converting: float = 1.0
    """Bits of a distance to conversion, without pawns and with equal men, in those of DTM."""


# A bishop is worth a little more than a knight, which tells two bishops against a knight (won)
# from two bishops against a bishop (drawn); a queen wins against any two of them. A pawn is worth
# part of what it promotes to.
_CHESS_MEN = {"Q": 10.0, "R": 5.0, "B": 3.25, "N": 3.0, "P": 3.0}

# An elephant stops soldiers and cannons; an advisor is as often a screen for the other side's
# cannon. To his own cannon he is one, too: see `_attack`.
_XIANGQI_ATTACKERS = {"R": 9.0, "C": 4.5, "H": 4.0, "P": 2.5}

PIECE_VALUES = {
    CHESS.name: PieceValues(
        attack=_CHESS_MEN,
        defence=_CHESS_MEN,
        enough=3.5,
        decided=0.63,
        level=(0.066, 0.42),
        barren=0.006,
        file=500,
        model=2500,
    ),
    XIANGQI.name: PieceValues(
        attack=_XIANGQI_ATTACKERS,
        defence={**_XIANGQI_ATTACKERS, "A": 0.5, "E": 2.5},
        enough=2.5,
        decided=2.5,
        level=(0.25, 1.4),
        barren=0.05,
        file=550,
        model=0,
    ),
}
# With six men a smaller surplus wins, but it takes long: a rook and a minor piece against two. What
# is known comes from a few tables, see docs/reports/0008-six-men.md.
OF_SIX_MEN = replace(
    PIECE_VALUES[CHESS.name],
    enough=2.25,
    nearly=0.6,
    decided=1.05,
    level=(0.11, 0.42),
    converting=0.85,
)

SCREEN = 2.0  # what an advisor is worth to his own cannon
NO_FORCE = ("", "B", "N", "NN")  # do not win without pawns; two knights can mate, by mistake only

# Bits of a distance to conversion or to zeroing, against those of the distance to mate. They are
# fewer where there is something to promote or to capture, and hardly more than moves of a pawn
# where the winner has one and nobody can hold it up.
BARE = 1.15  # pieces against a bare king: no man but the winner's own can be lost
OWN_PAWNS = 0.6  # DTC: the winner promotes
ZEROING = (0.15, 0.45)  # DTZ: his pawns against a bare king, and against men
THEIR_PAWNS = 0.28  # only the other side has pawns, which are captured

# Memory -----------------------------------------------------------------------------------------
# Peaks of fresh processes, a table each, with what was there before subtracted. A cell counts once
# for both sides to move.

PROGRAM = 155_000_000  # interpreter, libraries, compiled kernels
A_CELL = 2.25  # of the whole table: a byte for each side to move, and a bit for conversions
AT_WORK = {  # a cell of the part that is being solved: 10 sets of bits, the log, and
    "pieces": 3.4,  # nothing more
    "pawns": 9.6,  # scores of conversions, and planes of the tables they lead into
    "courts": 8.0,  # the same, and what is written without a model
}
BESIDE_FEATURES = 16  # bytes a sampled cell takes beside its features: symbol, logarithm
A_THREAD = 40_000_000  # at most: a thread more tries a choice of its own, and keeps its memory

# Of a table whose log is on the disk only sets and a few bands are in memory.
A_PLANE = 120  # bytes of a plane: where its men stand and can go, how it is counted
FRONTIERS = 1.1  # sets of the part: what the last plies have settled, packed
SCORED = {"pieces": 0.0, "pawns": 4.6, "courts": 4.6}  # a cell of the part: scores of conversions
WORKED_ON = 0.1  # of sets that are mapped from files: what is in memory at least
CODED = 60_000_000  # a thread that encodes or decodes a chunk of a file

# Disk while a table is built --------------------------------------------------------------------

LOGGED = 0.9  # bytes a cell at most, of the log of a table that takes long
PATIENCE = 120.0  # seconds of one core that may be lost when a build is stopped
MOST_HELD = 1_000_000_000  # cells of a table that is solved in memory, if it is solved soon

# Time -------------------------------------------------------------------------------------------
# Seconds of one core of the machine of docs/reports/0006-estimates.md. For other machines they are
# multiplied by `slowness`.

START = 0.4  # compiled kernels are loaded
A_TABLE = {CHESS.name: 0.035, XIANGQI.name: 0.017}  # file, digest, sync
# The more bits a cell takes in the file, the longer are the wins, and the deeper is the tree.
SOLVING = {
    "pieces": (18e-9, 95e-9),
    "pawns": (77e-9, 0.0),
    "courts": (53e-9, 0.0),
}  # a cell, a bit
WRITING = {"pieces": 2e-9, "pawns": 34e-9, "courts": 160e-9}  # a cell: coded, decoded, compared
ASKING = {"pieces": 120e-9, "pawns": 100e-9, "courts": 0.0}  # a cell and root of its bits
LEARNING = 2.4e-6  # a sampled cell and root of the bits a cell: questions asked of the model
PARALLEL = 0.95  # of the work of a table can be shared by threads

LEGAL = 0.6  # of the cells of chess
OF_BOTH_SIDES = 0.8  # of a file with one side: what both take more (0.6 to 0.8, KQRvKR 1.45)


@dataclass(frozen=True)
class Cost:
    """What a build takes, as it is estimated or as it was measured."""

    seconds: float
    memory: int
    """The peak of the process, in bytes."""
    disk: int
    """Bytes of the files."""


@dataclass(frozen=True)
class Estimate:
    """What one table takes."""

    material: Material
    metric: Metric
    both: bool = False
    """Whether the file stores both sides to move. One of xiangqi always does."""

    @cached_property
    def layout(self) -> AnyLayout:
        return layout_of(self.material)

    @cached_property
    def cells(self) -> int:
        """The cells of the table, of one side to move."""
        return self.layout.count * self.layout.cells

    @property
    def kind(self) -> str:
        """Which of the constants apply."""
        if self.layout.kind == COURT_PLANES:
            return "courts"
        return "pawns" if self.material.has_pawns else "pieces"

    @property
    def disk(self) -> int:
        """Bytes of the file."""
        return int(self._smaller_file * (1 + OF_BOTH_SIDES * self._second_sides))

    @property
    def _second_sides(self) -> int:
        """How many sides to move are stored because they were asked for."""
        return int(self.both and self.kind != "courts")

    @cached_property
    def _smaller_file(self) -> int:
        """Bytes of the file that stores as much as it must."""
        values = PIECE_VALUES[self.material.game.name]
        bits = bits_of(self.material, self.metric)
        model = values.model if bits > values.level[0] else 0
        return int(values.file + model + bits * self._places / 8)

    @property
    def _places(self) -> int:
        """What bits are counted by, see `PieceValues`."""
        return self.layout.count * self.layout.filled_cells

    @property
    def table(self) -> int:
        """Bytes of memory of the whole table."""
        return int(self.cells * A_CELL)

    @property
    def work(self) -> int:
        """Bytes of memory of the largest part, while it is solved."""
        return int(self._part_planes * self.layout.cells * AT_WORK[self.kind])

    @property
    def learning(self) -> int:
        """Bytes of memory in which the model of the file is learnt."""
        features = FIRST_POSITION_FEATURE + len(position_features_with(self.material.men - 2))
        return self.sampled * (features + BESIDE_FEATURES)

    @property
    def sampled(self) -> int:
        """The cells that the model is learnt from: none where there is no model."""
        return 0 if self.kind == "courts" else sample_of(int(LEGAL * self.cells))

    @property
    def log(self) -> int:
        """Bytes of the log, if it is on the disk."""
        return int(self.cells * LOGGED)

    @property
    def in_memory(self) -> int:
        """The peak of solving and writing the table if its cells are in memory."""
        return self.table + self.work + self.learning

    def on_disk(self, room: float = inf) -> int:
        """The same if its log is on the disk, and it is to take no more than `room`.

        What is more than the room is taken from the sets, which are mapped from files then.
        """
        orbits = self.orbits_a_part(room)
        solving, sets = self.solved_on_disk(orbits), self._sets(orbits)
        if solving > room:
            solving = int(max(room, solving - (1 - WORKED_ON) * sets))
        return max(solving, self.written_from_disk(orbits))

    def mapped(self, room: float) -> int:
        """The bytes of the sets if they are files, because they do not fit into the room; or 0."""
        orbits = self.orbits_a_part(room)
        return self._sets(orbits) if self.solved_on_disk(orbits) > room else 0

    def orbits_a_part(self, room: float = inf) -> int:
        """How many orbits of the lead are solved at a time, in so much memory if that can be.

        Slices of the same number of pawn steps do not lead into one another, so they can be solved
        one after the other.
        """
        orbits = max(stop - first for first, stop in self.layout.parts)
        while orbits > 1 and self.material.has_pawns and self.solved_on_disk(orbits) > room:
            orbits = (orbits + 1) // 2
        return orbits

    def solved_on_disk(self, orbits: int) -> int:
        """Bytes of memory in which so many orbits of the lead are solved."""
        planes = orbits * self.layout.strides[0]
        frontiers = FRONTIERS * planes * self.layout.words * 8
        scores = planes * self.layout.cells * SCORED[self.kind]
        captured = self.captured_on_disk - self._captured_sets
        return int(planes * A_PLANE + frontiers + scores) + captured + self._sets(orbits)

    def _sets(self, orbits: int) -> int:
        """What is not won and what is not lost; what captures of a pawnless table lead into."""
        return 2 * orbits * self.layout.strides[0] * self.layout.words * 8 + self._captured_sets

    @property
    def captured_on_disk(self) -> int:
        """What captures of a pawnless table lead into: cells, and sets."""
        cells = sum(Estimate(m, self.metric).cells for m in self._captured)
        return cells + self._captured_sets

    @property
    def _captured_sets(self) -> int:
        """Sets without symmetry of what captures of a pawnless table lead into.

        They have a plane for each placement of the men that are left; there are two of them for
        each of the winner's men.
        """
        if not self._captured:
            return 0
        sides = [len(set(side)) for side in self.material.sides]
        keys: int = 64 ** (self.material.men - 3)
        return (sum(sides) + max(sides)) * keys * 512

    def written_from_disk(self, orbits: int) -> int:
        """Bytes of memory in which it is written.

        Bands of cells of two bytes, and a sample of planes; the places of all planes.
        """
        planes = orbits * self.layout.strides[0]
        band = bands_of(planes, self.layout.cells)[0][1]
        sampled = 0 if self.kind == "courts" else 2 * min(COUNTED_PLANES, self.layout.count)
        cells = 2 * self.layout.cells * (HELD * band + sampled)
        return self.layout.count * A_PLANE + cells + self.learning

    @property
    def _part_planes(self) -> int:
        """The planes of the largest part."""
        return self.orbits_a_part() * self.layout.strides[0]

    @property
    def _captured(self) -> list[Material]:
        """The tables that are in memory while a pawnless one is solved: a byte a cell, one side."""
        return self.material.conversions() if self.kind == "pieces" else []

    @property
    def _bits(self) -> float:
        """Of the file, a cell."""
        return 8 * self._smaller_file / self.cells

    @property
    def solving(self) -> float:
        """Seconds of one core until the table is solved."""
        a_cell, a_bit = SOLVING[self.kind]
        return self.cells * (a_cell + self._bits * a_bit)

    @cached_property
    def seconds(self) -> float:
        """Seconds of one core, for all of it."""
        kind, root = self.kind, sqrt(self._bits)
        writing = self.cells * (WRITING[kind] + ASKING[kind] * root)
        learning = self.sampled * root * LEARNING
        coding = (1 + self._second_sides) * (writing + learning)
        return A_TABLE[self.material.game.name] + self.solving + coding


def room_for(threads: int, limit: float) -> float:
    """What a limit leaves for a table whose log is on the disk."""
    return limit - PROGRAM - CODED * threads - LOADED_BYTES


def is_logged(table: Estimate, threads: int, limit: float, patience: float = PATIENCE) -> bool:
    """Whether the log of a table is on the disk: it takes long, is large, or beyond the limit.

    A table that is built beside others has one core.
    """
    if slowness() * table.seconds > patience or table.cells > MOST_HELD:
        return True
    on_disk = table.on_disk(room_for(threads, limit)) + CODED * threads
    return on_disk < table.in_memory and memory_of([table], threads, inf) > limit


def memory_of(tables: Iterable[Estimate], threads: int, limit: float, at_once: int = 1) -> int:
    """The peak of a process that builds these, in bytes, and is to take no more than `limit`.

    It builds so many small tables at once. Memory is kept for the next table, so each kind takes
    that of its largest. The tables that conversions lead into are kept, too, as long as there is
    room.
    """
    tables = list(tables)
    if not tables:
        return 0
    small = [t for t in tables if limit == inf or not is_logged(t, threads, limit)]
    parts = ([t.table for t in small], [t.work for t in small], [t.learning for t in small])
    largest = at_once * sum(max(part, default=0) for part in parts)
    room = room_for(threads, limit)
    logged = [t.on_disk(room) + CODED * threads for t in tables if t not in small]
    learning = max(parts[2], default=0)
    others = (threads - at_once) * min(A_THREAD, learning // 2)
    kept = min(_kept(tables), limit // KEPT_SHARE)
    return int(PROGRAM + kept + max([largest + others, *logged]) + loaded_of(tables))


def at_once(tables: Iterable[Estimate], threads: int, limit: float) -> int:
    """How many small tables are built side by side, so that the memory suffices."""
    tables, most = list(tables), threads
    while most > 1 and memory_of(tables, threads, limit, most) > limit:
        most //= 2
    return min(most, max(len(tables), 1))


def _kept(tables: Iterable[Estimate]) -> int:
    """The most that is kept of tables for later ones, a byte a cell."""
    tables = list(tables)
    keeping, kept, most = Keeping(tables), {}, 0
    for table in tables:
        name = table.material, table.metric
        kept[name] = int(share_after(keeping.into(table)) * table.cells)
        most = max(most, sum(kept.values()))
        for name in keeping.read_by(table):
            kept.pop(name, None)
    return most


def loaded_of(tables: Iterable[Estimate]) -> int:
    """What `SubtableCache` keeps of smaller endgames: both sides to move, a byte a cell."""
    subtables = {(m, each.metric) for each in tables for m in each.material.conversions()}
    bytes_of = {m: 2 * Estimate(m, Metric.DTM).cells for m, _ in subtables}
    sizes = [bytes_of[m] for m, _ in subtables if bytes_of[m] <= LOADED_BYTES // 4]
    return min(sum(sizes), LOADED_BYTES)


def seconds_of(tables: Iterable[Estimate], threads: int, at_once: int = 1) -> float:
    """Wall-clock seconds on so many cores, all of them free, for so many tables at once."""
    work = sum(each.seconds for each in tables)
    alone = 1 - PARALLEL + PARALLEL * at_once / threads
    return START + work * alone / at_once if work else 0.0


def bits_of(material: Material, metric: Metric) -> float:
    """The bits of a position in the file of a table, see `PieceValues`."""
    values = PIECE_VALUES[material.game.name]
    if material.game == CHESS and material.men > 5:
        values = OF_SIX_MEN
    (surplus, strong), (_, weak) = sorted(
        (
            (_attack(side, material.game) - sum(values.defence[man] for man in other), side)
            for side, other in (material.sides, material.sides[::-1])
        ),
        reverse=True,
    )
    more, level = surplus - values.enough, values.level[_is_lively(material)]
    if _is_barren(material, strong):
        bits = values.barren
    elif more < 0 and not _has_lone_queen(material):
        won = max(0.0, 1 + more / values.nearly) if values.nearly else 0.0
        bits = level + won * (values.decided - level)
    else:
        bits = values.decided * exp(-EASIER * max(0.0, more))
    if material.game == CHESS and metric != Metric.DTM:
        bits *= _shorter(metric, strong, weak, more, values)
    return bits


def _attack(side: str, game: Game) -> float:
    if side in game.helpless:
        return 0.0
    screens = side.count("A") if "C" in side else 0
    return SCREEN * screens + sum(PIECE_VALUES[game.name].attack.get(man, 0.0) for man in side)


def _is_lively(material: Material) -> bool:
    if material.game == CHESS:
        return material.has_pawns
    return all(set(side) & set(material.game.attackers) for side in material.sides)


def _is_barren(material: Material, strong: str) -> bool:
    if material.game == CHESS:
        return not material.has_pawns and strong in NO_FORCE
    return material.level == 0


def _has_lone_queen(material: Material) -> bool:
    """One side has a queen and the other none: there is always something to fork."""
    return material.game == CHESS and ("Q" in material.white) != ("Q" in material.black)


def _shorter(metric: Metric, strong: str, weak: str, surplus: float, values: PieceValues) -> float:
    """The bits of another distance than that to mate, in those of DTM."""
    if "P" not in strong + weak:
        return values.converting * exp(-EASIER * max(0.0, surplus)) if weak else BARE
    if "P" not in strong:
        return THEIR_PAWNS
    return OWN_PAWNS if metric == Metric.DTC else ZEROING[bool(weak)]
