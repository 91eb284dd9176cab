"""A reminder, and the rules that move it from firing to firing, as pure functions (5.2, 7.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import first_after, one_length_after

SHORTEST_RECURRENCE = timedelta(seconds=5)

_CLOCK_WAS_SET = timedelta(seconds=10)
"""A time that lies less far ahead proves nothing: clocks are slewed, and disks have clocks of their own."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder as it is saved (8.1). Times are aware UTC in whole milliseconds.

    `due` is the time at which it fires next; `every` is None for a one-shot.
    """

    id: str
    message: str
    created: datetime
    due: datetime
    every: timedelta | None = None


def first_due(first: timedelta | datetime | None, every: timedelta | None, now: datetime) -> datetime:
    """When a new reminder first fires: after a delay, at a time, or else one interval from `now` (6.4).

    Raises TypeError for a time without a zone.
    """
    first = every if first is None else first
    if isinstance(first, datetime):
        if first.tzinfo is None:
            raise TypeError(f"{first} has no time zone; give an aware datetime")
        return first
    assert first is not None
    return one_length_after(now, first)


def next_due(due: datetime, every: timedelta, now: datetime, used_phases: Collection[timedelta]) -> datetime:
    """When a recurring reminder that was heard for `due` fires next: on its phase, after `now` (7.2).

    Where the clock was set back behind `due`, its times start anew one interval from now (5.2).
    """
    if due <= now:
        return first_after(due, every, now)
    return started_anew(every, now, used_phases)


def times_missed(due: datetime, every: timedelta | None, now: datetime) -> int:
    """How many times of a reminder that is due since `due` have come after that one; none of a one-shot."""
    return 0 if every is None else max(0, (now - due) // every)


def started_anew(every: timedelta, now: datetime, used_phases: Collection[timedelta]) -> datetime:
    """One interval from `now`, on a phase not used before (5.2).

    The event id is made from the due time: a time that was used before the clock was set back would
    repeat an id, and the host would drop the wake as one that it has (4.12).
    """
    due = one_length_after(now, every)
    while phase_of(due, every) in used_phases:
        due += MILLISECOND
    return due


def was_put_off(reminder: Reminder, clock_was_at: datetime | None, now: datetime) -> bool:
    """Whether a clock that was set back while no server ran has put a recurring reminder far away (5.2).

    Two things prove that it was set back, by showing what it had come to: when what is stored was last
    written, `clock_was_at`, and when the reminder was added. A reminder added after its own due time was
    written by hand, and proves nothing. One that was more than an interval away even by the clock of then
    has its first time still to come, and is left alone.
    """
    if reminder.every is None:
        return False
    proofs = [now, *([clock_was_at] if clock_was_at else [])]
    if reminder.created < reminder.due:
        proofs.append(reminder.created)
    was_at = max(proofs)
    return was_at - now >= _CLOCK_WAS_SET and reminder.due - now > reminder.every >= reminder.due - was_at


def phase_of(due: datetime, every: timedelta) -> timedelta:
    """Where `due` lies within its interval; all times of one series have the same."""
    return (due - datetime.min.replace(tzinfo=due.tzinfo)) % every
