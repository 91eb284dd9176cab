"""Beats on their way: due, triggered, owed or tried again, and what the answers do (4.9 to 4.14, 9.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from heartbeat_core.delivery.agenda import DueAction
from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.delivery.beat import Attempt, Beat, BeatOutcome, Busy
from heartbeat_core.delivery.beats import Beats
from heartbeat_core.delivery.endings import Endings
from heartbeat_core.delivery.way_out import WayOut, not_before
from heartbeat_core.history import Ending
from heartbeat_core.keeping.storage import Storage
from heartbeat_core.policy import Policy
from heartbeat_core.ports import NewId, Ownership
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import (
    LATE,
    Answer,
    BeatReason,
    Wake,
    beat_wake,
)


class BeatSending:
    """Sends beats, and takes their answers."""

    def __init__(
        self,
        way_out: WayOut,
        storage: Storage,
        new_id: NewId,
        log: OperatorLog,
        history: WakeHistory,
        endings: Endings,
        zone: AgentZone,
        in_beat: Callable[[], bool] | None,
        ownership: Ownership | None,
    ) -> None:
        self.pending = Beats(overlap=in_beat is None)
        self.owed: datetime | None = None
        """The due time of a beat that waits for the policy (8.2), a limit (15.3) or the database (16.4)."""
        self.hurry = False
        """Whether what was asked for leaves without room too, since the next line waits for it (6.3)."""
        self._way_out = way_out
        self._storage = storage
        self._schedule = storage.schedule
        self._queue = storage.reminders.queue
        self._new_id = new_id
        self._log = log
        self._history = history
        self._endings = endings
        self._zone = zone
        self._in_beat = in_beat
        self._ownership = ownership

    @property
    def busy(self) -> Busy | None:
        """That the handler of a beat still runs; None where none does, or where beats overlap (9.5)."""
        since = self.pending.busy_since
        return None if since is None else Busy(since, self._in_beat is not None and self._in_beat())

    def ask_for_beat(self, at: Reading) -> None:
        """Have one beat sent as soon as there is room, with the message and mode of now (6.3)."""
        self._storage.look(at)
        beat = Beat(BeatReason.MANUAL, at.now)
        self.pending.triggered.append(Attempt(beat, self._schedule.current))

    def _triggered_beat(self, at: Reading, policy: Policy) -> None:
        """Send the beat that was asked for first, or drop it where the policy has changed since."""
        attempt = self.pending.triggered.popleft()
        if attempt.fallback and self._is_owed and policy.blocked is None:
            return  # both waited for a limit, and the newer beat takes its place
        if (blocked := policy.blocked) is not None:
            self._log.missed_beat(blocked, at.ticks)
            self._endings.of_triggered(attempt.beat, Ending.DROPPED, at, str(blocked))
        elif (since := self.pending.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self._endings.of_triggered(attempt.beat, Ending.BUSY, at)
        else:
            self._send_beat(attempt, at)

    def _retry_beat(self, at: Reading, policy: Policy) -> None:
        """Try a beat again that was not taken (4.14).

        Outside active hours, or while no wake is deliverable, this try is left out.
        """
        self._storage.look(at)
        self.pending.follow(self._schedule.current)
        due = self.pending.next_retry(at.now, self._schedule.current)
        if due is None or due > at.now:
            return
        if policy.blocked is None and not self._is_withheld() and self._schedule.is_open(at.now):
            self._send_beat(self.pending.retry(self._schedule.current), at)
        else:
            self.pending.skip_retry(at.now)

    def _due_beat(self, at: Reading) -> None:
        """Send the beat of the schedule, if it is due still, and count on from it."""
        if (due := self._due(at)) is None or self._is_withheld() or self._moved_to_opening(due, at):
            return  # what the look has found the agenda hears at once
        self.owed = None
        missed = self._schedule.times_passed(at.now)
        self.pending.count_not_sent(missed)
        if (since := self.pending.busy_since) is not None:
            self._log.busy_beat(show(since, self._zone), at.ticks)
            self.pending.count_not_sent(1)
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
        self.pending.count_not_sent(missed)
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
            self.pending.count_not_sent(1 + missed)
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
        if (
            self._is_owed
            and self._way_out.allowance.wait(at.now) is not None
            and (due := self._due(at)) is not None
        ):
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
            *([f"{unheard} more not heard"] if (unheard := self.pending.unheard.count) else []),
            *([f"{waiting} reminder(s) waiting"] if waiting else []),
        ]

    def _is_withheld(self) -> bool:
        """Whether the look before this has found that no wake may leave (16.3, 16.4)."""
        return self._ownership is not None and self._ownership.withheld() is not None

    def _send_beat(self, attempt: Attempt, at: Reading) -> None:
        beat = attempt.beat
        event_id = self.pending.event_id_for(attempt, f"beat_{self._new_id()}")
        wake = beat_wake(
            self._way_out.next_number(),
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
        self.pending.sent(wake, attempt, at.ticks + self._way_out.answer_within)
        self._way_out.push(wake, at)

    def answered(self, wake: Wake, answer: Answer, at: Reading, policy: Policy) -> None:
        """The host answered a beat."""
        schedule, deliverable = self._schedule.current, policy.blocked is None
        in_time = self.pending.waits_for(wake)
        outcome = self.pending.answered(wake, answer, at.now, schedule, deliverable=deliverable)
        self._history.answered(wake, answer, at.now, counts=outcome is BeatOutcome.TAKEN, in_time=in_time)
        match outcome:
            case BeatOutcome.REFUSED_AS_EMPTY:
                self._log.silent_refused(answer, at.ticks)
            case BeatOutcome.TAKEN:
                self._log.beat_taken(at.ticks)
            case BeatOutcome.NOT_TAKEN:
                self._log.beat_refused(answer, at.ticks)

    # What is coming

    def coming(self, at: Reading, policy: Policy) -> Iterator[DueAction]:
        """What is coming of beats. Of two at one moment the one named first goes first."""
        may_send = policy.blocked is None and self._way_out.has_room
        wait = None if policy.blocked else self._way_out.allowance.wait(at.now)
        if may_send or policy.blocked or self.hurry:
            yield from self._triggered_beats(at, policy, wait)
        if may_send or policy.blocked:
            yield from self._beats_again(at, policy, wait)
        if (beat := self._schedule.current.next_beat) is not None:
            if may_send and wait is not None and beat < wait.until and beat != self.owed:
                yield DueAction("beat waits", beat, lambda: self._owe_beat(wait, at))
            elif may_send:
                yield DueAction("beat", not_before(wait, beat), lambda: self._due_beat(at))
            elif policy.blocked and beat != self.owed:
                yield DueAction("beat", beat, lambda: self._miss_beat(at, policy))

    def _triggered_beats(self, at: Reading, policy: Policy, wait: Wait | None) -> Iterator[DueAction]:
        """Triggered beats, and second tries of silent ones."""
        if triggered := self.pending.triggered:
            # At once, also where the clock was set back since it was asked for.
            when = min(triggered[0].beat.due, at.now)
            yield DueAction(
                "triggered beat", not_before(wait, when), lambda: self._triggered_beat(at, policy)
            )

    def _beats_again(self, at: Reading, policy: Policy, wait: Wait | None) -> Iterator[DueAction]:
        """What was not taken, once more (4.14), unless a beat that was asked for takes its place."""
        retry = self.pending.next_retry(at.now, self._schedule.current)
        if retry is None or self.pending.triggered or self._yields_to_reminder(at):
            return
        yield DueAction("retry beat", not_before(wait, retry), lambda: self._retry_beat(at, policy))

    def _yields_to_reminder(self, at: Reading) -> bool:
        """Whether, where wakes are few, a reminder is tried first, so that neither kind starves the other."""
        coming = self._queue.next_wake(at.now) if self._way_out.allowance.is_limited else None
        return coming is not None and coming[0] <= at.now and coming[1].turn < self.pending.retry_turn
