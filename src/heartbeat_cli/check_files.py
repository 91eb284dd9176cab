"""The two files, looked at from outside: what a server would find if it were started now.

Nothing here locks, writes or removes: a server may be running on them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice

from heartbeat_adapters.files.file_contents import (
    UsableReminders,
    UsableSchedule,
    named,
    usable_reminders,
    usable_schedule,
)
from heartbeat_adapters.files.lock_holder import Holder, lock_holder
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import read_whole
from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_cli.findings import Finding, StepResult
from heartbeat_core.reminders.recurrence import Calendar
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, DeliveryMode, Schedule
from heartbeat_core.times.lengths import show_seconds
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.tools.shown import on_one_line

_MOST_CALENDARS = 10
_TIMES_SHOWN = 3
_MEND = (
    "mend it by hand; or start a server, which copies it aside, byte for byte, and goes on without what it "
    "cannot use"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read: `data` is None where there was nothing to be read."""

    findings: Sequence[Finding]
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    step: str
    path: str
    holder: Holder | None

    def finding(
        self,
        result: StepResult,
        what: str,
        to_do: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> Finding:
        held = f"; it is in use by {self.holder}" if self.holder else ""
        pid = self.holder.pid if self.holder else None
        more = {"path": self.path, "inUse": self.holder is not None, "inUseBy": pid, **(details or {})}
        return Finding(self.step, result, f"{self.path}: {what}{held}", to_do, more)


def look_at_schedule(path: str, zone: AgentZone, now: datetime) -> Seen:
    """Look at the config file."""
    place = _Place("schedule", path, lock_holder(path))
    data = _read(place)
    if not isinstance(data, bytes):
        return Seen([data])
    usable = usable_schedule(data, DEFAULT_SCHEDULE, zone)
    found = _not_whole(place, usable)
    if found is None:
        assert usable.content is not None
        found = _schedule(place, usable.content, zone, now)
    return Seen([found], data)


def look_at_reminders(path: str, zone: AgentZone, now: datetime) -> Seen:
    """Look at the reminders file."""
    place = _Place("reminders", path, lock_holder(path))
    data = _read(place)
    if not isinstance(data, bytes):
        return Seen([data])
    usable = usable_reminders(data, zone, find_zone)
    found = _not_whole(place, usable)
    if found is None:
        assert usable.content is not None
        found = _reminders(place, usable.content, zone, now)
    return Seen([found], data)


def look_at_folder(path: str, step: str) -> Finding | None:
    """Whether a file could be replaced there; None where it could."""
    folder = os.path.dirname(os.path.realpath(path))
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
        return None
    what = f"{path} could not be saved: {folder} is no folder that this user may write to"
    to_do = "give the user that the host runs as the right to write there, or keep the file elsewhere"
    return Finding(step, StepResult.FAILED, what, to_do, {"path": path})


def _read(place: _Place) -> bytes | Finding:
    try:
        return read_whole(SystemCalls(), os.path.realpath(place.path)).data
    except FileNotFoundError:
        what = "not there yet; a server that is started now begins afresh"
        to_do = "on a first start, nothing; otherwise check that the host gives this path"
        return place.finding(StepResult.NOTE, what, to_do, {"exists": False})
    except OSError as why:
        to_do = "mend that: until then nothing is saved there, and changes are lost when the server stops"
        return place.finding(StepResult.FAILED, f"cannot be read ({why.strerror or why})", to_do)


def _not_whole(place: _Place, usable: UsableSchedule | UsableReminders) -> Finding | None:
    if not usable.problems:
        return None
    how_far = "not what a heartbeat writes" if usable.content is None else "can be used only in part"
    return place.finding(StepResult.FAILED, f"{how_far} ({named(usable.problems)})", _MEND)


@dataclass(frozen=True, slots=True)
class _Calendar:
    """What people want to see of a reminder on the calendar: its rule, and when it comes next."""

    id: str
    repeats: str
    next: tuple[str, ...]

    @classmethod
    def of(cls, reminder: Reminder, zone: AgentZone, now: datetime) -> _Calendar:
        later = islice(reminder.times_after(max(reminder.due, now)), _TIMES_SHOWN - 1)
        times = tuple(show(at, zone) for at in (reminder.due, *later))
        return cls(on_one_line(reminder.id), str(reminder.recurrence), times)

    def __str__(self) -> str:
        return f"{self.id} repeats {self.repeats}, next {', '.join(self.next)}"


def _schedule(place: _Place, schedule: Schedule, zone: AgentZone, now: datetime) -> Finding:
    what = f"a heartbeat every {show_seconds(schedule.interval)}, mode {schedule.mode.value}"
    what += f", in the active hours {schedule.active}" if schedule.active else ""
    details = {"paused": schedule.paused}
    if schedule.paused:
        to_do = "nothing, if the agent paused it; it can resume it"
        return place.finding(StepResult.NOTE, f"{what}, paused", to_do, details)
    if schedule.next_beat is not None:
        due = " (overdue)" if schedule.next_beat <= now else ""
        what += f", the next {show(schedule.next_beat, zone)}{due}"
    if schedule.mode is DeliveryMode.SILENT:
        to_do = "make sure that the host knows silent wakes, and has this server under the id heartbeat"
        return place.finding(StepResult.NOTE, what, to_do, details)
    return place.finding(StepResult.OK, what, None, details)


def _reminders(place: _Place, reminders: Sequence[Reminder], zone: AgentZone, now: datetime) -> Finding:
    overdue = sum(reminder.due <= now for reminder in reminders)
    what = f"{len(reminders)} reminder{'' if len(reminders) == 1 else 's'}, {overdue} overdue"
    if reminders:
        what += f", the first due {show(min(reminder.due for reminder in reminders), zone)}"
    details: dict[str, object] = {"reminders": len(reminders), "overdue": overdue}
    if calendars := [each for each in reminders if isinstance(each.recurrence, Calendar)]:
        shown = [_Calendar.of(reminder, zone, now) for reminder in calendars[:_MOST_CALENDARS]]
        what += "".join(f"; {calendar}" for calendar in shown)
        more = len(calendars) - len(shown)
        what += f"; and {more} more on the calendar" if more else ""
        details["calendars"] = [asdict(calendar) for calendar in shown]
    if not overdue:
        return place.finding(StepResult.OK, what, None, details)
    to_do = (
        "look into the log of that server: it says why no wake is delivered, or not taken"
        if place.holder
        else "start the host: each fires, once, as soon as the host's policy lets wakes through"
    )
    return place.finding(StepResult.NOTE, what, to_do, details)
