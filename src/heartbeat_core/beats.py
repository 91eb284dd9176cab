"""Beats that are asked for or out: which event id the next one carries, and silent mode's second try.

Lives here: 4.12 and 6.11 as far as they concern beats. May not: the countdown (`schedule`), sending.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import timedelta

from heartbeat_core.wakes import (
    Answer,
    AskedBeat,
    BeatReason,
    Failed,
    Taken,
    Wake,
    is_duplicate,
    is_refused_as_empty,
)


@dataclass(slots=True)
class _Out:
    number: int
    deadline: timedelta
    id_was_answered: bool = False
    """Whether the host has answered an earlier beat with the same event id since: it is not passed on."""


class Beats:
    """Every beat from the moment it is sent until the host has answered, or had its time to."""

    def __init__(self) -> None:
        self.asked: deque[AskedBeat] = deque()
        self.silent_refused = False
        """Whether the host refused the last silent beat for being empty (6.11)."""
        self._out: dict[str, _Out] = {}
        """By event id, which one beat at a time can carry; in the order in which they were sent."""
        self._passed_on: str | None = None
        self._newest = -1

    def take_event_id(self, beat: AskedBeat, fresh: str) -> str:
        """The event id for the next beat: the one passed on by an unanswered beat, else `fresh` (4.12)."""
        if beat.fallback or self._passed_on is None:
            return fresh
        passed_on, self._passed_on = self._passed_on, None
        return passed_on

    def sent(self, wake: Wake, deadline: timedelta) -> None:
        """A beat was handed to the transport; its answer counts as late from `deadline`, monotonic."""
        self._out[wake.event_id] = _Out(wake.number, deadline)
        self._newest = wake.number

    @property
    def next_deadline(self) -> timedelta | None:
        """When the first beat that is out has had its time, on the monotonic clock."""
        first = next(iter(self._out.values()), None)  # all have as long: the first sent is the first late
        return None if first is None else first.deadline

    def time_out(self, now: timedelta) -> int:
        """Give up waiting for those whose time is over, passing their event ids on; gives how many."""
        count = 0
        while (deadline := self.next_deadline) is not None and deadline <= now:
            self._pass_on(next(iter(self._out)))
            count += 1
        return count

    def _pass_on(self, event_id: str) -> None:
        if not self._out.pop(event_id).id_was_answered:
            self._passed_on = event_id

    def answered(self, wake: Wake, answer: Answer, deliverable: bool) -> bool:
        """The host answered a beat, early or late; gives whether it refused a silent one as empty.

        Such a one is asked for anew as a message, where 6.11 has it so.
        """
        out = self._out.get(wake.event_id)
        in_time = out is not None and out.number == wake.number
        if not isinstance(answer, Failed):
            self._spend(wake.event_id, in_time)
        elif in_time:
            self._pass_on(wake.event_id)
        if not wake.silent:
            return False
        if isinstance(answer, Taken) or is_duplicate(answer):
            self.silent_refused = False
        if not is_refused_as_empty(answer):
            return False
        self.silent_refused = True
        if in_time and deliverable and wake.number == self._newest:
            self.asked.appendleft(AskedBeat(BeatReason(wake.origin["reason"]), wake.due, fallback=True))
        return True

    def _spend(self, event_id: str, in_time: bool) -> None:
        """The host has answered a push with this id: no later beat may carry it (4.12)."""
        if self._passed_on == event_id:
            self._passed_on = None
        if in_time:
            del self._out[event_id]
        elif (later := self._out.get(event_id)) is not None:
            later.id_was_answered = True
