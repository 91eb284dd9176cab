"""The right to an agent in PostgreSQL, by the lease of the worker that it names (16.3).

It works behind poolers and over failovers, where no lock of a session does: all that it takes are rows.
"""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from heartbeat_adapters.database.lease import Lease
from heartbeat_adapters.database.postgres_rows import NOW, PostgresRows
from heartbeat_adapters.database.postgres_session import PostgresSession
from heartbeat_adapters.database.sessions import Rows, Unreachable

_ADD = "INSERT INTO heartbeat_agents (agent) VALUES (?) ON CONFLICT DO NOTHING"
_OWNER = "SELECT worker FROM heartbeat_agents WHERE agent = ? FOR UPDATE"
# Locked, so that a renewal of that worker which is under way is waited for.
_HOLDS = f'SELECT "validUntil" > {NOW} FROM heartbeat_workers WHERE worker = ? FOR UPDATE'
_CLAIM = "UPDATE heartbeat_agents SET worker = ?, epoch = epoch + 1 WHERE agent = ? RETURNING epoch"
_EPOCH = "SELECT epoch FROM heartbeat_agents WHERE agent = ?"
_FREE = "UPDATE heartbeat_agents SET worker = NULL WHERE agent = ? AND epoch = ?"


class _LeaseEnded(Exception):
    """The worker's own lease has run out, by the database's clock."""


def _holds(rows: Rows, worker: str) -> bool:
    found = rows.all(_HOLDS, worker)
    return bool(found) and found[0][0] is True


class LeasedAgent:
    """The right to `agent`. A `Claim`."""

    def __init__(self, session: PostgresSession, agent: str) -> None:
        self._session = session
        self._agent = agent
        self._epoch: object = None
        """That of the claim; None where the agent is not ours."""
        self._worker: str | None = None

    def take(self) -> str | None:
        """Claim the agent, unless it is ours by a lease that holds; see `Claim.take`.

        Raises Unreachable, also where the worker's own lease has run out meanwhile.
        """
        if self.is_sure():
            return None
        worker = self._session.worker()
        try:
            epoch = self._session.write(lambda rows: self._claim(rows, worker))
        except _LeaseEnded:
            self._session.lease = None
            raise Unreachable("it answers too slowly", "see what keeps it busy") from None
        self._epoch, self._worker = epoch, worker
        return "in use by another heartbeat" if epoch is None else None

    def is_sure(self) -> bool:
        """Whether the lease under which it was claimed is known to hold."""
        lease: Lease | None = self._session.lease
        return (
            self._epoch is not None
            and lease is not None
            and lease.worker == self._worker
            and lease.is_valid()
        )

    def stands(self, rows: Rows, *, to_write: bool) -> bool:
        """Whether nobody has claimed the agent since; `to_write`, its row is locked from here on."""
        found = rows.all(f"{_EPOCH} FOR UPDATE" if to_write else _EPOCH, self._agent)
        stands = bool(found) and found[0][0] == self._epoch
        if not stands:
            self._epoch = None
        return stands

    def release(self) -> None:
        """Let another server have the agent. May be called twice."""
        epoch, self._epoch = self._epoch, None
        if epoch is not None:
            with suppress(Unreachable):
                self._session.write(lambda rows: rows.run(_FREE, self._agent, cast(int, epoch)))

    def _claim(self, rows: PostgresRows, worker: str) -> object:
        """Gives the epoch of the claim; None where another worker has the agent, and may act for it."""
        rows.run(_ADD, self._agent)
        owner = rows.all(_OWNER, self._agent)[0][0]
        if owner is not None and owner != worker and _holds(rows, str(owner)):
            return None
        if not _holds(rows, worker):
            raise _LeaseEnded
        return rows.all(_CLAIM, worker, self._agent)[0][0]
