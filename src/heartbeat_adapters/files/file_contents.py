"""What of the two files' bytes can be used, and what is wrong with the rest (8.5).

The stores and `check` ask the same question. The schema is in `heartbeat_core.keeping.records`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from heartbeat_adapters.files.file_text import BETWEEN_ROWS, can_be_written, parse, row_text
from heartbeat_adapters.files.row_blocks import RowBlocks
from heartbeat_core.keeping.records import (
    REMINDER_MEMBERS,
    SCHEDULE_MEMBERS,
    read_reminder,
    read_schedule,
    reminder_row,
)
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.times.moments import AgentZone, ZoneFinder

_NAMED_PROBLEMS = 3
_SCHEDULE_NAMES = frozenset(SCHEDULE_MEMBERS)
_REMINDER_NAMES = frozenset(REMINDER_MEMBERS)


class Rows:
    """The rows of the file by id: each as text, and what it had that nobody here knows."""

    def __init__(self) -> None:
        self.texts = RowBlocks(BETWEEN_ROWS)
        self._unknown: dict[str, Mapping[str, object]] = {}

    def read(self, reminder: Reminder, row: Mapping[str, object]) -> bool:
        """Take over a row that was read; False if not all of it can be written back."""
        whole = True
        if not row.keys() <= _REMINDER_NAMES:
            unknown = {name: value for name, value in row.items() if name not in _REMINDER_NAMES}
            whole = can_be_written(unknown)
            if whole:
                self._unknown[reminder.id] = unknown
        self.put(reminder)
        return whole

    def put(self, reminder: Reminder) -> None:
        """Take over a reminder as it is now."""
        row = reminder_row(reminder)
        self.texts[reminder.id] = row_text({**row, **self._unknown.get(reminder.id, {})})

    def discard(self, gone: str) -> None:
        """Forget a reminder, if it is there."""
        self.texts.discard(gone)
        self._unknown.pop(gone, None)


@dataclass(frozen=True, slots=True)
class UsableSchedule:
    """What a config file gives: None where nothing can be used; `unknown` is to be written back."""

    content: Schedule | None
    problems: Sequence[str]
    unknown: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsableReminders:
    """What a reminders file gives: None where nothing can be used; `rows` is what to write back."""

    content: Sequence[Reminder] | None
    problems: Sequence[str]
    rows: Rows = field(default_factory=Rows)


def usable_schedule(data: bytes, defaults: Schedule, zone: AgentZone) -> UsableSchedule:
    """Read a config file; `defaults` stand in for what it does not have, or has wrong."""
    parsed = parse(data)
    if isinstance(parsed, str):
        return UsableSchedule(None, [parsed])
    if not isinstance(parsed.value, dict):
        return UsableSchedule(None, ["it is not a JSON object"])
    problems = [] if parsed.flaw is None else [parsed.flaw]
    schedule, unusable = read_schedule(parsed.value, defaults, zone)
    unknown = {name: value for name, value in parsed.value.items() if name not in _SCHEDULE_NAMES}
    kept = {name: value for name, value in unknown.items() if can_be_written({name: value})}
    lost = [f"{name[:40]!r} cannot be written back" for name in unknown.keys() - kept.keys()]
    return UsableSchedule(schedule, [*problems, *unusable, *lost], kept)


def usable_reminders(data: bytes, zone: AgentZone, find_zone: ZoneFinder) -> UsableReminders:
    """Read a reminders file, row by row."""
    parsed = parse(data)
    if isinstance(parsed, str):
        return UsableReminders(None, [parsed])
    if not isinstance(parsed.value, list):
        return UsableReminders(None, ["it is not a JSON array"])
    problems = [] if parsed.flaw is None else [parsed.flaw]
    reminders: dict[str, Reminder] = {}
    rows = Rows()
    for number, row in enumerate(parsed.value, 1):
        reminder = read_reminder(row, reminders, zone, find_zone)
        if isinstance(reminder, str):
            problems.append(f"row {number}: {reminder}")
            continue
        reminders[reminder.id] = reminder
        assert isinstance(row, dict)  # or it would not have loaded
        if not rows.read(reminder, row):
            problems.append(f"row {number}: a member that this server does not know cannot be written back")
    return UsableReminders(list(reminders.values()), problems, rows)


def named(problems: Sequence[str]) -> str:
    """Problems in a row: the first few, and how many more there are."""
    more = len(problems) - _NAMED_PROBLEMS
    return "; ".join(problems[:_NAMED_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
