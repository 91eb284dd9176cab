"""What a call asks of a reminder, and the reminder that comes of it (6.4, 10, 11)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto

from heartbeat_core.reminders.recurrence import Calendar, Interval, Recurrence
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.lengths import MILLISECOND
from heartbeat_core.times.moments import one_length_after, to_whole_ms


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call asks of a reminder; None is what it does not say.

    `first` is a delay, or an aware UTC time in whole milliseconds. Of `count` and `until`, the end, there is
    at most one; `until` is the last moment that it includes. Raises TypeError for naive times.
    """

    message: str | None = None
    first: timedelta | datetime | None = None
    recurrence: Recurrence | None = None
    count: int | None = None
    until: datetime | None = None
    expires_after: timedelta | None = None

    def __post_init__(self) -> None:
        for moment in (self.first, self.until):
            if isinstance(moment, datetime) and moment.tzinfo is None:
                raise TypeError(f"{moment} has no time zone; give an aware datetime")

    @property
    def has_end(self) -> bool:
        """Whether it says when the recurrence ends."""
        return self.count is not None or self.until is not None


class Impossible(Enum):
    """Why no reminder can be as it was asked for."""

    NEVER = auto()
    """The rule has no time within 100 years of its start (10.1)."""
    NO_TIME_OF_DAY = auto()
    """The rule leaves the hour open, and no first time was sent to give it (10.2)."""
    ENDS_BEFORE_FIRST = auto()
    """The end lies before the first time (10.4)."""
    ENDS_TOO_LATE = auto()
    """So many times reach beyond the year 9999 (10.4)."""
    NOTHING_TO_END = auto()
    """An end was asked for, and nothing recurs (10.4)."""


class ImpossibleReminder(ValueError):
    """No reminder can be as it was asked for; `why` says why not."""

    def __init__(self, why: Impossible) -> None:
        super().__init__(f"no reminder can be like that: {why.name.lower().replace('_', ' ')}")
        self.why = why


def possible(result: Reminder | Impossible) -> Reminder:
    """The reminder. Raises ImpossibleReminder where there can be none like that."""
    if isinstance(result, Impossible):
        raise ImpossibleReminder(result)
    return result


def new_reminder(reminder_id: str, asked: Asked, now: datetime) -> Reminder | Impossible:
    """A reminder that is set now (6.4); `asked` has a message, and a first time or a recurrence."""
    assert asked.message is not None
    created = to_whole_ms(now)
    reminder = Reminder(reminder_id, asked.message, created, created, expires_after=asked.expires_after)
    return _with_series(reminder, asked, now)


def changed(reminder: Reminder, asked: Asked, now: datetime) -> Reminder | Impossible:
    """A reminder as a call changes it (11.1, 11.2); what was not asked for stays."""
    reminder = replace(
        reminder,
        message=reminder.message if asked.message is None else asked.message,
        expires_after=reminder.expires_after if asked.expires_after is None else asked.expires_after,
    )
    same = asked.recurrence == reminder.recurrence and asked.first is None and not asked.has_end
    if asked.recurrence is not None and not same:
        return _with_series(reminder, asked, now)
    if asked.first is not None:
        reminder = _with_next_moved(reminder, _moment_of(asked.first, now))
    return _with_end(reminder, asked) if asked.has_end else reminder


def _with_series(reminder: Reminder, asked: Asked, now: datetime) -> Reminder | Impossible:
    """The reminder with a series, or a single time, as if set now: without an end but one asked for."""
    reminder = replace(reminder, recurrence=asked.recurrence, start=None, last=None)
    match asked.recurrence:
        case Calendar() as calendar:
            begun = _begun_on_calendar(reminder, calendar, asked.first, now)
        case Interval(every=every):
            begun = replace(reminder, due=_moment_of(every if asked.first is None else asked.first, now))
        case None:
            assert asked.first is not None
            begun = replace(reminder, due=_moment_of(asked.first, now))
    return _with_end(begun, asked) if isinstance(begun, Reminder) and asked.has_end else begun


def _begun_on_calendar(
    reminder: Reminder, calendar: Calendar, first: timedelta | datetime | None, now: datetime
) -> Reminder | Impossible:
    """A past start gives only phase, day and time of day (10.2)."""
    if first is None and calendar.needs_time_of_day:
        return Impossible.NO_TIME_OF_DAY
    start = _rounded_up(now if first is None else _moment_of(first, now))
    if not calendar.is_ever(start):
        return Impossible.NEVER
    reminder = replace(reminder, start=start)
    due = reminder.next_after(max(start - MILLISECOND, now))
    return Impossible.NEVER if due is None else replace(reminder, due=due)


def _with_next_moved(reminder: Reminder, due: datetime) -> Reminder:
    """The next firing alone comes at another time; a recurring reminder keeps its own times (11.2)."""
    recurring = reminder.recurrence is not None and due != reminder.due
    return replace(reminder, due=due, start=reminder.start or reminder.due if recurring else reminder.start)


def _with_end(reminder: Reminder, asked: Asked) -> Reminder | Impossible:
    """The last time is settled once, here; the first one is the firing that stands (10.4)."""
    recurrence, due = reminder.recurrence, reminder.due
    if recurrence is None:
        return Impossible.NOTHING_TO_END
    start = reminder.start or due
    if asked.count == 1:
        return replace(reminder, last=due)
    if asked.count is not None:
        last = recurrence.last_of(asked.count - 1, due, start)
        return Impossible.ENDS_TOO_LATE if last is None else replace(reminder, last=last)
    assert asked.until is not None
    if asked.until < due:
        return Impossible.ENDS_BEFORE_FIRST
    return replace(reminder, last=max(due, recurrence.last_until(asked.until, start) or due))


def _moment_of(first: timedelta | datetime, now: datetime) -> datetime:
    """A delay counts from now."""
    return first if isinstance(first, datetime) else one_length_after(now, first)


def _rounded_up(moment: datetime) -> datetime:
    """To a whole second, since rules count in those (10.2)."""
    whole = moment.replace(microsecond=0)
    return whole if whole == moment else one_length_after(whole, timedelta(seconds=1))
