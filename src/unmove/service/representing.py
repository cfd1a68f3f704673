"""Answers as bytes: JSON or CBOR, as the client accepts it."""

from __future__ import annotations

import json
from typing import Any, Final

import cbor2

JSON: Final = "application/json"
CBOR: Final = "application/cbor"


def accepted(header: str | None, offered: tuple[str, ...] = (JSON, CBOR)) -> str | None:
    """The type that a client likes best of those offered; None if it accepts none of them.

    The first that is listed wins a tie. Without a header everything is accepted.
    """
    if header is None or not header.strip():
        return offered[0]
    best: tuple[float, str] | None = None
    for part in header.split(","):
        wanted, quality = _range(part)
        found = next((kind for kind in offered if _matches(wanted, kind)), None)
        if found is not None and quality > 0 and (best is None or quality > best[0]):
            best = quality, found
    return None if best is None else best[1]


def encoded(answer: Any, kind: str) -> bytes:
    """An answer of plain data, as bytes of this type."""
    if kind == CBOR:
        return cbor2.dumps(answer)
    return json.dumps(answer, separators=(",", ":")).encode()


def _range(part: str) -> tuple[str, float]:
    """A media range and its quality, 0 if it makes no sense."""
    wanted, *parameters = (each.strip().lower() for each in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return wanted, min(float(value), 1.0)
            except ValueError:
                return wanted, 0.0
    return wanted, 1.0


def _matches(wanted: str, kind: str) -> bool:
    return wanted in ("*/*", kind) or wanted == kind.split("/")[0] + "/*"
