"""Extended Position Description: the first four fields of a FEN, then operations.

    8/8/8/3k4/8/2r5/8/KQ6 w - - bm Kb2; id "1"; hmvc 12;

An operation is a word, its operands and a semicolon. Two of them belong to the position: `hmvc`,
the half-move clock, and `fmvn`, the number of the move. The fields are those of either game.
"""

from __future__ import annotations

import re
from typing import Final

FIELDS: Final = 4
_OPERAND = r'"[^"]*"|[^\s";]+'
_OPERATION = re.compile(rf"\s*([A-Za-z]\w*)((?:\s+(?:{_OPERAND}))*)\s*(?:;|$)")


def fen_of_epd(line: str) -> str:
    """The FEN of a position in EPD; any other text as it is, for a reader of FENs to judge."""
    *fields, rest = line.split(maxsplit=FIELDS) or [""]
    operations = _operations(rest) if len(fields) == FIELDS else None
    if operations is None:
        return line
    return " ".join([*fields, operations.get("hmvc", "0"), operations.get("fmvn", "1")])


def _operations(text: str) -> dict[str, str] | None:
    """The operands of each operation; None if the text is not made of operations."""
    found, end = {}, 0
    while end < len(text):
        match = _OPERATION.match(text, end)
        if match is None:
            return None
        found[match[1]] = match[2].strip()
        end = match.end()
    return found
