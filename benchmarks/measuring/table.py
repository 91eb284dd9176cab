"""The rows as a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from measuring.row import Row, Verdict
from measuring.samples import Samples

_HEAD = ("what", "unit", "runs", "this server", "floor", "other", "ratio", "bar", "verdict")


def table(rows: Sequence[Row]) -> str:
    """All rows, columns aligned: medians, or p99 where the bar is about that, and (first–third quartile)."""
    lines = [_HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    aligned = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    ]
    aligned.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in aligned)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what,
        row.unit,
        str(len(row.ours)),
        *(_figure(samples, row.share) for samples in (row.ours, row.floor, row.other)),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        row.bar,
        row.verdict.value if row.verdict is not Verdict.NONE else "",
    )


def _figure(samples: Samples | None, share: float) -> str:
    if samples is None:
        return ""
    if len(samples) == 1:
        return _short(samples.median)
    spread = f"({_short(samples.quantile(0.25))}–{_short(samples.quantile(0.75))})"
    compared = f"{_short(samples.quantile(share))}"
    return f"{compared} {spread}" if share == 0.5 else f"p99 {compared} {spread}"


def _short(value: float) -> str:
    """Three digits that mean something, and no more after the point than that."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
