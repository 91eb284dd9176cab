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
    deadline: timedelta
    passes_on: str | None
    """The event id that the next beat takes over if the host gives no answer to this one."""


class Beats:
    """Every beat from the moment it is sent until the host has answered, or had its time to."""

    def __init__(self) -> None:
        self.asked: deque[AskedBeat] = deque()
        self.silent_refused = False
        """Whether the host refused the last silent beat for being empty (6.11)."""
        self._out: dict[int, _Out] = {}
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
        self._out[wake.number] = _Out(deadline, wake.event_id)
        self._newest = wake.number

    @property
    def next_deadline(self) -> timedelta | None:
        """When the first beat that is out has had its time, on the monotonic clock."""
        return min((out.deadline for out in self._out.values()), default=None)

    def time_out(self, now: timedelta) -> int:
        """Give up waiting for those whose time is over, passing their event ids on; gives how many."""
        late = [number for number, out in self._out.items() if out.deadline <= now]
        for number in late:
            self._passed_on = self._out.pop(number).passes_on or self._passed_on
        return len(late)

    def answered(self, wake: Wake, answer: Answer, deliverable: bool) -> bool:
        """The host answered a beat, early or late; gives whether it refused a silent one as empty.

        Such a one is asked for anew as a message, where 6.11 has it so.
        """
        out = self._out.pop(wake.number, None)
        if isinstance(answer, Failed):
            self._passed_on = (out.passes_on if out else None) or self._passed_on
        else:
            self._spend(wake.event_id)
        if wake.text is not None:
            return False
        if isinstance(answer, Taken) or is_duplicate(answer):
            self.silent_refused = False
        if not is_refused_as_empty(answer):
            return False
        self.silent_refused = True
        if out is not None and deliverable and wake.number == self._newest:
            self.asked.appendleft(AskedBeat(BeatReason(wake.origin["reason"]), wake.due, fallback=True))
        return True

    def _spend(self, event_id: str) -> None:
        """The host has answered a push with this id: no later beat may carry it (4.12)."""
        if self._passed_on == event_id:
            self._passed_on = None
        for out in self._out.values():
            if out.passes_on == event_id:
                out.passes_on = None
