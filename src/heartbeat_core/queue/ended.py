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


def as_ended(queued: QueuedReminder, ending: Ending, to: datetime | None = None) -> Ended:
    """The firing that stands, as it ends now."""
    was_out = isinstance(queued.state, Out) and queued.tries > 0
    return Ended(queued.reminder.id, queued.own_due, ending, was_out, to=to)


class EndedFirings:
    """Those that somebody ended since they were last taken; some were not due yet."""

    def __init__(self) -> None:
        self._ended: list[Ended] = []

    def add(self, ended: Ended) -> None:
        """Somebody ended one."""
        self._ended.append(ended)

    def take(self, now: datetime) -> list[Ended]:
        """Those that were overdue or out."""
        ended, self._ended = self._ended, []
        return [firing for firing in ended if firing.was_out or firing.due <= now]
