"""A reminder in the book, and how the delivery of its present firing stands.

Lives here: the state that `book` keeps of each, and what can be read off it alone. May not: change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from heartbeat_core.reminders import Reminder


@dataclass(frozen=True, slots=True)
class Held:
    """That the last wake of a reminder was not taken: since when, and why."""

    since: datetime
    reason: str


@dataclass(slots=True)
class Entry:
    """A reminder and how the delivery of its present firing stands; to be changed by the book alone.

    `sent_at` is set while a wake of it is out. `tries` counts the wakes of this firing, `id_tries` and
    `id_refusals` those that carried its present event id. `older_tries` says that a server before this
    one may have sent it. `nudge` is how far `reminder.due` was moved to get a fresh event id (4.11).
    """

    reminder: Reminder
    older_tries: bool = False
    sent_at: datetime | None = None
    held: Held | None = None
    first_held: timedelta | None = None
    retry: timedelta | None = None
    tries: int = 0
    id_tries: int = 0
    id_refusals: int = 0
    nudge: timedelta = timedelta(0)
    used_phases: frozenset[timedelta] = frozenset()

    @property
    def was_used_up(self) -> bool:
        """Whether a duplicate can only mean that the host refused this id and used it up (4.11).

        That is: each try but the one that this answers was refused, and one that is out now, where the
        answer comes late, was sent after it.
        """
        before = self.id_tries - 1 - (self.sent_at is not None)
        return not self.older_tries and 0 < self.id_refusals == before
