"""Which due times of a reminder were used, so that none gives an event id that the host has seen (4.12)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from heartbeat_core.reminders.clock_set_back import phase_of
from heartbeat_core.reminders.recurrence import Calendar, Interval, Recurrence
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.lengths import MILLISECOND


@dataclass(frozen=True, slots=True)
class Stretch:
    """Times of a recurrence that follow upon each other, from `first` to `last`; `start` as it had then."""

    recurrence: Recurrence
    start: datetime
    first: datetime
    last: datetime

    def __contains__(self, at: datetime) -> bool:
        return self.first <= at <= self.last and self._next_after(at - MILLISECOND) == at

    def goes_on_with(self, recurrence: Recurrence, due: datetime) -> bool:
        """Whether `due` is the next time of the same recurrence."""
        return recurrence == self.recurrence and self._next_after(self.last) == due

    def _next_after(self, moment: datetime) -> datetime | None:
        return next(self.recurrence.times_after(moment, self.start), None)


@dataclass(frozen=True, slots=True)
class UsedTimes:
    """What this process knows of one reminder's past.

    `phases` are those that an interval had before the clock was set back (5.2). `heard` are its own times
    whose firings were taken (10.3): however long it comes on time, that is one stretch. `odd` are other due
    times that wakes carried: of one-shots, and of firings that were moved (11.3).
    """

    phases: frozenset[timedelta] = frozenset()
    heard: tuple[Stretch, ...] = ()
    odd: frozenset[datetime] = frozenset()

    def with_phase(self, due: datetime, every: timedelta) -> UsedTimes:
        """The same, and the phase that a time has in its interval."""
        return replace(self, phases=self.phases | {phase_of(due, every)})

    def with_heard(self, reminder: Reminder, due: datetime) -> UsedTimes:
        """The same, and one of the reminder's own times, whose firing was taken."""
        recurrence = reminder.recurrence
        assert recurrence is not None
        if self.heard and self.heard[-1].goes_on_with(recurrence, due):
            return replace(self, heard=(*self.heard[:-1], replace(self.heard[-1], last=due)))
        return replace(self, heard=(*self.heard, Stretch(recurrence, reminder.start or due, due, due)))

    def with_odd(self, due: datetime, nudge: timedelta) -> UsedTimes:
        """The same, and a due time with all that fresh event ids moved it by (4.11)."""
        return replace(
            self, odd=self.odd | {due + MILLISECOND * step for step in range(nudge // MILLISECOND + 1)}
        )

    def first_unheard(self, reminder: Reminder, after: datetime) -> datetime | None:
        """The first of the reminder's own times after a moment that was not heard; None without one."""
        return next((at for at in reminder.times_after(after) if not self._was_heard(at)), None)

    def first_free(self, reminder: Reminder, due: datetime, now: datetime) -> datetime:
        """`due`, or the first millisecond after it that no wake can have carried (11.3).

        Any of its own times that is past may have been sent, by an earlier process too.
        """
        while due in self.odd or (self._may_be_used(reminder, due, now) and is_own(reminder, due)):
            due += MILLISECOND
        return due

    def _may_be_used(self, reminder: Reminder, due: datetime, now: datetime) -> bool:
        if due <= now or self._was_heard(due):
            return True
        match reminder.recurrence:
            case Interval(every=every):
                return phase_of(due, every) in self.phases
            case _:
                return False

    def _was_heard(self, at: datetime) -> bool:
        return any(at in stretch for stretch in self.heard)


def is_own(reminder: Reminder, due: datetime) -> bool:
    """Whether a time is one of the reminder's own, from any moment of its series on."""
    match reminder.recurrence:
        case None:
            return False
        case Interval(every=every):
            return phase_of(due, every) == phase_of(reminder.start or reminder.due, every)
        case Calendar():
            return reminder.next_after(due - MILLISECOND) == due


NONE_USED = UsedTimes()
