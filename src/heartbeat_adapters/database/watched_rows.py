"""The rows that one store keeps: read, written, and watched for strangers by their revision (8.8).

The stores in `agent_stores` say which rows these are, and what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from heartbeat_adapters.database.served_agent import ServedAgent
from heartbeat_adapters.database.sessions import Row, Rows
from heartbeat_core.ports import Found, Trouble, TroubleKind

T = TypeVar("T")


class ChangedUnseen(Exception):
    """Something else changed the rows after the last look."""


class WatchedRows(Generic[T]):
    """What one store has of an agent's rows, and the revision at which it had them."""

    _revision_column: str

    def __init__(self, agent: ServedAgent) -> None:
        self._agent = agent
        self._revision: object = None
        """As of the last reading or saving; None where nothing was saved yet, and where all is gone."""
        self._waiting: Trouble | None = None
        """Why nothing can be read now: another server has the agent, or the database is away."""
        self._refusal: Trouble | None = None
        """Why what is there is not saved over."""
        self._is_open = False

    def load(self) -> Found[T]:
        """Read the rows; as the port has it."""
        self._is_open = True
        self._agent.opened()
        return self._found()

    def look(self) -> Found[T] | None:
        """Look whether something else changed the rows, or gave them free; as the port has it."""
        if not self._is_open:
            return None
        if (waiting := self._waiting) is not None:
            found = self._found()
            # One reason to wait may follow upon the other.
            still = found.trouble is not None and found.trouble.kind is waiting.kind
            return None if found.in_use and still else found
        revision = self._agent.read(self._current_revision)
        if isinstance(revision, Trouble):
            self._waiting = revision
            return Found(trouble=revision)
        return None if revision == self._revision else self._found()

    def close(self) -> None:
        """Let another server have the agent, once both stores of it are closed. May be called twice."""
        if self._is_open:
            self._is_open = False
            self._agent.closed()

    def _found(self) -> Found[T]:
        read = self._agent.read(lambda rows: (self._current_revision(rows), self._select(rows)))
        if isinstance(read, Trouble):
            self._waiting = read
            return Found(trouble=read)
        self._waiting = self._refusal = None
        self._revision, rows = read
        return self._use(rows)

    def _current_revision(self, rows: Rows) -> object:
        found = rows.all(
            f'SELECT "{self._revision_column}" FROM heartbeat_agents WHERE agent = ?', self._agent.agent
        )
        return found[0][0] if found else None

    def _write(self, change: Callable[[Rows], None]) -> Trouble | None:
        """Have `change` made in one transaction, on nothing but what was read or saved last."""
        if not self._is_open:
            return Trouble(
                TroubleKind.REFUSED, f"{self._agent.title} was let go of, since this server is stopping"
            )
        if (trouble := self._waiting or self._refusal) is not None:
            return trouble

        seen = self._revision  # a transaction that is given up may still run when this has another

        def work(rows: Rows) -> object:
            if self._current_revision(rows) != seen:
                raise ChangedUnseen
            if seen is None:
                rows.run(
                    "INSERT INTO heartbeat_agents (agent) VALUES (?) ON CONFLICT DO NOTHING",
                    self._agent.agent,
                )
            change(rows)
            return self._current_revision(rows)

        try:
            revision = self._agent.write(work)
        except ChangedUnseen:
            return Trouble(
                TroubleKind.NOT_SAVED,
                f"{self._agent.title} was changed by something else at the same moment, and was left "
                "as it is now",
            )
        if isinstance(revision, Trouble):
            return revision
        self._revision = revision
        return None

    def _select(self, rows: Rows) -> Sequence[Row]:
        raise NotImplementedError

    def _use(self, rows: Sequence[Row]) -> Found[T]:
        raise NotImplementedError
