"""The ambient schedule: how often the agent is woken, with what, and when next.

Lives here: the schedule and the rules that change it, as pure functions of it and of now. May not:
timers, files, wording.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.moments import first_after


class DeliveryMode(Enum):
    """What a beat carries (6.11)."""

    MESSAGE = "message"
    SILENT = "silent"


SHORTEST_INTERVAL = timedelta(seconds=60)
LONGEST_LENGTH = timedelta(days=36525)
"""100 years (6.8): the longest interval, delay or recurrence."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The ambient schedule as it is saved (8.1).

    `next_beat` is aware UTC, in whole milliseconds; None while paused, and before the first start.
    """

    interval: timedelta
    paused: bool
    message: str
    mode: DeliveryMode
    next_beat: datetime | None = None
