"""A recurrence on the calendar: the times of a rule on the wall clock of its zone, as moments (10.2, 10.3).

Local times are reckoned without a zone, and given it last. Nothing here knows the present: who keeps
reminders asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice, product, takewhile

from heartbeat_core.reminders.calendar_days import Days, years_from
from heartbeat_core.reminders.recurrence_rule import Frequency, Rule, RuleDay
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import LAST_MOMENT, AgentZone, instant_of

_HUNDRED_YEARS = timedelta(days=36_525)
_LONGEST_SEARCH = 101
"""Years in a row without a time after which a rule counts as over: a hundred years (10.1) touch as many.

Only years in which one of the rule's periods begins count, so `INTERVAL=500` goes on to the year 9999.
"""

_LONGEST_GAP = timedelta(hours=25)
"""No clock change has skipped more than the day that places leave out when they cross the date line."""

_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class CalendarRule:
    """A rule, its zone, and the start from which its phases count; all moments are aware UTC.

    The rule's `count` and `until` have no say here: the last time is settled once, by `last_of_count` or
    `last_until`. The start must be expressible in the zone (6.8); it counts as the next whole second.
    """

    rule: Rule
    zone: AgentZone
    start: datetime

    def first_after(self, moment: datetime) -> datetime | None:
        """The first of the times from the start on that is after a moment; None where the rule is over."""
        return next(self.times_after(moment), None)

    def times_after(self, moment: datetime) -> Iterator[datetime]:
        """All times from the start on that are after a moment, in order, each once.

        They end with the year 9999, or where a hundred years in a row have none.
        """
        try:
            begin = max(_whole_second(self.start), _whole_second(moment + MILLISECOND))
            local_times = self._local_times_from(begin)
        except OverflowError:
            return
        last = begin - MILLISECOND if begin > _FIRST_MOMENT else None
        for at in self._in_order(local_times):
            if last is None or at > last:
                yield (last := at)

    def is_ever(self) -> bool:
        """Whether there is a time within a hundred years of the start; else the rule is refused (10.1)."""
        first = self._first
        return first is not None and first - self.start <= _HUNDRED_YEARS

    def last_of_count(self, first: datetime, count: int) -> datetime | None:
        """The last of `count` times, `first` the first of them (10.4); None where there are not so many."""
        if count == 1:
            return first
        return next(islice(self.times_after(first), count - 2, None), None)

    def last_until(self, until: datetime) -> datetime | None:
        """The last of the times that is not after `until` (10.4); None where the first is after it already.

        Halves the stretch in which it lies: a century has fifty million minutes to walk through.
        """
        last, none_after = self._first, until
        if last is None or last > until:
            return None
        while none_after - last >= _SECOND:  # times are whole seconds
            middle = last + (none_after - last) / 2
            found = self.first_after(middle)
            if found is not None and found <= until:
                last = found
            else:
                none_after = middle
        return last

    def passed(self, after: datetime, now: datetime, at_most: int) -> int:
        """How many times are after one moment and not after another (10.7); counts up to `at_most`."""
        times = islice(self.times_after(after), at_most)
        return sum(1 for _ in takewhile(lambda at: at <= now, times))

    @property
    def _first(self) -> datetime | None:
        return self.first_after(_FIRST_MOMENT)

    def _local_times_from(self, begin: datetime) -> Iterator[datetime]:
        """The local times whose moments may lie at or after `begin`, in the order of the wall clock.

        A clock change shortly before may have moved some to after `begin` that the wall clock had passed.
        """
        pattern = _pattern(self.rule, _local(_whole_second(self.start), self.zone))
        earlier = begin - _LONGEST_GAP if begin.year > 1 else begin
        least_offset = min(_offset(begin, self.zone), _offset(earlier, self.zone))
        return pattern.times_from(begin.replace(tzinfo=None) + least_offset)

    def _in_order(self, local_times: Iterable[datetime]) -> Iterator[datetime]:
        """The moments of local times, in order; two of them may be one.

        Local times that exist come in order by themselves. Those that a clock change skips wait for their
        turn among them.
        """
        waiting: list[datetime] = []
        for local in local_times:
            try:
                at, skipped = _moment(local, self.zone)
            except OverflowError:
                break
            if skipped:
                waiting.append(at)
                continue
            while waiting and waiting[0] <= at:
                yield waiting.pop(0)
            yield at
        yield from waiting


def end_of(until: date | datetime, zone: AgentZone) -> datetime:
    """The last millisecond that an `UNTIL`, or an `until` without an offset, includes (10.4).

    A day is the whole day. Raises OverflowError outside the years 1 to 9999.
    """
    if not isinstance(until, datetime):
        if until == date.max:
            return LAST_MOMENT
        midnight = datetime.combine(until + timedelta(days=1), time.min)
        return instant_of(midnight, zone) - MILLISECOND
    return instant_of(until, zone) if until.tzinfo is None else until.astimezone(UTC)


_FIRST_MOMENT = datetime.min.replace(tzinfo=UTC)


def _whole_second(moment: datetime) -> datetime:
    """Round a moment up to a whole second. Raises OverflowError after the last one of the year 9999."""
    return moment + (_FIRST_MOMENT - moment) % _SECOND


def _moment(local: datetime, zone: AgentZone) -> tuple[datetime, bool]:
    """The moment of a local time, and whether a clock change skips it. Raises OverflowError.

    `instant_of` alone would do; most local times exist, and this is three times as fast for these.
    """
    here = local.replace(tzinfo=zone.tzinfo)
    at = here.astimezone(UTC)
    return (at, False) if at.astimezone(zone.tzinfo) == here else (instant_of(local, zone), True)


def _local(moment: datetime, zone: AgentZone) -> datetime:
    return moment.astimezone(zone.tzinfo).replace(tzinfo=None)


def _offset(moment: datetime, zone: AgentZone) -> timedelta:
    return _local(moment, zone) - moment.replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A rule with nothing left open, as a row of local times. `times` are those of each of its days."""

    days: Days
    interval: int
    phase: int
    times: tuple[time, ...]
    positions: tuple[int, ...]

    def times_from(self, earliest: datetime) -> Iterator[datetime]:
        """The local times at or after one, in order."""
        barren = 0 if self.times else _LONGEST_SEARCH - 1
        for periods in years_from(self.days, self.interval, self.phase, earliest.date()):
            barren += 1
            for local in self._chosen(periods, earliest):
                barren = 0
                yield local
            if barren == _LONGEST_SEARCH:
                return

    def _chosen(self, periods: Iterable[list[date]], earliest: datetime) -> Iterator[datetime]:
        for days in periods:
            if self.positions:
                places = _places(self.positions, len(days) * len(self.times))
                chosen = (self._at(days, place) for place in places)
            else:
                later = (day for day in days if day >= earliest.date())
                chosen = (datetime.combine(day, each) for day in later for each in self.times)
            yield from (local for local in chosen if local >= earliest)

    def _at(self, days: list[date], place: int) -> datetime:
        day, each = divmod(place, len(self.times))
        return datetime.combine(days[day], self.times[each])


