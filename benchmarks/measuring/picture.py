"""The picture: what things cost against the number of reminders, the floors beside them.

Drawn by matplotlib, which is imported here alone and only when a picture is asked for: the extra `bench`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from measuring.row import Row
from measuring.samples import Samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_IN_MS = {"ms": 1.0, "µs": 1e-3}
_JOBS = (
    ("add", "add, durable", "tab:blue", "the floor: one fsync'd write"),
    ("lateness", "lateness of a fire, p99", "tab:red", "the floor: the loop's timer, p99"),
    ("list", "list, without the save", "tab:green", None),
    ("cancel", "cancel, without the save", "tab:purple", None),
    ("fire", "one fire, without the save", "tab:orange", None),
)


def cannot_draw() -> str | None:
    """Why no picture can be drawn here, to be asked before minutes of measuring; None where one can."""
    try:
        importlib.import_module("matplotlib.pyplot")
    except ImportError as why:
        return str(why)
    return None


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the rows that have a number of reminders, and save the picture."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 6.2), layout="constrained")
    for kind, label, colour, floor_label in _JOBS:
        of_kind = [row for row in rows if row.kind == kind]
        _line(axes, of_kind, label, colour)
        if floor_label is not None:
            _floor(axes, of_kind, floor_label, colour)
    _dress(axes, rows)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _line(axes: Axes, rows: Sequence[Row], label: str, colour: str) -> None:
    """A line of medians (p99 for lateness) in a band from the first quartile to the third."""
    sizes, scale = [row.size or 0 for row in rows], _scale(rows)
    axes.plot(sizes, _at(rows, scale), "o-", color=colour, label=label, linewidth=2, markersize=5)
    if all(row.share == 0.5 for row in rows):
        low, high = ([row.ours.quantile(q) * scale for row in rows] for q in (0.25, 0.75))
        axes.fill_between(sizes, low, high, color=colour, alpha=0.15, linewidth=0)


def _floor(axes: Axes, rows: Sequence[Row], label: str, colour: str) -> None:
    floors = [row.floor or Samples([0.0]) for row in rows]
    costs = [floor.quantile(row.share) * _scale(rows) for floor, row in zip(floors, rows, strict=True)]
    axes.plot(
        [row.size or 0 for row in rows], costs, "s--", color=colour, label=label, alpha=0.6, markersize=4
    )


def _at(rows: Sequence[Row], scale: float) -> list[float]:
    return [row.ours.quantile(row.share) * scale for row in rows]


def _scale(rows: Sequence[Row]) -> float:
    return _IN_MS[rows[0].unit] if rows else 1.0


def _dress(axes: Axes, rows: Sequence[Row]) -> None:
    most = max((row.size or 0 for row in rows if row.kind == "add"), default=1)
    ticks = [0, *(10**power for power in range(len(str(most))))]
    axes.set_xscale("symlog", linthresh=1)  # logarithmic, with a place for none at all
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlim(-0.15, most * 1.6)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("reminders")
    axes.set_ylabel("milliseconds")
    axes.set_title("What things cost as reminders grow in number (bands: first to third quartile)")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
