"""What the tools do, called typed: with lengths and aware datetimes, giving values (9.7).

Each call is judged as the tool judges it, so both refuse the same, in the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypedDict, TypeVar, Unpack

from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.heartbeat_tools import CONFIGURE, TRIGGER, schedule_change
from heartbeat_core.tools.reminder_request import ReminderRequest
from heartbeat_core.tools.reminder_tools import ADD, UPDATE
from heartbeat_core.tools.shown import readable
from heartbeat_core.tools.tool import Tool
from heartbeat_core.tools.values import judge_values

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A heartbeat as it stands at one moment; reminders are in order of due time."""

    schedule: Schedule
    reminders: tuple[PendingReminder, ...]


def snapshot(heartbeat: Heartbeat) -> Snapshot:
    """The schedule and all reminders, as values."""
    return Snapshot(heartbeat.schedule, tuple(heartbeat.reminders))


class ReminderParts(TypedDict, total=False):
    """What `add` and `update` take by name beside a message; None is as left out.

    First `after` a delay or `at` an aware time; recurring by `every` or by an `rrule` in the zone of the IANA
    name `timezone`, to the end that `count` or `until` sets. A firing that was not taken so long after its
    time as `expires_after` says is given up (10).
    """

    after: timedelta | None
    at: datetime | None
    every: timedelta | None
    rrule: str | None
    timezone: str | None
    count: int | None
    until: datetime | None
    expires_after: timedelta | None


def add(heartbeat: Heartbeat, message: str, **parts: Unpack[ReminderParts]) -> Reminder:
    """Set a reminder, and give it (6.4, 10).

    Raises ValueError with the tool's words for what it would refuse, and TypeError for a wrong type, a naive
    datetime among them; then nothing was changed.
    """
    _require(message=(message, str))
    arguments = _judged(heartbeat, ADD, {"message": message, **_reminder(parts)})
    request = ReminderRequest(heartbeat, arguments, arguments.model_fields_set)
    return heartbeat.add(request.asked)[0]


def update(
    heartbeat: Heartbeat, reminder_id: str, *, message: str | None = None, **parts: Unpack[ReminderParts]
) -> Reminder:
    """Change a reminder, and give it as it is then; what is left out stays (11).

    `after` or `at` alone moves its next firing only; `every` or `rrule` begins a new series. Raises as `add`
    does, and ValueError for an id that none has.
    """
    _require(id=(reminder_id, str))
    _check(message=(message, str))
    arguments = _judged(heartbeat, UPDATE, {"id": reminder_id, "message": message, **_reminder(parts)})
    pending = heartbeat.find(reminder_id)
    if pending is None:
        raise ValueError(_unknown(reminder_id))
    request = ReminderRequest(heartbeat, arguments, arguments.model_fields_set, pending.reminder)
    return heartbeat.update(reminder_id, request.asked)[0]


_PART_TYPES = {
    **dict.fromkeys(("after", "every", "expires_after"), timedelta),
    **dict.fromkeys(("at", "until"), datetime),
    **dict.fromkeys(("rrule", "timezone"), str),
    "count": int,
}


def _reminder(parts: ReminderParts) -> dict[str, object]:
    """What the tools would be sent."""
    _check(**{name: (parts.get(name), kind) for name, kind in _PART_TYPES.items()})
    return {
        **_seconds("in", parts.get("after")),
        **_moment("atIso", parts.get("at")),
        **_seconds("every", parts.get("every")),
        **_moment("until", parts.get("until")),
        **_seconds("expiresAfter", parts.get("expires_after")),
        **{name: parts.get(name) for name in ("rrule", "timezone", "count")},
    }


def cancel(heartbeat: Heartbeat, reminder_id: str) -> Reminder:
    """Remove a reminder (6.7), and give what it was. Raises ValueError for an id that none has."""
    _require(id=(reminder_id, str))
    pending, _ = heartbeat.cancel(reminder_id)
    if pending is None:
        raise ValueError(_unknown(reminder_id))
    return pending.reminder


def _unknown(reminder_id: str) -> str:
    return f"no pending reminder has the id {reminder_id!r}"


def configure(
    heartbeat: Heartbeat,
    *,
    interval: timedelta | None = None,
    paused: bool | None = None,
    mode: DeliveryMode | None = None,
    message: str | None = None,
    active_hours: str | None = None,
    active_days: list[str] | tuple[str, ...] | None = None,
    next_in: timedelta | None = None,
    next_at: datetime | None = None,
) -> Schedule:
    """Change the schedule (6.2, 12), and give it as it is then; None leaves a thing as it is.

    Raises as `add` does.
    """
    _check(interval=(interval, timedelta), paused=(paused, bool), mode=(mode, DeliveryMode))
    _check(message=(message, str), active_hours=(active_hours, str), active_days=(active_days, list, tuple))
    _check(next_in=(next_in, timedelta), next_at=(next_at, datetime))
    _check_texts("active_days", active_days or ())
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
    """The arguments, all right. Fillers are none here: they are for models, and code means what it says."""
    members = {name: _text(value) for name, value in sent.items() if value is not None}
    arguments, problems = judge_values(tool.arguments, members)
    problems += tool.check(heartbeat, arguments, members)
    if problems:
        raise ValueError("\n".join(problems))
    return arguments


def _text(value: object) -> object:
    return readable(value) if isinstance(value, str) else value


def _require(**given: tuple[object, type]) -> None:
    for name, (value, wanted) in given.items():
        if not isinstance(value, wanted):
            raise TypeError(f"{name} must be a {wanted.__name__}, and is {type(value).__name__}")


def _check(**given: tuple[object, *tuple[type, ...]]) -> None:
    """Check what may be left out."""
    for name, (value, *wanted) in given.items():
        is_true_for_a_number = isinstance(value, bool) and bool not in wanted
        if value is not None and (is_true_for_a_number or not isinstance(value, tuple(wanted))):
            kinds = " or ".join(each.__name__ for each in wanted)
            raise TypeError(f"{name} must be a {kinds}, and is {type(value).__name__}")
        if isinstance(value, datetime) and value.utcoffset() is None:
            raise TypeError(f"{name} must be an aware datetime, and {value} has no time zone")


def _check_texts(name: str, texts: Sequence[object]) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must hold texts, and holds {type(text).__name__}")


def _seconds(prefix: str, length: timedelta | None) -> dict[str, object]:
    return {} if length is None else {f"{prefix}Seconds": length.total_seconds()}


def _moment(name: str, moment: datetime | None) -> dict[str, object]:
    if moment is None:
        return {}
    with suppress(OverflowError):  # then it is out of range, and the tool says so
        moment = moment.astimezone(UTC)  # offsets can have seconds, which ISO 8601 cannot write
    return {name: moment.isoformat()}
