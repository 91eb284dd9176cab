"""A beat as one thing to hear, an attempt at it, and what became of it, as values (4.12, 6.11, 9.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from heartbeat_core.queue.event_id_use import EventIdUse
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.wakes import BeatReason


class BeatOutcome(Enum):
    """What an answer has done to a beat."""

    TAKEN = "taken"
    REFUSED_AS_EMPTY = "refused as empty"
    NOT_TAKEN = "not taken"


@dataclass(slots=True)
class BeatEventId:
    """An event id, what came of it, and whether the host answered it since it was last sent."""

    text: str
    use: EventIdUse = field(default_factory=EventIdUse)
    is_out: bool = False
    is_answered: bool = False

    @property
    def is_left(self) -> bool:
        """Whether the next beat has to carry it: it was sent, and the host has not said a word (4.12)."""
        return self.use.sent > 0 and not self.is_out and not self.is_answered


@dataclass(slots=True, eq=False)
class Beat:
    """One thing to hear, over all attempts at it; `due` is aware UTC.

    `event_id` is that of its attempts; `fallback_id` that of the messages that were sent in place of
    silent ones (6.11).
    """

    reason: BeatReason
    due: datetime
    event_id: BeatEventId | None = None
    fallback_id: BeatEventId | None = None
    missed: int = 0
    """For how many times of the schedule it stands beside its own."""
    not_taken_since: datetime | None = None
    attempts: int = 0
    """How many wakes were sent of it."""
    was_taken: bool = False
    is_given_up: bool = False
    """Whether a pause, a new interval or the next beat has ended the tries (4.14)."""
    place: int = -1
    """Its place in the order in which beats were begun; -1 before it was."""

    @property
    def turn(self) -> tuple[int, datetime]:
        """Where wakes are few the smaller goes first: what was tried less often, then what was due first."""
        return self.attempts, self.due

    @property
    def ids(self) -> list[BeatEventId]:
        """Those that it has so far."""
        return [one for one in (self.event_id, self.fallback_id) if one is not None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to be made at a beat; `schedule` has the message and mode that it goes out with."""

    beat: Beat
    schedule: Schedule
    fallback: bool = False

    @property
    def silent(self) -> bool:
        """Whether it goes out without a text (6.11)."""
        return self.schedule.mode is DeliveryMode.SILENT and not self.fallback


@dataclass(frozen=True, slots=True)
class Busy:
    """That the handler of a beat still runs, so no other beat is sent (9.5).

    `since` is when that beat was sent, aware UTC. `inside` says that whoever asks is that very handler.
    """

    since: datetime
    inside: bool = False
