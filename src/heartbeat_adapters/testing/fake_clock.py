"""A clock for tests: it moves when it is told to, and a month of wakes takes milliseconds (9.3).

It is a `heartbeat_core.ports.Clock` that is driven by hand.

    clock = FakeClock()
    clock.call_at(clock.now() + timedelta(hours=4), beat)
    clock.advance(timedelta(days=30))
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

MOST_AT_ONE_TIME = 100_000
"""Callbacks without time moving: more is a loop that would never end, and is raised as such."""


class FakeClock:
    """Wall clock and monotonic clock, which move together unless the wall clock is set.

    Callbacks come in order of their times from inside `advance`, `settle`, `set` and `suspend`, and
    never from inside `call_at`. What a callback arms is called too where its time has come. Raises TypeError
    for a start without a zone.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        if start.utcoffset() is None:
            raise TypeError(f"start must be an aware datetime, and {start} has no time zone")
        self._now = start.astimezone(UTC)
        self._monotonic = timedelta()
        self._armed: list[tuple[datetime, int, FakeTimer]] = []
        self._order = 0
        self._cancelled = 0
        self._calls = 0

    def now(self) -> datetime:
        """The wall clock: aware, in UTC."""
        return self._now

    def monotonic(self) -> timedelta:
        """The time that `advance` has moved, all in all."""
        return self._monotonic

    def call_at(self, when: datetime, callback: Callable[[], None]) -> FakeTimer:
        """Call back once, when the clock gets there or is set."""
        timer = FakeTimer(self, callback)
        self._order += 1  # equal times keep their order
        heapq.heappush(self._armed, (when if when.tzinfo else when.replace(tzinfo=UTC), self._order, timer))
        return timer

    def next_due(self) -> datetime | None:
        """Tell when the next callback would come if nothing else happened, None if never."""
        while self._armed and self._armed[0][2].callback is None:
            heapq.heappop(self._armed)
            self._cancelled -= 1
        return self._armed[0][0] if self._armed else None

    def advance(self, by: timedelta) -> None:
        """Let time pass: both clocks go to each due time exactly, then to the end.

        Raises RuntimeError after `MOST_AT_ONE_TIME` callbacks at one time, a busy loop, and ValueError for a
        length that is less than nothing.
        """
        if by < timedelta():
            raise ValueError("time passes forwards; to put the clock back, set it")
        self._calls = 0
        end = self._monotonic + by
        until = self._now + by
        while (due := self.next_due()) is not None and due <= until:
            self._pass(max(due - self._now, timedelta()))
            self._call_first()
            until = self._now + (end - self._monotonic)  # a callback may have set the clock
        self._pass(end - self._monotonic)

    def settle(self) -> None:
        """Call back what is due now, and what that arms for now. Raises as `advance` does."""
        self.advance(timedelta())

    def set(self, when: datetime) -> None:
        """Set the wall clock, either way, and call back everybody who is armed, as the port has it."""
        self._now = when.astimezone(UTC)
        self._call_all()
        self.settle()

    def suspend(self, by: timedelta) -> None:
        """Suspend the machine: the wall clock goes on, the monotonic one does not; then as `set`."""
        self.set(self._now + by)

    def forget_all(self) -> None:
        """Drop every callback that is armed, as the crash of a process does."""
        self._armed, self._cancelled = [], 0

    def _pass(self, by: timedelta) -> None:
        if by:
            self._calls = 0
        self._now += by
        self._monotonic += by

    def _call_first(self) -> None:
        _, _, timer = heapq.heappop(self._armed)
        self._calls += 1
        if self._calls > MOST_AT_ONE_TIME:
            raise RuntimeError(f"busy loop: {MOST_AT_ONE_TIME} callbacks at {self._now.isoformat()}")
        timer.call_back()

    def _call_all(self) -> None:
        armed, self._armed = sorted(self._armed), []
        self._cancelled = 0
        for _, _, timer in armed:
            timer.call_back()

    def _forget_one(self) -> None:
        """Keep cancelled timers from piling up: who arms anew at each step leaves one each time."""
        self._cancelled += 1
        if self._cancelled > 64 and self._cancelled * 2 > len(self._armed):
            self._armed = [armed for armed in self._armed if armed[2].callback is not None]
            heapq.heapify(self._armed)
            self._cancelled = 0


class FakeTimer:
    """One callback that waits; a `heartbeat_core.ports.Timer`."""

    __slots__ = ("_clock", "callback")

    def __init__(self, clock: FakeClock, callback: Callable[[], None]) -> None:
        self._clock = clock
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Make sure that the callback does not come any more."""
        if self.callback is not None:
            self.callback = None
            self._clock._forget_one()

    def call_back(self) -> None:
        """Call back, once."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()
