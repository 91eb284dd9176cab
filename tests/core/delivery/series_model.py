"""The times of a reminder's series, written a second time: plain loops over days, in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from itertools import islice

from heartbeat_adapters.testing import UTC_ZONE
from heartbeat_core.reminders.recurrence import Calendar, Recurrence
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.reminders.rrule_text import parse_rule
from recurring import recurring

EVERY_DAY = range(7)
CALENDARS: dict[str, tuple[range | tuple[int, ...], tuple[time, ...]]] = {
    "FREQ=DAILY;BYHOUR=0,6,12,18": (EVERY_DAY, (time(0), time(6), time(12), time(18))),
    "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0,30": ((0, 3), (time(9), time(9, 30))),
    "FREQ=DAILY;BYHOUR=1;BYMINUTE=0,1,2,3": (EVERY_DAY, tuple(time(1, minute) for minute in range(4))),
}
"""By rule, its weekdays and its times of day."""


class Series:
    """How a reminder recurs: by an interval or by one of `CALENDARS`, to the last of its times."""

    def __init__(
        self, every: timedelta | None, rule: str | None, start: datetime, last: datetime | None = None
    ) -> None:
        self.every, self.rule, self.start, self.last = every, rule, start, last

    def __bool__(self) -> bool:
        return self.every is not None or self.rule is not None

    @property
    def recurrence(self) -> Recurrence | None:
        if self.rule is None:
            return recurring(self.every)
        rule = parse_rule(self.rule)
        assert isinstance(rule, Rule)
        return Calendar(rule, UTC_ZONE)

    def after(self, moment: datetime) -> datetime | None:
        """The first of its times after a moment."""
        return next(self.times(moment), None)

    def times(self, moment: datetime) -> Iterator[datetime]:
        for at in self._all(moment):
            if self.last is not None and at > self.last:
                return
            yield at

    def _all(self, moment: datetime) -> Iterator[datetime]:
        if self.every is not None:
            at = self.start
            if at <= moment:
                at += ((moment - at) // self.every + 1) * self.every
            while True:
                yield at
                at += self.every
        if self.rule is not None:
            weekdays, times = CALENDARS[self.rule]
            for days in range(10_000):
                day = moment.date() + timedelta(days=days)
                for at in (datetime.combine(day, each, moment.tzinfo) for each in times):
                    if day.weekday() in weekdays and at > moment and at >= self.start:
                        yield at

    def ended(self, count: int, due: datetime) -> datetime:
        """The last of so many times, of which `due` is the first."""
        return [due, *islice(self._all(due), count - 1)][count - 1]
