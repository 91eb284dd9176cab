"""What every storage adapter owes the core: fakes, stores in memory, files and databases.

Anything that only one of them has is in `tests/adapters`.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import TypeVar

import pytest

from heartbeat_adapters import (
    JsonReminderStore,
    JsonScheduleStore,
    VolatileReminderStore,
    VolatileScheduleStore,
)
from heartbeat_adapters.database.agent_claims import LockedAgent
from heartbeat_adapters.database.agent_stores import DatabaseReminderStore, DatabaseScheduleStore
from heartbeat_adapters.database.leased_agents import LeasedAgent
from heartbeat_adapters.database.postgres_rows import PostgresRows
from heartbeat_adapters.database.postgres_session import PostgresSession
from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sessions import Unreachable
from heartbeat_adapters.database.sqlite_session import SqliteRows, SqliteSession
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.testing import (
    MemoryReminderStore,
    MemoryScheduleStore,
    ReminderStoreSuite,
    ScheduleStoreSuite,
)
from heartbeat_adapters.testing.suites.store_events import StoreEvents
from heartbeat_core import DEFAULT_SCHEDULE, AgentZone, Reminder, ReminderStore, Schedule, ScheduleStore
from postgres_server import PostgresServer

T = TypeVar("T")

ZONE = AgentZone("UTC", UTC)


class InMemory(StoreEvents):
    """What happens to the fakes."""

    store: MemoryScheduleStore | MemoryReminderStore

    def break_saving(self, why: str | None) -> None:
        self.store.fail_with = why

    def ruin(self) -> None:
        self.store.damage("ruined")

    def lose(self) -> None:
        self.store.lose()

    def occupy(self) -> Callable[[], None]:
        self.store.in_use = True

        def end() -> None:
            self.store.in_use = False

        return end


class TestMemoryScheduleStore(InMemory, ScheduleStoreSuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store: MemoryScheduleStore = MemoryScheduleStore()

    def make_store(self) -> ScheduleStore:
        return self.store

    def edit(self, schedule: Schedule) -> None:
        self.store.edit(schedule)


class TestMemoryReminderStore(InMemory, ReminderStoreSuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store: MemoryReminderStore = MemoryReminderStore()

    def make_store(self) -> ReminderStore:
        return self.store

    def edit(self, reminders: Sequence[Reminder]) -> None:
        self.store.edit(reminders)


class TestVolatileScheduleStore(ScheduleStoreSuite):
    """Nobody else gets at it, and nothing ever fails: what cannot happen to it is not played."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store = VolatileScheduleStore()

    def make_store(self) -> ScheduleStore:
        return self.store


