"""Stores that keep nothing beyond the process, for those who embed the core and want no files.

What only a test wants of a store is in `testing.memory_stores`.
"""

from __future__ import annotations

from collections.abc import Sequence

from heartbeat_core.ports import Found, Trouble
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule


class VolatileScheduleStore:
    """A `ScheduleStore` as durable as this object: who loads it again finds what was saved."""

    def __init__(self) -> None:
        self._schedule: Schedule | None = None

    def load(self) -> Found[Schedule]:
        """Give what was saved."""
        return Found(self._schedule)

    def look(self) -> Found[Schedule] | None:
        """Give None: nobody else gets at it."""
        return None

    def save(self, schedule: Schedule) -> Trouble | None:
        """Keep it; never fails."""
        self._schedule = schedule
        return None

    def close(self) -> None:
        """Do nothing."""


class VolatileReminderStore:
    """A `ReminderStore` as durable as this object: who loads it again finds what was saved."""

    def __init__(self) -> None:
        self._reminders: dict[str, Reminder] = {}

    def load(self) -> Found[Sequence[Reminder]]:
        """Give what was saved."""
        return Found(tuple(self._reminders.values()))

    def look(self) -> Found[Sequence[Reminder]] | None:
        """Give None: nobody else gets at it."""
        return None

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        """Keep what changed and forget what went; never fails."""
        self._reminders.update((reminder.id, reminder) for reminder in changed)
        for gone in removed:
            self._reminders.pop(gone, None)
        return None

    def close(self) -> None:
        """Do nothing."""
