"""A database in one file, by SQLite: each transaction is flushed to disk, and no wait is long (16.4)."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import TypeVar

from heartbeat_adapters.database.schema import (
    SQLITE_STEPS,
    VERSION,
    bring_up_to_date,
    check_version,
    steps_missing,
)
from heartbeat_adapters.database.sessions import Row, Unreachable, Value

T = TypeVar("T")

_WAIT = 0.8
"""Seconds that another program's transaction is waited for: a call makes two, and 16.4 allows 2 s."""

_REMEDIES = {
    "SQLITE_BUSY": "end the program that holds it for so long",
    "SQLITE_CANTOPEN": "let this user write to its folder",
    "SQLITE_CORRUPT": "put a backup in its place",
    "SQLITE_FULL": "make room on its disk",
    "SQLITE_NOTADB": "name a file that SQLite has made, or one that is not there yet",
    "SQLITE_READONLY": "let this user write to it and to its folder",
}


class SqliteRows:
    """The statements of one transaction. A `Rows`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, *values: Value) -> Sequence[Row]:
        """Give all rows of a query."""
        return self._connection.execute(statement, values).fetchall()

    def run(self, statement: str, *values: Value) -> None:
        """Run a statement whose rows nobody wants."""
        self._connection.execute(statement, values)

    def run_each(self, statement: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each of these rows of values."""
        self._connection.executemany(statement, rows)

    def has_table(self, name: str) -> bool:
        """Whether there is such a table."""
        return bool(self.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name))


class SqliteSession:
    """The database at `path`, which is absolute. A `Session`, for any thread."""

    def __init__(self, path: str, steps: Sequence[Sequence[str]] = SQLITE_STEPS) -> None:
        self.path = path
        self.title = f"the database {path}"
        self._steps = steps
        self._agents = 0
        self._one_at_a_time = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None

    def read(self, work: Callable[[SqliteRows], T]) -> T:
        """Read, all at one moment; see `Session.read`."""
        with self._one_at_a_time:
            return self._transaction("BEGIN", work)

    def write(self, work: Callable[[SqliteRows], T]) -> T:
        """Read and write, alone; see `Session.write`."""
        with self._one_at_a_time:
            return self._transaction("BEGIN IMMEDIATE", work)

    def opened(self) -> None:
        """One more agent uses it; see `Session.opened`."""
        self._agents += 1

    def closed(self) -> None:
        """One agent uses it no longer; see `Session.closed`."""
        self._agents -= 1
        if not self._agents:
            self.close()

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _transaction(self, begin: str, work: Callable[[SqliteRows], T]) -> T:
        try:
            connection = self._open()
            rows = SqliteRows(connection)
            rows.run(begin)
            try:
                check_version(
                    rows.all(VERSION), self._steps
                )  # a newer server may have changed the tables meanwhile
                result = work(rows)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # where there is none any more, there is nothing to undo
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            self.close()  # whatever is wrong, the next one starts from the file
            raise _unreachable(error) from None
        return result

    def _open(self) -> sqlite3.Connection:
        """The connection to the file that is there now: one that was removed takes all and keeps nothing."""
        if self._connection is not None and _inode(self.path) != self._inode:
            self.close()
        if self._connection is None:
            self._connection = self._connect()
            self._inode = _inode(self.path)
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        with suppress(OSError):  # opening it says what is wrong
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # for its owner only
        connection = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        try:
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        rows = SqliteRows(connection)
        with closing(connection.execute("PRAGMA journal_mode = WAL")):
            pass
        rows.run("PRAGMA synchronous = FULL")
        if not steps_missing(rows, self._steps):
            return
        rows.run("BEGIN EXCLUSIVE")
        try:
            bring_up_to_date(rows, self._steps)
            rows.run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                rows.run("ROLLBACK")
            raise


def _inode(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _unreachable(error: sqlite3.Error) -> Unreachable:
    """Its code, and what to do; never its text."""
    code = getattr(error, "sqlite_errorname", None) or type(error).__name__
    family = "_".join(code.split("_")[:2])
    return Unreachable(code, _REMEDIES.get(family, "look at its disk, and at what else uses it"))
