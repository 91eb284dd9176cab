"""Wakes on their way: made, handed to the transport, answered, or given up waiting for.

This is the only caller of `Transport.push`, and `coming` says everything that it will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from heartbeat_core.delivery.agenda import DueAction
from heartbeat_core.delivery.allowance import Allowance, Wait
from heartbeat_core.delivery.beat import Attempt, Beat, BeatOutcome, Busy
from heartbeat_core.delivery.beats import Beats
from heartbeat_core.delivery.endings import Endings
from heartbeat_core.history import Ending
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Policy
from heartbeat_core.ports import History, NewId, Ownership, Transport
from heartbeat_core.queue.given_up import GivenUpNews
from heartbeat_core.queue.pacing import as_it_runs
from heartbeat_core.queue.queued_reminder import QueuedReminder
from heartbeat_core.queue.reminder_queue import Outcome
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import (
    LATE,
    MOST_MISSED_SHOWN,
    Answer,
    BeatReason,
    Taken,
    Wake,
    beat_wake,
    reminder_wake,
)

_STOPPED = "the server stopped"
_NO_SERVER = "no server ran"
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


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
        self.beats = Beats(overlap=in_beat is None)
        self._in_beat = in_beat
        self._ownership = ownership
        self.owed: datetime | None = None
        """The due time of a beat that waits for the policy (8.2), a limit (15.3) or the database (16.4)."""
        self.given_up = GivenUpNews()
        """What the agent has not been told of yet (10.5)."""
        self.hurry = False
        """Whether what was asked for leaves without room too, since the next line waits for it (6.3)."""
        self._transport = transport
        self._storage = storage
        self._schedule = storage.schedule
        self._queue = storage.reminders.queue
        self._new_id = new_id
        self._log = log
        self._history = history
        self._endings = Endings(history)
        self._zone = zone
        self._limits = limits
        self.allowance = Allowance(limits, zone)
        self._told_until = _BEFORE_ALL
        """Up to when the reminders that fell due and wait for a limit have their lines."""
        self._answer_within = answer_within
        self._wakes = 0

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
        self.beats.triggered.append(Attempt(beat, self._schedule.current))

    def _triggered_beat(self, at: Reading, policy: Policy) -> None:
        """Send the beat that was asked for first, or drop it where the policy has changed since."""
        attempt = self.beats.triggered.popleft()
        if attempt.fallback and self._is_owed and policy.blocked is None:
            return  # both waited for a limit, and the newer beat takes its place
        if (blocked := policy.blocked) is not None:
            self._log.missed_beat(blocked, at.ticks)
            self._endings.of_triggered(attempt.beat, Ending.DROPPED, at, str(blocked))
        elif (since := self.beats.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self._endings.of_triggered(attempt.beat, Ending.BUSY, at)
        else:
            self._send_beat(attempt, at)

    def _retry_beat(self, at: Reading, policy: Policy) -> None:
        """Try a beat again that was not taken (4.14).

        Outside active hours, or while no wake is deliverable, this try is left out.
        """
        self._storage.look(at)
        self.beats.follow(self._schedule.current)
        due = self.beats.next_retry(at.now, self._schedule.current)
        if due is None or due > at.now:
            return
        if policy.blocked is None and not self._is_withheld() and self._schedule.is_open(at.now):
            self._send_beat(self.beats.retry(self._schedule.current), at)
        else:
            self.beats.skip_retry(at.now)

    def _due_beat(self, at: Reading) -> None:
        """Send the beat of the schedule, if it is due still, and count on from it."""
        if (due := self._due(at)) is None or self._is_withheld() or self._moved_to_opening(due, at):
            return  # what the look has found the agenda hears at once
        self.owed = None
        missed = self._schedule.times_passed(at.now)
        self.beats.count_not_sent(missed)
        if (since := self.beats.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self.beats.count_not_sent(1)
            self._endings.of_beat(Ending.BUSY, due, at, missed)
        else:
            beat = Beat(BeatReason.SCHEDULE, due, missed=missed)
            self._send_beat(Attempt(beat, self._schedule.current), at)
        self._endings.beat_is_sent()
        self._schedule.advance(at.now)

    def _moved_to_opening(self, due: datetime, at: Reading) -> bool:
        """Move a beat that is late and outside its hours to the next opening (12.2); gives whether it is."""
        if at.now - due < LATE or self._schedule.current.next_is_asked or self._schedule.is_open(at.now):
            return False
        self.owed = None
        missed = self._schedule.times_passed(at.now)
        self.beats.count_not_sent(missed)
        self._schedule.move_to_opening(at.now)
        self._endings.of_beat(Ending.MOVED, due, at, missed, to=self._schedule.current.next_beat)
        return True

    def _owe_beat(self, wait: Wait, at: Reading) -> None:
        """A beat is due that a limit lets leave only later: one waits, however many come due (15.3)."""
        if (due := self._due(at)) is not None and not self._moved_to_opening(due, at):
            self.owed = due
            self._endings.of_waiting_beat(due, wait.until, at)
            self._log.beat_waits(wait.limit, show(wait.until, self._zone), at.ticks)

    def _miss_beat(self, at: Reading, policy: Policy) -> None:
        """A beat is due and not deliverable: dropped (4.9), unless it is owed (8.2, 16.4)."""
        blocked, due = policy.blocked, self._due(at)
        if blocked is None or due is None:
            return
        if policy.settled and policy.withheld is None:
            self._log.missed_beat(blocked, at.ticks)
            missed = self._schedule.times_passed(at.now)
            self.beats.count_not_sent(1 + missed)
            self._endings.of_beat(Ending.DROPPED, due, at, missed, reason=str(blocked))
            self._schedule.advance(at.now)
        else:
            self.owed = due
            self._log.owed_beat(blocked)

    @property
    def _is_owed(self) -> bool:
        """Whether the beat that comes next is owed."""
        return self.owed is not None and self.owed == self._schedule.current.next_beat

    def move_owed_beat(self, at: Reading) -> None:
        """The host allows wakes now: move the beat that was owed till then, if its turn is in quiet hours."""
        if self._is_owed and self.allowance.wait(at.now) is not None and (due := self._due(at)) is not None:
            self._moved_to_opening(due, at)

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

    def _news(self, beat: Beat, at: Reading) -> list[str]:
        """What the text of a beat says beside the time, where not all went as planned (13.1)."""
        waiting = self._queue.waiting(at.now)
        return [
            *([f"due {show(beat.due, self._zone)}"] if at.now - beat.due >= LATE else []),
            *([f"{unheard} more not heard"] if (unheard := self.beats.unheard.count) else []),
            *([f"{waiting} reminder(s) waiting"] if waiting else []),
        ]

    def _is_withheld(self) -> bool:
        """Whether the look before this has found that no wake may leave (16.3, 16.4)."""
        return self._ownership is not None and self._ownership.withheld() is not None

    def _send_beat(self, attempt: Attempt, at: Reading) -> None:
        beat = attempt.beat
        event_id = self.beats.event_id_for(attempt, f"beat_{self._new_id()}")
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
        self._push(wake, at)

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

    def _send_reminders(self, at: Reading, policy: Policy, until: datetime) -> None:
        """Send the reminder that comes next, and those after it that are due before `until`.

        Many that are due together are one action, since to look through all that is coming takes as long
        as to send a wake.
        """
        coming = self._next_reminder(at, policy)
        assert coming is not None
        self._send_reminder(coming[1], at)
        while (coming := self._next_reminder(at, policy)) is not None and coming[0] < until:
            self._send_reminder(coming[1], at)

    def _next_reminder(self, at: Reading, policy: Policy) -> tuple[datetime, QueuedReminder] | None:
        """The reminder that leaves next, and when, as things stand; None where none may."""
        may_send = policy.blocked is None and self._transport.ready()
        coming = self._queue.next_wake(at.now) if may_send else None
        return coming and (_not_before(self.allowance.wait(at.now), coming[0]), coming[1])

    def _send_reminder(self, queued: QueuedReminder, at: Reading) -> None:
        missed = as_it_runs(queued.own, self._limits).passed(at.now, MOST_MISSED_SHOWN + 1)
        reminder = as_it_runs(queued.reminder, self._limits)
        wake = reminder_wake(
            self._next_number(),
            reminder,
            at.now,
            self._zone,
            missed,
            attempt=queued.tries + 1,
            nudge=queued.nudge,
        )
        self._queue.sent(wake, at.ticks + self._answer_within)
        self._push(wake, at)

    def reminder_answered(self, wake: Wake, answer: Answer, at: Reading) -> None:
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

    def _expire_reminders(self, at: Reading, policy: Policy) -> None:
        """Give up the firings that were not taken in the time that they have (10.5)."""
        wait = self.allowance.wait(at.now)
        why_not = str(policy.blocked or (wait and f"{wait.limit}, set by the operator") or _NO_SERVER)
        for given_up in self._queue.give_up(why_not, at.now):
            self.given_up.add(given_up)
            self._endings.of_expired(given_up, at)
            due = show(given_up.due, self._zone)
            self._log.reminder_given_up(given_up.reminder_id, due, given_up.reason, at.ticks)
        self._storage.save_soon(at)

    # Both

    def coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming of wakes. Of two at one moment the one named first goes first."""
        others = list(self._others_coming(at, policy))
        yield from others
        if (coming := self._next_reminder(at, policy)) is not None:
            until = min([at.now + MILLISECOND, *(other.when for other in others)])
            if self.allowance.is_limited:
                until = coming[0]  # one at a time: whose turn is next depends on what left
            yield DueAction("reminder", coming[0], lambda: self._send_reminders(at, policy, until))

    def _others_coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming beside reminders."""
        for deadline in self._deadlines():
            yield DueAction("give up waiting", at.wall(deadline), lambda: self._give_up(at))
        if (expiry := self._queue.next_expiry) is not None:
            # What has expired goes before what is due: it would be sent else, since it was due earlier.
            when = _BEFORE_ALL if expiry <= at.now else expiry
            yield DueAction("expire", when, lambda: self._expire_reminders(at, policy))
        may_send = policy.blocked is None and self._transport.ready()
        wait = None if policy.blocked else self.allowance.wait(at.now)
        if may_send or policy.blocked or self.hurry:
            yield from self._triggered_beats(at, policy, wait)
        if may_send or policy.blocked:
            yield from self._beats_again(at, policy, wait)
        if wait is not None:
            yield from self._waits_coming(at, policy, wait)
        if (beat := self._schedule.current.next_beat) is not None:
            if may_send and wait is not None and beat < wait.until and beat != self.owed:
                yield DueAction("beat waits", beat, lambda: self._owe_beat(wait, at))
            elif may_send:
                yield DueAction("beat", _not_before(wait, beat), lambda: self._due_beat(at))
            elif policy.blocked and beat != self.owed:
                yield DueAction("beat", beat, lambda: self._miss_beat(at, policy))

    def _triggered_beats(self, at: Reading, policy: Policy, wait: Wait | None) -> Iterator[DueAction]:
        """Triggered beats, and second tries of silent ones."""
        if triggered := self.beats.triggered:
            # At once, also where the clock was set back since it was asked for.
            when = min(triggered[0].beat.due, at.now)
            yield DueAction(
                "triggered beat", _not_before(wait, when), lambda: self._triggered_beat(at, policy)
            )

    def _beats_again(self, at: Reading, policy: Policy, wait: Wait | None) -> Iterator[DueAction]:
        """What was not taken, once more (4.14), unless a beat that was asked for takes its place."""
        retry = self.beats.next_retry(at.now, self._schedule.current)
        if retry is None or self.beats.triggered or self._yields_to_reminder(at):
            return
        yield DueAction("retry beat", _not_before(wait, retry), lambda: self._retry_beat(at, policy))

    def _yields_to_reminder(self, at: Reading) -> bool:
        """Whether, where wakes are few, a reminder is tried first, so that neither kind starves the other."""
        coming = self._queue.next_wake(at.now) if self.allowance.is_limited else None
        return coming is not None and coming[0] <= at.now and coming[1].turn < self.beats.retry_turn

    def wait_for_trigger(self, at: Reading) -> Wait | None:
        """What a beat that is triggered now would wait for: what is due already leaves before it (15.2)."""
        if not self.allowance.is_limited:
            return None
        beat = self._schedule.current.next_beat
        due = self._queue.due(at.now) + (beat is not None and beat <= at.now)
        return self.allowance.wait(at.now, len(self.beats.triggered) + due)

    def count_history(self, history: History, at: Reading) -> None:
        """Count what left before this process began (15.3)."""
        try:
            self.allowance.restore(history, at.now)
        except Exception as error:  # an embedder's own: it may cost what a budget knows, and no wake
            self._log.history_unread(error, at.ticks)

    def _push(self, wake: Wake, at: Reading) -> None:
        """Hand a wake over; the one place that wakes leave from."""
        if (wait := self.allowance.count(at.now)) is not None:
            self._log.limit_reached(wait.limit, show(wait.until, self._zone), at.ticks)
        self._transport.push(wake)

    def _deadlines(self) -> list[timedelta]:
        """When waiting ends for the first beat and the first reminder that are out, monotonic."""
        both = (self.beats.next_deadline, self._queue.awaited.next_deadline)
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

    def settle(self, at: Reading, policy: Policy) -> None:
        """Tell of due moments that a change has ended, or that wait; to be called at the end of each step."""
        for firing in self._queue.ended.take(at.now):
            self._endings.of_reminder(firing, at)
        self._endings.follow(self._schedule.current.next_beat, at)
        self._tell_waiting(at, policy)

    def _tell_waiting(self, at: Reading, policy: Policy) -> None:
        """Tell of the reminders that are due and wait for a limit (15.3)."""
        wait = self.allowance.wait(at.now)
        if wait is not None and policy.blocked is None:
            self._told_until = at.now
            self._endings.of_waiting_reminders(self._queue.untried(at.now), wait.until, at)

    def _waits_coming(self, at: Reading, policy: Policy, wait: Wait) -> Iterator[DueAction]:
        """That another reminder falls due which has to wait."""
        due = self._queue.next_untried(min(self._told_until, at.now))
        if due is not None and due < wait.until:
            yield DueAction("reminder waits", due, lambda: self._tell_waiting(at, policy))

    def stop(self, at: Reading) -> None:
        """Tell of what nobody will wait for any more."""
        for wake in [*self.beats.out, *self._queue.awaited.wakes]:
            self._history.unanswered(wake, at.now, _STOPPED)
        for attempt in self.beats.triggered:
            self._endings.of_triggered(attempt.beat, Ending.DROPPED, at, _STOPPED)

    def _next_number(self) -> int:
        self._wakes += 1
        return self._wakes


def _not_before(wait: Wait | None, when: datetime) -> datetime:
    return when if wait is None else max(when, wait.until)
