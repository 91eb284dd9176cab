"""Beats that are asked for, out, or to be tried again, and the event id that each attempt carries.

Keeps 4.12, 4.14 and 6.11 as far as they concern beats. The countdown is in `schedule`.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from heartbeat_core.delivery.beat import Attempt, Beat, BeatEventId, BeatOutcome
from heartbeat_core.delivery.unheard import Unheard
from heartbeat_core.queue.retries import next_try
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.wakes import (
    Answer,
    BeatReason,
    Failed,
    Refused,
    Taken,
    Wake,
    is_duplicate,
    is_refused_as_empty,
)


@dataclass(frozen=True, slots=True)
class _Out:
    attempt: Attempt
    event_id: BeatEventId
    wake: Wake
    deadline: timedelta


class Beats:
    """Every beat from the moment it is asked for until it was heard, or the next one took its place."""

    def __init__(self, *, overlap: bool = True) -> None:
        """Without `overlap` a beat is settled when it is answered, however late, and none is sent before."""
        self._overlap = overlap
        self.triggered: deque[Attempt] = deque()
        """What is to be sent as soon as there is room: triggered beats, and second tries of silent ones."""
        self.silent_refused = False
        """Whether the host refused the last silent beat for being empty (6.11)."""
        self._out: dict[int, _Out] = {}
        self._newest: Beat | None = None
        self._last_number = -1
        self._retry: datetime | None = None
        """When the newest beat is tried again, as long as that is before the next one."""
        self._pace: tuple[timedelta, bool] | None = None
        """The interval, and whether beats pause, as last seen."""
        self._begun = 0
        self.unheard = Unheard()
        self._left_event_id: BeatEventId | None = None
        """What the beats before the newest have left for the next one to carry (4.12)."""
        self._left_fallback_id: BeatEventId | None = None
        """The same of the messages that were sent in place of silent beats."""

    # Sending

    def event_id_for(self, attempt: Attempt, fresh: str) -> str:
        """An attempt is about to be made; gives its event id, which is `fresh` where it needs one."""
        if attempt.beat is not self._newest:
            self._begin(attempt)
        beat = attempt.beat
        if attempt.fallback or (beat.fallback_id is not None and not attempt.silent):
            beat.fallback_id = beat.fallback_id or BeatEventId(fresh)
            return beat.fallback_id.text
        beat.event_id = beat.event_id or BeatEventId(fresh)
        return beat.event_id.text

    def _begin(self, attempt: Attempt) -> None:
        """A new beat takes the place of the newest, and the ids that nobody answered (4.12)."""
        before, beat = self._newest, attempt.beat
        self._newest, self._retry = beat, None
        beat.place = self._begun
        self._begun += 1
        if before is not None:
            if not any(event_id.is_out for event_id in before.ids):
                self._came_to_nothing(before)
            self._leave(before.event_id, fallback=False)
            self._leave(before.fallback_id, fallback=True)
        beat.event_id, beat.fallback_id = _if_left(self._left_event_id), _if_left(self._left_fallback_id)
        self._left_event_id = self._left_fallback_id = None
        if not attempt.silent and beat.event_id is not None:
            beat.fallback_id = None

    def _came_to_nothing(self, beat: Beat) -> None:
        if beat.reason is BeatReason.SCHEDULE and not beat.was_taken:
            self.unheard.add(beat.place)

    def count_not_sent(self, beats: int) -> None:
        """Count beats of the schedule that came to nothing without being sent: dropped, or slept through."""
        if beats:
            self.unheard.add(self._begun, beats)
            self._give_up()

    def _leave(self, event_id: BeatEventId | None, *, fallback: bool) -> None:
        if _if_left(event_id) is None:
            return
        if fallback:
            self._left_fallback_id = event_id
        else:
            self._left_event_id = event_id

    def sent(self, wake: Wake, attempt: Attempt, deadline: timedelta) -> None:
        """The attempt was handed to the transport; its answer counts as late from `deadline`, monotonic."""
        event_id = next(one for one in attempt.beat.ids if one.text == wake.event_id)
        event_id.use.sent += 1
        attempt.beat.attempts += 1
        event_id.is_out, event_id.is_answered = True, False
        self._out[wake.number] = _Out(attempt, event_id, wake, deadline)
        self._last_number, self._retry = wake.number, None

    # What comes of it

    @property
    def busy_since(self) -> datetime | None:
        """When the beat was sent whose handler still runs, where beats do not overlap (9.5)."""
        first = next(iter(self._out.values()), None)
        return None if self._overlap or first is None else first.wake.sent_at

    @property
    def next_deadline(self) -> timedelta | None:
        """When the first beat that is out has had its time, on the monotonic clock."""
        if not self._overlap:
            return None
        first = next(iter(self._out.values()), None)  # all have as long: the first sent is the first late
        return None if first is None else first.deadline

    @property
    def out(self) -> list[Wake]:
        """The wakes whose answer is waited for, the first sent first."""
        return [out.wake for out in self._out.values()]

    def waits_for(self, wake: Wake) -> bool:
        """Whether its answer is waited for."""
        return wake.number in self._out

    def time_out(self, ticks: timedelta, now: datetime, schedule: Schedule) -> list[Wake]:
        """Give up waiting for the answers whose time is over; gives those wakes."""
        given_up = []
        while (deadline := self.next_deadline) is not None and deadline <= ticks:
            out = self._out.pop(next(iter(self._out)))
            self._not_taken(out, now, schedule)
            given_up.append(out.wake)
        return given_up

    def answered(
        self, wake: Wake, answer: Answer, now: datetime, schedule: Schedule, *, deliverable: bool
    ) -> BeatOutcome:
        """The host answered a beat, early or late.

        One that it refused as empty is asked for anew as a message, where 6.11 has it so.
        """
        out = self._out.pop(wake.number, None)
        event_id = out.event_id if out else self._known_id(wake.event_id)
        used_up = event_id is not None and event_id.use.is_used_up(one_is_out=out is None and event_id.is_out)
        if event_id is not None:
            event_id.is_answered |= not isinstance(answer, Failed)
            event_id.use.refused += isinstance(answer, Refused)
        if isinstance(answer, Taken) or (is_duplicate(answer) and not used_up):
            self._taken(wake, out, event_id)
            return BeatOutcome.TAKEN
        empty = wake.silent and is_refused_as_empty(answer)
        self.silent_refused |= empty
        if out is None:
            return BeatOutcome.REFUSED_AS_EMPTY if empty else BeatOutcome.NOT_TAKEN
        if empty and deliverable and wake.number == self._last_number:
            out.event_id.is_out = False
            self.triggered.appendleft(replace(out.attempt, fallback=True))
            return BeatOutcome.REFUSED_AS_EMPTY
        if is_duplicate(answer):
            self._replace_id(out)
        self._not_taken(out, now, schedule)
        return BeatOutcome.REFUSED_AS_EMPTY if empty else BeatOutcome.NOT_TAKEN

    def _known_id(self, text: str) -> BeatEventId | None:
        """The id of a late answer, where a beat may still carry it."""
        known = [self._left_event_id, self._left_fallback_id, *(out.event_id for out in self._out.values())]
        if self._newest is not None:
            known = [*self._newest.ids, *known]
        return next((one for one in known if one is not None and one.text == text), None)

    def _taken(self, wake: Wake, out: _Out | None, event_id: BeatEventId | None) -> None:
        if wake.silent:
            self.silent_refused = False
        if out is not None:
            out.event_id.is_out = False
        beat = None if out is None else out.attempt.beat
        if self._newest is not None and event_id in self._newest.ids:
            beat, self._retry = self._newest, None
        if beat is not None:
            beat.was_taken = True
            self.unheard.taken(beat.place)

    def _replace_id(self, out: _Out) -> None:
        """The host used an id up without taking the beat: the next attempt carries a fresh one (4.11)."""
        beat = out.attempt.beat
        if beat.event_id is out.event_id:
            beat.event_id = None
        else:
            beat.fallback_id = None

    def _not_taken(self, out: _Out, now: datetime, schedule: Schedule) -> None:
        out.event_id.is_out = False
        beat = out.attempt.beat
        if beat is not self._newest:
            self._came_to_nothing(beat)
            self._leave(out.event_id, fallback=beat.fallback_id is out.event_id)
        elif schedule.next_beat is not None and not (beat.was_taken or beat.is_given_up):
            beat.not_taken_since = beat.not_taken_since or now
            self._retry = next_try(beat.not_taken_since, now)

    # Trying again (4.14)

    def next_retry(self, now: datetime, schedule: Schedule) -> datetime | None:
        """When the newest beat is tried again; None where it is not, before the next one comes."""
        retry, beat = self._retry, schedule.next_beat
        return None if retry is None or beat is None or max(retry, now) >= beat else retry

    @property
    def retry_turn(self) -> tuple[int, datetime]:
        """The turn of the beat that is tried again, see `Beat.turn`."""
        assert self._newest is not None
        return self._newest.turn

    def retry(self, schedule: Schedule) -> Attempt:
        """The attempt to be made when that time has come; with the message and mode in force now."""
        assert self._newest is not None
        return Attempt(self._newest, schedule)

    def skip_retry(self, now: datetime) -> None:
        """A retry came due that may not be made: the one after it is next."""
        assert self._newest is not None
        assert self._newest.not_taken_since is not None
        self._retry = next_try(self._newest.not_taken_since, now)

    def follow(self, schedule: Schedule) -> None:
        """See what the schedule has become: a pause, a resume or a new interval ends the tries (4.14).

        It does so whoever made the change, and also while a try is out.
        """
        pace = (schedule.interval, schedule.paused)
        if pace != self._pace:
            self._pace = pace
            self._give_up()

    def _give_up(self) -> None:
        self._retry = None
        if self._newest is not None:
            self._newest.is_given_up = True

    def clock_set_back(self, by: timedelta) -> None:
        """Keep the wait as long as it was, also where a try is out (5.2)."""
        if self._newest is not None and self._newest.not_taken_since is not None:
            self._newest.not_taken_since -= by
        if self._retry is not None:
            self._retry -= by


def _if_left(event_id: BeatEventId | None) -> BeatEventId | None:
    return event_id if event_id is not None and event_id.is_left else None
