"""A line of history as it is kept: the members of 14.1, in that order, and those that apply."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.moments import to_utc_text

Count = Annotated[int, Field(ge=0, strict=True)]


class _Record(BaseModel):
    """One line as it is read. Members that we do not know are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    at: AwareDatetime
    due: AwareDatetime
    sent: AwareDatetime | None = None
    kind: WakeKind
    id: str | None = None
    eventId: str | None = None
    attempt: Count | None = None
    outcome: Ending
    reason: str | None = None
    missed: Count = 0
    to: AwareDatetime | None = None
    inferenceId: str | None = None


def history_record(line: HistoryLine) -> dict[str, object]:
    """The members of a line, for JSON; times in UTC to the millisecond."""
    members: dict[str, object] = {
        "at": to_utc_text(line.at),
        "due": to_utc_text(line.due),
        "sent": line.sent and to_utc_text(line.sent),
        "kind": line.kind.value,
        "id": line.reminder_id,
        "eventId": line.event_id,
        "attempt": line.attempt,
        "outcome": line.ending.value,
        "reason": line.reason,
        "missed": line.missed or None,
        "to": line.to and to_utc_text(line.to),
        "inferenceId": line.inference_id,
    }
    return {name: value for name, value in members.items() if value is not None}


def read_history_line(json_text: bytes | str) -> HistoryLine | None:
    """The line that a JSON text says; None where it says none."""
    try:
        record = _Record.model_validate_json(json_text)
        return _as_line(record)
    except (ValidationError, OverflowError):  # a time near the year 1 or 9999 has no UTC
        return None


def _as_line(record: _Record) -> HistoryLine:
    return HistoryLine(
        at=record.at.astimezone(UTC),
        due=record.due.astimezone(UTC),
        kind=record.kind,
        ending=record.outcome,
        reminder_id=record.id,
        sent=record.sent and record.sent.astimezone(UTC),
        event_id=record.eventId,
        attempt=record.attempt,
        reason=record.reason,
        missed=record.missed,
        to=record.to and record.to.astimezone(UTC),
        inference_id=record.inferenceId,
    )
