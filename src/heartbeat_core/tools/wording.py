"""What several replies have in common: the status line, and the notes at the end (6.1, 7.5, 8.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice

from heartbeat_core.ports import Trouble, TroubleKind
from heartbeat_core.schedule.ambient_schedule import DeliveryMode
from heartbeat_core.service import Heartbeat
from heartbeat_core.telling.history_words import in_sum, in_words
from heartbeat_core.times.lengths import in_seconds, show_rough_seconds, show_seconds
from heartbeat_core.times.moments import LAST_MOMENT, show
from heartbeat_core.tools.limited import limits_shown, why_never, why_other
from heartbeat_core.tools.shown import quoted


def status(heartbeat: Heartbeat, problem: Trouble | None = None, notes: Sequence[str] = ()) -> str:
    """How the heartbeat stands, on one line (6.1), with notes on lines of their own after it.

    `problem` is why a change that was just made is not saved, if so.
    """
    notices = heartbeat.schedule_notices() + heartbeat.reminders_notices()
    return with_notes(_status_line(heartbeat), [*notes, *not_saved(heartbeat, problem), *notices])


def past(heartbeat: Heartbeat, count: int) -> str:
    """The last lines of history, newest first, and the sums of the last 24 hours (14.3)."""
    history = heartbeat.history
    if not history.is_kept:
        return "No history is kept: the operator has turned it off."
    lines = [in_words(line, heartbeat.zone) for line in islice(history.newest_first(), count)]
    if not lines:
        return "No history yet: nothing has become of a wake so far."
    return "\n".join([*lines, in_sum(history.newest_first(), heartbeat.now)])


def _status_line(heartbeat: Heartbeat) -> str:
    schedule, blocked = heartbeat.schedule, heartbeat.blocked
    interval = heartbeat.limits.paced(schedule.interval)
    hours = in_seconds(interval) / 3600
    parts = [
        f"Heartbeat {'PAUSED' if schedule.paused else 'ACTIVE'}",
        f"mode={_mode(heartbeat)}",
        f"interval={show_seconds(interval)} ({hours:.2f}h){why_other(heartbeat.limits, schedule.interval)}",
    ]
    if schedule.active:
        parts.append(f"active={schedule.active}{why_never(heartbeat)}")
    if schedule.next_beat is not None and schedule.next_beat < LAST_MOMENT and blocked is None:
        parts.append(f"next in {show_rough_seconds(max(schedule.next_beat - heartbeat.now, timedelta(0)))}")
    parts += [
        f"reminders={len(heartbeat.reminders)}",
        f"delivery={_delivery(heartbeat)}",
        *limits_shown(heartbeat),
        f"message={quoted(schedule.message)}",
    ]
    return " | ".join(parts)


def _delivery(heartbeat: Heartbeat) -> str:
    if (blocked := heartbeat.blocked) is not None:
        return f"BLOCKED ({blocked})"
    busy = heartbeat.busy
    return "ok" if busy is None else f"busy since {show(busy.since, heartbeat.zone)}"


def _mode(heartbeat: Heartbeat) -> str:
    mode = heartbeat.schedule.mode
    if mode is DeliveryMode.SILENT and heartbeat.silent_refused:
        refused = f"{heartbeat.parties.listener} refused a silent wake"
        return f"{mode.value} ({refused}, so beats are sent as messages)"
    return mode.value


def with_notes(text: str, notes: Iterable[str]) -> str:
    """A reply with what else the agent has to know, each note on a line of its own."""
    return "\n".join([text, *(f"Note: {note}." for note in notes)])


def not_saved(heartbeat: Heartbeat, problem: Trouble | None) -> list[str]:
    """The note that a change is not saved, where it is not, and why (8.7).

    Of a trouble that lasts a notice says why, and that a later save will not write the change.
    """
    if problem is None:
        return []
    stops = f"until {heartbeat.parties.program} stops"
    match problem.kind:
        case TroubleKind.REFUSED:
            return [f"this change is not saved, and is in force only {stops}"]
        case TroubleKind.IN_USE:
            return [f"this change is not saved yet, and is in force {stops}"]
    until = f"It is in force {stops}, and the next save that works writes it"
    return [f"this change is not saved: {problem}. {until}"]


def why_waiting(heartbeat: Heartbeat) -> list[str]:
    """The note that reminders wait, or will never fire here, and why (7.5)."""
    blocked = heartbeat.blocked
    if blocked is None:
        return []
    if blocked.for_good:
        return [f"no reminder will fire on this host: {blocked}. What is set is kept"]
    return [
        f"reminders wait, since no wake can be delivered now: {blocked}. They come, once each, when one can"
    ]
