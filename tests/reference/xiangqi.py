"""Xiangqi in plain Python: positions, moves, and the values of small endgames.

A position is `(white_to_move, men)`, a man `(letter, square)`: upper case White, who is Red. The
square is 9 * rank + file, both from 0, rank 0 at White's end. The men are sorted. The values are
those of `solver.py`, and so is the way to settle them, but for two rules of the game: a side that
cannot move has lost, in check or not, and no man ever promotes. A repetition is a draw.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from tests.reference.solver import Value, settle, value_before

Man = tuple[str, int]
Men = tuple[Man, ...]
Position = tuple[bool, Men]
Values = dict[Position, Value]

ORDER = "KRCHAEP"
ORTHOGONALS = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def at_home(letter: str, file: int, rank: int) -> bool:
    """Whether a man can stand there, `rank` counted from its own side."""
    match letter.upper():
        case "K":
            return 3 <= file <= 5 and rank <= 2
        case "A":
            return (file, rank) in [(3, 0), (5, 0), (4, 1), (3, 2), (5, 2)]
        case "E":
            return (file, rank) in [(2, 0), (6, 0), (0, 2), (4, 2), (8, 2), (2, 4), (6, 4)]
        case "P":
            return rank > 4 or (rank > 2 and file in (0, 2, 4, 6, 8))
        case _:
            return True


def stands(letter: str, file: int, rank: int) -> bool:
    """Whether a man can stand there, `rank` counted from White's side; never off the board."""
    on_board = 0 <= file <= 8 and 0 <= rank <= 9
    return on_board and at_home(letter, file, rank if letter.isupper() else 9 - rank)