class TestVolatileReminderStore(ReminderStoreSuite):
    """As `TestVolatileScheduleStore`."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store = VolatileReminderStore()

    def make_store(self) -> ReminderStore:
        return self.store


class BreakableCalls(SystemCalls):
    broken: str | None = None

    def fsync(self, fd: int) -> None:
        if self.broken is not None:
            raise OSError(errno.EIO, self.broken)
        super().fsync(fd)


class OnFiles(StoreEvents):
    """What happens to a file that a store keeps."""

    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path: Path) -> Iterator[None]:
        self.file, self.calls = tmp_path / "kept.json", BreakableCalls()
        self.opened: list[ScheduleStore | ReminderStore] = []
        yield
        for store in self.opened:
            store.close()

    def open_at(self, path: Path) -> ScheduleStore | ReminderStore:
        """Give a store on a file."""
        raise NotImplementedError

    def break_saving(self, why: str | None) -> None:
        self.calls.broken = why

    def ruin(self) -> None:
        self.file.write_bytes(b"[")

    def lose(self) -> None:
        self.file.unlink()

    def occupy(self) -> Callable[[], None]:
        other = self.open_at(self.file)
        other.load()
        return other.close


class TestJsonScheduleStore(OnFiles, ScheduleStoreSuite):
    def open_at(self, path: Path) -> ScheduleStore:
        store = JsonScheduleStore(str(path), DEFAULT_SCHEDULE, ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def make_store(self) -> ScheduleStore:
        return self.open_at(self.file)

    def edit(self, schedule: Schedule) -> None:
        elsewhere = self.file.parent / "elsewhere.json"
        writer = self.open_at(elsewhere)
        assert (writer.load().trouble, writer.save(schedule)) == (None, None)
        writer.close()
        elsewhere.rename(self.file)


class TestJsonReminderStore(OnFiles, ReminderStoreSuite):
    def open_at(self, path: Path) -> ReminderStore:
        store = JsonReminderStore(str(path), ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def make_store(self) -> ReminderStore:
        return self.open_at(self.file)

    def edit(self, reminders: Sequence[Reminder]) -> None:
        elsewhere = self.file.parent / "elsewhere.json"
        writer = self.open_at(elsewhere)
        assert (writer.load().trouble, writer.save(reminders, [])) == (None, None)
        writer.close()
        elsewhere.rename(self.file)


class BreakableSession(SqliteSession):
    broken: str | None = None

    def write(self, work: Callable[[SqliteRows], T]) -> T:
        if self.broken is not None:
            raise Unreachable(self.broken, "put it out")
        return super().write(work)


class InSqlite(StoreEvents):
    """What happens to rows. A row that cannot be used is not replaced (16.2), so that is not played."""

    @pytest.fixture(autouse=True)
    def in_a_file(self, tmp_path: Path) -> Iterator[None]:
        self.path = tmp_path / "agents.db"
        self.session = BreakableSession(str(self.path))
        self.opened: list[ScheduleStore | ReminderStore] = []
        yield
        for store in self.opened:
            store.close()

    def agent_at(self, path: Path) -> ServedAgent:
        session = self.session if path == self.path and not self.opened else SqliteSession(str(path))
        return ServedAgent(session, LockedAgent(str(path), "default"), "default")

    def open_at(self, path: Path) -> ScheduleStore | ReminderStore:
        """Give a store on a database."""
        raise NotImplementedError

    def break_saving(self, why: str | None) -> None:
        self.session.broken = why

    def lose(self) -> None:
        self.run("DELETE FROM heartbeat_agents")

    def occupy(self) -> Callable[[], None]:
        other = self.open_at(self.path)
        other.load()
        return other.close

    def run(self, *statements: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("ATTACH ? AS elsewhere", (f"{self.path}-elsewhere",))
            for statement in statements:
                connection.execute(statement)


class TestSqliteScheduleStore(InSqlite, ScheduleStoreSuite):
    def open_at(self, path: Path) -> ScheduleStore:
        store = DatabaseScheduleStore(self.agent_at(path), DEFAULT_SCHEDULE, ZONE)
        self.opened.append(store)
        return store

    def make_store(self) -> ScheduleStore:
        return self.open_at(self.path)

    def edit(self, schedule: Schedule) -> None:
        writer = self.open_at(Path(f"{self.path}-elsewhere"))
        assert (writer.load().trouble, writer.save(schedule)) == (None, None)
        writer.close()
        columns = '"intervalSeconds", paused, message, "deliveryMode", "nextFireAt", more'
        row = f"SELECT {columns} FROM elsewhere.heartbeat_agents"
        self.run(f"UPDATE heartbeat_agents SET ({columns}) = ({row})")


class TestSqliteReminderStore(InSqlite, ReminderStoreSuite):
    def open_at(self, path: Path) -> ReminderStore:
        store = DatabaseReminderStore(self.agent_at(path), ZONE)
        self.opened.append(store)
        return store

    def make_store(self) -> ReminderStore:
        return self.open_at(self.path)

    def edit(self, reminders: Sequence[Reminder]) -> None:
        writer = self.open_at(Path(f"{self.path}-elsewhere"))
        assert (writer.load().trouble, writer.save(reminders, [])) == (None, None)
        writer.close()
        rows = "SELECT * FROM elsewhere.heartbeat_reminders"
        self.run("DELETE FROM heartbeat_reminders", f"INSERT INTO heartbeat_reminders {rows}")


class InPostgres(StoreEvents):
    """As `InSqlite`; what a test has changed beside the store is committed when it is asked for."""

    @pytest.fixture(autouse=True)
    def in_a_database(self, postgres: PostgresServer, postgres_url: str) -> Iterator[None]:
        self.server, self.url = postgres, postgres_url
        self.opened: list[ScheduleStore | ReminderStore] = []
        self.sessions: list[BreakablePostgres] = []
        yield
        for each in [*self.opened, *self.sessions]:
            each.close()

    def agent(self, name: str) -> ServedAgent:
        self.sessions.append(session := BreakablePostgres(self.url, "the database"))
        return ServedAgent(session, LeasedAgent(session, name), name)

    def open_of(self, agent: str) -> ScheduleStore | ReminderStore:
        """Give a store of an agent."""
        raise NotImplementedError

    def break_saving(self, why: str | None) -> None:
        for session in self.sessions:
            session.broken = why

    def lose(self) -> None:
        self.server.sql("DELETE FROM heartbeat_agents", url=self.url)

    def occupy(self) -> Callable[[], None]:
        other = self.open_of("default")
        other.load()
        return other.close


class BreakablePostgres(PostgresSession):
    broken: str | None = None

    def write(self, work: Callable[[PostgresRows], T]) -> T:
        if self.broken is not None:
            raise Unreachable(self.broken, "put it out")
        return super().write(work)


class TestPostgresScheduleStore(InPostgres, ScheduleStoreSuite):
    def open_of(self, agent: str) -> ScheduleStore:
        self.opened.append(store := DatabaseScheduleStore(self.agent(agent), DEFAULT_SCHEDULE, ZONE))
        return store

    def make_store(self) -> ScheduleStore:
        return self.open_of("default")

    def edit(self, schedule: Schedule) -> None:
        writer = self.open_of("elsewhere")
        assert (writer.load().trouble, writer.save(schedule)) == (None, None)
        writer.close()
        columns = '"intervalSeconds", paused, message, "deliveryMode", "nextFireAt", more'
        row = f"SELECT {columns} FROM heartbeat_agents WHERE agent = 'elsewhere'"
        change = f"UPDATE heartbeat_agents SET ({columns}) = ({row}) WHERE agent = 'default'"
        self.server.sql(change, url=self.url)


class TestPostgresReminderStore(InPostgres, ReminderStoreSuite):
    def open_of(self, agent: str) -> ReminderStore:
        self.opened.append(store := DatabaseReminderStore(self.agent(agent), ZONE))
        return store

    def make_store(self) -> ReminderStore:
        return self.open_of("default")

    def edit(self, reminders: Sequence[Reminder]) -> None:
        writer = self.open_of("elsewhere")
        assert (writer.load().trouble, writer.save(reminders, [])) == (None, None)
        writer.close()
        self.server.sql("DELETE FROM heartbeat_reminders WHERE agent = 'default'", url=self.url)
        self.server.sql("UPDATE heartbeat_reminders SET agent = 'default'", url=self.url)
