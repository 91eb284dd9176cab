"""The `Clock` of the machine, on any loop that has `call_later`: asyncio's and `PollLoop` both fit.

Long waits are cut in slices, so that a suspend or a clock that was set is noticed (5.2).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

LONGEST_SLICE = timedelta(seconds=10)
"""As long as 5.2 allows for noticing, and as short as 5.4 allows for an idle server."""

SET = timedelta(milliseconds=50)
"""How far the wall clock moves against the other within a slice before it counts as set.

Slewing (0.05 %, as NTP does it) stays far below, the lateness that 5.2 allows is not exceeded.
"""


class Cancellable(Protocol):
    """What `call_later` gives back."""

    def cancel(self) -> object:
        """Make sure that the callback does not come any more."""


class Timers(Protocol):
    """The part of a loop that a clock needs."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Cancellable:
        """Call back once after so many seconds, never from inside this call."""


class SystemClock:
    """Implements `heartbeat_core.ports.Clock`. All but the loop is the machine's, except in tests."""

    def __init__(
        self,
        timers: Timers,
        *,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),  # noqa: TID251 - this is the adapter
        steady: Callable[[], float] = time.monotonic,  # noqa: TID251 - this is the adapter
        longest_slice: timedelta = LONGEST_SLICE,
    ) -> None:
        self._timers = timers
        self._wall = wall
        self._steady = steady
        self._slice = longest_slice
        self._armed: list[_Armed] = []  # the core arms one at a time: a list will do
        self._next_look: Cancellable | None = None
        self._remember()

    def now(self) -> datetime:
        """The wall clock: aware, in UTC."""
        return self._wall()

    def monotonic(self) -> timedelta:
        """Time since some fixed moment; it never goes back, and stands still in suspend."""
        return timedelta(seconds=self._steady())

    def call_at(self, when: datetime, callback: Callable[[], None]) -> _Armed:
        """Call back once `when` has come, or when the wall clock is noticed to have been set."""
        if not self._armed and self.monotonic() - self._looked > self._slice + SET:
            self._remember()  # nobody was waiting, so there is nobody to tell what happened since
        armed = _Armed(self, when if when.tzinfo else when.replace(tzinfo=UTC), callback)
        self._armed.append(armed)
        self._plan()
        return armed

    def _remember(self) -> None:
        self._looked, self._apart = self.monotonic(), self._distance()

    def _distance(self) -> datetime:
        """How far the clocks are apart, measured again where something came between the two readings."""
        for _ in range(3):
            before = self.monotonic()
            distance = self.now() - before
            if self.monotonic() - before < SET / 10:
                break
        return distance

    def _plan(self) -> None:
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None
        if self._armed:
            wait = self._looked + self._slice - self.monotonic()
            wait = min(wait, min(armed.when for armed in self._armed) - self.now())
            self._next_look = self._timers.call_later(max(wait.total_seconds(), 0.0), self._look)

    def _look(self) -> None:
        """Call back what is due, or everybody where the clock was set; loops may call a little early."""
        before = self._apart
        self._remember()
        was_set = abs(self._apart - before) > SET
        now = self.now()
        due = [armed for armed in self._armed if was_set or armed.when <= now]
        self._armed = [armed for armed in self._armed if armed not in due]
        due.sort(key=lambda armed: armed.when)
        self._next_look = None
        try:
            self._call_back(due)
        finally:
            self._plan()

    def _call_back(self, due: list[_Armed]) -> None:
        """Call one after the other; where one raises, which is the loop's to log, the others follow."""
        try:
            while due:
                due.pop(0).call_back()
        finally:
            if due:
                self._timers.call_later(0.0, lambda: self._call_back(due))

    def _cancel(self, armed: _Armed) -> None:
        if armed in self._armed:
            self._armed.remove(armed)
            if not self._armed:
                self._plan()


class _Armed:
    """One callback that waits; a `heartbeat_core.ports.Timer`."""

    __slots__ = ("_callback", "_clock", "when")

    def __init__(self, clock: SystemClock, when: datetime, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._callback: Callable[[], None] | None = callback
        self.when = when

    def cancel(self) -> None:
        """Make sure that the callback does not come any more."""
        self._callback = None
        self._clock._cancel(self)

    def call_back(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()
