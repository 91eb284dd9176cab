"""How a reminder is described to the agent, in replies and in the list (6.6, 10.6)."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from heartbeat_core.queue.pending import PendingReminder
from heartbeat_core.queue.queued_reminder import Held
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.lengths import show_rough_seconds, show_seconds
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.tools.shown import on_one_line, quoted, shown_id

_LONGEST_REASON = 500


def description(reminder: Reminder, now: datetime, zone: AgentZone) -> str:
    """When it comes, how often, until when, and its message."""
    away = "overdue" if reminder.due <= now else show_rough_seconds(reminder.due - now)
    parts = [f"next {show(reminder.due, zone)} ({away})"]
    parts.append("one-shot" if reminder.recurrence is None else f"repeats {reminder.recurrence}")
    if reminder.last is not None:
        parts.append(f"until {show(reminder.last, zone)}")
    if reminder.expires_after is not None:
        parts.append(f"expires after {show_seconds(reminder.expires_after)}")
    return " | ".join([*parts, quoted(reminder.message)])


def understood(reminder: Reminder, now: datetime, zone: AgentZone) -> str:
    """Its description, and the two times after the next: so the agent reads what was understood."""
    later = [show(at, zone) for at in islice(reminder.times_after(max(reminder.due, now)), 2)]
    then = f" | then {', '.join(later)}" if later else ""
    return description(reminder, now, zone) + then


def list_line(pending: PendingReminder, now: datetime, zone: AgentZone) -> str:
    """One line of the list."""
    line = f"{shown_id(pending.reminder.id)} | {description(pending.reminder, now, zone)}"
    if pending.sent_at is not None:
        return f"{line} | wake sent {show(pending.sent_at, zone)}, not answered yet"
    if pending.held is not None:
        return f"{line} | held since {show(pending.held.since, zone)}: {_reason(pending.held)}"
    return line


def _reason(held: Held) -> str:
    """Why it is held; some hosts give reasons as long as a page."""
    reason = on_one_line(held.reason[:_LONGEST_REASON])
    return reason if len(held.reason) <= _LONGEST_REASON else f"{reason}…"
