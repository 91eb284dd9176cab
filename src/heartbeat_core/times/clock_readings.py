"""Both clocks, read together, so that a wall clock that was set shows (5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

_WAS_SET = timedelta(milliseconds=50)
"""By more than this against the monotonic clock, the wall clock was set; less is two readings apart."""


class Clocks(Protocol):
    """The part of the `Clock` port that is read here."""

    def now(self) -> datetime:
        """The wall clock: aware, in UTC."""

    def monotonic(self) -> timedelta:
        """Time since some fixed moment; it never goes back."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the clocks showed at one moment: the wall clock, aware UTC, and the monotonic one."""

    now: datetime
    ticks: timedelta

    def wall(self, ticks: timedelta) -> datetime:
        """When the monotonic clock will show `ticks`, if nobody sets the wall clock."""
        return self.now + (ticks - self.ticks)


class ClockWatch:
    """Reads a clock, and notices that the wall clock was set backwards."""

    def __init__(self, clock: Clocks) -> None:
        self._clock = clock
        self._apart = clock.now() - clock.monotonic()

    def read(self) -> tuple[Reading, timedelta]:
        """Both clocks, and by how much the wall clock was set back since they were last read, or zero."""
        reading = Reading(self._clock.now(), self._clock.monotonic())
        set_back_by = self._apart - (reading.now - reading.ticks)
        if abs(set_back_by) <= _WAS_SET:
            return reading, timedelta(0)
        self._apart = reading.now - reading.ticks
        return reading, max(set_back_by, timedelta(0))
