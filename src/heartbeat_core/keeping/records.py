"""The schema of what is stored (8.1): what a row or member must be to load (8.5), and how it is saved.

Adapters of storage call it. Members that nobody here knows are theirs to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeGuard, TypeVar

from heartbeat_core.reminders.recurrence import Calendar, Interval
from heartbeat_core.reminders.recurrence_rule import Rule
from heartbeat_core.reminders.reminder import SHORTEST_RECURRENCE, Reminder
from heartbeat_core.reminders.rrule_text import Problems, parse_rule
from heartbeat_core.schedule.active_hours import (
    ActiveHours,
    NotActiveHours,
    read_days,
    read_hours,
    show_hours,
)
from heartbeat_core.schedule.ambient_schedule import LONGEST_LENGTH, SHORTEST_INTERVAL, DeliveryMode, Schedule
from heartbeat_core.times.lengths import MILLISECOND, in_seconds
from heartbeat_core.times.moments import (
    AgentZone,
    ZoneFinder,
    from_epoch_ms,
    is_expressible,
    no_zone,
    to_epoch_ms,
)

T = TypeVar("T")

SCHEDULE_MEMBERS = (
    *("intervalSeconds", "paused", "message", "deliveryMode", "nextFireAt"),
    *("activeHours", "activeDays", "nextIsAsked"),
)
"""The last three are there only where they are used (12.4)."""
REMINDER_MEMBERS = (
    *("id", "message", "createdAt", "fireAt", "everySeconds"),
    *("rrule", "timezone", "startAt", "untilAt", "expiresAfterSeconds"),
)
"""The last five are there only where they are used (10.8)."""

_SURELY_FROM = to_epoch_ms(datetime(2, 1, 1, tzinfo=UTC))
_SURELY_TO = to_epoch_ms(datetime(9999, 1, 1, tzinfo=UTC))


class _Unusable(Exception):
    """A value that does not load; its text says which and what it should be. Never leaves this file."""


def read_schedule(
    members: Mapping[str, object], defaults: Schedule, zone: AgentZone
) -> tuple[Schedule, tuple[str, ...]]:
    """Read the members of the config file; each that cannot be used is named and left at its default.

    A member that is absent is at its default without complaint: older servers wrote fewer.
    """
    problems: list[str] = []

    def member(read: Callable[..., T], name: str, default: T, *limits: object) -> T:
        if name not in members:
            return default
        try:
            return read(name, members[name], *limits)
        except _Unusable as why:
            problems.append(str(why))
            return default

    schedule = Schedule(
        interval=member(_length, "intervalSeconds", defaults.interval, SHORTEST_INTERVAL),
        paused=member(_flag, "paused", defaults.paused),
        message=member(_nonblank_text, "message", defaults.message),
        mode=member(_mode, "deliveryMode", defaults.mode),
        next_beat=member(_moment_or_none, "nextFireAt", defaults.next_beat, zone),
        active=ActiveHours(
            hours=member(_hours, "activeHours", defaults.active.hours),
            days=member(_days, "activeDays", defaults.active.days),
        ),
        next_is_asked=member(_flag, "nextIsAsked", False),
    )
    # Paused means that no beat is coming, whatever a hand left in the file (8.2).
    if schedule.paused:
        schedule = replace(schedule, next_beat=None)
    is_asked = schedule.next_is_asked and schedule.next_beat is not None
    return replace(schedule, next_is_asked=is_asked), tuple(problems)


def schedule_members(schedule: Schedule) -> dict[str, object]:
    """Give the members of the config file, in the order in which people read them."""
    return {
        "intervalSeconds": in_seconds(schedule.interval),
        "paused": schedule.paused,
        "message": schedule.message,
        "deliveryMode": schedule.mode.value,
        "nextFireAt": None if schedule.next_beat is None else to_epoch_ms(schedule.next_beat),
    } | _optional_members(schedule)


def _optional_members(schedule: Schedule) -> dict[str, object]:
    """The members of section 12: not a byte of them stands where they are not used (12.4)."""
    hours, days = schedule.active.hours, schedule.active.days
    members: dict[str, object] = {} if hours is None else {"activeHours": show_hours(hours)}
    if days is not None:
        members["activeDays"] = list(days)
    return members | ({"nextIsAsked": True} if schedule.next_is_asked else {})


def read_reminder(
    row: object, seen: Container[str], zone: AgentZone, find_zone: ZoneFinder = no_zone
) -> Reminder | str:
    """Read one row of the reminders file, or say why it does not load (8.5).

    `seen` holds the ids of the rows before it that loaded. `find_zone` knows the zones of calendars.
    """
    if not isinstance(row, dict):
        return "is not an object"
    try:
        reminder = Reminder(
            id=_id(row.get("id"), seen),
            message=_text("message", row.get("message")),
            created=_moment("createdAt", row.get("createdAt"), zone),
            due=_moment("fireAt", row.get("fireAt"), zone),
            recurrence=_interval(row.get("everySeconds")),
        )
        return reminder if row.keys() <= _OF_ALL_REMINDERS else _with_optional(reminder, row, zone, find_zone)
    except _Unusable as why:
        return str(why)


_OF_ALL_REMINDERS = frozenset(REMINDER_MEMBERS[:5])


def _with_optional(
    reminder: Reminder, row: Mapping[str, object], zone: AgentZone, find_zone: ZoneFinder
) -> Reminder:
    """The reminder with the members that only calendars, ends, expiry and snoozed intervals use (10.8)."""
    start = _moment_or_none("startAt", row.get("startAt"), zone)
    last = _moment_or_none("untilAt", row.get("untilAt"), zone)
    if row.get("rrule") is not None:
        if reminder.recurrence is not None:
            raise _Unusable("everySeconds and rrule are both there")
        calendar = Calendar(_rule(row["rrule"]), _zone(row.get("timezone"), zone, find_zone))
        reminder = replace(reminder, recurrence=calendar, start=start or reminder.due)
        if not calendar.is_ever(start or reminder.due):
            raise _Unusable("rrule has no time within 100 years of its start")
    elif reminder.recurrence is not None:
        reminder = replace(reminder, start=start)
    elif start is not None or last is not None:
        raise _Unusable("startAt and untilAt belong to a recurrence, and there is none")
    expires = _length_or_none("expiresAfterSeconds", row.get("expiresAfterSeconds"), MILLISECOND)
    return replace(reminder, last=last, expires_after=expires)


def reminder_row(reminder: Reminder) -> dict[str, object]:
    """Give one row of the reminders file, in file order."""
    recurrence = reminder.recurrence
    row = {
        "id": reminder.id,
        "message": reminder.message,
        "createdAt": to_epoch_ms(reminder.created),
        "fireAt": to_epoch_ms(reminder.due),
        "everySeconds": in_seconds(recurrence.every) if isinstance(recurrence, Interval) else None,
    }
    if isinstance(recurrence, Calendar):
        row["rrule"] = recurrence.rule.text
        if recurrence.zone.name:
            row["timezone"] = recurrence.zone.name
    if reminder.start is not None:
        row["startAt"] = to_epoch_ms(reminder.start)
    if reminder.last is not None:
        row["untilAt"] = to_epoch_ms(reminder.last)
    if reminder.expires_after is not None:
        row["expiresAfterSeconds"] = in_seconds(reminder.expires_after)
    return row


def _interval(value: object) -> Interval | None:
    return None if value is None else Interval(_length("everySeconds", value, SHORTEST_RECURRENCE))


def _rule(value: object) -> Rule:
    rule = parse_rule(_text("rrule", value))
    if isinstance(rule, Problems):
        raise _Unusable(f"rrule: {rule.lines[0]}")
    if rule.count is not None or rule.until is not None:
        raise _Unusable("rrule has COUNT or UNTIL, whose place is untilAt")
    return rule


def _zone(value: object, zone: AgentZone, find_zone: ZoneFinder) -> AgentZone:
    if value is None:
        return zone
    found = find_zone(value) if isinstance(value, str) else None
    if found is None:
        raise _Unusable("timezone is not the IANA name of a time zone that is known here")
    return found


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _Unusable(f"{name} is not a text")
    return value


def _nonblank_text(name: str, value: object) -> str:
    text = _text(name, value)
    if not text.strip():
        raise _Unusable(f"{name} is blank")
    return text


def _id(value: object, seen: Container[str]) -> str:
    if not isinstance(value, str) or not value:
        raise _Unusable("id is not a text with something in it")
    if value in seen:
        raise _Unusable("id is that of an earlier row")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Unusable(f"{name} is neither true nor false")
    return value


def _hours(name: str, value: object) -> tuple[int, int] | None:
    if isinstance(value, str):
        with suppress(NotActiveHours):
            return read_hours(value)
    raise _Unusable(f"{name} is not one stretch of the day, such as 08:00-22:00")


def _days(name: str, value: object) -> tuple[str, ...] | None:
    if isinstance(value, list) and all(isinstance(day, str) for day in value):
        with suppress(NotActiveHours):
            return read_days(value)
    raise _Unusable(f"{name} is not a list of days, such as MO and TU")


def _mode(name: str, value: object) -> DeliveryMode:
    for mode in DeliveryMode:
        if value == mode.value:
            return mode
    raise _Unusable(f"{name} is neither message nor silent")


def _length_or_none(name: str, value: object, shortest: timedelta) -> timedelta | None:
    return None if value is None else _length(name, value, shortest)


def _length(name: str, value: object, shortest: timedelta) -> timedelta:
    # Compared as numbers before anything is built of them: a timedelta of 4,000 digits overflows. NaN
    # fails every comparison and the infinities one of them.
    if not _is_number(value) or not shortest.total_seconds() <= value <= LONGEST_LENGTH.total_seconds():
        raise _Unusable(f"{name} is not a number of seconds from {in_seconds(shortest)} to 100 years")
    return timedelta(milliseconds=round(value * 1000))


def _moment_or_none(name: str, value: object, zone: AgentZone) -> datetime | None:
    return None if value is None else _moment(name, value, zone)


def _moment(name: str, value: object, zone: AgentZone) -> datetime:
    if _is_number(value):
        # Asking the zone costs more than all the rest of a row, and only the first and last day need it.
        if _SURELY_FROM <= value <= _SURELY_TO:
            return from_epoch_ms(value)
        with suppress(OverflowError):
            if is_expressible(moment := from_epoch_ms(value), zone):
                return moment
    raise _Unusable(f"{name} is not a time in epoch milliseconds in the years 1 to 9999")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
