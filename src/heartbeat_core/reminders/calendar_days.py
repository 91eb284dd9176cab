"""The days of a rule, period by period: computed by dateutil, once for each kind of year.

There are only fourteen kinds of year: by the weekday of 1 January, and by whether there is a 29 February.
So what is asked of dateutil is one year, whatever the age of a rule, and a rule that never matches costs
fourteen of them. A period is a day, week, month or year, by the rule's frequency, and belongs to the year in
which it begins. Here days have no time and no zone; `calendar_rule` gives them both.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import groupby

from dateutil.rrule import YEARLY, rrule, weekday

from heartbeat_core.reminders.recurrence_rule import Frequency, RuleDay


@dataclass(frozen=True, slots=True)
class Days:
    """What decides on the days of a rule; nothing is left open any more.

    A rule by month or year names days of the month or weekdays; one by day or week may name none, for all.
    """

    frequency: Frequency
    months: tuple[int, ...]
    month_days: tuple[int, ...]
    days: tuple[RuleDay, ...]
    week_start: int

    def period_of(self, day: date) -> int:
        """The number of the period in which a day lies; periods are numbered without a gap."""
        match self.frequency:
            case Frequency.DAILY:
                return day.toordinal()
            case Frequency.WEEKLY:
                return (day.toordinal() - 1 - self.week_start) // 7  # 1 January of the year 1 is a Monday
            case Frequency.MONTHLY:
                return day.year * 12 + day.month - 1
            case Frequency.YEARLY:
                return day.year

    def begin_of(self, period: int) -> date:
        """The first day of a period. Raises ValueError or OverflowError outside the years 1 to 9999."""
        match self.frequency:
            case Frequency.DAILY:
                return date.fromordinal(period)
            case Frequency.WEEKLY:
                return date.fromordinal(max(period * 7 + 1 + self.week_start, 1))
            case Frequency.MONTHLY:
                return date(period // 12, period % 12 + 1, 1)
            case Frequency.YEARLY:
                return date(period, 1, 1)

    def first_in(self, year: int) -> date:
        """The first day of the first period that begins in a year."""
        new_year = date(year, 1, 1)
        if self.frequency is not Frequency.WEEKLY:
            return new_year
        return new_year + timedelta(days=(self.week_start - new_year.weekday()) % 7)


def years_from(days: Days, interval: int, phase: int, first: date) -> Iterator[Iterator[list[date]]]:
    """The days year by year, a list for each period that has some, from the period of `first` on.

    Of the periods only every `interval`th counts, so that the one numbered `phase` does. Years in which none
    of these begins are passed over, a year without days is empty, and the year 9999 is the last.
    """
    period = days.period_of(first)
    while True:
        period += (phase - period) % interval
        try:
            begin = days.begin_of(period)
        except (ValueError, OverflowError):
            return
        yield _dated(days, interval, period, begin.year)
        if begin.year == date.max.year:
            return
        period = max(days.period_of(days.first_in(begin.year + 1)), period + 1)


def _dated(days: Days, interval: int, earliest: int, year: int) -> Iterator[list[date]]:
    """The days of the periods of a year that count, `earliest` the first of them."""
    first = days.first_in(year)
    before, base = days.period_of(first) - earliest, first.toordinal()
    inside = date.max.toordinal() - base  # the last week of the year 9999 goes on after it
    for number, offsets in _kind(days, date(year, 1, 1).weekday(), isleap(year)):
        if before + number >= 0 and (before + number) % interval == 0:
            yield [date.fromordinal(base + offset) for offset in offsets if offset <= inside]


_SAMPLES = {(date(year, 1, 1).weekday(), isleap(year)): year for year in range(2000, 2028)}
"""A year of each kind."""


@lru_cache(maxsize=128)
def _kind(days: Days, new_year: int, leap: bool) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The periods of a year that begins on a weekday: the place of each in the year, and its days.

    Days are counted from the first of the first period. Only periods that have days are there.
    """
    sample = _SAMPLES[new_year, leap]
    first, after = days.first_in(sample).toordinal(), days.first_in(sample + 1).toordinal()
    found = _days_of(days, sample)
    if days.frequency is Frequency.WEEKLY:
        found |= _days_of(days, sample + 1)  # the last week goes on after New Year
    offsets = sorted(day - first for day in found if first <= day < after)
    base = days.period_of(date.fromordinal(first))
    by_period = groupby(offsets, lambda offset: days.period_of(date.fromordinal(first + offset)) - base)
    return tuple((number, tuple(each)) for number, each in by_period)


def _days_of(days: Days, year: int) -> set[int]:
    """The days of one year, by their ordinals.

    dateutil takes `MO,2TU` for the days that are both, so it is asked for the one and for the other.
    """
    plain = [weekday(day.weekday) for day in days.days if not day.nth]
    numbered = [weekday(day.weekday, day.nth) for day in days.days if day.nth]
    asked = [chosen for chosen in (plain, numbered) if chosen]
    if not asked:
        asked = [[] if days.month_days else [weekday(each) for each in range(7)]]
    return {found.toordinal() for chosen in asked for found in _asked(days, year, chosen)}


def _asked(days: Days, year: int, weekdays: list[weekday]) -> rrule:
    """One year of dateutil's; where it has no day there, `until` alone would let it look to the year 9999.

    Days, weeks and months are asked for as a year too: limits are limits, and what is the second Tuesday of
    each month is that of twelve named ones.
    """
    by_month = range(1, 13) if days.frequency is Frequency.MONTHLY else None
    return rrule(
        YEARLY,
        interval=date.max.year,
        dtstart=datetime(year, 1, 1),
        bymonth=days.months or by_month,
        bymonthday=days.month_days or None,
        byweekday=weekdays or None,
    )
