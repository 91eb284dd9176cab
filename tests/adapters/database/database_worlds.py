"""What the tests of this folder share: the stores of an agent in a file of SQLite, and SQL by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from heartbeat_adapters.database.agent_stores import DatabaseReminderStore, DatabaseScheduleStore
from heartbeat_adapters.database.database import Database
from heartbeat_core.ports import Found
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone

ZONE = AgentZone("UTC", UTC)
NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
SCHEDULE = Schedule(timedelta(hours=1), False, "Hello", DeliveryMode.SILENT, NOON)
TEA = Reminder("rem_tea", "Tea 🍵", NOON, NOON + timedelta(hours=1))
CAT = Reminder("rem_cat", "Cat", NOON, NOON + timedelta(days=1), Interval(timedelta(seconds=90.5)))


class StoredAgent:
    """One agent of a database, by its path or URL, as a server has it."""

    def __init__(self, place: Path | str, agent: str = "default") -> None:
        self.place = place
        self.served = Database(url_of(place)).agent(agent)
        self.schedule = DatabaseScheduleStore(self.served, DEFAULT_SCHEDULE, ZONE)
        self.reminders = DatabaseReminderStore(self.served, ZONE)

    def load(self) -> tuple[Found[Schedule], list[str]]:
        """Start: gives the schedule, and the ids of the reminders."""
        return self.schedule.load(), ids(self.reminders.load())

    def save(self, schedule: Schedule, *reminders: Reminder) -> None:
        """Save both, which works."""
        assert self.schedule.save(schedule) is None
        assert self.reminders.save(reminders, []) is None

    def close(self) -> None:
        self.schedule.close()
        self.reminders.close()
        self.served.session.close()  # also where nothing was loaded, and nobody gave it back


def url_of(place: Path | str) -> str:
    return place if isinstance(place, str) else f"sqlite:///{place}"


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run a statement by hand, beside whatever runs."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def ids(found: Found[object] | None) -> list[str]:
    assert found is not None
    assert isinstance(found.content, list | None)
    return [reminder.id for reminder in found.content or ()]
