"""Closed sub-games of a material with pawns: small enough to be solved in plain Python.

A *family* is every position with some pieces anywhere and the pawns on given squares, or wherever
their pushes bring them; a *slice* is the part of it with the pawns on the same squares. Only
conversions lead out of a family, if no side has two pawns: then a pawn that leaves its file has
captured. The values behind conversions are given, so that no other material has to be solved.
"""

from collections.abc import Iterable, Mapping
from itertools import product

from tests.reference.board import (
    Men,
    Position,
    can_be_taken,
    in_check,
    is_legal,
    leaves_no_check,
    moves,
    pushes,
    quiet_targets,
    set_of,
    tries,
)
from tests.reference.solver import Graph, Solution, Value, Values, material_of, steps_to_go


def pawn_placements(pawns: Men) -> list[Men]:
    """The placements the pawns can reach by their pushes, fewest steps to go first."""
    found = [pawns]
    for men in found:  # grows as it is walked
        for man in men:
            for target in pushes(man, set_of(men)):
                after = tuple(sorted([*(other for other in men if other != man), (man[0], target)]))
                if target // 8 not in (0, 7) and after not in found:
                    found.append(after)
    return sorted(found, key=steps_to_go)


def slice_graph(pieces: str, pawns: Men) -> Graph:
    """The moves of a slice; `pieces` has the kings, too.

    The same as `solver.graph_of`, but faster: a position is also an integer code, with a digit in
    base 64 for each piece's square and the side to move as its last bit. A quiet move changes one
    digit.
    """
    weights = [2 * 64**i for i in range(len(pieces))]
    number_of = [-1] * (2 * 64 ** len(pieces))
    graph = Graph([], [], [], [])
    codes: list[int] = []
    for squares in product(range(64), repeat=len(pieces)):
        men = tuple(sorted([*pawns, *zip(pieces, squares, strict=True)]))
        code = sum(square * weight for square, weight in zip(squares, weights, strict=True))
        for black_to_move in (0, 1):
            if is_legal((not black_to_move, men)):
                number_of[code + black_to_move] = len(codes)
                codes.append(code + black_to_move)
                graph.positions.append((not black_to_move, men))
    for code, position in zip(codes, graph.positions, strict=True):
        occupied = set_of(position[1])
        quiet = []
        for letter, weight in zip(pieces, weights, strict=True):
            if letter.isupper() == position[0]:
                square = code // weight % 64
                for target in quiet_targets((letter, square), occupied):
                    number = number_of[(code ^ 1) + (target - square) * weight]
                    if number >= 0:
                        quiet.append(number)
        zeroing = [after for after in tries(position, zeroing_only=True) if leaves_no_check(after)]
        graph.quiet.append(quiet)
        graph.zeroing.append(zeroing)
        graph.mated.append(not quiet and not zeroing and in_check(position))
    return graph


def family(pieces: str, pawns: Men) -> list[Graph]:
    """The slices of a family, in the order in which they can be solved."""
    return [slice_graph(pieces, placed) for placed in pawn_placements(pawns)]


def same(position: Position) -> Position:
    """The position itself: in a family no symmetry is made use of."""
    return position


def exits(parts: Iterable[Graph]) -> set[Position]:
    """The positions behind all conversions, captures en passant included."""
    found: set[Position] = set()
    for graph in parts:
        material = material_of(graph.positions[0][1])
        behind = {successor for successors in graph.zeroing for successor in successors}
        for position in list(behind):
            if can_be_taken(position[1]) is not None:
                behind.update(moves(position))
        found.update(position for position in behind if material_of(position[1]) != material)
    return found


def solve_family(parts: Iterable[Graph], metric: str, known: Mapping[Position, Value]) -> Values:
    """The value of every position of a family; `known` has those of its exits."""
    solution = Solution(metric, same, known.__getitem__)
    for graph in parts:
        solution.add(graph)
    return solution.values
