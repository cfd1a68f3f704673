"""From records to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmove.errors import UnmoveError
from unmove.material import Complexity, Material
from unmove.values import Metric, Outcome, Outcome50

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Tell = Callable[[UnmoveError], str]
"""What a surface says of an error."""


def to_json(record: DataclassInstance, tell: Tell = str) -> dict[str, Any]:
    """A record as plain data. Its fields are the keys, in their order.

    Outcomes, metrics and materials become their words, tuples become lists. `tell` gives the
    sentence of an error.
    """
    return {name: _plain(getattr(record, name), tell) for name in _names(type(record))}


@cache
def _names(record: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _plain(value: object, tell: Tell) -> Any:
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Outcome | Outcome50):
        return value.word
    if isinstance(value, Metric | Complexity):
        return value.value
    if isinstance(value, Material | Path):
        return str(value)
    if isinstance(value, UnmoveError):
        return tell(value)
    if isinstance(value, tuple):
        return [_plain(each, tell) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each, tell) for key, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(value, tell)
    raise TypeError(f"a record has a {type(value).__name__}")
