"""What the Clock port promises, of the fake and of the machine's clock on either loop.

A real loop is run for real, a few milliseconds at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.system_time.system_clock import SystemClock, Timers
from heartbeat_adapters.testing import ClockSuite, FakeClock
from heartbeat_core.ports import Clock

AT_MOST = timedelta(seconds=10)
SLICE = timedelta(milliseconds=30)


class TestFakeClock(ClockSuite):
    def make_clock(self) -> Clock:
        self.clock = FakeClock()
        return self.clock

    def wait_for(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert self.clock.monotonic() < AT_MOST
            self.clock.advance(timedelta(milliseconds=1))

    def set_wall_clock(self, by: timedelta) -> None:
        self.clock.set(self.clock.now() + by)


class OnALoop(ClockSuite):
    """The machine's clock; `run` runs a loop until `stop` stops it."""

    timers: Timers
    run: Callable[[], None]
    stop: Callable[[], None]

    def make_clock(self) -> Clock:
        self.moved = timedelta()
        self.clock = SystemClock(self.timers, wall=self.wall, longest_slice=SLICE)
        return self.clock

    def wall(self) -> datetime:
        return datetime.now(UTC) + self.moved  # noqa: TID251 - stands in for a machine whose clock is set

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = self.clock.monotonic() + AT_MOST

        def look() -> None:
            if condition() or self.clock.monotonic() > end:
                self.stop()
            else:
                self.timers.call_later(0.001, look)

        look()
        self.run()
        assert condition()

    def set_wall_clock(self, by: timedelta) -> None:
        self.moved += by


class TestSystemClockOnPoll(OnALoop):
    @pytest.fixture(autouse=True)
    def poll(self) -> None:
        loop = PollLoop(pytest.fail)

        def run() -> None:
            loop.run()
            loop.stopped = False  # so that it can be run again

        self.timers, self.run, self.stop = loop, run, loop.stop


class TestSystemClockOnAsyncio(OnALoop):
    @pytest.fixture(autouse=True)
    def asyncio_loop(self) -> Iterator[None]:
        loop = asyncio.new_event_loop()
        self.timers, self.run, self.stop = loop, loop.run_forever, loop.stop
        yield
        loop.close()
