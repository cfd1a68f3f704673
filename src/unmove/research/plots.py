"""The histogram of a table as a picture, SVG or PNG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from unmove.errors import BadOption
from unmove.material import Material
from unmove.research.histogram import by_moves
from unmove.store.atomic import user_file
from unmove.store.summary import Summary
from unmove.values import SIDES, Metric, Outcome, Outcome50, Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png")

_COLOURS: Final = {  # which colour-blind readers can tell apart
    "win": "#2166ac",
    "cursed win": "#92c5de",
    "blessed loss": "#f4a582",
    "loss": "#b2182b",
}
_LEAST: Final = 0.6  # where the scale begins, so that a bar of one position is visible


def plot(summary: Summary, material: Material, metric: Metric, path: Path) -> None:
    """The file has the histogram of positions by moves; BadOption if it cannot be written."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise BadOption("plot", path, f"its name must end in .{' or .'.join(FORMATS)}")
    try:
        import matplotlib
    except ImportError as error:
        reason = "plots need an extra; run `pip install 'unmove[plots]'` first"
        raise BadOption("plot", path, reason) from error
    with matplotlib.rc_context({"svg.hashsalt": "unmove"}):  # the same bytes every time
        figure = figure_of(summary, material, metric)
        with user_file("plot", path) as part:
            figure.savefig(part, format=form, dpi=150, metadata=_undated(form))


def _undated(form: str) -> dict[str, None]:
    return {"Date": None} if form == "svg" else {}


def figure_of(summary: Summary, material: Material, metric: Metric) -> Figure:
    """A panel for each side to move, on one scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True, sharey=True)
    figure.suptitle(f"{material}: positions by moves to {metric.goal}", fontsize=13)
    for side, panel in zip(SIDES, panels, strict=True):
        _draw(panel, summary, metric, side)
        panel.set_title(_title(summary, material, side), fontsize=10, loc="left")
    panels[-1].set_xlabel(f"moves to {metric.goal}. {material.game.symmetry}")
    return figure


def _draw(panel: Axes, summary: Summary, metric: Metric, side: Side) -> None:
    """A bar for each outcome and number of moves, side by side, on a scale of powers of ten."""
    bars = {
        result: counts
        for (mover, result), counts in by_moves(summary, metric).items()
        if mover == side
    }
    for number, (result, counts) in enumerate(bars.items()):
        width = 0.9 / len(bars)
        shift = (number - (len(bars) - 1) / 2) * width
        panel.bar(
            [moves + shift for moves in counts],
            list(counts.values()),
            width,
            color=_COLOURS[result.word],
            label=_label(result, sum(counts.values()), summary.legal[side]),
        )
    panel.locator_params(axis="x", integer=True)
    panel.set_yscale("log")
    panel.set_ylim(bottom=_LEAST)
    panel.set_ylabel("positions")
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    if bars:
        panel.legend(
            frameon=False,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            borderaxespad=0,
            ncols=len(bars),
        )


def _label(result: Outcome | Outcome50, positions: int, legal: int) -> str:
    return f"{result.word} {positions / legal:.1%}"


def _title(summary: Summary, material: Material, side: Side) -> str:
    counts, mover = summary.counts(side), material.game.side_names[side]
    draws = counts["draw"] / counts["legal"]
    return f"{mover} to move: {counts['legal']:,} positions, draws {draws:.1%}"
