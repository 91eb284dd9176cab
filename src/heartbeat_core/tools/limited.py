"""What the tools say of the operator's limits: what is refused, waits, or runs otherwise (15.2 to 15.4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from heartbeat_core.delivery.allowance import Wait
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.active_hours import ActiveHours
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.times.moments import AgentZone, show

_SET_BY = "a limit that the operator set"


# What is refused


def too_soon(heartbeat: Heartbeat, what: str, length: timedelta) -> list[str]:
    """The problem of an interval, or of a time to the next beat, that is less than the least."""
    if not heartbeat.limits.is_too_soon(length):
        return []
    return [f"{what} of {show_seconds(length)} is less than {_named(heartbeat, 'min-interval')}, {_SET_BY}"]


def too_close(heartbeat: Heartbeat, times: Iterable[datetime]) -> list[str]:
    """The problem of a recurrence, given its next times, two of which are closer than the least."""
    if not heartbeat.limits.are_too_close(times):
        return []
    return [f"it would come more often than {_named(heartbeat, 'min-interval')} allows, {_SET_BY}"]


def too_many(heartbeat: Heartbeat) -> list[str]:
    """The problem of one reminder more, where there are as many as may be."""
    most, there_are = heartbeat.limits.max_reminders, len(heartbeat.reminders)
    if most is None or there_are < most:
        return []
    remedy = "; reminder_cancel makes room" if most else ""
    return [
        f"there are {there_are} reminder(s), and {_named(heartbeat, 'max-reminders')} is {_SET_BY}{remedy}"
    ]


def always_quiet(heartbeat: Heartbeat, active: ActiveHours) -> list[str]:
    """The problem of active hours in which no beat could come."""
    if active == heartbeat.schedule.active or not heartbeat.limits.swallow(active):
        return []
    quiet = _named(heartbeat, "quiet-hours")
    return [f"activeHours {active} lie wholly in {quiet}, {_SET_BY}: no heartbeat would come"]


def no_trigger(wait: Wait, zone: AgentZone) -> str:
    """Why a beat that was triggered cannot be sent now."""
    return f"{wait.limit}, {_SET_BY}, lets it leave at {show(wait.until, zone)} at the earliest"


def _named(heartbeat: Heartbeat, name: str) -> str:
    return heartbeat.limits.named[name]


# What waits


def earliest(heartbeat: Heartbeat, due: datetime) -> list[str]:
    """The note that a wake which is due then comes later, how much later, and why."""
    wait = heartbeat.wait_of(due)
    if wait is None:
        return []
    return [f"it can come at {show(wait.until, heartbeat.zone)} at the earliest: {wait.limit} is {_SET_BY}"]


def all_wait(heartbeat: Heartbeat) -> list[str]:
    """The note that no wake leaves now, until when, and why."""
    wait = heartbeat.wait_of(heartbeat.now)
    if wait is None or heartbeat.blocked is not None:
        return []
    until = show(wait.until, heartbeat.zone)
    return [
        f"what is due waits until {until}: {wait.limit} is {_SET_BY}. It comes then, in order of due time"
    ]


# What the status and the list show


def limits_shown(heartbeat: Heartbeat) -> list[str]:
    """The parts of the status line that there are with limits (15.4)."""
    limits, blocked = heartbeat.limits, heartbeat.blocked
    parts = [f"limits={limits}"] if limits else []
    if blocked is None and (wait := heartbeat.wait_of(heartbeat.now)) is not None:
        parts.append(f"waiting until {show(wait.until, heartbeat.zone)} ({wait.limit}, set by the operator)")
    return parts


def why_other(limits: Limits, length: timedelta) -> str:
    """Why a length that runs is another than the one that was asked for; empty where it is not."""
    if not limits.is_too_soon(length):
        return ""
    return f" (min-interval, set by the operator; {show_seconds(length)} was asked for)"


def why_fewer(limits: Limits, reminder: Reminder) -> str:
    """Why not all times of a calendar come; empty where they do."""
    if not limits.are_too_close(reminder.times_after(reminder.due)):
        return ""
    return f" ({limits.named['min-interval']} apart at least, set by the operator)"


def why_never(heartbeat: Heartbeat) -> str:
    """Why no beat comes in the active hours; empty where one does."""
    if not heartbeat.limits.swallow(heartbeat.schedule.active):
        return ""
    return f" (no heartbeat comes: wholly in {_named(heartbeat, 'quiet-hours')}, set by the operator)"
