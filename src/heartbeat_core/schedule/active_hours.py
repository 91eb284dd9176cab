"""When beats of the schedule may come: one stretch of the day, on some days of the week (12.1).

Both bounds of a stretch are wall-clock times of the agent zone, made instants as 6.5 has it: one that a clock
change skips is moved forward by the gap, and of one that occurs twice it is the first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.times.moments import LAST_MOMENT, AgentZone, instant_of

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
"""The days of the week, in its order, as RFC 5545 writes them."""

ALWAYS = "always"
"""What removes the hours."""

_WHOLE_DAY = (0, 24 * 60)
_ONE_DAY = timedelta(days=1)
_LONGEST_SEARCH = 370
"""Days that are searched for an opening: a clock change can swallow one, but not every one of a year."""

_HOURS = re.compile(r"\s*(\d{1,2}):(\d\d)\s*(.)\s*(\d{1,2}):(\d\d)\s*", re.ASCII | re.DOTALL)


class NotActiveHours(ValueError):
    """What was sent is not one stretch of the day. Its message goes on after the value and `is`."""


@dataclass(frozen=True, slots=True)
class ActiveHours:
    """The hours and days in which beats of the schedule come; without either they come always.

    `hours` are start and end in minutes from local midnight, the end exclusive; where the end is not after
    the start, the stretch goes over midnight. `days` are those on which a stretch begins, in week order.
    """

    hours: tuple[int, int] | None = None
    days: tuple[str, ...] | None = None

    def includes(self, moment: datetime, zone: AgentZone) -> bool:
        """Whether a beat may come at that moment; `moment` is aware UTC."""
        return not self or any(start <= moment < end for start, end in self._stretches(moment, zone, days=2))

    def closing(self, moment: datetime, zone: AgentZone) -> datetime:
        """When the stretch ends that `moment` lies in, exclusive; `moment` itself where it lies in none."""
        stretches = self._stretches(moment, zone, days=2)
        return max((end for start, end in stretches if start <= moment < end), default=moment)

    def next_opening(self, moment: datetime, zone: AgentZone) -> datetime:
        """When the first stretch opens that does so after `moment`; aware UTC, at most `LAST_MOMENT`."""
        stretches = self._stretches(moment, zone, days=_LONGEST_SEARCH)
        return next((start for start, end in stretches if start > moment and start < end), LAST_MOMENT)

    def _stretches(self, around: datetime, zone: AgentZone, days: int) -> Iterator[tuple[datetime, datetime]]:
        """The stretches from that of the day before on, as instants; a clock change can leave one empty."""
        start, end = self.hours or _WHOLE_DAY
        lasts = timedelta(minutes=end if end > start else end + _WHOLE_DAY[1])
        try:
            day = around.astimezone(zone.tzinfo).replace(
                tzinfo=None, hour=0, minute=0, second=0, microsecond=0
            )
            day -= _ONE_DAY
            for _ in range(days + 1):
                if self.days is None or WEEKDAYS[day.weekday()] in self.days:
                    opens = instant_of(day + timedelta(minutes=start), zone)
                    yield opens, instant_of(day + lasts, zone)
                day += _ONE_DAY
        except OverflowError:
            return  # the end of the year 9999

    def __bool__(self) -> bool:
        """Whether there is a limit at all."""
        return self.hours is not None or self.days is not None

    def __str__(self) -> str:
        """As the status shows them: `08:00-22:00 MO,TU`, or one of the two."""
        shown = [show_hours(self.hours)] if self.hours else []
        return " ".join(shown + ([",".join(self.days)] if self.days else []))


class Keep(Enum):
    """That a change leaves a limit as it is, where None would remove it."""

    AS_IT_IS = "as it is"


@dataclass(frozen=True, slots=True)
class ActiveHoursChange:
    """What is to be changed of active hours; each limit as `ActiveHours` has it, where None is no limit."""

    hours: tuple[int, int] | Keep | None = Keep.AS_IT_IS
    days: tuple[str, ...] | Keep | None = Keep.AS_IT_IS

    @property
    def names(self) -> set[str]:
        """The fields that it sets."""
        return {f.name for f in fields(self) if getattr(self, f.name) is not Keep.AS_IT_IS}

    def made_on(self, active: ActiveHours) -> ActiveHours:
        """The active hours with this change made."""
        return replace(active, **{name: getattr(self, name) for name in self.names})


NO_CHANGE = ActiveHoursChange()


def read_hours(text: str) -> tuple[int, int] | None:
    """Read hours such as `08:00-22:00`; None for `always`. Raises NotActiveHours."""
    if text.strip().casefold() == ALWAYS:
        return None
    match = _HOURS.fullmatch(text)
    if match is None or not _is_dash(match[3]):
        raise NotActiveHours("not one stretch of the day")
    start, end = (int(match[h]) * 60 + int(match[m]) for h, m in ((1, 2), (4, 5)))
    if int(match[2]) > 59 or int(match[5]) > 59 or start >= _WHOLE_DAY[1] or end > _WHOLE_DAY[1]:
        raise NotActiveHours("a stretch with a time of day that does not exist")
    if start == end:
        raise NotActiveHours("a stretch that ends as it starts")
    return start, end


def _is_dash(text: str) -> bool:
    return unicodedata.category(text) == "Pd" or text == "\N{MINUS SIGN}"


def show_hours(hours: tuple[int, int]) -> str:
    """Hours as they are kept and shown: `08:00-22:00`."""
    return "-".join(f"{minutes // 60:02}:{minutes % 60:02}" for minutes in hours)


def read_days(names: Collection[str]) -> tuple[str, ...] | None:
    """Days in week order, each once; None for all seven. Raises NotActiveHours for a name that is no day."""
    wanted = {name.strip().upper() for name in names}
    if not wanted or not wanted <= set(WEEKDAYS):
        raise NotActiveHours("not days of the week")
    return None if len(wanted) == len(WEEKDAYS) else tuple(day for day in WEEKDAYS if day in wanted)
