"""The ambient schedule: how often the agent is woken, with what, and when next.

The rules that change it are pure functions of the schedule and of now.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.times.moments import first_after, one_length_after


class DeliveryMode(Enum):
    """What a beat carries (6.11)."""

    MESSAGE = "message"
    SILENT = "silent"


SHORTEST_INTERVAL = timedelta(seconds=60)
LONGEST_LENGTH = timedelta(days=36525)
"""100 years (6.8): the longest interval, delay or recurrence."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The ambient schedule as it is saved (8.1).

    `next_beat` is aware UTC, in whole milliseconds; None while paused, and before the first start.
    """

    interval: timedelta
    paused: bool
    message: str
    mode: DeliveryMode
    next_beat: datetime | None = None


DEFAULT_SCHEDULE = Schedule(
    interval=timedelta(hours=4),
    paused=False,
    message=(
        "This is your heartbeat: nobody has written to you, you are awake on your own schedule. Look at "
        "what you left open and do what is worth doing now. If nothing is, rest until the next one."
    ),
    mode=DeliveryMode.MESSAGE,
)
"""What a fresh start runs on."""


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """What one call asks to be changed (6.2); None leaves a thing as it is."""

    interval: timedelta | None = None
    paused: bool | None = None
    message: str | None = None
    mode: DeliveryMode | None = None


def changed(schedule: Schedule, change: ScheduleChange, now: datetime) -> Schedule:
    """The schedule with a change made; a new interval or a resume counts down anew from `now` (6.2)."""
    new = replace(
        schedule,
        interval=schedule.interval if change.interval is None else change.interval,
        paused=schedule.paused if change.paused is None else change.paused,
        message=schedule.message if change.message is None else change.message,
        mode=schedule.mode if change.mode is None else change.mode,
    )
    if (new.interval, new.paused) == (schedule.interval, schedule.paused):
        return new
    return counted_down(new, now)


def counted_down(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule with its next beat one interval from `now`, or with none while paused."""
    return replace(schedule, next_beat=None if schedule.paused else one_length_after(now, schedule.interval))


def taken_up(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule as it goes on after a restart (8.2).

    The countdown is kept, also where its beat came due meanwhile. Only a clock that was set back can
    have put it more than one interval away (5.2).
    """
    if schedule.next_beat is None or schedule.paused:
        return counted_down(schedule, now)
    return brought_near(schedule, now)


def brought_near(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule with its next beat at most one interval away, whatever the clock was set to (5.2)."""
    if schedule.next_beat is None or schedule.next_beat - now <= schedule.interval:
        return schedule
    return counted_down(schedule, now)


def advanced(schedule: Schedule, now: datetime) -> Schedule:
    """The schedule after its beat came: at the first of its times after `now` (8.2)."""
    if schedule.next_beat is None:
        return schedule
    return replace(schedule, next_beat=first_after(schedule.next_beat, schedule.interval, now))


def merged(ours: Schedule, base: Schedule, theirs: Schedule) -> Schedule:
    """`theirs`, with what `ours` changed since `base` made on top (8.8)."""
    mine = {
        f.name: getattr(ours, f.name) for f in fields(ours) if getattr(ours, f.name) != getattr(base, f.name)
    }
    return replace(theirs, **mine)
