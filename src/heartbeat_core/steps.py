"""The order of steps: what every entry into the heartbeat begins and ends with, and what comes between."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from heartbeat_core.delivery.agenda import Agenda, DueAction
from heartbeat_core.delivery.gate import Gate
from heartbeat_core.delivery.sending import Sending
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.ports import Clock, History
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.throttled_log import ThrottledLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import ClockWatch, Reading


class Steps:
    """Reads the clocks, takes up what they did, and arms the one timer for all that is coming."""

    def __init__(
        self,
        clock: Clock,
        gate: Gate,
        storage: Storage,
        sending: Sending,
        history: WakeHistory,
        past: History | None,
        throttled: ThrottledLog,
        log: OperatorLog,
    ) -> None:
        self._clock = clock
        self._gate = gate
        self._storage = storage
        self._schedule = storage.schedule
        self._queue = storage.reminders.queue
        self._sending = sending
        self._history = history
        self._past = past
        self._throttled = throttled
        self._log = log
        self._agenda = Agenda(clock, self.begin, self._coming, self.end, self._broken)
        self._running = False

    # Life

    def start(self) -> Reading:
        """Load what was saved, and take up the countdown (8.2)."""
        self._watch = ClockWatch(self._clock)
        at = self.begin()
        self._running = True
        self._storage.load(at)
        if self._past is not None:
            self._sending.count_history(self._past, at)
        self._log.waiting_at_start(len(self._queue), self._gate.blocked)
        self.end()
        return at

    def stop(self) -> None:
        """Save what is not saved yet, let go of what is stored, send nothing more. May be called twice."""
        if not self._running:
            return
        self._running = False
        self._agenda.stop()
        at = self.begin()
        self._sending.settle(at, self._gate.policy)
        self._sending.stop(at)
        self._history.hand_over(at)
        try:
            self._storage.save(at)
        finally:
            self._throttled.close()
            try:
                self._history.close()
            finally:
                self._storage.close()

    # Around each entry

    def begin(self) -> Reading:
        """Read both clocks, once for all that follows; bring near what a clock set back put off (5.2)."""
        self._at, set_back_by = self._watch.read()
        if set_back_by:
            self._log.clock_set_back(set_back_by)
            self._schedule.bring_near(self._at.now)
            self._sending.beats.pending.clock_set_back(set_back_by)
            self._queue.clock_set_back(set_back_by, self._at.now)
            self._storage.save_soon(self._at)
        return self._at

    def end(self) -> None:
        """Plan what is to be done about storage; then wait for what comes next."""
        self._sending.beats.pending.follow(self._schedule.current)
        self._sending.settle(self._at, self._gate.policy)
        self._storage.plan(self._at)
        # Where a step comes at once, its end hands over what became of this wake and of those before it.
        if not self._agenda.is_about_to_step(self._at):
            self._history.hand_over(self._at)
        if self._running:
            self._agenda.arm(self._at)

    def do_due(self) -> None:
        """Do what is due now, without waiting for the timer."""
        self._agenda.do_due()

    # Everything that is coming

    def _coming(self) -> Iterator[DueAction]:
        """Everything that is coming. Of two at one moment the one named first goes first."""
        at = self._at
        yield from self._sending.coming(at, self._gate.policy)
        if (due := self._gate.silence_due) is not None:
            yield DueAction("no policy", at.wall(due), self._say_silence)
        for kind, when, act in self._storage.coming():
            yield DueAction(kind, at.wall(when), partial(act, at))
        if (summary := self._throttled.next_summary) is not None:
            yield DueAction("sum up", at.wall(summary), lambda: self._throttled.sum_up(at.ticks))

    def _broken(self, error: Exception) -> None:
        self._log.broken(error, self._at.ticks)

    def _say_silence(self) -> None:
        self._gate.say_silence(self._at)
        self.say_waiting()

    def say_waiting(self) -> None:
        """How many reminders will not fire, and why, where any (7.5)."""
        self._log.waiting(len(self._queue), self._gate.blocked, self._at.ticks)
