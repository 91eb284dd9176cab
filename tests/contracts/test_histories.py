"""What every history owes the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from heartbeat_adapters.database.agent_claims import LockedAgent
from heartbeat_adapters.database.database_history import DatabaseHistory
from heartbeat_adapters.database.leased_agents import LeasedAgent
from heartbeat_adapters.database.postgres_rows import PostgresRows
from heartbeat_adapters.database.postgres_session import PostgresSession
from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sessions import Unreachable
from heartbeat_adapters.database.sqlite_session import SqliteRows, SqliteSession
from heartbeat_adapters.embedded.volatile_history import VolatileHistory
from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.testing import HistorySuite, MemoryHistory
from heartbeat_core.ports import History

T = TypeVar("T")


class BreakableSession(SqliteSession):
    broken: str | None = None

    def write(self, work: Callable[[SqliteRows], T]) -> T:
        if self.broken is not None:
            raise Unreachable(self.broken, "put it out")
        return super().write(work)


class TestMemoryHistory(HistorySuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.history = MemoryHistory()

    def make_history(self) -> History:
        return self.history

    def break_saving(self, why: str | None) -> None:
        self.history.fail_with = why


class TestVolatileHistory(HistorySuite):
    """The one in memory that is embedded where no folder is given (14.5)."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.history = VolatileHistory()

    def make_history(self) -> History:
        return self.history


class TestJsonLinesHistory(HistorySuite):
    """The file (14.2)."""

    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path: Path) -> Iterator[None]:
        self.path = str(tmp_path / "history.jsonl")
        self.opened: list[JsonLinesHistory] = []
        yield
        for history in self.opened:
            history.close()

    def make_history(self) -> History:
        self.opened.append(history := JsonLinesHistory(self.path))
        return history


class TestDatabaseHistory(HistorySuite):
    @pytest.fixture(autouse=True)
    def in_a_file(self, tmp_path: Path) -> Iterator[None]:
        self.path = tmp_path / "agents.db"
        self.session = BreakableSession(str(self.path))
        self.opened: list[DatabaseHistory] = []
        yield
        for history in self.opened:
            history.close()
        self.session.close()

    def make_history(self) -> History:
        served = ServedAgent(self.session, LockedAgent(str(self.path), "default"), "default")
        self.opened.append(history := DatabaseHistory(served))
        return history

    def break_saving(self, why: str | None) -> None:
        self.session.broken = why


class BreakablePostgres(PostgresSession):
    broken: str | None = None

    def write(self, work: Callable[[PostgresRows], T]) -> T:
        if self.broken is not None:
            raise Unreachable(self.broken, "put it out")
        return super().write(work)


class TestPostgresHistory(HistorySuite):
    @pytest.fixture(autouse=True)
    def in_a_database(self, postgres_url: str) -> Iterator[None]:
        self.session = BreakablePostgres(postgres_url, "the database")
        yield
        self.session.close()

    def make_history(self) -> History:
        return DatabaseHistory(ServedAgent(self.session, LeasedAgent(self.session, "default"), "default"))

    def break_saving(self, why: str | None) -> None:
        self.session.broken = why
