"""Members and columns: how a schedule, a reminder and a line of history become rows, and back.

Which members there are, and what they must be, is in `heartbeat_core.keeping.records`. A member that has no
column, or that its column cannot hold, stands in `more`; a column that has a value counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeGuard

from heartbeat_adapters.database.sessions import Row, Value, whole
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.moments import from_epoch_ms, to_epoch_ms

_NO_COLUMN_HOLDS = re.compile("[\0\ud800-\udfff]")

SCHEDULE_COLUMNS = ("intervalSeconds", "paused", "message", "deliveryMode", "nextFireAt")
REMINDER_COLUMNS = ("id", "message", "createdAt", "fireAt", "everySeconds")
HISTORY_COLUMNS = (
    *("at", "due", "sent", "kind", "id", "eventId", "attempt", "outcome", "reason", "missed", "to"),
    "inferenceId",
)


def listed(columns: Sequence[str]) -> str:
    """The names of columns as SQL has them."""
    return ", ".join(f'"{name}"' for name in columns)


def to_columns(members: Mapping[str, object], columns: Sequence[str]) -> list[Value]:
    """The values of the columns, and of `more` after them."""
    held = {name: value for name in columns if _is_held(value := members.get(name))}
    more = {name: value for name, value in members.items() if name not in held}
    return [*(held.get(name) for name in columns), json.dumps(more) if more else None]


def from_columns(row: Row, columns: Sequence[str]) -> dict[str, object] | str:
    """The members of a row that has these columns and `more`, or why `more` cannot be read."""
    *values, more = row
    members: dict[str, object] = dict.fromkeys(columns)
    if more is not None:
        try:
            members |= json.loads(str(more))
        except (ValueError, TypeError, RecursionError):
            return "more is not a JSON object"
    named = zip(columns, values, strict=True)
    members |= {
        name: _flag(value) if name == "paused" else value for name, value in named if value is not None
    }
    return members


def _is_held(value: object) -> TypeGuard[Value]:
    """Whether a column takes it: no database keeps half a surrogate pair, and not every one a NUL."""
    if isinstance(value, str):
        return _NO_COLUMN_HOLDS.search(value) is None
    return value is None or isinstance(value, (int, float))


def _flag(value: object) -> object:
    """SQLite knows no flags, and keeps them as 0 and 1."""
    return bool(value) if value in (0, 1) else value


def history_row(line: HistoryLine) -> list[Value]:
    """The values of `HISTORY_COLUMNS`."""
    return [
        to_epoch_ms(line.at),
        to_epoch_ms(line.due),
        _ms(line.sent),
        line.kind.value,
        _plain(line.reminder_id),
        _plain(line.event_id),
        line.attempt,
        line.ending.value,
        _plain(line.reason),
        line.missed,
        _ms(line.to),
        _plain(line.inference_id),
    ]


def read_history(row: Row) -> HistoryLine | None:
    """A line out of `HISTORY_COLUMNS`; None where it is no such line."""
    at, due, sent, kind, reminder_id, event_id, attempt, outcome, reason, missed, to, inference_id = row
    try:
        return HistoryLine(
            at=from_epoch_ms(whole(at)),
            due=from_epoch_ms(whole(due)),
            kind=WakeKind(kind),
            ending=Ending(outcome),
            reminder_id=_text(reminder_id),
            sent=_moment(sent),
            event_id=_text(event_id),
            attempt=None if attempt is None else whole(attempt),
            reason=_text(reason),
            missed=whole(missed),
            to=_moment(to),
            inference_id=_text(inference_id),
        )
    except (ValueError, TypeError, OverflowError):
        return None


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else to_epoch_ms(moment.astimezone(UTC))


def _moment(value: object) -> datetime | None:
    return None if value is None else from_epoch_ms(whole(value))


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError("a column of texts has something else")


def _plain(text: str | None) -> str | None:
    """History is read by people: what a database cannot hold is marked."""
    return None if text is None else _NO_COLUMN_HOLDS.sub("\ufffd", text)
