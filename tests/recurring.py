"""Reminders of tests that recur by an interval, or not at all."""

from __future__ import annotations

from datetime import timedelta

from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder


def recurring(every: timedelta | None) -> Interval | None:
    return None if every is None else Interval(every)


def every_of(reminder: Reminder) -> timedelta | None:
    return reminder.recurrence.every if isinstance(reminder.recurrence, Interval) else None
