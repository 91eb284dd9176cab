"""The queue of all reminders: what each event makes of them, and what of that is not saved yet (section 7).

It is cheap at 100,000 reminders. `now` is the wall clock throughout; `ticks` is the monotonic one, on which
waiting for an answer is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.history import Ending
from heartbeat_core.queue.adoption import adopted
from heartbeat_core.queue.awaited_wakes import AwaitedWake, AwaitedWakes
from heartbeat_core.queue.ended import EndedFirings, as_ended
from heartbeat_core.queue.given_up import GivenUp
from heartbeat_core.queue.pacing import as_it_runs
from heartbeat_core.queue.queued_reminder import Held, Out, QueuedReminder, Untried
from heartbeat_core.queue.retries import tried_again_at
from heartbeat_core.queue.send_order import SendOrder
from heartbeat_core.queue.sorted_ids import SortedIds
from heartbeat_core.reminders.clock_set_back import proven_time
from heartbeat_core.reminders.reminder import Reminder, at_own_time
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.wakes import LATE, Answer, Failed, Refused, Taken, Wake, is_duplicate

MOST_OUT = 32
"""How many reminder wakes may be out at a time (7.4)."""

_MOST_COUNTED = 1_000
"""Times of a firing that was given up are counted so far: a calendar's are walked through."""


class Outcome(Enum):
    """What an answer, or none, has done to a reminder."""

    TAKEN = "taken"
    HELD = "held"
    NOTHING = "nothing"


