"""Who serves an agent: at any time one server (16.3)."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import Protocol

from heartbeat_adapters.database.sessions import Rows, Unreachable
from heartbeat_adapters.files.file_lock import FileLock, Grip
from heartbeat_adapters.files.system_calls import SystemCalls


class Claim(Protocol):
    """The right to serve one agent."""

    def take(self) -> str | None:
        """Get the agent, or make sure that it is still ours; else say who has it, as in `in use by ...`.

        Never waits for the other. Raises Unreachable.
        """

    def is_sure(self) -> bool:
        """Whether the agent is ours for certain at this moment, asked before each wake. Asks nobody."""

    def stands(self, rows: Rows, *, to_write: bool) -> bool:
        """Whether the agent is ours still, in a transaction; in one `to_write`, until its end."""

    def release(self) -> None:
        """Let another server have the agent. May be called twice."""


class LockedAgent:
    """The right to an agent in a file of SQLite: a lock file beside that, which ends with the process."""

    def __init__(self, path: str, agent: str) -> None:
        # Agents can have names that no file can have.
        digest = hashlib.sha256(agent.encode("utf-8", "surrogatepass")).hexdigest()
        self._lock = FileLock(SystemCalls(), f"{os.path.realpath(path)}.agent-{digest[:16]}")

    def take(self) -> str | None:
        """Lock it; see `Claim.take`. Raises Unreachable where there can be no lock."""
        with suppress(OSError):  # locking says what is wrong
            os.makedirs(os.path.dirname(self._lock.path), exist_ok=True)
        match self._lock.take():
            case Grip.HELD:
                return None
            case Grip.ELSEWHERE:
                return self._lock.why
            case Grip.NONE:
                why = self._lock.why or "no lock file can be made beside it"
                raise Unreachable(
                    why, "let this user write to its folder, which must be on a disk of this machine"
                )

    def is_sure(self) -> bool:
        """A lock that was taken is held until it is let go of."""
        return True

    def stands(self, rows: Rows, *, to_write: bool) -> bool:  # noqa: ARG002
        """See `is_sure`."""
        return True

    def release(self) -> None:
        """Unlock it. May be called twice."""
        self._lock.release()
