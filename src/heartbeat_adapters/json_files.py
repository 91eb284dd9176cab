"""The two files as stores: a schedule in one, reminders in the other (section 8).

Lives here: what of a file's content can be used, what is kept and written back, and what is said of it.
May not: the schema (`heartbeat_core.records`), bytes on disk (`json_file`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from heartbeat_adapters.file_text import BETWEEN_ROWS, can_be_written, object_text, parse, row_text, rows_text
from heartbeat_adapters.json_file import Content, JsonFile, Unusable
from heartbeat_adapters.row_blocks import RowBlocks
from heartbeat_adapters.system_calls import SystemCalls
from heartbeat_core.moments import AgentZone
from heartbeat_core.ports import Found, Log
from heartbeat_core.records import (
    REMINDER_MEMBERS,
    SCHEDULE_MEMBERS,
    read_reminder,
    read_schedule,
    reminder_row,
    schedule_members,
)
from heartbeat_core.reminders import Reminder
from heartbeat_core.schedule import Schedule

T = TypeVar("T")

_NAMED_PROBLEMS = 3
_SCHEDULE_NAMES = frozenset(SCHEDULE_MEMBERS)
_REMINDER_NAMES = frozenset(REMINDER_MEMBERS)


@dataclass(frozen=True, slots=True)
class _Use(Generic[T]):
    """What of a file can be used: `content` is None where nothing can. `adopt` makes it the store's.

    Where nothing can be used, nothing is adopted: the server goes on with what it has, rows included.
    """

    content: T | None
    problems: Sequence[str]
    adopt: Callable[[], None] = lambda: None


def _found(file: JsonFile, reading: Content | Unusable, use: Callable[[bytes], _Use[T]]) -> Found[T]:
    if isinstance(reading, Unusable):
        return Found(notice=reading.why, in_use=reading.in_use)
    if reading.data is None:
        return Found()
    usable = use(reading.data)
    if usable.problems:
        copy = file.copy_aside(reading.data)
        if isinstance(copy, Unusable):
            return Found(notice=copy.why)
        usable.adopt()
        return Found(usable.content, _notice(file.path, copy, usable))
    usable.adopt()
    return Found(usable.content)


def _notice(path: str, copy: str, usable: _Use[T]) -> str:
    more = len(usable.problems) - _NAMED_PROBLEMS
    problems = "; ".join(usable.problems[:_NAMED_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
    how_far = "is not what this server writes" if usable.content is None else "could be used only in part"
    without = "all of it" if usable.content is None else "what could not be used"
    return f"{path} {how_far} ({problems}); it was copied to {copy}, and the server goes on without {without}"


class JsonScheduleStore:
    """Keeps the schedule in the config file (8.1). A `ScheduleStore`.

    `path` is absolute; `defaults` stand in for members that the file does not have, or that cannot be
    used. `log` hears what no reply has to say.
    """

    def __init__(
        self,
        path: str,
        defaults: Schedule,
        zone: AgentZone,
        log: Log | None = None,
        calls: SystemCalls | None = None,
    ) -> None:
        self._file = JsonFile(path, calls or SystemCalls(), log)
        self._defaults = defaults
        self._zone = zone
        self._unknown: Mapping[str, object] = {}

    def load(self) -> Found[Schedule]:
        """Read the file; see `ScheduleStore.load`."""
        return _found(self._file, self._file.load(), self._use)

    def look(self) -> Found[Schedule] | None:
        """Look whether something else changed the file; see `ScheduleStore.look`."""
        reading = self._file.look()
        return None if reading is None else _found(self._file, reading, self._use)

    def save(self, schedule: Schedule) -> str | None:
        """Write the file; see `ScheduleStore.save`."""
        return self._file.save([object_text({**schedule_members(schedule), **self._unknown})])

    def close(self) -> None:
        """Let another server have the file. May be called twice."""
        self._file.close()

    def _use(self, data: bytes) -> _Use[Schedule]:
        parsed = parse(data)
        if isinstance(parsed, str):
            return _Use(None, [parsed])
        if not isinstance(parsed.value, dict):
            return _Use(None, ["it is not a JSON object"])
        problems = [] if parsed.flaw is None else [parsed.flaw]
        schedule, unusable = read_schedule(parsed.value, self._defaults, self._zone)
        unknown = {name: value for name, value in parsed.value.items() if name not in _SCHEDULE_NAMES}
        kept = {name: value for name, value in unknown.items() if can_be_written({name: value})}
        lost = [f"{name[:40]!r} cannot be written back" for name in unknown.keys() - kept.keys()]
        return _Use(schedule, [*problems, *unusable, *lost], lambda: self._adopt(kept))

    def _adopt(self, unknown: Mapping[str, object]) -> None:
        self._unknown = unknown


class JsonReminderStore:
    """Keeps reminders in the reminders file (8.1), in the order in which they came. A `ReminderStore`.

    `path` is absolute. `log` hears what no reply has to say. Each row is serialised once and kept as
    bytes, so that a save costs little more than the writing.
    """

    def __init__(
        self, path: str, zone: AgentZone, log: Log | None = None, calls: SystemCalls | None = None
    ) -> None:
        self._file = JsonFile(path, calls or SystemCalls(), log)
        self._zone = zone
        self._rows = _Rows()

    def load(self) -> Found[Sequence[Reminder]]:
        """Read the file; see `ReminderStore.load`."""
        return _found(self._file, self._file.load(), self._use)

    def look(self) -> Found[Sequence[Reminder]] | None:
        """Look whether something else changed the file; see `ReminderStore.look`."""
        reading = self._file.look()
        return None if reading is None else _found(self._file, reading, self._use)

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> str | None:
        """Write the file; see `ReminderStore.save`."""
        # Not taken back where the file cannot be written: the next save that works is to write it (8.7).
        for reminder in changed:
            self._rows.put(reminder)
        for gone in removed:
            self._rows.discard(gone)
        return self._file.save(rows_text(self._rows.texts.pieces()))

    def close(self) -> None:
        """Let another server have the file. May be called twice."""
        self._file.close()

    def _use(self, data: bytes) -> _Use[Sequence[Reminder]]:
        parsed = parse(data)
        if isinstance(parsed, str):
            return _Use(None, [parsed])
        if not isinstance(parsed.value, list):
            return _Use(None, ["it is not a JSON array"])
        problems = [] if parsed.flaw is None else [parsed.flaw]
        return self._use_rows(parsed.value, problems)

    def _use_rows(self, rows: Sequence[object], problems: list[str]) -> _Use[Sequence[Reminder]]:
        reminders: dict[str, Reminder] = {}
        contents = _Rows()
        for number, row in enumerate(rows, 1):
            reminder = read_reminder(row, reminders, self._zone)
            if isinstance(reminder, str):
                problems.append(f"row {number}: {reminder}")
                continue
            reminders[reminder.id] = reminder
            assert isinstance(row, dict)  # or it would not have loaded
            if not contents.read(reminder, row):
                problems.append(
                    f"row {number}: a member that this server does not know cannot be written back"
                )
        return _Use(list(reminders.values()), problems, lambda: self._adopt(contents))

    def _adopt(self, contents: _Rows) -> None:
        self._rows = contents


class _Rows:
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
