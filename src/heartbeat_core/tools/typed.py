"""What the tools do, called typed: with lengths and aware datetimes, giving values (9.7).

Each call is judged as the tool judges it, so both refuse the same, in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.heartbeat_tools import CONFIGURE, TRIGGER, schedule_change
from heartbeat_core.tools.reading import Rejected
from heartbeat_core.tools.reminder_tools import ADD, first_time, recurrence
from heartbeat_core.tools.tool import Tool

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A heartbeat as it stands at one moment; reminders are in order of due time."""

    schedule: Schedule
    reminders: tuple[PendingReminder, ...]


def snapshot(heartbeat: Heartbeat) -> Snapshot:
    """The schedule and all reminders, as values."""
    return Snapshot(heartbeat.schedule, tuple(heartbeat.reminders))


def add(
    heartbeat: Heartbeat,
    message: str,
    *,
    after: timedelta | None = None,
    at: datetime | None = None,
    every: timedelta | None = None,
) -> Reminder:
    """Set a reminder (6.4): first `after` a delay or `at` a time, or else one interval from now.

    Raises ValueError with the tool's words for what it would refuse, and TypeError for a wrong type, a naive
    datetime among them; then nothing was changed.
    """
    _check(message=(message, str), after=(after, timedelta), at=(at, datetime), every=(every, timedelta))
    sent = {"message": message, **_seconds("in", after), **_moment("atIso", at), **_seconds("every", every)}
    arguments = _judged(heartbeat, ADD, sent)
    reminder, _ = heartbeat.add(message, first_time(heartbeat, arguments), recurrence(arguments))
    return reminder


def cancel(heartbeat: Heartbeat, reminder_id: str) -> Reminder:
    """Remove a reminder (6.7), and give what it was. Raises ValueError for an id that none has."""
    _check(id=(reminder_id, str))
    pending, _ = heartbeat.cancel(reminder_id)
    if pending is None:
        raise ValueError(f"no pending reminder has the id {reminder_id!r}")
    return pending.reminder


def configure(
    heartbeat: Heartbeat,
    *,
    interval: timedelta | None = None,
    paused: bool | None = None,
    mode: DeliveryMode | None = None,
    message: str | None = None,
    active_hours: str | None = None,
    active_days: tuple[str, ...] | None = None,
    next_in: timedelta | None = None,
    next_at: datetime | None = None,
) -> Schedule:
    """Change the schedule (6.2, 12), and give it as it is then; None leaves a thing as it is.

    Raises as `add` does.
    """
    _check(interval=(interval, timedelta), paused=(paused, bool), mode=(mode, DeliveryMode))
    _check(message=(message, str), active_hours=(active_hours, str), active_days=(active_days, tuple))
    _check(next_in=(next_in, timedelta), next_at=(next_at, datetime))
    sent = {
        **_seconds("interval", interval),
        "paused": paused,
        "deliveryMode": None if mode is None else mode.value,
        "message": message,
        "activeHours": active_hours,
        "activeDays": None if active_days is None else list(active_days),
        **_seconds("nextIn", next_in),
        **_moment("nextAtIso", next_at),
    }
    arguments = _judged(heartbeat, CONFIGURE, sent)
    heartbeat.configure(schedule_change(heartbeat, arguments))
    return heartbeat.schedule


def trigger(heartbeat: Heartbeat) -> None:
    """Send one beat now (6.3). Raises RuntimeError, with the tool's words, where it cannot be sent."""
    reply = TRIGGER.call(heartbeat, {}, {})
    if reply.is_error:
        raise RuntimeError(reply.text)


def _judged(heartbeat: Heartbeat, tool: Tool[A], sent: Mapping[str, object]) -> A:
    judged = tool.read(heartbeat, sent, {})
    if isinstance(judged, Rejected):
        raise ValueError("\n".join(judged.problems))
    return judged.arguments


def _check(**arguments: tuple[object, type]) -> None:
    for name, (value, wanted) in arguments.items():
        if value is not None and not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {wanted.__name__}, and is {type(value).__name__}")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise TypeError(f"{name} must be an aware datetime, and {value} has no time zone")


def _seconds(prefix: str, length: timedelta | None) -> dict[str, object]:
    return {} if length is None else {f"{prefix}Seconds": length.total_seconds()}


def _moment(name: str, moment: datetime | None) -> dict[str, object]:
    return {} if moment is None else {name: moment.isoformat()}