@lru_cache(maxsize=64)
def _places(positions: tuple[int, ...], many: int) -> tuple[int, ...]:
    """Where in a row of so many times the positions are, from 0; in order, each once (`BYSETPOS`)."""
    places = {position - 1 if position > 0 else many + position for position in positions}
    return tuple(sorted(place for place in places if 0 <= place < many))


_MOST_DAYS = {Frequency.DAILY: 1, Frequency.WEEKLY: 7, Frequency.MONTHLY: 31, Frequency.YEARLY: 366}


@lru_cache(maxsize=64)
def _pattern(rule: Rule, start: datetime) -> _Pattern:
    """What a rule says with what its start fills in (10.2)."""
    days = _days(rule, start)
    times = _times(rule, start)
    most = _MOST_DAYS[rule.frequency] * len(times)
    positions = tuple(position for position in rule.positions if abs(position) <= most)
    if rule.positions and not positions:
        times = ()  # no period has so many: what it takes to find none is not spent
    return _Pattern(days, rule.interval, days.period_of(start.date()), times, positions)


def _days(rule: Rule, start: datetime) -> Days:
    months, month_days, days = rule.months, rule.month_days, rule.days
    if not month_days and not days:
        match rule.frequency:
            case Frequency.YEARLY:
                months, month_days = months or (start.month,), (start.day,)
            case Frequency.MONTHLY:
                month_days = (start.day,)
            case Frequency.WEEKLY:
                days = (RuleDay(start.weekday()),)
            case Frequency.DAILY:
                pass
    return Days(rule.frequency, months, month_days, days, rule.week_start)


def _times(rule: Rule, start: datetime) -> tuple[time, ...]:
    """The times of day: a rule that names the hour is on the full hour, one that names either on the minute.

    Whether the start was sent or is the moment of the call, so that the kept rule alone says it (10.8).
    """
    hours = rule.hours or (start.hour,)
    minutes = rule.minutes or (0 if rule.hours else start.minute,)
    second = rule.second
    if second is None:
        second = 0 if rule.hours or rule.minutes else start.second
    return tuple(time(hour, minute, second) for hour, minute in product(hours, minutes))
