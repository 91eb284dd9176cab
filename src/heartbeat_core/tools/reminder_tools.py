"""The tools of reminders: reminder_add, reminder_list, reminder_cancel.

Lives here: what the model is told about them, what they take, and what a call does (6.4 to 6.7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.book import Entry
from heartbeat_core.lengths import show_rough_seconds, show_seconds
from heartbeat_core.moments import AgentZone, NotATime, parse_local, show
from heartbeat_core.reminders import MILLISECOND, SHORTEST_RECURRENCE, Reminder
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments, shown_value
from heartbeat_core.tools.heartbeat_tools import LONGEST_MESSAGE, NoArguments
from heartbeat_core.tools.tool import Hints, Reply, Tool
from heartbeat_core.tools.units import Hours, Minutes, Seconds, length_of, length_problems, names_sent
from heartbeat_core.tools.unsupported import IN_REMINDER_ADD
from heartbeat_core.tools.wording import not_saved, one_line, why_waiting, with_notes

_LONGEST_LIST = 20_000
"""Hosts cut longer results (6.6)."""


class AddArguments(Arguments):
    """What reminder_add takes."""

    unsupported: ClassVar = IN_REMINDER_ADD

    message: Annotated[str, StringConstraints(pattern=r"\S", max_length=LONGEST_MESSAGE)] = Field(
        description="What you want to be told, written so that you understand it without this conversation."
    )
    inSeconds: Seconds = Field(
        None,
        description="A delay from now in seconds, added to inMinutes and inHours. Not together with atIso.",
    )
    inMinutes: Minutes = Field(None, description="A delay in minutes, added to inSeconds and inHours.")
    inHours: Hours = Field(
        None, description="A delay in hours, added to inSeconds and inMinutes. A day is 24."
    )
    atIso: str | SkipJsonSchema[None] = Field(
        None,
        description="A date, or date and time, in ISO 8601, as in 2026-10-10T08:00 or "
        "2026-10-10T08:00:00-07:00. Without an offset it is in your own time zone, the one that replies "
        "show; a date alone is its midnight. Not together with a delay.",
    )
    everySeconds: Seconds = Field(
        None,
        description="Makes it recur, so many seconds apart, added to everyMinutes and everyHours; together "
        "5 seconds or more. It first fires at the delay or atIso given with it, else one interval from now.",
    )
    everyMinutes: Minutes = Field(
        None, description="Makes it recur, so many minutes apart, added to everySeconds and everyHours."
    )
    everyHours: Hours = Field(
        None,
        description="Makes it recur, so many hours apart, added to everySeconds and everyMinutes: 24 for "
        "daily, 168 for weekly.",
    )


class CancelArguments(Arguments):
    """What reminder_cancel takes."""

    id: Annotated[str, StringConstraints(min_length=1)] = Field(
        description="The id of the reminder, as reminder_add and reminder_list show it: rem_…"
    )


# reminder_add


def _check_add(heartbeat: Heartbeat, arguments: AddArguments, sent: Collection[str]) -> list[str]:
    problems = length_problems(arguments, "in", sent, MILLISECOND, "more than 0")
    problems += length_problems(arguments, "every", sent, SHORTEST_RECURRENCE, "5 s or more")
    delay, every = names_sent("in", sent), names_sent("every", sent)
    if arguments.atIso is not None:
        problems += _time_problems(arguments.atIso, heartbeat.zone)
    if delay and "atIso" in sent:
        problems.append(
            f"{' + '.join(delay)} and atIso both say when it comes first; send only one of the two"
        )
    if not (delay or every or "atIso" in sent):
        problems.append(
            "it is not said when: send a delay (inSeconds, inMinutes, inHours), a time (atIso) or a "
            "recurrence (everySeconds, everyMinutes, everyHours)"
        )
    return problems


def _time_problems(at: str, zone: AgentZone) -> list[str]:
    try:
        parse_local(at, zone)
    except NotATime as error:
        return [f"atIso {error}; it was {shown_value(at)}"]
    return []


def _add(heartbeat: Heartbeat, arguments: AddArguments) -> Reply:
    at = None if arguments.atIso is None else parse_local(arguments.atIso, heartbeat.zone)
    past = at is not None and at < heartbeat.now
    first = at or length_of(arguments, "in")
    reminder, problem = heartbeat.add(arguments.message, first, length_of(arguments, "every"))
    text = f"Reminder {reminder.id} set: {_described(reminder, heartbeat)}"
    notes = ["that time is past, so it fires at once"] if past else []
    notes += not_saved(problem) + why_waiting(heartbeat) + heartbeat.reminders_notices()
    return Reply(with_notes(text, notes))


def _described(reminder: Reminder, heartbeat: Heartbeat) -> str:
    away = show_rough_seconds(max(reminder.due - heartbeat.now, timedelta(0)))
    when = f"next {show(reminder.due, heartbeat.zone)} ({away})"
    return f"{when} | {_kind(reminder)} | {one_line(reminder.message)}"


def _kind(reminder: Reminder) -> str:
    return "one-shot" if reminder.every is None else f"repeats every {show_seconds(reminder.every)}"


# reminder_list


def _list(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    notes = why_waiting(heartbeat) if len(heartbeat.reminders) else []
    return Reply(with_notes("\n".join(_list_lines(heartbeat)), heartbeat.reminders_notices() + notes))


def _list_lines(heartbeat: Heartbeat) -> Iterator[str]:
    book, now = heartbeat.reminders, heartbeat.now
    if not len(book):
        yield "No reminders set."
        return
    yield f"{len(book)} reminder(s):"
    length = 0
    for place, entry in enumerate(book):
        line = _line(entry, now, heartbeat.zone)
        length += len(line) + 1
        if length > _LONGEST_LIST and place:
            assert book.last_due is not None
            yield f"… and {len(book) - place} more, until {show(book.last_due, heartbeat.zone)}."
            return
        yield line


def _line(entry: Entry, now: datetime, zone: AgentZone) -> str:
    reminder = entry.reminder
    away = "overdue" if reminder.due <= now else show_rough_seconds(reminder.due - now)
    line = f"{reminder.id} | next {show(reminder.due, zone)} ({away}) | {_kind(reminder)}"
    line += f" | {one_line(reminder.message)}"
    if entry.sent_at is not None:
        return f"{line} | wake sent {show(entry.sent_at, zone)}, not answered yet"
    if entry.held is not None:
        return f"{line} | held since {show(entry.held.since, zone)}: {one_line(entry.held.reason)[1:-1]}"
    return line


# reminder_cancel


def _cancel(heartbeat: Heartbeat, arguments: CancelArguments) -> Reply:
    entry, problem = heartbeat.cancel(arguments.id)
    notices = heartbeat.reminders_notices()
    if entry is None:
        text = f"No pending reminder has the id {shown_value(arguments.id)}. See reminder_list for the ids."
        return Reply(with_notes(text, notices), is_error=True)
    text = f"Cancelled {entry.reminder.id}. {len(heartbeat.reminders)} reminder(s) remain."
    if entry.sent_at is not None:
        text += (
            f" Its wake was sent already, at {show(entry.sent_at, heartbeat.zone)}, and may still be heard."
        )
    return Reply(with_notes(text, not_saved(problem) + notices))


ADD = Tool(
    name="reminder_add",
    title="Set a reminder",
    description="Have yourself woken with a message, once or again and again. Say when with a delay "
    "(inSeconds, inMinutes, inHours, added up) or with atIso, and how often with everySeconds, everyMinutes, "
    "everyHours (added up). At least one of the three is needed. It is kept across restarts.",
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
    description="Remove one reminder for good, by its id.",
    arguments=CancelArguments,
    hints=Hints(destructive=True, idempotent=True),
    act=_cancel,
)
