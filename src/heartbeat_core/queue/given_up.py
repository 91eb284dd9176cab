"""Firings that were given up since they expired (10.5), and what the agent has not been told of them yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

MOST_TOLD = 20
"""So many reminders are told of in one reply (10.5)."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A firing that was given up. Times are aware UTC; `reason` is why nobody heard it.

    `missed` counts the times that it stood for beside its own.
    """

    reminder_id: str
    due: datetime
    at: datetime
    reason: str
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Unheard:
    """What the agent is told of one reminder: the latest firing that was given up, and how many others.

    `more` counts the firings before it, and the times that each stood for.
    """

    latest: GivenUp
    more: int


class GivenUpNews:
    """What was given up since the agent was last told, by reminder."""

    def __init__(self) -> None:
        self._by_id: dict[str, Unheard] = {}
        self._others = 0

    def add(self, given_up: GivenUp) -> None:
        """Keep it until the agent is told; of very many reminders the latest ones."""
        known = self._by_id.pop(given_up.reminder_id, None)
        before = 0 if known is None else known.more + 1
        self._by_id[given_up.reminder_id] = Unheard(given_up, before + given_up.missed)
        if len(self._by_id) > MOST_TOLD:
            del self._by_id[next(iter(self._by_id))]
            self._others += 1

    def take(self) -> tuple[list[Unheard], int]:
        """Tell it, once: reminder by reminder, and how many others there were."""
        told = list(self._by_id.values()), self._others
        self._by_id, self._others = {}, 0
        return told
