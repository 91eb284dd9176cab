"""The reminders that are set, to be read: what `Heartbeat.reminders` gives to tools and embedders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from heartbeat_core.queue.queued_reminder import Held, QueuedReminder
from heartbeat_core.reminders.reminder import Reminder


@dataclass(frozen=True, slots=True)
class PendingReminder:
    """A reminder as it stands at one moment.

    `sent_at` is when its wake that is out was sent, aware UTC; None where none is out (7.4). `held` says
    since when this firing is held and why, also while it is tried again; None where it is not (7.3).
    """

    reminder: Reminder
    sent_at: datetime | None
    held: Held | None


def as_it_stands(queued: QueuedReminder) -> PendingReminder:
    """Give what a reader may know of a reminder in the queue."""
    return PendingReminder(queued.reminder, queued.sent_at, queued.held)


class _Queue(Protocol):
    """The part of the queue that is read here."""

    @property
    def last_due(self) -> datetime | None: ...
    def __len__(self) -> int: ...
    def __contains__(self, reminder_id: str) -> bool: ...
    def __iter__(self) -> Iterator[QueuedReminder]: ...


class PendingReminders:
    """All reminders that are set: how many, which ids, and each as it stands, in order of due time."""

    def __init__(self, queue: _Queue) -> None:
        self._queue = queue

    def __len__(self) -> int:
        return len(self._queue)

    def __contains__(self, reminder_id: str) -> bool:
        return reminder_id in self._queue

    def __iter__(self) -> Iterator[PendingReminder]:
        return (as_it_stands(queued) for queued in self._queue)

    @property
    def last_due(self) -> datetime | None:
        """The latest due time of all, aware UTC; None where there are none."""
        return self._queue.last_due
