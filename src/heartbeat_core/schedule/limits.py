"""How much the operator lets the agent have (15).

Tools, schedule and delivery all ask this one value. It knows no clock, and nothing that an agent can call
changes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice, pairwise

from heartbeat_core.schedule.active_hours import ActiveHours, NotActiveHours, read_hours, show_hours
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.times.moments import AgentZone

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

_WHOLE_DAY = 24 * 60
_TIMES_LOOKED_AT = 1_000
"""A recurrence is judged by this many of its next times (15.2)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `most` wakes in any `window`; `limit` is its name and value, as the agent reads them."""

    limit: str
    most: int
    window: timedelta


@dataclass(frozen=True, slots=True)
class Limits:
    """What the operator allows; None sets no limit.

    `min_interval` is the least time between two beats, or two firings of one reminder. The counts of wakes
    are for any 3,600 s and any 86,400 s. `quiet_hours`, such as `22:00-07:00`, are those of the agent zone
    in which no wake leaves. Raises ValueError for a value that 15.1 does not take, and TypeError for a wrong
    type.
    """

    min_interval: timedelta | None = None
    max_wakes_per_hour: int | None = None
    max_wakes_per_day: int | None = None
    max_reminders: int | None = None
    quiet_hours: str | None = None
    quiet: ActiveHours = field(init=False, repr=False, compare=False, default=ActiveHours())
    """The quiet hours, to be asked; without any it is false, and so are all answers of it no limit."""

    def __post_init__(self) -> None:
        _check_length(self.min_interval)
        _check_count("max_wakes_per_hour", self.max_wakes_per_hour, 1)
        _check_count("max_wakes_per_day", self.max_wakes_per_day, 1)
        _check_count("max_reminders", self.max_reminders, 0)
        if self.quiet_hours is not None:
            hours = read_quiet_hours(self.quiet_hours)
            object.__setattr__(self, "quiet_hours", show_hours(hours))
            object.__setattr__(self, "quiet", ActiveHours(hours))

    @property
    def named(self) -> dict[str, str]:
        """Those that are set: by name, as the agent reads it with its value, such as `min-interval 900s`."""
        values = {
            "min-interval": None if self.min_interval is None else show_seconds(self.min_interval),
            "max-wakes-per-hour": self.max_wakes_per_hour,
            "max-wakes-per-day": self.max_wakes_per_day,
            "max-reminders": self.max_reminders,
            "quiet-hours": self.quiet_hours,
        }
        return {name: f"{name} {value}" for name, value in values.items() if value is not None}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self != NO_LIMITS

    def __str__(self) -> str:
        """Those that are set, as the status shows them (15.4)."""
        return ", ".join(self.named.values())

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """How many wakes may leave in which time."""
        both = (
            ("max-wakes-per-hour", self.max_wakes_per_hour, HOUR),
            ("max-wakes-per-day", self.max_wakes_per_day, DAY),
        )
        return tuple(Budget(self.named[name], most, window) for name, most, window in both if most)

    # The least interval

    def paced(self, interval: timedelta) -> timedelta:
        """The interval that runs: one that is too short was saved before the limit was set (15.2)."""
        return interval if self.min_interval is None else max(interval, self.min_interval)

    def is_too_soon(self, length: timedelta) -> bool:
        """Whether an interval, or the time to a beat, is less than the least."""
        return self.min_interval is not None and length < self.min_interval

    def are_too_close(self, times: Iterable[datetime]) -> bool:
        """Whether any two of the next 1,000 times of a recurrence, in order, are closer than the least."""
        if self.min_interval is None:
            return False
        return any(self.is_too_soon(b - a) for a, b in pairwise(islice(times, _TIMES_LOOKED_AT)))

    # Quiet hours

    def end_of_quiet(self, moment: datetime, zone: AgentZone) -> datetime:
        """The first moment from `moment` on that is not in quiet hours; aware UTC."""
        while self.quiet and self.quiet.includes(moment, zone):
            moment = self.quiet.closing(moment, zone)
        return moment

    def swallow(self, active: ActiveHours) -> bool:
        """Whether active hours lie wholly in the quiet hours, by the wall clock, so that no beat comes."""
        if not self.quiet.hours or not active.hours:
            return False
        starts_after = (active.hours[0] - self.quiet.hours[0]) % _WHOLE_DAY
        return starts_after + _lasts(active.hours) <= _lasts(self.quiet.hours)


def read_quiet_hours(text: str) -> tuple[int, int]:
    """Read hours as 12.1 has them. Raises NotActiveHours; for `always`, and for a whole day, too."""
    hours = read_hours(text)
    if hours is None or _lasts(hours) >= _WHOLE_DAY:
        raise NotActiveHours("a day that has no hour left for a wake")
    return hours


def _lasts(hours: tuple[int, int]) -> int:
    start, end = hours
    return end - start if end > start else end - start + _WHOLE_DAY


def _check_length(length: timedelta | None) -> None:
    if length is None:
        return
    if not isinstance(length, timedelta):
        raise TypeError(f"min_interval must be a timedelta, and is {type(length).__name__}")
    if length <= timedelta(0):
        raise ValueError(f"min_interval must be more than 0, and is {length}")


def _check_count(name: str, count: int | None, least: int) -> None:
    if count is None:
        return
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{name} must be a whole number, and is {type(count).__name__}")
    if count < least:
        raise ValueError(f"{name} must be {least} or more, and is {count}")


NO_LIMITS = Limits()
