"""How a reminder recurs: by an interval, or on the calendar. Both answer with the times after a moment.

A recurrence has no start of its own: the reminder has it, and hands it in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from heartbeat_core.reminders.calendar_rule import CalendarRule
from heartbeat_core.reminders.recurrence_rule import Rule, needs_time_of_day
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.times.moments import AgentZone, first_after


@dataclass(frozen=True, slots=True)
class Interval:
    """Times that are `every` apart, whatever the wall clock shows (6.4)."""

    every: timedelta

    def __str__(self) -> str:
        """How often, after `repeats` (10.6)."""
        return f"every {show_seconds(self.every)}"

    def times_after(self, moment: datetime, start: datetime) -> Iterator[datetime]:
        """All times after a moment, in order, counted from `start`, which is one of them; aware UTC."""
        at = first_after(start, self.every, moment)
        while at > moment:
            yield at
            moment, at = at, first_after(start, self.every, at)

    def count_between(self, after: datetime, until: datetime, start: datetime, at_most: int) -> int:
        """How many times are after one moment and not after another; counted up to `at_most`."""
        first = first_after(start, self.every, after)
        return min(max((until - first) // self.every + 1, 0), at_most)

    def last_of(self, count: int, after: datetime, start: datetime) -> datetime | None:
        """The last of so many times after a moment; None where it lies beyond the year 9999 (10.4)."""
        try:
            return first_after(start, self.every, after) + (count - 1) * self.every
        except OverflowError:
            return None

    def last_until(self, until: datetime, start: datetime) -> datetime | None:
        """The last time that is not after `until`; None where there is none (10.4)."""
        return None if until < start else start + (until - start) // self.every * self.every


@dataclass(frozen=True, slots=True)
class Calendar:
    """The times of a rule on the wall clock of its zone (10.2)."""

    rule: Rule
    zone: AgentZone

    def __str__(self) -> str:
        """How often, after `repeats` (10.6)."""
        return f"{self.rule.text} [{self.zone.name}]"

    def times_after(self, moment: datetime, start: datetime) -> Iterator[datetime]:
        """All times after a moment, in order, where the rule counts from `start`; aware UTC."""
        return CalendarRule(self.rule, self.zone, start).times_after(moment)

    def count_between(self, after: datetime, until: datetime, start: datetime, at_most: int) -> int:
        """How many times are after one moment and not after another; counted up to `at_most`."""
        times = takewhile(lambda at: at <= until, self.times_after(after, start))
        return sum(1 for _ in islice(times, at_most))

    def last_of(self, count: int, after: datetime, start: datetime) -> datetime | None:
        """The last of so many times after a moment; None where there are not so many (10.4)."""
        return next(islice(self.times_after(after, start), count - 1, None), None)

    def last_until(self, until: datetime, start: datetime) -> datetime | None:
        """The last time that is not after `until`; None where there is none (10.4)."""
        return CalendarRule(self.rule, self.zone, start).last_until(until)

    def is_ever(self, start: datetime) -> bool:
        """Whether there is a time within 100 years of `start` (10.1)."""
        return CalendarRule(self.rule, self.zone, start).is_ever()

    @property
    def needs_time_of_day(self) -> bool:
        """Whether the rule leaves the hour open, so that the start has to give it (10.2)."""
        return needs_time_of_day(self.rule)


Recurrence = Interval | Calendar
