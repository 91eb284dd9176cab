"""The times of a rule on a wall clock that nobody sets: local times without a zone, in order.

`calendar_rule` gives them their zone. What a rule leaves open is filled in here, from its start (10.2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from functools import cache, lru_cache
from itertools import product
from typing import TypeVar

from heartbeat_core.reminders.calendar_days import Days
from heartbeat_core.reminders.recurrence_rule import Frequency, Rule, RuleDay

_LONGEST_SEARCH = 100
"""Years without a time after which a rule is over (10.1). A Monday that is 29 February can take forty."""

_Placed = TypeVar("_Placed", int, timedelta)

_EVERY_MONTH = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class LocalTimes:
    """A rule with nothing left open.

    Of the periods of `days` every `interval`th counts, the one numbered `phase` among them. Each day has all
    the `times`, which are lengths since midnight. `positions` are those of `BYSETPOS`; where there are none,
    all times of a period count.
    """

    days: Days
    interval: int
    phase: int
    times: tuple[timedelta, ...]
    positions: tuple[int, ...]

    def starting_at(self, earliest: datetime) -> Iterator[datetime]:
        """The local times at or after one; they end where a hundred years have none.

        Raises OverflowError after the last one of the year 9999.
        """
        places = cache(self._places)
        last_year = earliest.year
        # The year before has the week in which this one begins.
        for year in range(max(earliest.year - 1, MINYEAR), MAXYEAR + 1):
            for local in self._of_year(year, earliest, places):
                if local >= earliest:
                    last_year = year
                    yield local
            if year - last_year >= _LONGEST_SEARCH:
                return

    def _of_year(
        self, year: int, earliest: datetime, places: Callable[[int], Sequence[int]]
    ) -> Iterator[datetime]:
        """The local times of the periods that begin in a year, but those of days before the earliest."""
        new_year = datetime(year, 1, 1)
        passed = (earliest - new_year).days
        for days in self._counted(new_year):
            if not days or days[-1] < passed:
                continue
            chosen = places(len(days))
            begin = bisect_left(chosen, bisect_left(days, passed) * len(self.times))
            for place in chosen[begin:]:
                day, time = divmod(place, len(self.times))
                yield new_year + timedelta(days[day]) + self.times[time]

    def _counted(self, new_year: datetime) -> Sequence[Sequence[int]]:
        """The periods that begin in a year and count, each as its days."""
        periods = self.days.of_year(new_year)
        if self.interval == 1:
            return periods
        return periods[(self.phase - self.days.first_period_of(new_year)) % self.interval :: self.interval]

    def _places(self, days: int) -> Sequence[int]:
        """Which of the times of a period with so many days count: their places in a row, from 0."""
        row = range(days * len(self.times))
        return _at(self.positions, row) if self.positions else row


def _at(positions: tuple[int, ...], row: Sequence[_Placed]) -> list[_Placed]:
    """What stands at some positions of a row, counted from 1, or from -1 backwards; in order, each once."""
    return sorted({row[position - (position > 0)] for position in positions if abs(position) <= len(row)})


@lru_cache(maxsize=64)
def local_times(rule: Rule, start: datetime) -> LocalTimes:
    """What a rule says with what its start, a local time in whole seconds, fills in (10.2)."""
    times, positions = _times(rule, start), rule.positions
    if rule.frequency is Frequency.DAILY and positions:
        times, positions = tuple(_at(positions, times)), ()  # a period is a day, and all days are alike
    days = _days(rule, start)
    if rule.interval == 1 and not positions:
        # Where every period counts in full, it is the same how long they are, and years are the fastest.
        days = replace(days, frequency=Frequency.YEARLY)
    return LocalTimes(days, rule.interval, days.period_of(start.date()), times, positions)


def _days(rule: Rule, start: datetime) -> Days:
    frequency = rule.frequency
    months, month_days, weekdays = rule.months, rule.month_days, rule.days
    open_days = not month_days and not weekdays
    match frequency:
        case Frequency.YEARLY if open_days:
            months, month_days = months or (start.month,), (start.day,)
        case Frequency.MONTHLY if open_days:
            month_days = (start.day,)
        case Frequency.WEEKLY if open_days:
            weekdays = (RuleDay(start.weekday()),)
    if frequency is not Frequency.YEARLY:
        months = months or _EVERY_MONTH
    return Days(frequency, months, month_days, weekdays, rule.week_start)


def _times(rule: Rule, start: datetime) -> tuple[timedelta, ...]:
    """The times of day: one that names the hour means the full hour, one that names either the full minute.

    This holds whether the start was sent or is the moment of the call, so that the kept rule alone says it
    (10.8).
    """
    hours = rule.hours or (start.hour,)
    minutes = rule.minutes or (0 if rule.hours else start.minute,)
    second = rule.second
    if second is None:
        second = 0 if rule.hours or rule.minutes else start.second
    return tuple(
        timedelta(hours=hour, minutes=minute, seconds=second) for hour, minute in product(hours, minutes)
    )
