"""A reminder in the queue, and the state that its present firing is in. Only the queue changes one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from heartbeat_core.queue.event_id_use import EventIdUse
from heartbeat_core.reminders.reminder import Reminder


@dataclass(frozen=True, slots=True)
class Untried:
    """No wake of this firing was sent yet by this process: its turn comes at its due time."""


@dataclass(frozen=True, slots=True)
class Held:
    """The last wake of this firing was not taken (7.3).

    `since` is when the first one was not, `reason` why the last one was not. `try_at` is when it is tried
    again; None as soon as there is room.
    """

    since: datetime
    reason: str
    try_at: datetime | None

    def moved_back(self, by: timedelta) -> Held:
        """The same after the clock was set back: each wait is as long as it was (7.3)."""
        try_at = None if self.try_at is None else self.try_at - by
        return Held(self.since - by, self.reason, try_at)


@dataclass(frozen=True, slots=True)
class Out:
    """A wake of this firing is out; `held` is what the firing was before, where it was held."""

    sent_at: datetime
    held: Held | None = None


@dataclass(slots=True)
class QueuedReminder:
    """A reminder and how its present firing stands.

    `tries` counts the wakes of this firing, `id_use` those that carried its present event id. `nudge` is
    how far `reminder.due` was moved to get a fresh event id (4.11). `used_phases` are those that it had
    before the clock was set back (5.2).
    """

    reminder: Reminder
    state: Untried | Out | Held = Untried()
    tries: int = 0
    id_use: EventIdUse = field(default_factory=EventIdUse)
    nudge: timedelta = timedelta(0)
    used_phases: frozenset[timedelta] = frozenset()

    @property
    def sent_at(self) -> datetime | None:
        """When the wake that is out was sent; None where none is out."""
        return self.state.sent_at if isinstance(self.state, Out) else None

    @property
    def held(self) -> Held | None:
        """Since when this firing is held and why, also while it is tried again; None where it is not."""
        match self.state:
            case Held():
                return self.state
            case Out(held=held):
                return held
        return None

    @property
    def turn(self) -> tuple[int, datetime]:
        """As that of a beat: how often this firing was tried, and when it was due."""
        return self.tries, self.reminder.due

    @property
    def own_due(self) -> datetime:
        """The due time without what a fresh event id moved it by."""
        return self.reminder.due - self.nudge

    def clock_set_back(self, by: timedelta, now: datetime) -> None:
        """Keep each wait as long as it was; a one-shot whose instant is to come again waits for it (5.2)."""
        match self.state:
            case Held() as held:
                self.state = self.waiting_for_its_instant(held.moved_back(by), now)
            case Out(sent_at=sent_at, held=held):
                self.state = Out(sent_at - by, None if held is None else held.moved_back(by))

    def waiting_for_its_instant(self, held: Held, now: datetime) -> Held:
        """`held`, not tried before the instant of a one-shot where the clock was set back behind that."""
        to_come = self.reminder.every is None and self.own_due > now
        return replace(held, try_at=self.reminder.due) if to_come else held
