"""A database of PostgreSQL: one connection, on a thread of its own, that nobody waits for too long (16.4).

The thread connects, and again for as long as it takes; does one transaction after the other; and renews the
lease in between. Callers wait for it, but never longer than `_SPARE` in a row: a peer that takes bytes and
gives none blocks the thread alone.
"""

from __future__ import annotations

import os
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import psycopg

from heartbeat_adapters.database.lease import RENEWED_EVERY, VALID, Instant, Lease
from heartbeat_adapters.database.postgres_rows import NOW, PostgresRows, unreachable
from heartbeat_adapters.database.schema import (
    POSTGRES_STEPS,
    VERSION,
    bring_up_to_date,
    check_version,
    steps_missing,
)
from heartbeat_adapters.database.sessions import Unreachable

T = TypeVar("T")

_SPARE = 1.6
"""Seconds that callers may wait in a row: a call of several steps has them once. They come back with time."""

_QUICK = 0.05
"""Seconds that a transaction may take without counting against that."""

_AGAIN = 1.0
"""Seconds between two tries to connect."""

_LOCK = 0x68656172
"""The number of the lock under which the tables are made."""

_LIMITS = (
    # Ended by the server: a process that is stopped in a transaction must not keep its locks.
    "SET LOCAL statement_timeout = 1500; SET LOCAL idle_in_transaction_session_timeout = 4000; "
    # Durable, also where the server has that off (16.2). Behind a pooler a session keeps no setting.
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
)
_READ = f"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; {_LIMITS}"
_WRITE = f"BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE; {_LIMITS}"
_END = f"{NOW} + {VALID * 1000:.0f}"
_ENROL = (
    f'INSERT INTO heartbeat_workers (worker, "validUntil") VALUES (gen_random_uuid()::text, {_END}) '
    "RETURNING worker"
)
_FORGET = f'DELETE FROM heartbeat_workers WHERE "validUntil" < {NOW} - 86400000'
_RENEW = (
    f'UPDATE heartbeat_workers SET "validUntil" = {_END} WHERE worker = ? AND "validUntil" > {NOW} '
    "RETURNING worker"
)
_NO_ANSWER = ("it does not answer", "see that it runs, and what keeps it from answering")


class _Job:
    """One transaction that somebody waits for."""

    def __init__(self, begin: str, work: Callable[[PostgresRows], Any]) -> None:
        self.begin = begin
        self.work = work
        self.done = threading.Event()
        self.given_up = False
        self.result: Any = None
        self.error: BaseException | None = None


