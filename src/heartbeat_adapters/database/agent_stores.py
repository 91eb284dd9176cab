"""The schedule and the reminders of one agent, kept as rows (16.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sessions import Row, Rows, Value
from heartbeat_adapters.database.stored_rows import (
    REMINDER_COLUMNS,
    SCHEDULE_COLUMNS,
    from_columns,
    listed,
    to_columns,
)
from heartbeat_adapters.database.watched_rows import WatchedRows
from heartbeat_core.keeping.records import (
    REMINDER_MEMBERS,
    SCHEDULE_MEMBERS,
    read_reminder,
    read_schedule,
    reminder_row,
    schedule_members,
)
from heartbeat_core.ports import Found, Trouble, TroubleKind
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.times.moments import AgentZone, ZoneFinder, no_zone

_SCHEDULE = (*SCHEDULE_COLUMNS, "more")
_REMINDER = (*REMINDER_COLUMNS, "more")
_NAMED_PROBLEMS = 3

_READ_SCHEDULE = f"SELECT {listed(_SCHEDULE)} FROM heartbeat_agents WHERE agent = ?"
_WRITE_SCHEDULE = (
    f"UPDATE heartbeat_agents SET {', '.join(f'{listed([name])} = ?' for name in _SCHEDULE)} WHERE agent = ?"
)
_READ_REMINDERS = f"SELECT place, {listed(_REMINDER)} FROM heartbeat_reminders WHERE agent = ? ORDER BY place"
_WRITE_REMINDER = (
    f"INSERT INTO heartbeat_reminders (agent, {listed(_REMINDER)}) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (agent, id) DO UPDATE SET "
    + ", ".join(f"{listed([name])} = excluded.{listed([name])}" for name in _REMINDER if name != "id")
)
_REMOVE_REMINDER = "DELETE FROM heartbeat_reminders WHERE (agent, id) IN (VALUES (?, ?))"


class DatabaseScheduleStore(WatchedRows[Schedule]):
    """Keeps the schedule of one agent. A `ScheduleStore`; `defaults` stand in for what its row lacks."""

    _revision_column = "scheduleRevision"

    def __init__(self, agent: ServedAgent, defaults: Schedule, zone: AgentZone) -> None:
        super().__init__(agent)
        self._defaults = defaults
        self._zone = zone
        self._unknown: Mapping[str, object] = {}

    def save(self, schedule: Schedule) -> Trouble | None:
        """Write the row; see `ScheduleStore.save`."""
        values = to_columns({**schedule_members(schedule), **self._unknown}, SCHEDULE_COLUMNS)
        return self._write(lambda rows: rows.run(_WRITE_SCHEDULE, *values, self._agent.agent))

    def _select(self, rows: Rows) -> Sequence[Row]:
        return rows.all(_READ_SCHEDULE, self._agent.agent)

    def _use(self, rows: Sequence[Row]) -> Found[Schedule]:
        if not rows or all(value is None for value in rows[0]):
            return Found()  # what is written back stays, as what is in memory does
        members = from_columns(rows[0], SCHEDULE_COLUMNS)
        if isinstance(members, str):
            return Found(None, self._unusable([members]))
        known = {name: value for name, value in members.items() if value is not None or name == "nextFireAt"}
        schedule, problems = read_schedule(known, self._defaults, self._zone)
        self._unknown = {name: value for name, value in members.items() if name not in SCHEDULE_MEMBERS}
        return Found(schedule, self._unusable(problems) if problems else None)

    def _unusable(self, problems: Sequence[str]) -> Trouble:
        """A row that cannot be used stays as it is, and no save goes there until it is mended (16.2)."""
        self._refusal = Trouble(
            TroubleKind.REFUSED,
            f"the row of {self._agent.title} can be used only in part ({named(problems)}), so it stays as "
            "it is and the schedule is not saved: mend the row in heartbeat_agents",
        )
        return self._refusal


class DatabaseReminderStore(WatchedRows[Sequence[Reminder]]):
    """Keeps the reminders of one agent, in the order in which they came. A `ReminderStore`.

    `find_zone` knows the zones of calendars.
    """

    _revision_column = "reminderRevision"

    def __init__(self, agent: ServedAgent, zone: AgentZone, find_zone: ZoneFinder = no_zone) -> None:
        super().__init__(agent)
        self._zone = zone
        self._find_zone = find_zone
        self._kept: dict[str, Reminder] = {}
        self._unknown: dict[str, Mapping[str, object]] = {}
        self._all_gone = False

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        """Write the rows that are named, and no others; see `ReminderStore.save`."""
        kept = self._kept | {reminder.id: reminder for reminder in changed} if self._all_gone else {}
        to_write = kept.values() if self._all_gone else changed
        gone = [(self._agent.agent, each) for each in removed]
        last = {each.id: each for each in to_write}
        written = [self._row(each) for each in last.values() if each.id not in removed]

        def change(rows: Rows) -> None:
            rows.run_each(_REMOVE_REMINDER, gone)
            rows.run_each(_WRITE_REMINDER, written)

        trouble = self._write(change)
        if trouble is None:
            self._all_gone = False
            self._kept.update((reminder.id, reminder) for reminder in changed)
            for each in removed:
                self._kept.pop(each, None)
                self._unknown.pop(each, None)
        return trouble

    def _row(self, reminder: Reminder) -> Sequence[Value]:
        members = {**reminder_row(reminder), **self._unknown.get(reminder.id, {})}
        return [self._agent.agent, *to_columns(members, REMINDER_COLUMNS)]

    def _select(self, rows: Rows) -> Sequence[Row]:
        return rows.all(_READ_REMINDERS, self._agent.agent)

    def _use(self, rows: Sequence[Row]) -> Found[Sequence[Reminder]]:
        self._all_gone = self._revision is None and not rows
        if self._all_gone:
            return Found()  # what is written back stays, as what is in memory does
        self._kept, self._unknown = {}, {}
        problems = [f"place {place}: {why}" for place, *row in rows if (why := self._keep(row)) is not None]
        return Found(list(self._kept.values()), self._partly(problems) if problems else None)

    def _keep(self, row: Row) -> str | None:
        """Take over a row, or say why it does not load."""
        members = from_columns(row, REMINDER_COLUMNS)
        if isinstance(members, str):
            return members
        reminder = read_reminder(members, self._kept, self._zone, self._find_zone)
        if isinstance(reminder, str):
            return reminder
        self._kept[reminder.id] = reminder
        unknown = {name: value for name, value in members.items() if name not in REMINDER_MEMBERS}
        if unknown:
            self._unknown[reminder.id] = unknown
        return None

    def _partly(self, problems: Sequence[str]) -> Trouble:
        return Trouble(
            TroubleKind.DAMAGED,
            f"the reminders of {self._agent.title} could be used only in part ({named(problems)}); those "
            "rows stay in heartbeat_reminders as they are, and the rest is used",
        )


def named(problems: Sequence[str]) -> str:
    """Problems in a row: the first few, and how many more there are."""
    more = len(problems) - _NAMED_PROBLEMS
    return "; ".join(problems[:_NAMED_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
