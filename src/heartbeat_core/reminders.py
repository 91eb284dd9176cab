"""A reminder, and the rules that move one from firing to firing.

Lives here: `Reminder` and section 7's arithmetic, as pure functions. May not: keep any (`book` does),
text for the agent.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from heartbeat_core.lengths import MILLISECOND
from heartbeat_core.moments import first_after, one_length_after

SHORTEST_RECURRENCE = timedelta(seconds=5)

_WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(hours=1))


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


def next_try(reminder: Reminder, first_held: timedelta, now: timedelta) -> timedelta:
    """When a held reminder is tried again of itself, all on the monotonic clock (7.3).

    A recurring one an interval after it was held, so from `now`; a one-shot 1, 5, 15 and 60 minutes
    after it was first held, and hourly from there.
    """
    if reminder.every is not None:
        return now + reminder.every
    held_for = now - first_held
    for wait in _WAITS:
        if wait > held_for:
            return first_held + wait
    hour = _WAITS[-1]
    return first_held + (held_for // hour + 1) * hour


def next_due(due: datetime, every: timedelta, now: datetime, used_phases: Collection[timedelta]) -> datetime:
    """When a recurring reminder that was heard for `due` fires next: on its phase, after `now` (7.2).

    Where the clock was set back behind `due`, its times start anew one interval from now (5.2).
    """
    if due <= now:
        return first_after(due, every, now)
    return started_anew(every, now, used_phases)


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

    The clock had come to `clock_was_at`, if anything tells, and to the time at which the reminder was
    added. One that was more than an interval away even then is so on purpose: its first time is to come.
    """
    if reminder.every is None:
        return False
    was_at = reminder.created if clock_was_at is None else max(reminder.created, clock_was_at)
    return was_at > now and reminder.due - now > reminder.every >= reminder.due - was_at


def phase_of(due: datetime, every: timedelta) -> timedelta:
    """Where `due` lies within its interval; all times of one series have the same."""
    return (due - datetime.min.replace(tzinfo=due.tzinfo)) % every