class PostgresSession:
    """The database that `conninfo` names, a text for libpq. A `Session`, for any thread."""

    def __init__(self, conninfo: str, title: str, steps: Sequence[Sequence[str]] = POSTGRES_STEPS) -> None:
        self.title = title
        self.lease: Lease | None = None
        """The worker's lease, once an agent was asked for; None again when it was lost."""
        self._agents = 0
        self._conninfo = conninfo
        self._steps = steps
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._connection: psycopg.Connection | None = None
        self._failure: Unreachable | None = None
        self._ended = threading.Event()
        self._spare = _SPARE
        self._asked = Instant.now()

    def read(self, work: Callable[[PostgresRows], T]) -> T:
        """Read, all at one moment; see `Session.read`."""
        return self._ask(_READ, work)

    def write(self, work: Callable[[PostgresRows], T]) -> T:
        """Read and write; see `Session.write`."""
        return self._ask(_WRITE, work)

    def opened(self) -> None:
        """One more agent uses it; see `Session.opened`."""
        self._agents += 1

    def closed(self) -> None:
        """One agent uses it no longer; see `Session.closed`."""
        self._agents -= 1
        if not self._agents:
            self.close()

    def close(self) -> None:
        """Give the lease back, and let go of the connection. May be called twice."""
        lease, self.lease = self.lease, None
        if lease is not None:
            with suppress(Unreachable):
                self.write(
                    lambda rows: rows.run("DELETE FROM heartbeat_workers WHERE worker = ?", lease.worker)
                )
        thread, self._thread = self._thread, None
        if thread is not None:
            self._ended.set()
            self._jobs.put(None)
            thread.join(0.5)
            self._hang_up()

    def _ask(self, begin: str, work: Callable[[PostgresRows], T]) -> T:
        """Have the thread do it, and wait."""
        if self._thread is None:
            self._start()
        if (failure := self._failure) is not None:
            raise failure.with_traceback(None)
        job = _Job(begin, work)
        started = Instant.now()
        self._spare = min(_SPARE, self._spare + started.since(self._asked))
        self._jobs.put(job)
        in_time = job.done.wait(max(self._spare, _QUICK))
        self._asked = Instant.now()
        self._spare -= max(0.0, self._asked.since(started) - _QUICK)
        if not in_time:
            self._give_up(job)
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def _start(self) -> None:
        self._ended = threading.Event()
        self._jobs = queue.Queue()
        self._failure = None
        self._thread = threading.Thread(target=self._run, args=(self._jobs, self._ended), daemon=True)
        self._thread.start()

    def _give_up(self, job: _Job) -> None:
        job.given_up = True
        self._failure = Unreachable(*_NO_ANSWER)
        self._hang_up()
        raise Unreachable(*_NO_ANSWER)

    def _hang_up(self) -> None:
        """End the connection under whoever waits for it."""
        if (connection := self._connection) is None:
            return
        with suppress(OSError, psycopg.Error):  # it has just ended by itself
            peer = socket.socket(fileno=os.dup(connection.fileno()))
            with peer:
                peer.shutdown(socket.SHUT_RDWR)

    # On the thread

    def _run(self, jobs: queue.Queue[_Job | None], ended: threading.Event) -> None:
        while not ended.is_set():
            try:
                connection = psycopg.connect(
                    self._conninfo, autocommit=True, prepare_threshold=None, connect_timeout=2
                )
            except psycopg.Error as error:
                self._fail(unreachable(error), jobs)
                ended.wait(_AGAIN)
                continue
            with suppress(psycopg.Error), connection:
                self._connection = connection
                self._serve(connection, jobs, ended)
            self._connection = None

    def _serve(
        self, connection: psycopg.Connection, jobs: queue.Queue[_Job | None], ended: threading.Event
    ) -> None:
        """Do what is asked for until the connection breaks."""
        rows = PostgresRows(connection)
        try:
            self._make_tables(rows)
            self._renew(rows)
        except (Unreachable, psycopg.Error) as error:
            self._fail(error if isinstance(error, Unreachable) else unreachable(error), jobs)
            ended.wait(_AGAIN)
            return
        self._failure = None
        while not ended.is_set():
            try:
                job = jobs.get(timeout=self._until_renewal())
            except queue.Empty:
                self._renew(rows)
                continue
            if job is not None and not job.given_up:
                self._do(job, rows)
                if connection.closed or connection.broken:
                    return
                if self._until_renewal() == 0:
                    self._renew(rows)

    def _do(self, job: _Job, rows: PostgresRows) -> None:
        try:
            job.result = self._transaction(job.begin, rows, job.work)
        except psycopg.Error as error:
            job.error = unreachable(error)
            rows.hang_up()  # whatever is wrong, the next one starts anew
        except BaseException as error:
            job.error = error
        job.done.set()

    def _transaction(self, begin: str, rows: PostgresRows, work: Callable[[PostgresRows], T]) -> T:
        found = rows.last_of(f"{begin}; {VERSION}")
        try:
            check_version(found, self._steps)  # a newer server may have changed the tables meanwhile
            result = work(rows)
            rows.run("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                rows.run("ROLLBACK")
            raise
        return result

    def _make_tables(self, rows: PostgresRows) -> None:
        if not steps_missing(rows, self._steps):
            return
        rows.run(_WRITE)
        try:
            rows.run(f"SELECT pg_advisory_xact_lock({_LOCK})")
            bring_up_to_date(rows, self._steps)
            rows.run("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                rows.run("ROLLBACK")
            raise

    def _fail(self, failure: Unreachable, jobs: queue.Queue[_Job | None]) -> None:
        self._failure = failure
        while True:
            try:
                job = jobs.get_nowait()
            except queue.Empty:
                return
            if job is not None:
                job.error = failure
                job.done.set()

    # The lease

    def worker(self) -> str:
        """The name by which agents are claimed, with a lease from now on. Raises Unreachable."""
        lease = self.lease
        if lease is None or not lease.is_valid():
            asked = Instant.now()
            lease = self.lease = Lease(self.write(_enrol), asked)
        return lease.worker

    def _until_renewal(self) -> float | None:
        lease = self.lease
        return None if lease is None else max(0.0, RENEWED_EVERY - Instant.now().since(lease.renewed))

    def _renew(self, rows: PostgresRows) -> None:
        """Go on with the lease; one that has run out is given up, and every agent with it."""
        if (lease := self.lease) is None:
            return
        asked = Instant.now()
        renewed = self._transaction(_WRITE, rows, lambda rows: rows.all(_RENEW, lease.worker))
        if self.lease is lease:
            self.lease = Lease(lease.worker, asked) if renewed else None


def _enrol(rows: PostgresRows) -> str:
    """Begin a lease, and forget the workers of days ago; gives the name."""
    rows.run(_FORGET)
    return str(rows.all(_ENROL)[0][0])
