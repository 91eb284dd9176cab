"""How long a worker may act for the agents that name it (16.3).

The database's clock decides when a lease ends. What is known here is when it was renewed: whichever clock of
this machine has moved on further since says how much of it is left, since one of them stands still in suspend
and the other can be set.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

VALID = 10.0
"""Seconds that a lease holds from its renewal, by the database's clock."""

RENEWED_EVERY = 3.0
"""Seconds from one renewal to the next."""

LOOK_EVERY = timedelta(seconds=3)
"""How long from one look at who has an agent to the next: `VALID` and this are within the 15 s of 16.3."""

_MARGIN = 1.0
"""Seconds before its end from which a lease is not relied on: clocks run at different speeds, a little."""


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment on both clocks of this machine, in seconds."""

    ticks: float
    wall: float

    @staticmethod
    def now() -> Instant:
        """This moment."""
        return Instant(time.monotonic(), time.time())  # noqa: TID251 - a lease is as real as the machine

    def since(self, earlier: Instant) -> float:
        """Seconds since then, on the clock that says more."""
        return max(self.ticks - earlier.ticks, self.wall - earlier.wall)


@dataclass(frozen=True, slots=True)
class Lease:
    """A worker's lease as it was renewed last; `renewed` is from before the database was asked."""

    worker: str
    renewed: Instant

    def is_valid(self) -> bool:
        """Whether it holds for certain."""
        return Instant.now().since(self.renewed) < VALID - _MARGIN
