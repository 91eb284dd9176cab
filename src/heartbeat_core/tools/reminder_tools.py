"""The reminder tools: what the model is told of them, and what a call does (6.4 to 6.7, 10, 11)."""

from __future__ import annotations

from collections.abc import Mapping

from heartbeat_core.queue.given_up import Unheard
from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.reminders.asked import ImpossibleReminder
from heartbeat_core.reminders.recurrence import Calendar
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.tools.heartbeat_tools import NoArguments
from heartbeat_core.tools.limited import all_wait, earliest, too_many
from heartbeat_core.tools.reminder_arguments import AddArguments, CancelArguments, UpdateArguments
from heartbeat_core.tools.reminder_request import ReminderRequest
from heartbeat_core.tools.reminder_words import list_line, understood
from heartbeat_core.tools.shown import on_one_line, shown_id, shown_value
from heartbeat_core.tools.tool import Hints, Reply, Tool, refusal
from heartbeat_core.tools.wording import not_saved, why_waiting, with_notes

_LONGEST_LIST = 20_000
"""Hosts cut longer results (6.6)."""

_WHEN = (
    "send a delay (inSeconds, inMinutes, inHours), a time (atIso) or a recurrence (everySeconds, "
    "everyMinutes, everyHours, or rrule)"
)

# reminder_add


def _check_add(heartbeat: Heartbeat, arguments: AddArguments, sent: Mapping[str, object]) -> list[str]:
    request = ReminderRequest(heartbeat, arguments, sent)
    missing = [] if request.says_when else [f"it does not say when: {_WHEN}"]
    return request.problems() + missing + too_many(heartbeat)


def _add(heartbeat: Heartbeat, arguments: AddArguments) -> Reply:
    request = ReminderRequest(heartbeat, arguments, arguments.model_fields_set)
    try:
        reminder, problem = heartbeat.add(request.asked)
    except ImpossibleReminder as error:  # time has passed since the call was judged
        return refusal([request.words_for(error.why)])
    text = f"Reminder {reminder.id} set: {understood(reminder, heartbeat)}"
    return _set(heartbeat, text, request.notes() + not_saved(heartbeat, problem), reminder)


# reminder_update

_MAYBE_HEARD = "It may have been heard already. "


def _check_update(heartbeat: Heartbeat, arguments: UpdateArguments, sent: Mapping[str, object]) -> list[str]:
    known = [name for name in UpdateArguments.model_fields if name in sent]
    pending = heartbeat.find(arguments.id) if "id" in known and isinstance(sent["id"], str) else None
    if pending is None:
        problems = ReminderRequest(heartbeat, arguments, sent).problems_of_any()
        unknown = problems and "id" in known and isinstance(sent["id"], str)
        return [*problems, _no_such(arguments.id, _MAYBE_HEARD)] if unknown else problems
    problems = ReminderRequest(heartbeat, arguments, sent, pending.reminder).problems()
    if known == ["id"]:
        problems.append(
            f"it does not say what to change: send a message, an end, an expiry, or when: {_WHEN}"
        )
    if known == ["id", "timezone"]:
        problems.append(_zone_alone(pending.reminder))
    return problems


def _zone_alone(reminder: Reminder) -> str:
    how = (
        "an interval has none"
        if not isinstance(reminder.recurrence, Calendar)
        else (f"the rule is {reminder.recurrence.rule.text}")
    )
    return f"timezone alone changes nothing; send the rule with it as rrule: {how}"


def _update(heartbeat: Heartbeat, arguments: UpdateArguments) -> Reply:
    before = heartbeat.find(arguments.id)
    if before is None:
        return _unknown(heartbeat, arguments.id, _MAYBE_HEARD)
    request = ReminderRequest(heartbeat, arguments, arguments.model_fields_set, before.reminder)
    try:
        reminder, problem = heartbeat.update(arguments.id, request.asked)
    except ImpossibleReminder as error:  # time has passed since the call was judged
        return refusal([request.words_for(error.why)])
    except LookupError:  # what is stored was changed just now
        return _unknown(heartbeat, arguments.id, _MAYBE_HEARD)
    start = "No changes. " if reminder == before.reminder else "Updated "
    text = f"{start}{shown_id(reminder.id)}: {understood(reminder, heartbeat)}"
    notes = request.notes() + _left_behind(heartbeat, before, reminder) + not_saved(heartbeat, problem)
    return _set(heartbeat, text, notes, reminder)


