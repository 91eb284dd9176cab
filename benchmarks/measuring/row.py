"""One row of the table: what was measured, the floor beside it, the bar, and whether it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from measuring.samples import Samples


class Verdict(Enum):
    """Whether the bar was reached; NONE where the row has no bar, or nothing to hold against it."""

    MET = "met"
    MISSED = "MISSED"
    NONE = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `ratio` is what the bar is about, as `bar` says in words; `share` is the quantile compared.

    `kind` tells rows of one sort together, `size` is the number of reminders where that is what varies.
    """

    kind: str
    what: str
    unit: str
    ours: Samples
    floor: Samples | None = None
    other: Samples | None = None
    size: int | None = None
    ratio: float | None = None
    bar: str = "-"
    met: bool | None = None
    share: float = 0.5

    @property
    def verdict(self) -> Verdict:
        """Whether the bar was reached."""
        if self.met is None:
            return Verdict.NONE
        return Verdict.MET if self.met else Verdict.MISSED

    def as_json(self) -> dict[str, object]:
        """The row with all its figures, without the single measurements."""
        return {
            "kind": self.kind,
            "what": self.what,
            "size": self.size,
            "unit": self.unit,
            "ours": self.ours.summary(),
            "floor": self.floor.summary() if self.floor else None,
            "other": self.other.summary() if self.other else None,
            "compared": "p99" if self.share > 0.5 else "median",
            "ratio": self.ratio,
            "bar": self.bar,
            "verdict": self.verdict.value,
        }


def over(ours: Samples, floor: Samples) -> float:
    """How many times its floor something costs, by the medians."""
    return ours.median / max(floor.median, 1e-9)


def at_most(times: float) -> str:
    """A bar in words."""
    return f"≤ {times:g}× floor"
