"""What a wake says and carries (4.10 to 4.13, 6.10), and what the host may answer (4.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone, show, to_epoch_ms


class BeatReason(Enum):
    """Why a beat comes: its time has come, or the agent triggered it (4.10)."""

    SCHEDULE = "schedule"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Wake:
    """One attempt to wake the agent: what goes into one `push/event` (4.10).

    `number` tells this attempt from every other of this process. `event_id` is the same for every
    attempt at one thing to hear. `text` is None for a silent wake (6.11). `sent_at` is aware UTC.
    `origin` has exactly the keys that 4.10 and 6.11 name. `due` is the time that the reminder or the
    beat fell due, as it was when this was sent; `nudge` is how far a fresh event id had moved that (4.11).
    `attempt` counts the wakes of that due moment in this process, from 1. `missed` is for how many due times
    it stands beside its own.
    """

    number: int
    event_id: str
    origin: Mapping[str, str | bool]
    text: str | None
    sent_at: datetime
    due: datetime
    attempt: int = 1
    missed: int = 0
    nudge: timedelta = timedelta(0)

    @property
    def own_due(self) -> datetime:
        """When its moment fell due, without what a fresh event id moved it by."""
        return self.due - self.nudge

    @property
    def silent(self) -> bool:
        """Whether this is a silent beat (6.11)."""
        return self.origin.get("silent") is True

    @property
    def reminder_id(self) -> str | None:
        """The id of the reminder that this is a wake of; None for a beat."""
        value = self.origin.get("reminderId")
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Taken:
    """The host answered with success; `inference_id` is its name for the turn, if it has one."""

    inference_id: str | None = None

    def __str__(self) -> str:
        return "taken"


@dataclass(frozen=True, slots=True)
class Refused:
    """The host said no: `accepted: false` with its reason, or a JSON-RPC error with `code` and message."""

    reason: str
    code: int | None = None

    def __str__(self) -> str:
        return self.reason if self.code is None else f"{self.reason} ({self.code})"


@dataclass(frozen=True, slots=True)
class Failed:
    """Nobody knows whether the host has it: the push broke, or the handler that was called raised."""

    reason: str

    def __str__(self) -> str:
        return self.reason


Answer = Taken | Refused | Failed

LONGEST_REASON = 500
"""Characters of a host's reason that are kept and shown: some are as long as a page."""

_INVALID_PARAMS = -32602


def is_duplicate(answer: Answer) -> bool:
    """Whether the host says that it already has this event (4.11)."""
    return (
        isinstance(answer, Refused) and answer.code is None and answer.reason.strip().lower() == "duplicate"
    )


def is_refused_as_empty(answer: Answer) -> bool:
    """Whether the host refused a silent wake for having no content (6.11)."""
    if not isinstance(answer, Refused):
        return False
    if answer.code is not None:
        return answer.code == _INVALID_PARAMS
    return any(word in answer.reason.lower() for word in ("empty", "no content"))


def beat_wake(
    number: int,
    event_id: str,
    reason: BeatReason,
    due: datetime,
    schedule: Schedule,
    now: datetime,
    zone: AgentZone,
    *,
    fallback: bool = False,
    news: Sequence[str] = (),
    attempt: int = 1,
    missed: int = 0,
) -> Wake:
    """The wake of a beat: what it says and where it says that it comes from (4.10, 6.10, 6.11).

    `fallback` makes it the message that is sent in place of a silent beat. `news` is what the text says
    beside the time (13.1).
    """
    silent = schedule.mode is DeliveryMode.SILENT and not fallback
    origin: dict[str, str | bool] = {"source": "heartbeat", "reason": reason.value}
    if silent:
        origin["silent"] = True
    if fallback:
        origin["silentFallback"] = True
    header = " · ".join([f"current time: {show(now, zone)}", *news])
    text = None if silent else f"[{header}] {schedule.message}"
    return Wake(number, event_id, origin, text, now, due, attempt, missed)


LATE = timedelta(minutes=1)
"""How long after its due time a wake begins to say when it was due (6.10, 13.1)."""


MOST_MISSED_SHOWN = 1_000
"""Of more times that passed unheard, a wake says only that they are more (10.7)."""


def reminder_wake(
    number: int,
    reminder: Reminder,
    now: datetime,
    zone: AgentZone,
    missed: int = 0,
    *,
    attempt: int = 1,
    nudge: timedelta = timedelta(0),
) -> Wake:
    """The wake of a reminder (4.10, 6.10); its event id is from its id and due time alone (4.12).

    `missed` is how many of its own times have passed since it was due.
    """
    origin: dict[str, str | bool] = {
        "source": "reminder",
        "reminderId": reminder.id,
        "recurring": reminder.recurrence is not None,
    }
    event_id = f"{reminder.id}@{to_epoch_ms(reminder.due)}"
    text = _reminder_text(reminder, now, zone, missed)
    return Wake(number, event_id, origin, text, now, reminder.due, attempt, missed, nudge)


def _reminder_text(reminder: Reminder, now: datetime, zone: AgentZone, missed: int) -> str:
    if reminder.recurrence is None:
        what = f"set {show(reminder.created, zone)}"
    else:
        what = f"repeats {reminder.recurrence}"
    late = f", due {show(reminder.due, zone)}{_missed(missed)}" if now - reminder.due >= LATE else ""
    return f"[reminder {reminder.id}, {what}{late} · current time: {show(now, zone)}] {reminder.message}"


def _missed(times: int) -> str:
    if times > MOST_MISSED_SHOWN:
        return f", more than {MOST_MISSED_SHOWN} more missed"
    return f", {times} more missed" if times else ""
