"""An alpha-beta search that asks unmove as soon as a position has a table.

The search looks for the outcome of a chess position, one ply deeper each time, until it has proved
a win or a loss. It runs twice: alone, when it must see the mate; and with the tables of endgames
that have fewer men, when it need only see the capture or promotion that leads into one of them.

    unmove build KQvKR
    python examples/search_with_probes.py
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import chess

from unmove import UNKNOWN, Outcome, Tablebase, UnmoveError, open_tables

POSITION = "1k6/8/2K5/r7/8/8/8/2Q5 w - - 0 1"  # mate in four moves, the rook falls in two


@dataclass
class Search:
    """A search from one position; `tables` are asked about positions with fewer men than `men`."""

    men: int
    tables: Tablebase | None = None
    nodes: int = 0

    def outcome(self, board: chess.Board, plies: int, alpha: Outcome, beta: Outcome) -> Outcome:
        """The outcome as far as `plies` show it; what they do not show is taken for a draw."""
        self.nodes += 1
        if self.tables is not None and len(board.piece_map()) < self.men:
            known = self.tables.get_wdl(board)
            if known != UNKNOWN:
                return Outcome(known)
        if plies == 0 and not board.is_checkmate():
            return Outcome.DRAW
        moves = sorted(board.legal_moves, key=board.is_capture, reverse=True)
        if not moves:
            return Outcome.LOSS if board.is_check() else Outcome.DRAW
        best = Outcome.LOSS
        for move in moves:
            board.push(move)
            reply = self.outcome(board, plies - 1, Outcome(-beta), Outcome(-max(alpha, best)))
            board.pop()
            best = max(best, Outcome(-reply))
            if best >= beta:
                break
        return best


@dataclass(frozen=True)
class Proof:
    """What a search has found: the outcome, how deep it looked, how many positions it visited."""

    outcome: Outcome
    plies: int
    nodes: int

    def __str__(self) -> str:
        return f"{self.outcome.word} after {self.plies} plies and {self.nodes:,} positions"


def proof(board: chess.Board, tables: Tablebase | None, deepest: int) -> Proof:
    """The least depth that proves a win or a loss; a draw if none up to `deepest` does."""
    search = Search(len(board.piece_map()), tables)
    found, plies = Outcome.DRAW, 0
    while found == Outcome.DRAW and plies < deepest:
        plies += 1
        found = search.outcome(board, plies, Outcome.LOSS, Outcome.WIN)
    return Proof(found, plies, search.nodes)


def main() -> None:
    """Both searches are shown, beside what the table of the position itself says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("fen", nargs="?", default=POSITION, help="the position")
    parser.add_argument("--dir", help="the folder of the tables")
    parser.add_argument("--deepest", type=int, default=7, help="the most plies to search")
    asked = parser.parse_args()
    board = chess.Board(asked.fen)
    with open_tables(asked.dir) as tables:
        print("alone:      ", proof(board, None, asked.deepest))
        print("with probes:", proof(board, tables, asked.deepest))
        print("the table:  ", tables.probe_wdl(board).word)


if __name__ == "__main__":
    try:
        main()
    except UnmoveError as error:
        sys.exit(str(error))
