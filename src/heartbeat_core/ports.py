"""What the core needs of the world, as protocols that state obligations.

Adapters implement these. `heartbeat_adapters.testing` has a fake of each, and `tests/contracts` a suite for
each, which runs over the fake and the real one alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Generic, Protocol, TypeVar

from heartbeat_core.history import HistoryLine
from heartbeat_core.policy import Reason
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.wakes import Wake

T_co = TypeVar("T_co", covariant=True)

NewId = Callable[[], str]
"""Gives a text of ASCII letters and digits that no call, here or elsewhere, has given or will give."""


class Timer(Protocol):
    """What `Clock.call_at` gives back."""

    def cancel(self) -> None:
        """Make sure that the callback does not come any more. May be called twice, and after it came."""


class Clock(Protocol):
    """The time, and a way to be called when it has come."""

    def now(self) -> datetime:
        """The wall clock: aware, in UTC. It may jump either way between two calls."""

    def monotonic(self) -> timedelta:
        """Time since some fixed moment; it never goes back, and stands still in suspend (5.2)."""

    def call_at(self, when: datetime, callback: Callable[[], None]) -> Timer:
        """Call back once, as soon as `now()` has reached `when`, never from inside this call.

        A wall clock that was set, or a machine that was suspended, is noticed within 10 s (5.2): then
        the callback comes too, whatever `when` says, so that the core can look at everything anew.
        Apart from that it is never early. `when` may lie in the past, or be `LAST_MOMENT`.
        """


class Transport(Protocol):
    """The way to the host."""

    def push(self, wake: Wake) -> None:
        """Hand a wake over and return, without waiting for the host.

        Called only while `ready()`, but for a triggered beat that the next line waits for (see
        `Heartbeat.send_triggered`). The host's answer, or the failure to reach it, comes back later as
        one call of `Heartbeat.answered(wake, answer)`: early, late or never, but not from inside here.
        """

    def ready(self) -> bool:
        """Whether there is room for another wake.

        Once it has said no, the adapter calls `Heartbeat.transport_ready()` when there is room again.
        """


class TroubleKind(Enum):
    """What a trouble with what is stored means for the saves that follow."""

    DAMAGED = "damaged"
    """It could be used in part, or not at all, and was copied aside: the next save replaces it (8.5)."""
    REFUSED = "refused"
    """It could not be read, or not copied aside: no save goes there until a restart reads it (8.4)."""
    IN_USE = "in use"
    """Another server holds it: no save goes there until it is free, and then it is taken over (8.6)."""
    AWAY = "away"
    """It cannot be reached now: as with IN_USE, it is taken over once it can (16.4)."""
    NOT_SAVED = "not saved"
    """This save failed; the next one may work, and then writes everything (8.7)."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with what is stored: its kind, by which the core decides, and words for people.

    `text` is one line, a sentence without its full stop: what was wrong, what was kept where, and what to
    do (8.7).
    """

    kind: TroubleKind
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def lasts(self) -> bool:
        """Whether no later save will do, as things stand."""
        return self.kind in (TroubleKind.REFUSED, TroubleKind.IN_USE, TroubleKind.AWAY)


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    """What a store has read.

    `content` is None where nothing usable was there: nothing saved yet, or, with a `trouble`, a file that
    could not be used. `saved_at` is the time at which what was read was last written, aware UTC, by the
    machine's own clock; None where the store cannot tell. One that lies ahead proves that the clock was
    set back (5.2).
    """

    content: T_co | None = None
    trouble: Trouble | None = None
    saved_at: datetime | None = None

    @property
    def in_use(self) -> bool:
        """Whether somebody else holds it, or it is away: `look` again, it may be taken over later (8.6)."""
        return self.trouble is not None and self.trouble.kind in (TroubleKind.IN_USE, TroubleKind.AWAY)


class ScheduleStore(Protocol):
    """Keeps one schedule. Never raises for what the disk does: it says so in values."""

    def load(self) -> Found[Schedule]:
        """Read what was saved; called once, first."""

    def look(self) -> Found[Schedule] | None:
        """Look whether something else changed what is stored (8.8), or gave it free (8.6).

        None where all is as this store left it. Otherwise what is there now, as `load` would give it.
        What cannot be used was copied aside before this returns, and the next `save` replaces it.
        """

    def save(self, schedule: Schedule) -> Trouble | None:
        """Save; None once it is durable, else why it is not."""

    def close(self) -> None:
        """Let go of what is stored, so that another server can have it. May be called twice."""


class ReminderStore(Protocol):
    """Keeps reminders by id, as `ScheduleStore` keeps a schedule."""

    def load(self) -> Found[Sequence[Reminder]]:
        """Read what was saved; called once, first. No id comes twice."""

    def look(self) -> Found[Sequence[Reminder]] | None:
        """As `ScheduleStore.look`."""

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        """Save reminders that are new or changed, and remove those whose ids are given.

        All of it or nothing; None once it is durable, else why it is not. After a failure the caller
        passes the same rows again with the next save: passing a row twice, or removing one that is not
        there, is harmless.
        """

    def close(self) -> None:
        """As `ScheduleStore.close`."""


class Ownership(Protocol):
    """Whether what is stored is this server's to act on, where that can change while it runs (16.3, 16.4)."""

    look_every: timedelta
    """How often to look whether it has become this server's again, while it is not."""

    def withheld(self) -> Reason | None:
        """Why no wake may be sent now; None where one may. Asked before each wake: it waits for nobody."""


class History(Protocol):
    """Keeps what became of each wake (14). Never raises for what the disk does: it says so in values."""

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        """Keep lines, oldest first, within 100 ms, unflushed; None, or why they are not kept (14.2)."""

    def newest_first(self) -> Iterator[HistoryLine]:
        """Read backwards from the last line, no further than the caller asks; what is no line is left out."""

    def close(self) -> None:
        """Let go of what is kept. May be called twice."""


class Log(Protocol):
    """Lines for the operator. `logging.Logger` is one of these."""

    def info(self, msg: str, /) -> None:
        """Say what happened."""

    def warning(self, msg: str, /) -> None:
        """Say what needs somebody's attention, and what to do."""

    def exception(self, msg: str, /) -> None:
        """As `warning`, while an exception is handled, whose traceback goes with it."""
