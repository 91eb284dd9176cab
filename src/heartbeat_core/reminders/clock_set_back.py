"""What a clock that was set back makes of a recurring reminder's next time (5.2, 10.3)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import one_length_after

_CLOCK_WAS_SET = timedelta(seconds=10)
"""A time that lies less far ahead proves nothing: clocks are slewed, and disks have clocks of their own."""


def started_anew(every: timedelta, now: datetime, used_phases: Collection[timedelta]) -> datetime:
    """One interval from `now`, on a phase not used before (5.2).

    The event id is made from the due time: a time that was used before the clock was set back would
    repeat an id, and the host would drop the wake as one that it has (4.12).
    """
    due = one_length_after(now, every)
    while phase_of(due, every) in used_phases:
        due += MILLISECOND
    return due


def phase_of(due: datetime, every: timedelta) -> timedelta:
    """Where `due` lies within its interval; all times of one series have the same."""
    return (due - datetime.min.replace(tzinfo=due.tzinfo)) % every


def is_put_off(due: datetime, every: timedelta, was_at: datetime, now: datetime) -> bool:
    """Whether the clock, set back from `was_at` to `now`, put a time more than one interval away (5.2).

    One that was more than an interval away even by the clock of then has its first time still to come.
    """
    return due - now > every >= due - was_at


def proven_time(reminder: Reminder, clock_was_at: datetime | None, now: datetime) -> datetime | None:
    """What the clock had come to before it was set back while no server ran; None where nothing proves it.

    Two things show it: when what is stored was last written, `clock_was_at`, and when the reminder was added.
    A reminder added after its own due time was written by hand, and proves nothing.
    """
    proofs = [clock_was_at] if clock_was_at else []
    if reminder.created < reminder.due:
        proofs.append(reminder.created)
    was_at = max(proofs, default=now)
    return was_at if was_at - now >= _CLOCK_WAS_SET else None
