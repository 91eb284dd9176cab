"""The table of states and events that opens the room `queue`, walked cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

import heartbeat_core.queue
from heartbeat_core.queue.queued_reminder import Held, Out, QueuedReminder
from heartbeat_core.queue.reminder_queue import ReminderQueue
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake
from recurring import recurring

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
DEADLINE = timedelta(seconds=30)


def cells() -> list[tuple[str, str, str]]:
    """Event, state before, state after: what the table says."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in str(heartbeat_core.queue.__doc__).splitlines()
        if line.startswith("|") and "---" not in line
    ]
    states = rows[0][1:]
    return [(row[0], state, after) for row in rows[1:] for state, after in zip(states, row[1:], strict=True)]


@dataclass
class Desk:
    """A queue with one reminder, its clocks, and a host that is answered for by hand."""

    every: timedelta | None
    queue: ReminderQueue = field(default_factory=ReminderQueue)
    now: datetime = NOON - timedelta(hours=1)
    ticks: timedelta = timedelta(0)
    wakes: list[Wake] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.queue.adopt([Reminder("r", "tea", NOON - DAY, NOON, recurring(self.every))], self.now)

    @property
    def queued(self) -> QueuedReminder:
        (queued,) = self.queue
        return queued

    def pass_time(self, length: timedelta) -> None:
        self.now += length
        self.ticks += length

    def its_time_comes(self) -> None:
        coming = self.queue.next_wake(self.now)
        assert coming is not None
        self.pass_time(max(coming[0] - self.now, timedelta(0)))

    def sent(self) -> None:
        coming = self.queue.next_wake(self.now)
        assert coming is not None
        assert coming[0] <= self.now
        due = coming[1].reminder.due
        origin: dict[str, str | bool] = {"reminderId": "r"}
        self.wakes.append(Wake(len(self.wakes), f"r@{due}", origin, "text", self.now, due))
        self.queue.sent(self.wakes[-1], self.ticks + DEADLINE)

    def no_answer(self) -> None:
        self.pass_time(DEADLINE)
        self.queue.time_out("no answer", self.now, self.ticks)

    def answered(self, answer: Answer, *, late: bool = False) -> None:
        self.queue.answered(self.wakes[0 if late else -1], answer, self.now)

    def edited(self, **changes: object) -> None:
        self.queue.adopt([replace(self.queued.reminder, **changes)], self.now)  # type: ignore[arg-type]

    def changed(self, **changes: object) -> None:
        self.queue.change(replace(self.queued.reminder, **changes), self.now)  # type: ignore[arg-type]

    def expired(self) -> None:
        self.changed(expires_after=timedelta(milliseconds=1))
        self.pass_time(timedelta(milliseconds=1))
        assert self.queue.give_up("nobody was there", self.now)

    def cancelled(self) -> None:
        self.queue.cancel("r")

    def clock_set_back(self) -> None:
        self.now -= 2 * DAY
        self.queue.clock_set_back(2 * DAY, self.now)

    @property
    def state(self) -> str:
        """The state in the words of the table."""
        if len(self.queue) == 0:
            return "gone"
        firing = "next " if self.queued.own_due > NOON and self.queued.reminder.message == "tea" else ""
        match self.queued.state:
            case Out(held=None):
                return f"{firing}out"
            case Out():
                return "out again"
            case Held(try_at=try_at):
                return "released" if try_at is None or try_at <= self.now else "held"
        return "due" if self.queued.reminder.due <= self.now else firing.strip() or "waiting"


STEPS: dict[str, Callable[[Desk], None]] = {
    "its time comes": Desk.its_time_comes,
    "sent": Desk.sent,
    "taken": lambda desk: desk.answered(Taken()),
    "refused": lambda desk: desk.answered(Refused("busy")),
    "failed": lambda desk: desk.answered(Failed("broken")),
    "no answer": Desk.no_answer,
    "late taken": lambda desk: desk.answered(Taken(), late=True),
    "late refused": lambda desk: desk.answered(Refused("busy"), late=True),
    "all are released": lambda desk: desk.queue.release_all(desk.now),
    "expired": Desk.expired,
    "cancelled": Desk.cancelled,
    "moved by the agent": lambda desk: desk.changed(due=desk.now + timedelta(hours=2), message="moved"),
    "reworded by it": lambda desk: desk.changed(message="cake"),
    "moved by a stranger": lambda desk: desk.edited(due=desk.now + timedelta(hours=2), message="moved"),
    "reworded by one": lambda desk: desk.edited(message="cake"),
    "clock set back": Desk.clock_set_back,
}

WAY_TO = {
    "waiting": [],
    "due": ["its time comes"],
    "out": ["its time comes", "sent"],
    "held": ["its time comes", "sent", "no answer"],
    "released": ["its time comes", "sent", "no answer", "all are released"],
    "out again": ["its time comes", "sent", "no answer", "all are released", "sent"],
}


@pytest.mark.parametrize("every", [None, DAY], ids=["one-shot", "recurring"])
@pytest.mark.parametrize(
    ("event", "before", "after"), [cell for cell in cells() if cell[2] != "-"], ids=lambda cell: str(cell)
)
def test_each_cell_of_the_table_is_what_happens(
    event: str, before: str, after: str, every: timedelta | None
) -> None:
    """7.1 to 7.4, 5.2, 8.8, 10.5, 11.3"""
    desk = Desk(every)
    for step in WAY_TO[before]:
        STEPS[step](desk)
    assert desk.state == before
    STEPS[event](desk)
    expected = {"*": "released" if every else "held"}.get(after, after)
    if every is None and expected.startswith("next"):
        expected = "gone"
    assert desk.state == expected


def test_the_table_has_every_event_in_every_state() -> None:
    """None is forgotten: a dash says that it cannot happen"""
    assert {event for event, _, _ in cells()} == set(STEPS)
    assert {state for _, state, _ in cells()} == set(WAY_TO)
    assert len(cells()) == len(STEPS) * len(WAY_TO)
