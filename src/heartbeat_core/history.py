"""What became of each wake and each due moment, as one value a line (14.1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class WakeKind(Enum):
    """What a line of history is about."""

    BEAT = "beat"
    TRIGGERED = "triggered"
    REMINDER = "reminder"


class Ending(Enum):
    """What became of it."""

    TAKEN = "taken"
    REFUSED = "refused"
    FAILED = "failed"
    UNANSWERED = "unanswered"
    DROPPED = "dropped"
    BUSY = "busy"
    MOVED = "moved"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One line of history. All times are aware UTC.

    `at` is when it was settled, `due` when it was due. A wake has `sent`, `event_id` and `attempt`, which
    counts from 1 for each due moment and process. `reminder_id` is there for reminders alone. `missed`
    counts the times that it stands for beside its own. `to` is where a moved one went. `inference_id` is from
    the host's answer.
    """

    at: datetime
    due: datetime
    kind: WakeKind
    ending: Ending
    reminder_id: str | None = None
    sent: datetime | None = None
    event_id: str | None = None
    attempt: int | None = None
    reason: str | None = None
    missed: int = 0
    to: datetime | None = None
    inference_id: str | None = None
