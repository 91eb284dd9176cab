"""What the tests of this folder share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing import Bench
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from recurring import recurring

NOW = datetime(2026, 1, 1, tzinfo=UTC)


HOUR = timedelta(hours=1)


FULL = "the disk is full"


def row(reminder_id: str, due: datetime = NOW + HOUR, every: timedelta | None = None) -> Reminder:
    return Reminder(reminder_id, f"message of {reminder_id}", NOW, due, recurring(every))


def saved_schedule(bench: Bench) -> Schedule:
    saved = bench.schedule_store.saved
    assert saved is not None
    return saved


def listed(bench: Bench) -> str:
    return bench.call("reminder_list").text
