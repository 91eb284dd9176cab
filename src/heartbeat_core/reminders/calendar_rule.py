"""A recurrence on the calendar: the times of a rule on the wall clock of its zone, as moments (10.2, 10.3).

Local times are reckoned without a zone, and given it last. Nothing here knows the present: who keeps
reminders asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import MINYEAR, UTC, date, datetime, time, timedelta
from itertools import islice

from heartbeat_core.reminders.local_times import local_times
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import LAST_MOMENT, AgentZone, instant_of

_FIRST_MOMENT = datetime.min.replace(tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_HUNDRED_YEARS = timedelta(days=36_525)

_LONGEST_GAP = timedelta(hours=25)
"""No clock change has skipped more than the day that places leave out when they cross the date line."""


@dataclass(frozen=True, slots=True)
class CalendarRule:
    """A rule, its zone, and the start from which it counts: aware UTC, taken as the next whole second (10.2).

    The rule's `count` and `until` have no say here: `last_of_count` and `last_until` settle the last time
    once (10.4). The start must be expressible in the zone (6.8). All moments given and taken are aware UTC.
    """

    rule: Rule
    zone: AgentZone
    start: datetime

    def first_after(self, moment: datetime) -> datetime | None:
        """The first of the times from the start on that is after a moment; None where the rule is over.

        It is over after the year 9999 (6.8), and where a hundred years have no time. What this costs does
        not depend on how long ago the start was (10.9).
        """
        return next(self.times_after(moment), None)

    def times_after(self, moment: datetime) -> Iterator[datetime]:
        """All times from the start on that are after a moment, in order, each once, until it is over."""
        last = None
        try:
            begin = max(_whole_second(self.start), _whole_second(moment + datetime.resolution))
            for at in self._in_order(self._local_times_from(begin)):
                if at >= begin and at != last:
                    yield at
                    last = at
        except OverflowError:  # the years end
            return

    def is_ever(self) -> bool:
        """Whether there is a time within a hundred years of the start; else it is to be refused (10.1)."""
        first = self._first
        return first is not None and first - self.start <= _HUNDRED_YEARS

    def last_of_count(self, count: int, first: datetime) -> datetime | None:
        """The last of `count` times, of which `first` is the first (10.4); None where there are not so many.

        `first` need not be a time of the rule: it may have been moved (11.2).
        """
        if count == 1:
            return first
        return next(islice(self.times_after(first), count - 2, None), None)

    def last_until(self, until: datetime) -> datetime | None:
        """The last of the times that is not after `until` (10.4); None where the first is after it already.

        Halves the stretch in which it lies: a century can have fifty million times, too many to walk through.
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

    @property
    def _first(self) -> datetime | None:
        return self.first_after(_FIRST_MOMENT)

    def _local_times_from(self, begin: datetime) -> Iterator[datetime]:
        """The local times whose moments may lie at or after `begin`, in the order of the wall clock.

        A clock change shortly before it may have moved some behind it that the wall clock had passed.
        """
        earlier = begin - _LONGEST_GAP if begin.year > MINYEAR else begin
        earliest = min(self._local(begin), self._local(earlier) + _LONGEST_GAP)
        return local_times(self.rule, self._local(_whole_second(self.start))).starting_at(earliest)

    def _local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone.tzinfo).replace(tzinfo=None)

    def _in_order(self, local_times: Iterable[datetime]) -> Iterator[datetime]:
        """The moments of local times, in order; two of them may be one.

        Local times that exist come in order by themselves. Those that a clock change skips wait for their
        turn among them.
        """
        waiting: list[datetime] = []
        for local in local_times:
            at, skipped = _moment(local, self.zone)
            if skipped:
                waiting.append(at)
                continue
            while waiting and waiting[0] <= at:
                yield waiting.pop(0)
            yield at
        yield from waiting


def end_of(until: date | datetime, zone: AgentZone) -> datetime:
    """The last moment that an `UNTIL`, or an `until` without an offset, includes (10.4): aware UTC.

    A day is the whole day. Raises OverflowError outside the years 1 to 9999.
    """
    if not isinstance(until, datetime):
        if until == date.max:
            return LAST_MOMENT
        midnight = datetime.combine(until + timedelta(days=1), time.min)
        return instant_of(midnight, zone) - MILLISECOND
    return instant_of(until, zone) if until.tzinfo is None else until.astimezone(UTC)


def _whole_second(moment: datetime) -> datetime:
    """Round a moment up to a whole second. Raises OverflowError after the last one of the year 9999."""
    return moment + (_FIRST_MOMENT - moment) % _SECOND


def _moment(local: datetime, zone: AgentZone) -> tuple[datetime, bool]:
    """The moment of a local time, and whether a clock change skips it. Raises OverflowError.

    `instant_of` alone would do, but is slower for the times that no clock change skips: nearly all.
    """
    here = local.replace(tzinfo=zone.tzinfo)
    at = here.astimezone(UTC)
    return (at, False) if at.astimezone(zone.tzinfo) == here else (instant_of(local, zone), True)
