"""Reminders, and the book of them: which is due, out, held or heard.

Lives here: `Reminder` and the rules of section 7 that need no clock, transport or storage. May not:
text for the agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

SHORTEST_RECURRENCE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder as it is saved (8.1). Times are aware UTC in whole milliseconds.

    `due` is the time at which it fires next; `every` is None for a one-shot.
    """

    id: str
    message: str
    created: datetime
    due: datetime
    every: timedelta | None = None