def _left_behind(heartbeat: Heartbeat, before: PendingReminder, after: Reminder) -> list[str]:
    """What became of the firing that was moved, where its time had come (11.3)."""
    old = before.reminder.due
    if after.due == old:
        return []
    if before.sent_at is not None:
        sent = show(before.sent_at, heartbeat.zone)
        return [
            f"the wake of the old time was sent at {sent}, and may still be heard; its answer changes nothing"
        ]
    if old <= heartbeat.now:
        return [f"the old time, {show(old, heartbeat.zone)}, was overdue, and is not told any more"]
    return []


# reminder_list


def _list(heartbeat: Heartbeat, _: NoArguments) -> Reply:
    waits = why_waiting(heartbeat) + all_wait(heartbeat) if len(heartbeat.reminders) else []
    notes = _news(heartbeat) + heartbeat.reminders_notices() + waits
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
        lines.append(list_line(pending, heartbeat, now))
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


# reminder_cancel


def _cancel(heartbeat: Heartbeat, arguments: CancelArguments) -> Reply:
    pending, problem = heartbeat.cancel(arguments.id)
    if pending is None:
        return _unknown(heartbeat, arguments.id)
    text = f"Cancelled {shown_id(pending.reminder.id)}. {len(heartbeat.reminders)} reminder(s) remain."
    if pending.sent_at is not None:
        text += (
            f" Its wake was sent already, at {show(pending.sent_at, heartbeat.zone)}, and may still be heard."
        )
    return _told(heartbeat, text, not_saved(heartbeat, problem) + heartbeat.reminders_notices())


# What their replies have in common


def _unknown(heartbeat: Heartbeat, reminder_id: str, maybe: str = "") -> Reply:
    return Reply(with_notes(_no_such(reminder_id, maybe), heartbeat.reminders_notices()), is_error=True)


def _no_such(reminder_id: str, maybe: str = "") -> str:
    return f"No pending reminder has the id {shown_value(reminder_id)}. {maybe}See reminder_list for the ids."


def _set(heartbeat: Heartbeat, text: str, notes: list[str], reminder: Reminder) -> Reply:
    """A reply that describes a reminder: with what it waits for, and what is wrong where it is stored."""
    waits = why_waiting(heartbeat) + earliest(heartbeat, reminder.due)
    return _told(heartbeat, text, notes + heartbeat.reminders_notices() + waits)


def _told(heartbeat: Heartbeat, text: str, notes: list[str]) -> Reply:
    """A reply that is no refusal; it tells what was given up too, once (10.5)."""
    return Reply(with_notes(text, notes + _news(heartbeat)))


def _news(heartbeat: Heartbeat) -> list[str]:
    unheard, others = heartbeat.take_given_up()
    lines = [_unheard_line(each, heartbeat.zone) for each in unheard]
    return [*lines[1:], f"{others + 1} more reminders were not heard"] if others else lines


def _unheard_line(unheard: Unheard, zone: AgentZone) -> str:
    latest = unheard.latest
    times = f"due {show(latest.due, zone)}, given up {show(latest.at, zone)}"
    more = f", and {unheard.more} more" if unheard.more else ""
    return f"{shown_id(latest.reminder_id)} was not heard: {times}: {on_one_line(latest.reason)}{more}"


ADD = Tool(
    name="reminder_add",
    title="Set a reminder",
    description="Leave yourself a message that wakes you later, once or again and again. Say when it first "
    "comes by a delay (in…, added up) or by a time (atIso); make it recur by an interval (every…, added up) "
    "or on the calendar (rrule). It is kept across restarts.",
    arguments=AddArguments,
    hints=Hints(),
    check=_check_add,
    act=_add,
)
UPDATE = Tool(
    name="reminder_update",
    title="Change a reminder",
    description="Change a reminder; what you leave out stays. A delay or atIso alone moves its next time "
    "only, as to snooze it; every… or rrule begins a new series.",
    arguments=UpdateArguments,
    hints=Hints(),
    check=_check_update,
    act=_update,
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
