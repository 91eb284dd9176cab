"""A reminder as it is saved, and what it says about its own times (5.2, 7.2, 10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile

from heartbeat_core.reminders.recurrence import Calendar, Recurrence
from heartbeat_core.times.moments import LAST_MOMENT, one_length_after

SHORTEST_RECURRENCE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder as it is saved (8.1, 10.8). Times are aware UTC in whole milliseconds.

    `due` is the time at which it fires next. A one-shot has no `recurrence`. `start` is the time from which
    a recurrence counts; None where that is `due`. `last` is the last time of a recurrence that ends.
    `expires_after` is how long after it was due a firing is given up.
    """

    id: str
    message: str
    created: datetime
    due: datetime
    recurrence: Recurrence | None = None
    start: datetime | None = None
    last: datetime | None = None
    expires_after: timedelta | None = None

    def times_after(self, moment: datetime) -> Iterator[datetime]:
        """Its own times after a moment, in order, to its end; none for a one-shot.

        A firing that was moved (11.2) is not among them.
        """
        if self.recurrence is None:
            return iter(())
        times = self.recurrence.times_after(moment, self.start or self.due)
        last = self.last or LAST_MOMENT
        return takewhile(lambda at: at <= last, times)

    def next_after(self, moment: datetime) -> datetime | None:
        """The first of its own times after a moment; None where there is none."""
        return next(self.times_after(moment), None)

    def passed(self, now: datetime, at_most: int) -> int:
        """How many of its own times have passed since it was due (10.7); counted up to `at_most`."""
        if self.recurrence is None:
            return 0
        until = now if self.last is None else min(now, self.last)
        return self.recurrence.count_between(self.due, until, self.start or self.due, at_most)

    @property
    def expires_at(self) -> datetime | None:
        """When this firing is given up where it was not taken (10.5); None where it never is."""
        return None if self.expires_after is None else one_length_after(self.due, self.expires_after)


def at_own_time(reminder: Reminder, due: datetime) -> Reminder:
    """The reminder due at one of its own times; an interval counts from there, a calendar as before."""
    start = reminder.start if isinstance(reminder.recurrence, Calendar) else None
    return replace(reminder, due=due, start=start)
