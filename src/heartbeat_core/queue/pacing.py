"""Reminders saved before the operator set a least interval run at that, and stay as they were (15.2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.lengths import MILLISECOND


def as_it_runs(reminder: Reminder, limits: Limits) -> Reminder:
    """The reminder with the recurrence that runs; a calendar's times stay, and some are left out."""
    match reminder.recurrence:
        case Interval(every=every) if limits.is_too_soon(every):
            return replace(reminder, recurrence=Interval(limits.paced(every)))
        case _:
            return reminder


def not_too_soon_after(due: datetime, now: datetime, limits: Limits) -> datetime:
    """After what moment a calendar's next time may come, where the last one was `due`."""
    least = limits.min_interval
    return now if least is None else max(now, due + least - MILLISECOND)
