"""Many measurements of one thing, and what they come to: the median and the spread about it."""

from __future__ import annotations

from collections.abc import Iterable


class Samples:
    """Measurements in one unit, in the order in which they were taken."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def add(self, value: float) -> None:
        """Take one more."""
        self.values.append(value)

    def quantile(self, share: float) -> float:
        """The value that this share of all lies at or below; between two, on the line that joins them."""
        ordered = sorted(self.values)
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (place - below)

    @property
    def median(self) -> float:
        """The middle one."""
        return self.quantile(0.5)

    def summary(self) -> dict[str, float | int]:
        """The figures for people and for JSON; the spread is from the first quartile to the third."""
        shares = {"median": 0.5, "q1": 0.25, "q3": 0.75, "p99": 0.99, "least": 0.0, "most": 1.0}
        return {"runs": len(self), **{name: self.quantile(share) for name, share in shares.items()}}