@cache
def squares_of(letter: str) -> tuple[int, ...]:
    """The squares a man can stand on."""
    return tuple(square for square in range(90) if stands(letter, square % 9, square // 9))


@cache
def steps(letter: str, square: int) -> tuple[tuple[int, int | None], ...]:
    """A man's steps as (target, the square that must be empty if there is one)."""
    file, rank = square % 9, square // 9
    ways: list[tuple[int, int, int | None]] = []  # files, ranks, the square that must be empty
    match letter.upper():
        case "K":
            ways = [(x, y, None) for x, y in ORTHOGONALS]
        case "A":
            ways = [(x, y, None) for x, y in DIAGONALS]
        case "E":
            ways = [(2 * x, 2 * y, square + x + 9 * y) for x, y in DIAGONALS]
        case "H":  # one straight, where the leg must be free, then one aslant
            for x, y in ORTHOGONALS:
                leg = square + x + 9 * y
                ways += [(x + a, y + b, leg) for a, b in DIAGONALS if x + a and y + b]
        case "P":
            ways = [(0, 1 if letter == "P" else -1, None), (1, 0, None), (-1, 0, None)]
    return tuple(
        (9 * (rank + y) + file + x, gate)
        for x, y, gate in ways
        if stands(letter, file + x, rank + y)
    )


@cache
def rays(square: int) -> tuple[tuple[int, ...], ...]:
    """The squares met in each of four directions, nearest first."""
    first = square // 9 * 9  # of its rank
    return (
        tuple(range(square + 1, first + 9)),
        tuple(range(square - 1, first - 1, -1)),
        tuple(range(square + 9, 90, 9)),
        tuple(range(square - 9, -1, -9)),
    )


def targets(man: Man, occupied: set[int]) -> Iterator[int]:
    """The squares a man can go to, those of its own men included; a king's are his steps."""
    letter, square = man
    if letter not in "RrCc":
        for target, gate in steps(letter, square):
            if gate not in occupied:
                yield target
        return
    for ray in rays(square):
        met = [target for target in ray if target in occupied]
        end = ray.index(met[0]) if met else len(ray)
        yield from ray[:end]
        yield from met[:1] if letter in "Rr" else met[1:2]


def takes_king(men: Men, white: bool) -> bool:
    """Whether a side could take the other's king if it were to move."""
    kings = dict(men)
    own, other = (kings["K"], kings["k"]) if white else (kings["k"], kings["K"])
    occupied = {square for _, square in men}
    if own % 9 == other % 9 and not any(
        square % 9 == own % 9 and min(own, other) < square < max(own, other) for square in occupied
    ):
        return True
    return any(
        other in targets(man, occupied)
        for man in men
        if man[0].isupper() == white and man[0] not in "KkAaEe"
    )


def is_legal(position: Position) -> bool:
    """Whether the side to move cannot take the king. The men stand where they can."""
    white_to_move, men = position
    return not takes_king(men, white_to_move)


def tries(position: Position) -> Iterator[Position]:
    """The positions after each move; the own king may be left to be taken."""
    white_to_move, men = position
    occupied = {square for _, square in men}
    own = {square for letter, square in men if letter.isupper() == white_to_move}
    for man in men:
        if man[1] not in own:
            continue
        for target in targets(man, occupied):
            if target not in own:
                rest = [other for other in men if other is not man and other[1] != target]
                yield not white_to_move, tuple(sorted([*rest, (man[0], target)]))


def moves(position: Position) -> list[Position]:
    """The positions after each legal move."""
    return [successor for successor in tries(position) if is_legal(successor)]


def material_of(men: Men) -> str:
    """The material's name, such as KCAvKE: White's men, v, Black's men."""
    white = [letter for letter, _ in men if letter.isupper()]
    black = [letter.upper() for letter, _ in men if letter.islower()]
    return "v".join("".join(sorted(side, key=ORDER.index)) for side in (white, black))


def placements(material: str) -> Iterator[Men]:
    """The ways to put the men on squares of their own, each once."""
    white, black = material.split("v")
    sets = [
        [tuple((letter, square) for square in some) for some in combinations(squares, count)]
        for letter, count in Counter(white + black.lower()).items()
        for squares in [squares_of(letter)]
    ]
    for groups in product(*sets):
        men = tuple(sorted(man for group in groups for man in group))
        if len({square for _, square in men}) == len(men):
            yield men


@cache
def legal_positions(material: str) -> list[Position]:
    """Every legal position of the material, both sides to move, mirror images too."""
    both = product((True, False), placements(material))
    return [position for position in both if is_legal(position)]


@cache
def graph_of(material: str) -> tuple[list[list[int]], list[list[Position]]]:
    """Where the moves of each legal position lead: quiet ones to numbers, captures to positions.

    A capture may have left the own king to be taken.
    """
    positions = legal_positions(material)
    number_of = {position: number for number, position in enumerate(positions)}
    quiet: list[list[int]] = []
    captures: list[list[Position]] = []
    for position in positions:
        after = list(tries(position))
        quiet.append([number_of[successor] for successor in after if successor in number_of])
        captures.append([each for each in after if len(each[1]) < len(position[1])])
    return quiet, captures


@cache
def solve(material: str, metric: str) -> Values:
    """The value of every legal position of the material, both sides to move.

    The materials reached by captures are solved too; sides are not exchanged. The dict is kept and
    given to the next caller: do not change it.
    """
    quiet, captures = graph_of(material)
    arriving: list[list[Value]] = []
    for successors in captures:
        behind = [(solve(material_of(each[1]), metric), each) for each in successors]
        arriving.append(
            [
                value_before(smaller[each], metric, quiet=False, converts=True)
                for smaller, each in behind
                if each in smaller  # then it is legal
            ]
        )
    stuck = [not a and not b for a, b in zip(quiet, arriving, strict=True)]
    settled = settle(quiet, arriving, stuck, metric)
    return dict(zip(legal_positions(material), settled, strict=True))


def counts(material: str, metric: str) -> dict[str, list[int] | int]:
    """How many positions have each value: by side to move, outcome and distance in moves.

    A distance in moves counts those of the winner: 1 for a win in 1 or 2 plies, 0 for a loss in 0
    or 1.
    """
    found: Counter[tuple[str, int]] = Counter()
    for (white, _), value in solve(material, metric).items():
        turn = "wtm" if white else "btm"
        if value is None:
            found[f"{turn}_draw", 0] += 1
        elif value > 0:
            found[f"{turn}_win", (value + 1) // 2] += 1
        else:
            found[f"{turn}_lose", -value // 2] += 1
    answer: dict[str, list[int] | int] = {}
    for turn in ("wtm", "btm"):
        answer[f"{turn}_draw"] = found[f"{turn}_draw", 0]
        for outcome in (f"{turn}_win", f"{turn}_lose"):
            most = max((n for name, n in found if name == outcome), default=-1)
            answer[outcome] = [found[outcome, n] for n in range(most + 1)]
    return answer
