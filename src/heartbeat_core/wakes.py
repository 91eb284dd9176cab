"""What a wake says and carries, and what the host may answer.

Lives here: `Wake`, its text, origin and event id (4.10 to 4.13, 6.10), and `Answer`. May not: sending.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Wake:
    """One attempt to wake the agent: what goes into one `push/event` (4.10).

    `number` tells this attempt from every other of this process. `event_id` is the same for every
    attempt at one thing to hear. `text` is None for a silent wake (6.11). `sent_at` is aware UTC.
    `origin` has exactly the keys that 4.10 and 6.11 name. `due` is the time that the reminder or the
    scheduled beat fell due, as it was when this was sent.
    """

    number: int
    event_id: str
    origin: Mapping[str, str | bool]
    text: str | None
    sent_at: datetime
    due: datetime


@dataclass(frozen=True, slots=True)
class Taken:
    """The host answered with success."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The host said no: `accepted: false` with its reason, or a JSON-RPC error with `code` and message."""

    reason: str
    code: int | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Nobody knows whether the host has it: the push broke, or the handler that was called raised."""

    reason: str


Answer = Taken | Refused | Failed
