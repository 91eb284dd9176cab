"""A reminder in the queue, and the state that its present firing is in. Only the queue changes one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from heartbeat_core.queue.event_id_use import EventIdUse
from heartbeat_core.queue.pacing import as_it_runs, not_too_soon_after
from heartbeat_core.queue.used_times import NONE_USED, UsedTimes, is_own
from heartbeat_core.reminders.clock_set_back import is_put_off, started_anew
from heartbeat_core.reminders.recurrence import Calendar, Interval
from heartbeat_core.reminders.reminder import Reminder, at_own_time
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.lengths import MILLISECOND


@dataclass(frozen=True, slots=True)
class Untried:
    """No wake of this firing was sent yet by this process: its turn comes at its due time."""


@dataclass(frozen=True, slots=True)
class Held:
    """The last wake of this firing was not taken (7.3).

    `since` is when the first one was not, `reason` why the last one was not. `try_at` is when it is tried
    again; None as soon as there is room, and `released` is since when.
    """

    since: datetime
    reason: str
    try_at: datetime | None
    released: datetime | None = None

    def moved_back(self, by: timedelta) -> Held:
        """The same after the clock was set back: each wait is as long as it was (7.3)."""
        try_at = None if self.try_at is None else self.try_at - by
        released = None if self.released is None else self.released - by
        return Held(self.since - by, self.reason, try_at, released)


@dataclass(frozen=True, slots=True)
class Out:
    """A wake of this firing is out; `held` is what the firing was before, where it was held."""

    sent_at: datetime
    held: Held | None = None


@dataclass(slots=True)
class QueuedReminder:
    """A reminder and how its present firing stands.

    `tries` counts the wakes of this firing, `id_use` those that carried its present event id. `nudge` is
    how far `reminder.due` was moved to get a fresh event id (4.11). `moved` says that the agent moved this
    firing away from the reminder's own times (11.2).
    """

    reminder: Reminder
    state: Untried | Out | Held = Untried()
    tries: int = 0
    id_use: EventIdUse = field(default_factory=EventIdUse)
    nudge: timedelta = timedelta(0)
    moved: bool = False
    used: UsedTimes = NONE_USED

    @property
    def sent_at(self) -> datetime | None:
        """When the wake that is out was sent; None where none is out."""
        return self.state.sent_at if isinstance(self.state, Out) else None

    @property
    def held(self) -> Held | None:
        """Since when this firing is held and why, also while it is tried again; None where it is not."""
        match self.state:
            case Held():
                return self.state
            case Out(held=held):
                return held
        return None

    @property
    def turn(self) -> tuple[int, datetime]:
        """As that of a beat: how often this firing was tried, and when it was due."""
        return self.tries, self.reminder.due

    @property
    def own_due(self) -> datetime:
        """The due time without what a fresh event id moved it by."""
        return self.reminder.due - self.nudge

    @property
    def own(self) -> Reminder:
        """The reminder without what a fresh event id moved it by: its own times count from there."""
        return replace(self.reminder, due=self.own_due) if self.nudge else self.reminder

    def clock_set_back(self, by: timedelta, now: datetime) -> None:
        """Keep each wait as long as it was; a one-shot whose instant is to come again waits for it (5.2)."""
        match self.state:
            case Held() as held:
                self.state = self.waiting_for_its_instant(held.moved_back(by), now)
            case Out(sent_at=sent_at, held=held):
                self.state = Out(sent_at - by, None if held is None else held.moved_back(by))

    def waiting_for_its_instant(self, held: Held, now: datetime) -> Held:
        """`held`, not tried before the instant of a one-shot where the clock was set back behind that."""
        to_come = self.reminder.recurrence is None and self.own_due > now
        return replace(held, try_at=self.reminder.due) if to_come else held

    # Its firings

    def begin_firing(self, reminder: Reminder, *, moved: bool = False) -> None:
        """Begin another firing, of which nothing was sent yet; `reminder` has its due time."""
        if self.moved:
            self._keep_used()
        self.reminder, self.state, self.moved = reminder, Untried(), moved
        self.tries, self.id_use, self.nudge = 0, EventIdUse(), timedelta(0)
        while self.reminder.due in self.used.odd:  # one that was moved away from, and comes after all
            self.freshen()

    def change(self, reminder: Reminder, now: datetime) -> bool:
        """Make this the reminder (11); gives whether its firing was moved, and so is another one.

        A firing that was moved comes at a time that no wake carried before (11.3).
        """
        if reminder.due == self.own_due:
            self.reminder = replace(reminder, due=self.reminder.due)
            return False
        if self.tries or self.id_use.sent_before:
            self._keep_used()
        due = self.used.first_free(reminder, reminder.due, now)
        moved = reminder.recurrence is not None and not is_own(reminder, reminder.due)
        self.begin_firing(replace(reminder, due=due), moved=moved)
        return True

    def freshen(self) -> None:
        """Give the firing a fresh event id: by a millisecond (4.11)."""
        self.reminder = replace(self.reminder, due=self.reminder.due + MILLISECOND)
        self.nudge += MILLISECOND
        self.id_use = EventIdUse()

    def due_after_taken(self, now: datetime, limits: Limits) -> datetime | None:
        """When it comes next, after a firing that was heard; None where it does not (7.2, 10.3, 10.4)."""
        own = as_it_runs(self.own, limits)
        if own.recurrence is not None and not self.moved:
            self.used = self.used.with_heard(own, own.due)
        match own.recurrence:
            case None:
                return None
            case Interval(every=every) if own.due > now:  # the clock was set back behind it
                due = self._started_anew(every, now)
                return due if own.last is None or due <= own.last else None
            case Interval():
                return own.next_after(now)
            case Calendar():
                return self.used.first_unheard(own, not_too_soon_after(own.due, now, limits))

    def due_after_given_up(self, now: datetime) -> datetime | None:
        """When it comes next, after a firing that expired: the first of its times that has not (10.5)."""
        own = self.own
        assert own.expires_after is not None
        return self.used.first_unheard(own, max(own.due, now - own.expires_after))

    def bring_near(self, was_at: datetime, now: datetime, limits: Limits) -> bool:
        """Have it come sooner, where only a clock set back from `was_at` has put it off (5.2, 10.3).

        One whose wake was sent is past its time, whatever the clock says now, and left to 7.3. A wake of an
        earlier firing may still be out. Gives whether it was put off.
        """
        due = None if self.tries else self._due_brought_near(was_at, now, limits)
        if due is not None:
            state = self.state
            self.begin_firing(at_own_time(self.reminder, due))
            self.state = state
        return due is not None

    def _due_brought_near(self, was_at: datetime, now: datetime, limits: Limits) -> datetime | None:
        match as_it_runs(self.reminder, limits).recurrence:
            case Interval(every=every) if is_put_off(self.reminder.due, every, was_at, now):
                return self._started_anew(every, now)
            case Calendar():
                due = self.used.first_unheard(self.reminder, now)
                return due if due is not None and due < self.reminder.due else None
            case _:
                return None

    def _started_anew(self, every: timedelta, now: datetime) -> datetime:
        own = self.own
        self.used = self.used.with_phase(own.due, every).with_phase(own.start or own.due, every)
        return started_anew(every, now, self.used.phases)

    def _keep_used(self) -> None:
        self.used = self.used.with_odd(self.own_due, self.nudge)
