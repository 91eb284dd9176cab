"""Reminders saved before the operator set a least interval run at that, and stay as they were (15.2)."""

from __future__ import annotations

from dataclasses import replace

from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.limits import Limits


def as_it_runs(reminder: Reminder, limits: Limits) -> Reminder:
    """The reminder with the recurrence that runs."""
    every = reminder.every
    if every is None or not limits.is_too_soon(every):
        return reminder
    return replace(reminder, every=limits.paced(every))
