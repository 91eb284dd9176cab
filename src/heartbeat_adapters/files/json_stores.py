"""The two files as stores: a schedule in one, reminders in the other (section 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from heartbeat_adapters.files.file_contents import (
    Rows,
    UsableReminders,
    UsableSchedule,
    named,
    usable_reminders,
    usable_schedule,
)
from heartbeat_adapters.files.file_text import object_text, rows_text
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.watched_file import Content, WatchedFile
from heartbeat_adapters.system_time import zones
from heartbeat_core.keeping.records import schedule_members
from heartbeat_core.ports import Found, Log, Trouble, TroubleKind
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.times.moments import AgentZone, ZoneFinder

U = TypeVar("U", UsableSchedule, UsableReminders)


def _usable(
    file: WatchedFile, reading: Content | Trouble, use: Callable[[bytes], U]
) -> tuple[U | None, Trouble | None]:
    """What of a reading can be used, once what the next save would destroy is copied aside (8.5).

    With it, what is wrong with the file.
    """
    if isinstance(reading, Trouble):
        return None, reading
    if reading.data is None:
        return None, None
    usable = use(reading.data)
    if not usable.problems:
        return usable, None
    copy = file.copy_aside(reading.data)
    if isinstance(copy, Trouble):
        return None, copy
    return usable, Trouble(TroubleKind.DAMAGED, _what_was_wrong(file.path, copy, usable))


def _saved_at(reading: Content | Trouble) -> datetime | None:
    return reading.saved_at if isinstance(reading, Content) else None


def _what_was_wrong(path: str, copy: str, usable: UsableSchedule | UsableReminders) -> str:
    how_far = "is not what a heartbeat writes" if usable.content is None else "could be used only in part"
    used = "nothing in it is used" if usable.content is None else "the rest of it is used"
    return f"{path} {how_far} ({named(usable.problems)}); it was copied to {copy}, and {used}"


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
        self._file = WatchedFile(path, calls or SystemCalls(), log)
        self._defaults = defaults
        self._zone = zone
        self._unknown: Mapping[str, object] = {}

    def load(self) -> Found[Schedule]:
        """Read the file; see `ScheduleStore.load`."""
        return self._found(self._file.load())

    def look(self) -> Found[Schedule] | None:
        """Look whether something else changed the file; see `ScheduleStore.look`."""
        reading = self._file.look()
        return None if reading is None else self._found(reading)

    def save(self, schedule: Schedule) -> Trouble | None:
        """Write the file; see `ScheduleStore.save`."""
        return self._file.save([object_text({**schedule_members(schedule), **self._unknown})])

    def close(self) -> None:
        """Let another server have the file. May be called twice."""
        self._file.close()

    def _found(self, reading: Content | Trouble) -> Found[Schedule]:
        usable, trouble = _usable(self._file, reading, self._use)
        if usable is None or usable.content is None:
            return Found(None, trouble)  # what is written back stays, as what is in memory does
        self._unknown = usable.unknown
        return Found(usable.content, trouble, saved_at=_saved_at(reading))

    def _use(self, data: bytes) -> UsableSchedule:
        return usable_schedule(data, self._defaults, self._zone)


class JsonReminderStore:
    """Keeps reminders in the reminders file (8.1), in the order in which they came. A `ReminderStore`.

    `path` is absolute. `log` hears what no reply has to say. `find_zone` knows the zones of calendars. Each
    row is serialised once and kept as bytes, so that a save costs little more than the writing.
    """

    def __init__(
        self,
        path: str,
        zone: AgentZone,
        log: Log | None = None,
        calls: SystemCalls | None = None,
        find_zone: ZoneFinder = zones.find_zone,
    ) -> None:
        self._file = WatchedFile(path, calls or SystemCalls(), log)
        self._zone = zone
        self._find_zone = find_zone
        self._rows = Rows()

    def load(self) -> Found[Sequence[Reminder]]:
        """Read the file; see `ReminderStore.load`."""
        return self._found(self._file.load())

    def look(self) -> Found[Sequence[Reminder]] | None:
        """Look whether something else changed the file; see `ReminderStore.look`."""
        reading = self._file.look()
        return None if reading is None else self._found(reading)

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
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

    def _found(self, reading: Content | Trouble) -> Found[Sequence[Reminder]]:
        usable, trouble = _usable(self._file, reading, self._use)
        if usable is None or usable.content is None:
            return Found(None, trouble)  # what is written back stays, as what is in memory does
        self._rows = usable.rows
        return Found(usable.content, trouble, saved_at=_saved_at(reading))

    def _use(self, data: bytes) -> UsableReminders:
        return usable_reminders(data, self._zone, self._find_zone)
