"""Everything that is sent, over one way out: beats and reminders, and what is given up waiting for.

`coming` says everything that will be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from heartbeat_core.delivery.agenda import DueAction
from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.delivery.beat_sending import BeatSending
from heartbeat_core.delivery.endings import Endings
from heartbeat_core.delivery.reminder_sending import ReminderSending
from heartbeat_core.delivery.way_out import WayOut
from heartbeat_core.history import Ending
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Policy
from heartbeat_core.ports import History, NewId, Ownership, Transport
from heartbeat_core.queue.reminder_queue import Outcome
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import AgentZone

_STOPPED = "the server stopped"


class Sending:
    """Sends beats and reminders over one transport, and takes their answers."""

    def __init__(
        self,
        transport: Transport,
        storage: Storage,
        new_id: NewId,
        log: OperatorLog,
        history: WakeHistory,
        zone: AgentZone,
        limits: Limits,
        answer_within: timedelta,
        in_beat: Callable[[], bool] | None,
        ownership: Ownership | None = None,
    ) -> None:
        self._way_out = WayOut(transport, limits, zone, log, answer_within)
        self._schedule = storage.schedule
        self._queue = storage.reminders.queue
        self._log = log
        self._history = history
        self._endings = Endings(history)
        self.beats = BeatSending(
            self._way_out, storage, new_id, log, history, self._endings, zone, in_beat, ownership
        )
        self.reminders = ReminderSending(self._way_out, storage, log, history, self._endings, zone, limits)

    def coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming of wakes. Of two at one moment the one named first goes first."""
        others = list(self._others_coming(at, policy))
        yield from others
        until = min([at.now + MILLISECOND, *(other.when for other in others)])
        yield from self.reminders.coming(at, policy, until)

    def _others_coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming beside reminders to be sent."""
        for deadline in self._deadlines():
            yield DueAction("give up waiting", at.wall(deadline), lambda: self._give_up(at))
        yield from self.reminders.others_coming(at, policy)
        yield from self.beats.coming(at, policy)

    def wait_of(self, due: datetime, now: datetime) -> Wait | None:
        """What a wake that is due then waits for, as things stand (15.3)."""
        return self._way_out.allowance.wait_of(due, now)

    def _deadlines(self) -> list[timedelta]:
        """When waiting ends for the first beat and the first reminder that are out, monotonic."""
        both = (self.beats.pending.next_deadline, self._queue.awaited.next_deadline)
        return [deadline for deadline in both if deadline is not None]

    def _give_up(self, at: Reading) -> None:
        """Stop waiting for the answers whose time is over (4.12, 7.3)."""
        reason = f"no answer within {self._way_out.answer_within.total_seconds():g} s"
        for wake in self.beats.pending.time_out(at.ticks, at.now, self._schedule.current):
            self._history.unanswered(wake, at.now, reason)
            self._log.beat_unanswered(at.ticks)
        for wake, outcome in self._queue.time_out(reason, at.now, at.ticks):
            self._history.unanswered(wake, at.now, reason)
            if outcome is Outcome.HELD:
                self._log.reminder_unanswered(str(wake.reminder_id), at.ticks)

    def wait_for_trigger(self, at: Reading) -> Wait | None:
        """What a beat that is triggered now would wait for: what is due already leaves before it (15.2)."""
        if not self._way_out.allowance.is_limited:
            return None
        beat = self._schedule.current.next_beat
        due = self._queue.due(at.now) + (beat is not None and beat <= at.now)
        return self._way_out.allowance.wait(at.now, len(self.beats.pending.triggered) + due)

    def count_history(self, history: History, at: Reading) -> None:
        """Count what left before this process began (15.3)."""
        try:
            self._way_out.allowance.restore(history, at.now)
        except Exception as error:  # an embedder's own: it may cost what a budget knows, and no wake
            self._log.history_unread(error, at.ticks)

    def settle(self, at: Reading, policy: Policy) -> None:
        """Tell of due moments that a change has ended, or that wait; to be called at the end of each step."""
        for firing in self._queue.ended.take(at.now):
            self._endings.of_reminder(firing, at)
        self._endings.follow(self._schedule.current.next_beat, at)
        self.reminders.tell_waiting(at, policy)

    def stop(self, at: Reading) -> None:
        """Tell of what nobody will wait for any more."""
        for wake in [*self.beats.pending.out, *self._queue.awaited.wakes]:
            self._history.unanswered(wake, at.now, _STOPPED)
        for attempt in self.beats.pending.triggered:
            self._endings.of_triggered(attempt.beat, Ending.DROPPED, at, _STOPPED)
