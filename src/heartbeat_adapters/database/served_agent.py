"""One agent of a database, as one server has it: whether it is ours, and whether its rows can be reached.

The two stores of an agent share this. What went wrong is put into words here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

from heartbeat_adapters.database.agent_claims import Claim
from heartbeat_adapters.database.schema import NewerTables
from heartbeat_adapters.database.sessions import Rows, Session, Unreachable
from heartbeat_core.policy import Reason
from heartbeat_core.ports import Trouble, TroubleKind

T = TypeVar("T")


class _Lost(Exception):
    """Another server has taken the agent over."""


class ServedAgent:
    """The rows of `agent`, which this server reads and writes while it has the claim."""

    def __init__(
        self, session: Session, claim: Claim, agent: str, look_every: timedelta = timedelta(seconds=10)
    ) -> None:
        self.agent = agent
        self.look_every = look_every
        """How often the core looks whether the agent has become ours, while it is not."""
        self.session = session
        self._withheld: Reason | None = None
        self._claim = claim
        self._open_stores = 0

    @property
    def title(self) -> str:
        """What it is called in front of people."""
        return f"agent {self.agent} in {self.session.title}"

    def withheld(self) -> Reason | None:
        """Why no wake may be sent on what is held in memory; None where all is well (16.3, 16.4)."""
        if self._withheld is None and not self._claim.is_sure():
            return Reason.AWAY
        return self._withheld

    def newer_tables(self) -> str | None:
        """What to tell an operator whose server is older than the tables; None where it is not."""
        try:
            self.session.read(lambda _: None)
        except NewerTables as why:
            return f"{self.session.title} cannot be used: {why}"
        except Unreachable:
            pass  # which may be over by the time of the next transaction
        return None

    def opened(self) -> None:
        """A store is in use from here on, until it says `closed`."""
        if not self._open_stores:
            self.session.opened()
        self._open_stores += 1

    def closed(self) -> None:
        """A store is in use no longer; the last one lets go of all."""
        self._open_stores -= 1
        if not self._open_stores:
            self._claim.release()
            self.session.closed()

    def read(self, work: Callable[[Rows], T]) -> T | Trouble:
        """Let `work` read, if the agent is ours; else why it may not."""
        try:
            for _ in range(2):  # the row that says whose it is may have been removed, or taken just now
                if (holder := self._claim.take()) is not None:
                    return self._elsewhere(holder)
                with suppress(_Lost):
                    result = self.session.read(lambda rows: self._if_it_stands(rows, work, to_write=False))
                    self._withheld = None
                    return result
        except Unreachable as why:
            return self._away(why)
        return self._elsewhere("in use by another heartbeat")

    def write(self, work: Callable[[Rows], T]) -> T | Trouble:
        """Let `work` write, if the agent is ours; else why nothing is written. Raises what `work` raises."""
        try:
            if (holder := self._claim.take()) is not None:
                return self._elsewhere(holder)
            return self.session.write(lambda rows: self._if_it_stands(rows, work, to_write=True))
        except _Lost:
            return Trouble(
                TroubleKind.NOT_SAVED,
                f"{self.title} was taken over by another heartbeat, and was left as it is now",
            )
        except Unreachable as why:
            # Whether that lasts, and whether wakes may still be sent, is for the look that follows.
            return Trouble(
                TroubleKind.NOT_SAVED,
                f"{self.title} could not be written ({why.why}) and holds what it held before: {why.remedy}",
            )

    def _if_it_stands(self, rows: Rows, work: Callable[[Rows], T], *, to_write: bool) -> T:
        if not self._claim.stands(rows, to_write=to_write):
            raise _Lost
        return work(rows)

    def _elsewhere(self, holder: str) -> Trouble:
        self._withheld = Reason.ELSEWHERE
        return Trouble(
            TroubleKind.IN_USE,
            f"{self.title} is {holder}, so nothing is read from there or saved there until it is free; then "
            "it is taken over, with what was changed here meanwhile on top: stop the other one, or give "
            "each an agent of its own",
        )

    def _away(self, why: Unreachable) -> Trouble:
        self._withheld = Reason.AWAY
        return Trouble(
            TroubleKind.AWAY,
            f"{self.session.title} cannot be reached ({why.why}), so no wake is sent, and what is changed is "
            f"kept in memory until it can: {why.remedy}",
        )
