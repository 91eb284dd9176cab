"""The ambient schedule: how often the agent is woken, with what, and when next.

The rules that change it are pure functions of the schedule and of now.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from heartbeat_core.schedule.active_hours import NO_CHANGE, ActiveHours, ActiveHoursChange
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.schedule.open_hours import OpenHours
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import AgentZone, first_after, one_length_after


class DeliveryMode(Enum):
    """What a beat carries (6.11)."""

    MESSAGE = "message"
    SILENT = "silent"


SHORTEST_INTERVAL = timedelta(seconds=60)
LONGEST_LENGTH = timedelta(days=36525)
"""100 years (6.8): the longest interval, delay or recurrence."""


ALWAYS_ACTIVE = ActiveHours()
_MOST_STRETCHES = 10_000
"""Stretches of active hours that are gone through to count the times in them: 27 years of days."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The ambient schedule as it is saved (8.1).

    `next_beat` is aware UTC, in whole milliseconds; None while paused, and before the first start.
    `next_is_asked` says that the agent asked for that very instant (12.3). `active` are the hours in which
    its beats come.
    """

    interval: timedelta
    paused: bool
    message: str
    mode: DeliveryMode
    next_beat: datetime | None = None
    active: ActiveHours = ALWAYS_ACTIVE
    next_is_asked: bool = False


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
    """What one call asks to be changed (6.2, 12); None leaves a thing as it is.

    `next_beat`, aware UTC, is when the next beat comes, once.
    """

    interval: timedelta | None = None
    paused: bool | None = None
    message: str | None = None
    mode: DeliveryMode | None = None
    active: ActiveHoursChange = NO_CHANGE
    next_beat: datetime | None = None

    @property
    def names(self) -> set[str]:
        """The fields of `Schedule` that it sets."""
        unset = (None, NO_CHANGE)
        return {f.name for f in fields(self) if getattr(self, f.name) not in unset}


def changed(
    schedule: Schedule,
    change: ScheduleChange,
    now: datetime,
    zone: AgentZone,
    limits: Limits = NO_LIMITS,
) -> Schedule:
    """The schedule with a change made (6.2).

    A new interval or a resume counts down anew from `now`, unless the same call says when the next beat
    comes (12.3). New active hours move the next beat where they have to (12.2).
    """
    new = replace(
        schedule,
        interval=schedule.interval if change.interval is None else change.interval,
        paused=schedule.paused if change.paused is None else change.paused,
        message=schedule.message if change.message is None else change.message,
        mode=schedule.mode if change.mode is None else change.mode,
        active=change.active.made_on(schedule.active),
    )
    if change.next_beat is not None and not new.paused:
        return replace(new, next_beat=change.next_beat, next_is_asked=True)
    if (new.interval, new.paused) != (schedule.interval, schedule.paused):
        return with_new_countdown(new, now, zone, limits)
    return new if new.active == schedule.active else brought_near(new, now, zone, limits)


def with_new_countdown(
    schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS
) -> Schedule:
    """The schedule with its next beat one interval from `now`, or with none while paused."""
    return _with_next(schedule, one_length_after(now, limits.paced(schedule.interval)), zone, limits)


def taken_up(schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS) -> Schedule:
    """The schedule as it goes on after a restart (8.2).

    The countdown is kept, also where its beat came due meanwhile.
    """
    if schedule.next_beat is None or schedule.paused:
        return with_new_countdown(schedule, now, zone, limits)
    return brought_near(schedule, now, zone, limits)


def brought_near(schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS) -> Schedule:
    """The schedule with its next beat in active hours, and no further off than a countdown begun now.

    Only a clock that was set back (5.2), or a person, puts one further off. An instant that the agent asked
    for stays (12.3).
    """
    due = schedule.next_beat
    if due is None or schedule.next_is_asked:
        return schedule
    if due > now:
        schedule = _with_next(schedule, due, zone, limits)
    anew = with_new_countdown(schedule, now, zone, limits)
    assert schedule.next_beat is not None
    assert anew.next_beat is not None
    far = due - now > limits.paced(schedule.interval) and schedule.next_beat > anew.next_beat
    return anew if far else schedule


def advanced(schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS) -> Schedule:
    """The schedule after its beat came: at the first of its times after `now` (8.2)."""
    if schedule.next_beat is None:
        return schedule
    due = first_after(schedule.next_beat, limits.paced(schedule.interval), now)
    return _with_next(schedule, due, zone, limits)


def times_passed(schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS) -> int:
    """How many of its times after the next beat have come by `now`, too: those it would come at (13.1)."""
    if schedule.next_beat is None or schedule.next_beat > now:
        return 0
    interval, hours = limits.paced(schedule.interval), OpenHours(schedule.active, limits, zone)
    if not hours:
        return (now - schedule.next_beat) // interval
    passed, due = -1, schedule.next_beat  # the next beat itself does not count
    for _ in range(_MOST_STRETCHES):
        if due > now:
            break
        last = min(now, hours.end(due) - MILLISECOND)
        more = max(0, (last - due) // interval)
        passed += 1 + more
        due = hours.first_from(one_length_after(due, (1 + more) * interval))
    return passed


def moved_to_opening(
    schedule: Schedule, now: datetime, zone: AgentZone, limits: Limits = NO_LIMITS
) -> Schedule:
    """The schedule with a beat that is late put off to the next opening after `now` (12.2)."""
    return replace(schedule, next_beat=OpenHours(schedule.active, limits, zone).first_from(now))


def _with_next(schedule: Schedule, due: datetime, zone: AgentZone, limits: Limits) -> Schedule:
    """The one place where a next beat is computed: outside the hours it is the next opening (12.2, 15.3)."""
    if schedule.paused:
        return replace(schedule, next_beat=None, next_is_asked=False)
    hours = OpenHours(schedule.active, limits, zone)
    return replace(schedule, next_beat=hours.first_from(due) if hours else due, next_is_asked=False)


def merged(ours: Schedule, base: Schedule, theirs: Schedule) -> Schedule:
    """`theirs`, with what `ours` changed since `base` made on top (8.8); hours and days are two things."""
    active = replace(theirs.active, **_differing(ours.active, base.active))
    return replace(theirs, **{**_differing(ours, base), "active": active})


def _differing(ours: Schedule | ActiveHours, base: Schedule | ActiveHours) -> dict[str, Any]:
    values = {f.name: getattr(ours, f.name) for f in fields(ours)}
    return {name: value for name, value in values.items() if value != getattr(base, name)}