class ReminderQueue:
    """All reminders, by id and in order of due time."""

    def __init__(self, limits: Limits = NO_LIMITS) -> None:
        self._limits = limits
        self.unsaved: dict[str, Reminder | None] = {}
        """What changed since it was last saved, by id; None for a reminder that is gone."""
        self.ended = EndedFirings()
        self._by_id: dict[str, QueuedReminder] = {}
        self.awaited = AwaitedWakes()
        self._by_due: SortedIds[datetime] = SortedIds()
        self._order = SendOrder(self._by_id.__getitem__, wakes_are_few=bool(limits.budgets))

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, reminder_id: str) -> bool:
        return reminder_id in self._by_id

    def __iter__(self) -> Iterator[QueuedReminder]:
        """In order of due time."""
        return (self._by_id[reminder_id] for reminder_id in self._by_due)

    def find(self, reminder_id: str) -> QueuedReminder | None:
        """The reminder of that id; None where there is none."""
        return self._by_id.get(reminder_id)

    @property
    def last_due(self) -> datetime | None:
        """The latest due time of all."""
        last = self._by_due.last
        return last[0] if last else None

    # What changes the queue

    def adopt(
        self, reminders: Sequence[Reminder], now: datetime, clock_was_at: datetime | None = None
    ) -> None:
        """Make these the reminders, as if read at start, with what is unsaved on top (8.8).

        One that stands as it stood keeps how its delivery stands; a wake that is out stays out, also
        where its row was gone for a while. `clock_was_at` is what the clock is known to have come to
        before it was set back, where it was.
        """
        known = self._by_id
        awaited = self.awaited.by_id
        rows = {reminder.id: reminder for reminder in reminders}
        for reminder_id, mine in self.unsaved.items():
            if mine is None:
                rows.pop(reminder_id, None)
            else:
                rows[reminder_id] = mine
        all_queued = {r.id: adopted(r, known.get(r.id), awaited.get(r.id), now) for r in rows.values()}
        for queued in known.values():
            if (new := all_queued.get(queued.reminder.id)) is None:
                self.ended.add(as_ended(queued, Ending.CANCELLED))
            elif new.reminder.due != queued.reminder.due:
                self.ended.add(as_ended(queued, Ending.MOVED, new.reminder.due))
        self._by_id.clear()
        self._by_id.update(all_queued)
        for queued in all_queued.values():
            was_at = proven_time(queued.reminder, clock_was_at, now)
            if was_at is not None:
                self._bring_near(queued, was_at, now)
        self._index_all()

    def _index_all(self) -> None:
        self._by_due.clear()
        self._by_due.add_all((queued.reminder.due, queued.reminder.id) for queued in self._by_id.values())
        self._order.rebuild(self._by_id.values())

    def add(self, reminder: Reminder) -> QueuedReminder:
        """Put in a reminder that is new."""
        queued = self._by_id[reminder.id] = QueuedReminder(reminder)
        self.unsaved[reminder.id] = reminder
        self._by_due.add(reminder.due, reminder.id)
        self._order.put(queued)
        return queued

    def cancel(self, reminder_id: str) -> QueuedReminder | None:
        """Take a reminder out; None where there is none. A wake of it that is out stays out."""
        queued = self._by_id.get(reminder_id)
        if queued is not None:
            self._order.take(queued)
            self._drop(queued)
            self.ended.add(as_ended(queued, Ending.CANCELLED))
        return queued

    def change(self, reminder: Reminder, now: datetime) -> None:
        """Put a reminder in the place of the one of its id (11).

        A firing whose time was moved is a new thing to hear: nothing of it was sent, and an answer to a wake
        that is out has no effect any more.
        """
        queued = self._by_id[reminder.id]
        before = as_ended(queued, Ending.MOVED, reminder.due)
        self._order.take(queued)
        self._by_due.remove(queued.reminder.due, reminder.id)
        if queued.change(reminder, now):
            self.ended.add(before)
            self.awaited.forget(reminder.id)
        self._changed(queued)
        self._order.put(queued)

    def release_all(self, now: datetime) -> None:
        """Let every held reminder be tried once more (7.3)."""
        self._order.release_all(now)

    def clock_set_back(self, by: timedelta, now: datetime) -> None:
        """Bring recurring reminders near that only a clock set back by `by` has put far away (5.2).

        A recurring one whose wake was sent is past its time, whatever the clock says now, and left to 7.3;
        a one-shot keeps its instant. Whoever waits to be tried again waits no longer than before.
        """
        self.awaited.clock_set_back(by)
        for queued in self._by_id.values():
            queued.clock_set_back(by, now)
            self._bring_near(queued, now + by, now)
        self._index_all()

    def _bring_near(self, queued: QueuedReminder, was_at: datetime, now: datetime) -> None:
        """As `QueuedReminder.bring_near`; the indexes are made anew later."""
        if queued.bring_near(was_at, now, self._limits):
            self.unsaved[queued.reminder.id] = queued.reminder

    # Sending, and what comes of it

    def next_wake(self, now: datetime) -> tuple[datetime, QueuedReminder] | None:
        """The reminder to be sent next, and when: at once where that is not after `now` (7.4).

        None while as many are out as may be, or none is there to be sent.
        """
        return None if len(self.awaited) >= MOST_OUT else self._order.next(now)

    def due(self, now: datetime) -> int:
        """How many could be sent now; none while as many are out as may be."""
        return 0 if len(self.awaited) >= MOST_OUT else self._order.due(now)

    def next_untried(self, after: datetime) -> datetime | None:
        """When the first one falls due, after a moment, of those of which no wake was sent yet."""
        return self._order.next_untried(after)

    def untried(self, now: datetime) -> list[QueuedReminder]:
        """The reminders that are due and of which no wake was sent yet, in order of due time."""
        return self._order.untried(now)

    def waiting(self, now: datetime) -> int:
        """How many reminders are not out and held, or a minute overdue (13.1)."""
        return self._order.waiting(now, LATE)

    def sent(self, wake: Wake, deadline: timedelta) -> None:
        """A reminder's wake was handed to the transport; its answer is late from `deadline`."""
        queued = self._by_id[str(wake.reminder_id)]
        self._order.take(queued)
        queued.state = Out(wake.sent_at, queued.held)
        queued.tries += 1
        queued.id_use.sent += 1
        self.awaited.add(wake, deadline)

    def time_out(self, reason: str, now: datetime, ticks: timedelta) -> list[tuple[Wake, Outcome]]:
        """Hold the reminders whose wakes had no answer in time (7.3); gives all such wakes."""
        late = self.awaited.take_late(ticks)
        return [(awaited.wake, self._no_answer(awaited, reason, now)) for awaited in late]

    def _no_answer(self, wake: AwaitedWake, reason: str, now: datetime) -> Outcome:
        queued = self._by_id.get(wake.id)
        if queued is None:
            return Outcome.NOTHING
        outcome = Outcome.NOTHING
        if queued.reminder.due == wake.due:
            self._hold(queued, reason, now)
            outcome = Outcome.HELD
        else:
            queued.state = Untried()
        self._order.put(queued)
        return outcome

    @property
    def next_expiry(self) -> datetime | None:
        """When the first reminder is to be given up where it is not taken until then (10.5)."""
        first = self._order.first_to_expire
        return None if first is None else first[0]

    def give_up(self, why_not: str, now: datetime) -> list[GivenUp]:
        """Give up the firings that have expired; `why_not` is the reason of those that were not tried."""
        given_up = []
        while (first := self._order.first_to_expire) is not None and first[0] <= now:
            queued = first[1]
            reason = why_not if queued.held is None else queued.held.reason
            own, due = queued.own, queued.due_after_given_up(now)
            missed = own.passed(now if due is None else due - MILLISECOND, _MOST_COUNTED)
            given_up.append(GivenUp(own.id, own.due, now, reason, missed))
            self._order.take(queued)
            self._go_on(queued, due)
            if own.id in self._by_id:
                self._order.put(queued)
        return given_up

    def answered(self, wake: Wake, answer: Answer, now: datetime) -> Outcome:
        """The host answered a reminder's wake, early, late, or after the reminder went its way."""
        in_time = self.awaited.take(wake)
        queued = self._by_id.get(str(wake.reminder_id))
        if queued is None:
            return Outcome.NOTHING
        self._order.take(queued)
        outcome = Outcome.NOTHING
        if queued.reminder.due == wake.due:
            outcome = self._judge(queued, answer, in_time, now)
        elif in_time:
            queued.state = Untried()
        if queued.reminder.id in self._by_id:
            self._order.put(queued)
        return outcome

    def _judge(self, queued: QueuedReminder, answer: Answer, in_time: bool, now: datetime) -> Outcome:
        used_up = queued.id_use.is_used_up(one_is_out=not in_time and isinstance(queued.state, Out))
        if isinstance(answer, Taken) or (is_duplicate(answer) and not used_up):
            self._take(queued, in_time, now)
            return Outcome.TAKEN
        # A late refusal changes nothing (7.3), but it is one: the host may have used the id up with it.
        queued.id_use.refused += isinstance(answer, Refused)
        if not in_time:
            return Outcome.NOTHING
        if is_duplicate(answer):
            self._freshen(queued)
            self._hold(queued, "it was refused, and then called a duplicate", now)
            return Outcome.HELD
        assert isinstance(answer, Refused | Failed)
        self._hold(queued, str(answer), now)
        return Outcome.HELD

    def _take(self, queued: QueuedReminder, in_time: bool, now: datetime) -> None:
        """A one-shot that was heard is gone; a recurring one moves on, and starts a new firing (7.2)."""
        out = queued.state if isinstance(queued.state, Out) else None
        self._go_on(queued, queued.due_after_taken(now, self._limits))
        if not in_time and out is not None:
            queued.state = Out(out.sent_at)  # a later try at what was heard is still out

    def _go_on(self, queued: QueuedReminder, due: datetime | None) -> None:
        """Begin the next firing; without one the reminder is gone."""
        if due is None:
            self._drop(queued)
            return
        self._by_due.remove(queued.reminder.due, queued.reminder.id)
        queued.begin_firing(at_own_time(queued.reminder, due))
        self._changed(queued)

    def _hold(self, queued: QueuedReminder, reason: str, now: datetime) -> None:
        assert isinstance(queued.state, Out)
        since = now if queued.state.held is None else queued.state.held.since
        runs = as_it_runs(queued.reminder, self._limits)
        held = Held(since, reason, tried_again_at(runs, since, queued.state.sent_at, now))
        queued.state = queued.waiting_for_its_instant(held, now)

    def _freshen(self, queued: QueuedReminder) -> None:
        """Give the firing a fresh event id, in a way that the file keeps (4.11)."""
        self._by_due.remove(queued.reminder.due, queued.reminder.id)
        queued.freshen()
        self._changed(queued)

    def _changed(self, queued: QueuedReminder) -> None:
        """Put a reminder in its place by due time anew, and have it saved."""
        self._by_due.add(queued.reminder.due, queued.reminder.id)
        self.unsaved[queued.reminder.id] = queued.reminder

    def _drop(self, queued: QueuedReminder) -> None:
        del self._by_id[queued.reminder.id]
        self._by_due.remove(queued.reminder.due, queued.reminder.id)
        self.unsaved[queued.reminder.id] = None
