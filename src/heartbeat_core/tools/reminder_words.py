"""How a reminder is described to the agent, in replies and in the list (6.6, 10.6)."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from heartbeat_core.queue.pacing import as_it_runs
from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.queue.queued_reminder import Held
from heartbeat_core.reminders.recurrence import Calendar, Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.service import Heartbeat
from heartbeat_core.times.lengths import show_rough_seconds, show_seconds
from heartbeat_core.times.moments import show
from heartbeat_core.tools.limited import why_fewer, why_other
from heartbeat_core.tools.shown import on_one_line, quoted, shown_id
from heartbeat_core.wakes import LONGEST_REASON


def _description(reminder: Reminder, heartbeat: Heartbeat, now: datetime) -> str:
    """When it comes, how often, until when, and its message."""
    zone = heartbeat.zone
    away = "overdue" if reminder.due <= now else show_rough_seconds(reminder.due - now)
    parts = [f"next {show(reminder.due, zone)} ({away})", _how_often(reminder, heartbeat.limits)]
    if reminder.last is not None:
        parts.append(f"until {show(reminder.last, zone)}")
    if reminder.expires_after is not None:
        parts.append(f"expires after {show_seconds(reminder.expires_after)}")
    return " | ".join([*parts, quoted(reminder.message)])


def _how_often(reminder: Reminder, limits: Limits) -> str:
    """The recurrence that runs, and why it is another than the one that is kept (15.2)."""
    runs = as_it_runs(reminder, limits)
    match reminder.recurrence:
        case None:
            return "one-shot"
        case Interval(every=every):
            return f"repeats {runs.recurrence}{why_other(limits, every)}"
        case Calendar():
            return f"repeats {runs.recurrence}{why_fewer(limits, reminder)}"


def understood(reminder: Reminder, heartbeat: Heartbeat) -> str:
    """Its description, and the two times after the next: so the agent reads what was understood."""
    now = heartbeat.now
    runs = as_it_runs(reminder, heartbeat.limits)
    later = [show(at, heartbeat.zone) for at in islice(runs.times_after(max(reminder.due, now)), 2)]
    then = f" | then {', '.join(later)}" if later else ""
    return _description(reminder, heartbeat, now) + then


def list_line(pending: PendingReminder, heartbeat: Heartbeat, now: datetime) -> str:
    """One line of the list."""
    zone = heartbeat.zone
    line = f"{shown_id(pending.reminder.id)} | {_description(pending.reminder, heartbeat, now)}"
    if pending.sent_at is not None:
        return f"{line} | wake sent {show(pending.sent_at, zone)}, not answered yet"
    if pending.held is not None:
        return f"{line} | held since {show(pending.held.since, zone)}: {_reason(pending.held)}"
    return line


def _reason(held: Held) -> str:
    """Why it is held; some hosts give reasons as long as a page."""
    reason = on_one_line(held.reason[:LONGEST_REASON])
    return reason if len(held.reason) <= LONGEST_REASON else f"{reason}…"
