"""Wakes on their way: made, handed to the transport, answered, or given up waiting for.

This is the only caller of `Transport.push`, and `coming` says everything that it will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from heartbeat_core.delivery.agenda import DueAction
from heartbeat_core.delivery.beat import Attempt, Beat, BeatOutcome
from heartbeat_core.delivery.beats import Beats
from heartbeat_core.history import Ending, WakeKind
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Busy, Policy
from heartbeat_core.ports import NewId, Transport
from heartbeat_core.queue.reminder_queue import Outcome
from heartbeat_core.schedule import ambient_schedule as scheduling
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import LATE, Answer, BeatReason, Taken, Wake, beat_wake, reminder_wake

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
        answer_within: timedelta,
        in_beat: Callable[[], bool] | None,
    ) -> None:
        self.beats = Beats(overlap=in_beat is None)
        self._in_beat = in_beat
        self.owed: datetime | None = None
        """The due time of a beat that waits for the host's first policy (8.2)."""
        self.hurry = False
        """Whether what was asked for leaves without room too, since the next line waits for it (6.3)."""
        self._transport = transport
        self._storage = storage
        self._schedule = storage.schedule
        self._queue = storage.reminders.queue
        self._new_id = new_id
        self._log = log
        self._history = history
        self._zone = zone
        self._answer_within = answer_within
        self._wakes = 0
        self._next_beat: datetime | None = None
        """The next beat of the schedule, as last seen; None once it was settled."""

    # Beats

    @property
    def busy(self) -> Busy | None:
        """That the handler of a beat still runs; None where none does, or where beats overlap (9.5)."""
        since = self.beats.busy_since
        return None if since is None else Busy(since, self._in_beat is not None and self._in_beat())

    def ask_for_beat(self, at: Reading) -> None:
        """Have one beat sent as soon as there is room, with the message and mode of now (6.3)."""
        self._storage.look(at)
        beat = Beat(BeatReason.MANUAL, at.now)
        self.beats.asked.append(Attempt(beat, self._schedule.current))

    def _asked_beat(self, at: Reading, policy: Policy) -> None:
        """Send the beat that was asked for first, or drop it where the policy has changed since."""
        attempt = self.beats.asked.popleft()
        if (blocked := policy.blocked) is not None:
            self._log.missed_beat(blocked, at.ticks)
            self._asked_ended(attempt, Ending.DROPPED, str(blocked), at)
        elif (since := self.beats.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self._asked_ended(attempt, Ending.BUSY, None, at)
        else:
            self._send_beat(attempt, at)

    def _asked_ended(self, attempt: Attempt, ending: Ending, reason: str | None, at: Reading) -> None:
        """What was asked for ends without a wake; a second try's beat has its line already."""
        if attempt.beat.attempts == 0:
            self._history.ended(WakeKind.TRIGGERED, ending, attempt.beat.due, at.now, reason=reason)

    def _retry_beat(self, at: Reading, policy: Policy) -> None:
        """Try a beat again that was not taken (4.14).

        Outside active hours, or while no wake is deliverable, this try is left out.
        """
        self._storage.look(at)
        self.beats.follow(self._schedule.current)
        due = self.beats.next_retry(at.now, self._schedule.current)
        if due is None or due > at.now:
            return
        if policy.blocked is None and self._is_active(at):
            self._send_beat(self.beats.retry(self._schedule.current), at)
        else:
            self.beats.skip_retry(at.now)

    def _due_beat(self, at: Reading) -> None:
        """Send the beat of the schedule, if it is due still, and count on from it.

        One that is late and whose turn comes outside active hours waits for the next opening (12.2).
        """
        if (due := self._due(at)) is None:
            return
        self.owed = None
        missed = self._passed(at)
        self.beats.passed(missed)
        if at.now - due >= LATE and not self._schedule.current.asked and not self._is_active(at):
            later = scheduling.moved_to_opening(self._schedule.current, at.now, self._zone)
            self._beat_ended(Ending.MOVED, due, at, missed, to=later.next_beat)
            self._schedule.change(later, at.now)
            return
        if (since := self.beats.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self.beats.passed(1)
            self._beat_ended(Ending.BUSY, due, at, missed)
        else:
            beat = Beat(BeatReason.SCHEDULE, due, missed=missed)
            self._send_beat(Attempt(beat, self._schedule.current), at)
        self._next_beat = None
        self._schedule.change(scheduling.advanced(self._schedule.current, at.now, self._zone), at.now)

    def _miss_beat(self, at: Reading, policy: Policy) -> None:
        """A beat is due and not deliverable: it waits for the first policy, else is dropped (4.9, 8.2)."""
        blocked, due = policy.blocked, self._due(at)
        if blocked is None or due is None:
            return
        if policy.settled:
            self._log.missed_beat(blocked, at.ticks)
            missed = self._passed(at)
            self.beats.passed(1 + missed)
            self._beat_ended(Ending.DROPPED, due, at, missed, reason=str(blocked))
            self._schedule.change(scheduling.advanced(self._schedule.current, at.now, self._zone), at.now)
        else:
            self.owed = due
            self._log.owed_beat(blocked)

    def _beat_ended(
        self,
        ending: Ending,
        due: datetime,
        at: Reading,
        missed: int = 0,
        *,
        reason: str | None = None,
        to: datetime | None = None,
    ) -> None:
        """A beat of the schedule that was due ends without a wake."""
        self._next_beat = None
        self._history.ended(WakeKind.BEAT, ending, due, at.now, reason=reason, missed=missed, to=to)

    def owe_due_beat(self, at: Reading) -> None:
        """A beat that is due when the first Request comes waits, also where its timer is still to come."""
        beat = self._schedule.current.next_beat
        if beat is not None and beat <= at.now:
            self.owed = beat

    def _due(self, at: Reading) -> datetime | None:
        """When the beat that is due fell due, after a look at what is stored, which may say otherwise."""
        self._storage.look(at)
        due = self._schedule.current.next_beat
        return due if due is not None and due <= at.now else None

    def _passed(self, at: Reading) -> int:
        """How many beats have passed beside the one that is due."""
        return scheduling.times_passed(self._schedule.current, at.now, self._zone)

    def _news(self, beat: Beat, at: Reading) -> list[str]:
        """What the text of a beat says beside the time, where not all went as planned (13.1)."""
        waiting = self._queue.waiting(at.now)
        return [
            *([f"due {show(beat.due, self._zone)}"] if at.now - beat.due >= LATE else []),
            *([f"{unheard} more not heard"] if (unheard := self.beats.unheard.count) else []),
            *([f"{waiting} reminder(s) waiting"] if waiting else []),
        ]

    def _is_active(self, at: Reading) -> bool:
        return self._schedule.current.active.includes(at.now, self._zone)

    def _send_beat(self, attempt: Attempt, at: Reading) -> None:
        beat = attempt.beat
        event_id = self.beats.sending(attempt, f"beat_{self._new_id()}")
        wake = beat_wake(
            self._next_number(),
            event_id,
            beat.reason,
            beat.due,
            attempt.schedule,
            at.now,
            self._zone,
            fallback=attempt.fallback,
            news=() if attempt.silent else self._news(beat, at),
            attempt=beat.attempts + 1,
            missed=beat.missed,
        )
        self.beats.sent(wake, attempt, at.ticks + self._answer_within)
        self._transport.push(wake)

    def beat_answered(self, wake: Wake, answer: Answer, at: Reading, policy: Policy) -> None:
        """The host answered a beat."""
        schedule, deliverable = self._schedule.current, policy.blocked is None
        in_time = self.beats.waits_for(wake)
        outcome = self.beats.answered(wake, answer, at.now, schedule, deliverable=deliverable)
        self._history.answered(wake, answer, at.now, counts=outcome is BeatOutcome.TAKEN, in_time=in_time)
        match outcome:
            case BeatOutcome.REFUSED_AS_EMPTY:
                self._log.silent_refused(answer, at.ticks)
            case BeatOutcome.TAKEN:
                self._log.beat_taken(at.ticks)
            case BeatOutcome.NOT_TAKEN:
                self._log.beat_refused(answer, at.ticks)

    # Reminders

    def _send_reminder(self, at: Reading) -> None:
        """Send the reminder that comes next."""
        coming = self._queue.next_wake(at.now)
        assert coming is not None
        queued = coming[1]
        wake = reminder_wake(
            self._next_number(),
            queued.reminder,
            at.now,
            self._zone,
            attempt=queued.tries + 1,
            nudge=queued.nudge,
        )
        self._queue.sent(wake, at.ticks + self._answer_within)
        self._transport.push(wake)

    def reminder_answered(self, wake: Wake, answer: Answer, at: Reading) -> None:
        """The host answered a reminder's wake."""
        in_time = self._queue.waits_for(wake)
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

    # Both

    def coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming of wakes. Of two at one moment the one named first goes first."""
        for deadline in self._deadlines():
            yield DueAction("give up waiting", at.wall(deadline), lambda: self._give_up(at))
        may_send = policy.blocked is None and self._transport.ready()
        if may_send or policy.blocked or self.hurry:
            yield from self._asked_beats(at, policy)
        if may_send or policy.blocked:
            yield from self._beats_again(at, policy)
        if (beat := self._schedule.current.next_beat) is not None:
            if may_send:
                yield DueAction("beat", beat, lambda: self._due_beat(at))
            elif policy.blocked and beat != self.owed:
                yield DueAction("beat", beat, lambda: self._miss_beat(at, policy))
        if may_send and (coming := self._queue.next_wake(at.now)) is not None:
            yield DueAction("reminder", coming[0], lambda: self._send_reminder(at))

    def _asked_beats(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """Triggered beats, and second tries of silent ones."""
        if asked := self.beats.asked:
            # At once, also where the clock was set back since it was asked for.
            when = min(asked[0].beat.due, at.now)
            yield DueAction("asked beat", when, lambda: self._asked_beat(at, policy))

    def _beats_again(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What was not taken, once more (4.14), unless a beat that was asked for takes its place."""
        retry = self.beats.next_retry(at.now, self._schedule.current)
        if retry is not None and not self.beats.asked:
            yield DueAction("retry beat", retry, lambda: self._retry_beat(at, policy))

    def _deadlines(self) -> list[timedelta]:
        """When waiting ends for the first beat and the first reminder that are out, monotonic."""
        both = (self.beats.next_deadline, self._queue.next_deadline)
        return [deadline for deadline in both if deadline is not None]

    def _give_up(self, at: Reading) -> None:
        """Stop waiting for the answers whose time is over (4.12, 7.3)."""
        reason = f"no answer within {self._answer_within.total_seconds():g} s"
        for wake in self.beats.time_out(at.ticks, at.now, self._schedule.current):
            self._history.unanswered(wake, at.now, reason)
            self._log.beat_unanswered(at.ticks)
        for wake, outcome in self._queue.time_out(reason, at.now, at.ticks):
            self._history.unanswered(wake, at.now, reason)
            if outcome is Outcome.HELD:
                self._log.reminder_unanswered(str(wake.reminder_id), at.ticks)

    # What others ended

    def settle(self, at: Reading) -> None:
        """Tell of due moments that somebody's change has ended; to be called at the end of each step."""
        for firing in self._queue.take_ended(at.now):
            self._history.ended(
                WakeKind.REMINDER,
                firing.ending,
                firing.due,
                at.now,
                reminder_id=firing.id,
                missed=firing.missed,
                to=firing.to,
            )
        before, self._next_beat = self._next_beat, self._schedule.current.next_beat
        if before is not None and before <= at.now and before != self._next_beat:
            self._beat_ended(Ending.CANCELLED, before, at)
            self._next_beat = self._schedule.current.next_beat

    def stop(self, at: Reading) -> None:
        """Tell of what nobody will wait for any more."""
        for wake in [*self.beats.out, *self._queue.out]:
            self._history.unanswered(wake, at.now, _STOPPED)
        for attempt in self.beats.asked:
            self._asked_ended(attempt, Ending.DROPPED, _STOPPED, at)

    def _next_number(self) -> int:
        self._wakes += 1
        return self._wakes
