"""What becomes of a reminder's delivery where its row is read anew (8.8)."""

from __future__ import annotations

from datetime import datetime

from heartbeat_core.queue.awaited_wakes import AwaitedWake
from heartbeat_core.queue.event_id_use import EventIdUse
from heartbeat_core.queue.queued_reminder import Out, QueuedReminder
from heartbeat_core.reminders.recurrence import Recurrence
from heartbeat_core.reminders.reminder import Reminder


def adopted(
    reminder: Reminder, known: QueuedReminder | None, awaited: AwaitedWake | None, now: datetime
) -> QueuedReminder:
    """What to queue for a row that was read: what is `known` of it, or afresh where its times are others."""
    if known is not None and _firing(known.reminder) == _firing(reminder):
        known.reminder = reminder
        return known
    fresh = QueuedReminder(reminder, id_use=EventIdUse(sent_before=reminder.due <= now))
    if awaited is not None:
        fresh.state = Out(awaited.sent_at)
        fresh.tries = fresh.id_use.sent = int(awaited.due == reminder.due)
    return fresh


def _firing(reminder: Reminder) -> tuple[datetime, Recurrence | None]:
    return reminder.due, reminder.recurrence
