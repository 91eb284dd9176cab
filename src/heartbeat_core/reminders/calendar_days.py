"""The days of a rule, year by year, without times and zones: `local_times` gives them the former.

There are only fourteen kinds of year: it begins on one of seven weekdays, with a 29 February or without. The
days of each kind are found once, so a far year costs what a near one does, and an empty one next to nothing.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import assert_never

from heartbeat_core.reminders.recurrence_rule import Frequency, RuleDay

_Periods = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Days:
    """What decides on the days of a rule, after its start has filled in what it leaves open.

    Periods are days, weeks, months or years, by the frequency. They are numbered without a gap, and each
    belongs to the year in which it begins. An empty list asks for nothing. The number of a weekday counts in
    its month where months are named, else in the year.
    """

    frequency: Frequency
    months: tuple[int, ...]
    month_days: tuple[int, ...]
    weekdays: tuple[RuleDay, ...]
    week_start: int

    def period_of(self, day: date) -> int:
        """The number of the period in which a day lies."""
        match self.frequency:
            case Frequency.DAILY:
                return day.toordinal()
            case Frequency.WEEKLY:
                return (day.toordinal() - 1 - self.week_start) // 7  # 1 January of the year 1 is a Monday
            case Frequency.MONTHLY:
                return day.year * 12 + day.month - 1
            case Frequency.YEARLY:
                return day.year
            case _:
                assert_never(self.frequency)

    def first_period_of(self, new_year: date) -> int:
        """The number of the first period that begins in a year."""
        is_weekly = self.frequency is Frequency.WEEKLY
        return self.period_of(new_year + timedelta(days=6) if is_weekly else new_year)

    def of_year(self, new_year: date) -> _Periods:
        """The periods that begin in a year, each as the days that it has.

        Days are counted from 1 January as 0. Those of the last week may lie in the next year.
        """
        return _of_kind(self, new_year.weekday(), isleap(new_year.year))


@lru_cache(maxsize=256)
def _of_kind(days: Days, new_year: int, leap: bool) -> _Periods:
    """The days of each period of a year that begins on the weekday `new_year`."""
    named = _named(days, new_year, leap)
    if not named:
        return ()
    return tuple(tuple(filter(named.__contains__, period)) for period in _periods(days, new_year, leap))


def _periods(days: Days, new_year: int, leap: bool) -> Sequence[range]:
    length = 365 + leap
    match days.frequency:
        case Frequency.DAILY:
            return [range(day, day + 1) for day in range(length)]
        case Frequency.WEEKLY:
            return [range(day, day + 7) for day in range((days.week_start - new_year) % 7, length, 7)]
        case Frequency.MONTHLY:
            return _months(leap)[:12]
        case Frequency.YEARLY:
            return [range(length)]
        case _:
            assert_never(days.frequency)


def _named(days: Days, new_year: int, leap: bool) -> set[int]:
    """The days of a year that all lists together name."""
    months = [
        month for place, month in enumerate(_months(leap)) if not days.months or place % 12 + 1 in days.months
    ]
    spans = months if days.months else [range(365 + leap)]
    named = {day for month in months for day in month}
    if days.month_days:
        named &= {day for month in months for number in days.month_days for day in _nth(month, number)}
    if days.weekdays:
        named &= {day for span in spans for each in days.weekdays for day in _on(each, span, new_year)}
    return named


@lru_cache(maxsize=2)
def _months(leap: bool) -> tuple[range, ...]:
    """The days of each month, and of January after them, into which the last week reaches."""
    lengths = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31)
    return tuple(range(*ends) for ends in pairwise(accumulate(lengths, initial=0)))


def _on(each: RuleDay, span: range, new_year: int) -> range:
    """The days of a span that a value of `BYDAY` means."""
    weekdays = span[(each.weekday - new_year - span.start) % 7 :: 7]
    return _nth(weekdays, each.nth) if each.nth else weekdays


def _nth(days: range, number: int) -> range:
    """One of the days, counted from 1, or from -1 backwards; none where there are not so many."""
    place = number - 1 if number > 0 else len(days) + number
    return days[place : place + 1] if place >= 0 else days[:0]
