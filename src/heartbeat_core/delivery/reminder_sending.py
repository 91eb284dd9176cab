"""Reminders on their way: due, waiting for a limit, expired, and what the answers do (7, 10.5, 15.3)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from heartbeat_core.delivery.agenda import DueAction
from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.delivery.endings import Endings
from heartbeat_core.delivery.way_out import WayOut, not_before
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Policy
from heartbeat_core.queue.given_up import GivenUpNews
from heartbeat_core.queue.pacing import as_it_runs
from heartbeat_core.queue.queued_reminder import QueuedReminder
from heartbeat_core.queue.reminder_queue import Outcome
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import (
    MOST_MISSED_SHOWN,
    Answer,
    Taken,
    Wake,
    reminder_wake,
)

_NO_SERVER = "no server ran"
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


class ReminderSending:
    """Sends reminders, and takes their answers."""

    def __init__(
        self,
        way_out: WayOut,
        storage: Storage,
        log: OperatorLog,
        history: WakeHistory,
        endings: Endings,
        zone: AgentZone,
        limits: Limits,
    ) -> None:
        self.given_up = GivenUpNews()
        """What the agent has not been told of yet (10.5)."""
        self._way_out = way_out
        self._storage = storage
        self._queue = storage.reminders.queue
        self._log = log
        self._history = history
        self._endings = endings
        self._zone = zone
        self._limits = limits
        self._told_until = _BEFORE_ALL
        """Up to when the reminders that fell due and wait for a limit have their lines."""

    # What is coming

    def coming(self, at: Reading, policy: Policy, until: datetime) -> Iterator[DueAction]:
        """The reminder that leaves next, with those after it that leave before `until`."""
        if (coming := self.next(at, policy)) is not None:
            if self._way_out.allowance.is_limited:
                until = coming[0]  # one at a time: whose turn is next depends on what left
            yield DueAction("reminder", coming[0], lambda: self._send(at, policy, until))

    def others_coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What else is coming of reminders."""
        if (expiry := self._queue.next_expiry) is not None:
            # What has expired goes before what is due: it would be sent else, since it was due earlier.
            when = _BEFORE_ALL if expiry <= at.now else expiry
            yield DueAction("expire", when, lambda: self._expire(at, policy))
        wait = None if policy.blocked else self._way_out.allowance.wait(at.now)
        if wait is not None:
            yield from self._waits_coming(at, policy, wait)

    # Sending, and what comes of it

    def _send(self, at: Reading, policy: Policy, until: datetime) -> None:
        """Send the reminder that comes next, and those after it that are due before `until`.

        Many that are due together are one action, since to look through all that is coming takes as long
        as to send a wake.
        """
        coming = self.next(at, policy)
        assert coming is not None
        self._send_one(coming[1], at)
        while (coming := self.next(at, policy)) is not None and coming[0] < until:
            self._send_one(coming[1], at)

    def next(self, at: Reading, policy: Policy) -> tuple[datetime, QueuedReminder] | None:
        """The reminder that leaves next, and when, as things stand; None where none may."""
        may_send = policy.blocked is None and self._way_out.has_room
        coming = self._queue.next_wake(at.now) if may_send else None
        return coming and (not_before(self._way_out.allowance.wait(at.now), coming[0]), coming[1])

    def _send_one(self, queued: QueuedReminder, at: Reading) -> None:
        missed = as_it_runs(queued.own, self._limits).passed(at.now, MOST_MISSED_SHOWN + 1)
        reminder = as_it_runs(queued.reminder, self._limits)
        wake = reminder_wake(
            self._way_out.next_number(),
            reminder,
            at.now,
            self._zone,
            missed,
            attempt=queued.tries + 1,
            nudge=queued.nudge,
        )
        self._queue.sent(wake, at.ticks + self._way_out.answer_within)
        self._way_out.push(wake, at)

    def answered(self, wake: Wake, answer: Answer, at: Reading) -> None:
        """The host answered a reminder's wake."""
        in_time = wake in self._queue.awaited
        outcome = self._queue.answered(wake, answer, at.now)
        # One that was cancelled or moved while its wake was out: the queue knows nothing of it any more.
        heard = outcome is Outcome.NOTHING and isinstance(answer, Taken)
        counts = outcome is Outcome.TAKEN or heard
        self._history.answered(wake, answer, at.now, counts=counts, in_time=in_time)
        match outcome:
            case Outcome.TAKEN:
                self._log.reminder_taken(wake, at.ticks)
            case Outcome.HELD:
                self._log.reminder_held(wake, answer, at.ticks)
            case Outcome.NOTHING:
                self._log.answer_without_effect(wake, answer, at.ticks)

    def _expire(self, at: Reading, policy: Policy) -> None:
        """Give up the firings that were not taken in the time that they have (10.5)."""
        wait = self._way_out.allowance.wait(at.now)
        why_not = str(policy.blocked or (wait and f"{wait.limit}, set by the operator") or _NO_SERVER)
        for given_up in self._queue.give_up(why_not, at.now):
            self.given_up.add(given_up)
            self._endings.of_expired(given_up, at)
            due = show(given_up.due, self._zone)
            self._log.reminder_given_up(given_up.reminder_id, due, given_up.reason, at.ticks)
        self._storage.save_soon(at)

    def tell_waiting(self, at: Reading, policy: Policy) -> None:
        """Tell of the reminders that are due and wait for a limit (15.3)."""
        wait = self._way_out.allowance.wait(at.now)
        if wait is not None and policy.blocked is None:
            self._told_until = at.now
            self._endings.of_waiting_reminders(self._queue.untried(at.now), wait.until, at)

    def _waits_coming(self, at: Reading, policy: Policy, wait: Wait) -> Iterator[DueAction]:
        """That another reminder falls due which has to wait."""
        due = self._queue.next_untried(min(self._told_until, at.now))
        if due is not None and due < wait.until:
            yield DueAction("reminder waits", due, lambda: self.tell_waiting(at, policy))
