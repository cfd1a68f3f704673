"""Why a query about distances finds nothing: parity, range, or a contradiction.

The query is tested on all values that any table could have. What is wrong with those it accepts is
the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmove.kernels.arrays import Codes
from unmove.material import Material
from unmove.research.query import LARGEST_DISTANCE, Query, QueryView
from unmove.values import CHECKMATED, Code, Level, Metric, Outcome, loss_code, plies_of

_LEVELS = Level(2 * LARGEST_DISTANCE + 1000)  # so that distances in moves, too, get as far


def why_nothing(query: Query, views: Sequence[QueryView], material: Material) -> str:
    """A sentence; views[side] are the values of a table, none of which can match."""
    metric = views[0].metric
    codes = Codes(np.arange(CHECKMATED, loss_code(_LEVELS), dtype=np.uint16))
    wins = codes % 2 == 1
    plies = np.array([plies_of(Code(code), metric) for code in codes.tolist()])
    regular = (plies % 2 == 1) == wins if metric == Metric.DTM else np.full(len(codes), True)
    accepted, in_range = [], []
    for view in views:
        asked = replace(view, codes=codes, stuck=np.zeros(len(codes), np.bool_))
        win, loss = (view.longest.get(outcome, -1) for outcome in (Outcome.WIN, Outcome.LOSS))
        accepted.append(query.test(asked)[1])
        in_range.append(accepted[-1] & (plies <= np.where(wins, win, loss)))
    if any((some & regular).any() for some in in_range):
        reason = f"no position of {material} has just this distance"
    elif any(some.any() for some in in_range):
        reason = f"by {metric} a win takes an odd number of plies and a loss an even one"
    elif any(some.any() for some in accepted):
        reason = "no distance is so far off"
    else:
        return (
            "Nothing can match: there is no such position in any endgame. "
            "A draw has no distance, and a win takes at least one ply."
        )
    pairs = zip(material.game.side_names, views, strict=True)
    longest = "; ".join(_longest(name, view) for name, view in pairs)
    return f"Nothing can match: {reason}. `max` in plies: {longest}."


def _longest(name: str, view: QueryView) -> str:
    """`White to move, win 69, loss 36`, as far as there are any."""
    ends = [f", {outcome.word} {plies}" for outcome, plies in sorted(view.longest.items())[::-1]]
    return f"{name} to move{''.join(ends) or ' never wins or loses'}"
