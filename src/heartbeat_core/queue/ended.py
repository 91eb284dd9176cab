"""Firings that somebody ended: the agent, or a stranger who edited what is stored (14.1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from heartbeat_core.history import Ending
from heartbeat_core.queue.queued_reminder import Out, QueuedReminder


@dataclass(frozen=True, slots=True)
class Ended:
    """A firing that ended without being heard: of which reminder, due when, and how.

    `was_out` says whether a wake of it was out. `to` is its new time, where it was moved.
    """

    id: str
    due: datetime
    ending: Ending
    was_out: bool = False
    to: datetime | None = None


def as_ended(queued: QueuedReminder, ending: Ending, to: datetime | None) -> Ended:
    """The firing that stands, as it ends now."""
    was_out = isinstance(queued.state, Out) and queued.tries > 0
    return Ended(queued.reminder.id, queued.own_due, ending, was_out, to=to)
