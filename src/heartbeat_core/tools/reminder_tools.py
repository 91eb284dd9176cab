"""reminder_add, reminder_list and reminder_cancel: what the model is told, what a call does (6.4 to 6.7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.queue.queued_reminder import Held
from heartbeat_core.reminders.reminder import SHORTEST_RECURRENCE, Reminder
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.lengths import MILLISECOND, show_rough_seconds, show_seconds
from heartbeat_core.times.moments import AgentZone, parse_local, show
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.heartbeat_tools import NoArguments
from heartbeat_core.tools.shown import on_one_line, quoted, shown_id, shown_value
from heartbeat_core.tools.texts import MESSAGE_ALLOWED, Message
from heartbeat_core.tools.tool import Hints, Reply, Tool
from heartbeat_core.tools.units import AddedUp, Hours, Minutes, Seconds
from heartbeat_core.tools.unsupported import IN_REMINDER_ADD
from heartbeat_core.tools.when import show_now, time_problems
from heartbeat_core.tools.wording import not_saved, why_waiting, with_notes
from heartbeat_core.wakes import LONGEST_REASON

_LONGEST_LIST = 20_000
"""Hosts cut longer results (6.6)."""

_DELAY = AddedUp("in", "a delay", MILLISECOND, "more than 0 s", "for no delay leave it out")
_RECURRENCE = AddedUp(
    "every", "a recurrence", SHORTEST_RECURRENCE, "5 s or more", "for a reminder that comes once leave it out"
)


class AddArguments(Arguments):
    """What reminder_add takes."""

    allowed: ClassVar = {
        "message": MESSAGE_ALLOWED,
        "atIso": "a text, a date or date and time in ISO 8601, as in 2026-10-10T08:00",
    }
    any_text: ClassVar = ("message",)
    subject: ClassVar = ("message",)
    unsupported: ClassVar = IN_REMINDER_ADD

    message: Message = Field(
        description="What you want to be told, written so that you understand it without this conversation: "
        "not blank, at most 100,000 characters."
    )
    inSeconds: Seconds = Field(
        None,
        description="A delay from now in seconds, added to inMinutes and inHours; together more than 0, at "
        "most 100 years. Not together with atIso.",
    )
    inMinutes: Minutes = Field(
        None,
        description="A delay from now in minutes, added to inSeconds and inHours. Not together with atIso.",
    )
    inHours: Hours = Field(
        None,
        description="A delay from now in hours, added to inSeconds and inMinutes; may have a fraction, as in "
        "1.5. A day is 24, a week 168. Not together with atIso.",
    )
    atIso: str | SkipJsonSchema[None] = Field(
        None,
        description="A full date, or date and time, in ISO 8601 and without a zone name, as in "
        "2026-10-10T08:00 or 2026-10-10T08:00:00-07:00. Without an offset it is in your own time zone, the "
        "one that replies show; a date alone is its midnight there. A past time fires at once. Not together "
        "with a delay.",
    )
    everySeconds: Seconds = Field(
        None,
        description="Makes it recur, so many seconds apart, added to everyMinutes and everyHours; together "
        "5 seconds or more, at most 100 years. Its first time is the delay or atIso sent beside it, else one "
        "interval from now, and repeats until it is cancelled.",
    )
    everyMinutes: Minutes = Field(
        None, description="Makes it recur, so many minutes apart, added to everySeconds and everyHours."
    )
    everyHours: Hours = Field(
        None,
        description="Makes it recur, so many hours apart, added to everySeconds and everyMinutes: 24 for "
        "daily, 168 for weekly. Hours are counted as they pass, so where clocks change, a daily 08:00 moves "
        "to 07:00 or 09:00.",
    )


class CancelArguments(Arguments):
    """What reminder_cancel takes."""

    allowed: ClassVar = {"id": "a text, the id of a reminder as reminder_list shows it"}
    any_text: ClassVar = ("id",)
    subject: ClassVar = ("id",)

    id: str = Field(description="The id of the reminder, as reminder_add and reminder_list show it: rem_…")


# reminder_add


def _check_add(heartbeat: Heartbeat, arguments: AddArguments, sent: Mapping[str, object]) -> list[str]:
    problems = _DELAY.problems(arguments, sent, heartbeat.now, heartbeat.zone)
    if arguments.atIso is not None:
        problems += time_problems("atIso", arguments.atIso, heartbeat)
    problems += _RECURRENCE.problems(arguments, sent, heartbeat.now, heartbeat.zone)
    delay = _DELAY.names(sent)
    if delay and "atIso" in sent:
        problems.append(
            f"{' + '.join(delay)} and atIso both say when it first comes; send only one of the two"
        )
    if not (delay or "atIso" in sent or _RECURRENCE.names(sent)):
        problems.append(
            "it does not say when: send a delay (inSeconds, inMinutes, inHours), a time (atIso) or a "
            "recurrence (everySeconds, everyMinutes, everyHours)"
        )
    return problems


def _add(heartbeat: Heartbeat, arguments: AddArguments) -> Reply:
    first = first_time(heartbeat, arguments)
    past = isinstance(first, datetime) and first < heartbeat.now
    reminder, problem = heartbeat.add(arguments.message, first, recurrence(arguments))
    text = f"Reminder {reminder.id} set: {_description(reminder, heartbeat.now, heartbeat.zone)}"
    at_once = f"that time is past, since it is now {show_now(heartbeat)}, so it is due at once"
    notes = [at_once] if past else []
    notices = heartbeat.reminders_notices()
    notes += not_saved(problem) + notices + why_waiting(heartbeat)
    return Reply(with_notes(text, notes))


def first_time(heartbeat: Heartbeat, arguments: AddArguments) -> timedelta | datetime | None:
    """The delay or the time that a call that was checked names; None where it names neither."""
    if arguments.atIso is None:
        return _DELAY.length(arguments)
    return parse_local(arguments.atIso, heartbeat.zone)


def recurrence(arguments: AddArguments) -> timedelta | None:
    """The interval that a call that was checked names; None for a one-shot."""
    return _RECURRENCE.length(arguments)


def _description(reminder: Reminder, now: datetime, zone: AgentZone) -> str:
    away = "overdue" if reminder.due <= now else show_rough_seconds(reminder.due - now)
    return f"next {show(reminder.due, zone)} ({away}) | {_kind(reminder)} | {quoted(reminder.message)}"


def _kind(reminder: Reminder) -> str:
    return "one-shot" if reminder.every is None else f"repeats every {show_seconds(reminder.every)}"


# reminder_list


def _list(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    notes = heartbeat.reminders_notices() + (why_waiting(heartbeat) if len(heartbeat.reminders) else [])
    room = _LONGEST_LIST - len(with_notes("", notes))
    return Reply(with_notes("\n".join(_list_lines(heartbeat, room)), notes))


def _list_lines(heartbeat: Heartbeat, room: int) -> list[str]:
    """The lines of the list; where there is no room for all, the last says how many are left out."""
    reminders, now = heartbeat.reminders, heartbeat.now
    if reminders.last_due is None:
        return ["No reminders set."]
    lines = [f"{len(reminders)} reminder(s):"]
    left = room - len(lines[0])
    for pending in reminders:
        lines.append(_line(pending, now, heartbeat.zone))
        left -= len(lines[-1]) + 1
        if left < 0:
            return _cut(lines, room, len(reminders), show(reminders.last_due, heartbeat.zone))
    return lines


def _cut(lines: list[str], room: int, count: int, last_due: str) -> list[str]:
    """As many of the lines as there is room for, of a list of `count`, with a last one for the others."""
    more = ""
    while len(lines) > 1 and (not more or len("\n".join([*lines, more])) > room):
        lines.pop()
        more = f"… and {count - (len(lines) - 1)} more, until {last_due}."
    return [*lines, more]


def _line(pending: PendingReminder, now: datetime, zone: AgentZone) -> str:
    reminder = pending.reminder
    line = f"{shown_id(reminder.id)} | {_description(reminder, now, zone)}"
    if pending.sent_at is not None:
        return f"{line} | wake sent {show(pending.sent_at, zone)}, not answered yet"
    if pending.held is not None:
        return f"{line} | held since {show(pending.held.since, zone)}: {_reason(pending.held)}"
    return line


def _reason(held: Held) -> str:
    reason = on_one_line(held.reason[:LONGEST_REASON])
    return reason if len(held.reason) <= LONGEST_REASON else f"{reason}…"


# reminder_cancel


def _cancel(heartbeat: Heartbeat, arguments: CancelArguments) -> Reply:
    pending, problem = heartbeat.cancel(arguments.id)
    notices = heartbeat.reminders_notices()
    if pending is None:
        text = f"No pending reminder has the id {shown_value(arguments.id)}. See reminder_list for the ids."
        return Reply(with_notes(text, notices), is_error=True)
    text = f"Cancelled {shown_id(pending.reminder.id)}. {len(heartbeat.reminders)} reminder(s) remain."
    if pending.sent_at is not None:
        text += (
            f" Its wake was sent already, at {show(pending.sent_at, heartbeat.zone)}, and may still be heard."
        )
    return Reply(with_notes(text, not_saved(problem) + notices))


ADD = Tool(
    name="reminder_add",
    title="Set a reminder",
    description="Leave yourself a message that wakes you later, once or again and again. Say when it first "
    "comes by a delay (inSeconds, inMinutes, inHours, added up) or by a time (atIso), not both; make it "
    "recur with everySeconds, everyMinutes and everyHours (added up). At least one of the three is needed. "
    "Once in two days: inHours 48. Every morning at 8: atIso at the next 08:00, everyHours 24. On weekdays: "
    "five such reminders, each with everyHours 168. It is kept across restarts. To change a reminder, cancel "
    "it and add it anew.",
    arguments=AddArguments,
    hints=Hints(),
    check=_check_add,
    act=_add,
)
LIST = Tool(
    name="reminder_list",
    title="List reminders",
    description="List the reminders that are set, in the order in which they come, with the id of each and "
    "whether one waits and why. Takes no arguments.",
    arguments=NoArguments,
    hints=Hints(read_only=True, idempotent=True),
    act=_list,
)
CANCEL = Tool(
    name="reminder_cancel",
    title="Cancel a reminder",
    description="Remove one reminder for good, by its id; reminder_list shows which there are.",
    arguments=CancelArguments,
    hints=Hints(destructive=True, idempotent=True),
    act=_cancel,
)
