"""What the Clock port promises, of the fake and of the machine's clock on either loop.

`pass_time` and `wait_for` run the loop for real where it is a real one, a few milliseconds at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.system_time.system_clock import SystemClock, Timers
from heartbeat_adapters.testing.fake_clock import FakeClock
from heartbeat_core.ports import Clock

A_LITTLE = timedelta(milliseconds=5)
AT_MOST = 10.0
SLICE = timedelta(milliseconds=30)


class Driver(Protocol):
    """A clock under test, and the world that it lives in."""

    @property
    def clock(self) -> Clock: ...

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Let time pass until the condition holds; fail when it does not come to hold."""

    def set_wall_clock(self, by: timedelta) -> None: ...


class FakeDriver:
    def __init__(self) -> None:
        self.clock = FakeClock()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert self.clock.monotonic() < timedelta(seconds=AT_MOST)
            self.clock.advance(timedelta(milliseconds=1))

    def set_wall_clock(self, by: timedelta) -> None:
        self.clock.set(self.clock.now() + by)


class SystemDriver:
    def __init__(self, timers: Timers, run: Callable[[], None], stop: Callable[[], None]) -> None:
        self.moved = timedelta()
        self.clock = SystemClock(timers, wall=self.wall, longest_slice=SLICE)
        self.timers, self.run, self.stop = timers, run, stop

    def wall(self) -> datetime:
        return datetime.now(UTC) + self.moved  # noqa: TID251 - stands in for a machine whose clock is set

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = self.clock.monotonic() + timedelta(seconds=AT_MOST)

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


class Rounds:
    """A PollLoop that can be run more than once, by being a new one to whoever stops it."""

    def __init__(self) -> None:
        self.loop = PollLoop(pytest.fail)

    def run(self) -> None:
        self.loop.run()
        self.loop.stopped = False


def on_poll() -> Iterator[Driver]:
    rounds = Rounds()
    yield SystemDriver(rounds.loop, rounds.run, rounds.loop.stop)


def on_asyncio() -> Iterator[Driver]:
    loop = asyncio.new_event_loop()
    yield SystemDriver(loop, loop.run_forever, loop.stop)
    loop.close()


def faked() -> Iterator[Driver]:
    yield FakeDriver()


@pytest.fixture(params=[faked, on_poll, on_asyncio], ids=lambda make: make.__name__)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    yield from request.param()


class Calls:
    """Callbacks that note their name and when they came."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.names: list[str] = []
        self.times: list[datetime] = []

    def named(self, name: str) -> Callable[[], None]:
        def call() -> None:
            self.names.append(name)
            self.times.append(self.clock.now())

        return call

    def came(self, name: str) -> Callable[[], bool]:
        return lambda: name in self.names


@pytest.fixture
def calls(driver: Driver) -> Calls:
    return Calls(driver.clock)


def test_now_is_aware_and_in_utc(driver: Driver) -> None:
    """5.2"""
    assert driver.clock.now().utcoffset() == timedelta()


def test_the_monotonic_clock_never_goes_back(driver: Driver) -> None:
    """5.2"""
    first = driver.clock.monotonic()
    driver.set_wall_clock(-timedelta(days=1))
    assert driver.clock.monotonic() >= first


def test_a_callback_comes_once_and_not_early(driver: Driver, calls: Calls) -> None:
    """5.2"""
    when = driver.clock.now() + A_LITTLE
    driver.clock.call_at(when, calls.named("a"))
    driver.clock.call_at(when + 2 * A_LITTLE, calls.named("later"))
    driver.wait_for(calls.came("later"))
    assert calls.names == ["a", "later"]
    assert calls.times[0] >= when


def test_a_wait_longer_than_a_slice_is_kept_to_the_end(driver: Driver, calls: Calls) -> None:
    """5.2"""
    when = driver.clock.now() + 2 * SLICE + A_LITTLE
    driver.clock.call_at(when, calls.named("a"))
    driver.wait_for(calls.came("a"))
    assert calls.times[0] >= when


@pytest.mark.parametrize("ago", [timedelta(), timedelta(days=1), timedelta(days=365 * 2000)])
def test_a_time_in_the_past_calls_back_soon_but_not_from_inside(
    driver: Driver, calls: Calls, ago: timedelta
) -> None:
    """5.2"""
    driver.clock.call_at(driver.clock.now() - ago, calls.named("a"))
    assert calls.names == []
    driver.wait_for(calls.came("a"))


def test_the_end_of_all_times_never_comes(driver: Driver, calls: Calls) -> None:
    """5.2"""
    driver.clock.call_at(datetime.max.replace(tzinfo=UTC), calls.named("end"))
    driver.clock.call_at(driver.clock.now() + SLICE + A_LITTLE, calls.named("a"))
    driver.wait_for(calls.came("a"))
    assert calls.names == ["a"]


def test_callbacks_come_in_the_order_of_their_times(driver: Driver, calls: Calls) -> None:
    """5.2"""
    start = driver.clock.now()
    for name in "cabd":
        driver.clock.call_at(start + ("abcd".index(name) - 2) * A_LITTLE, calls.named(name))
    driver.wait_for(calls.came("d"))
    assert calls.names == ["a", "b", "c", "d"]


def test_callbacks_at_one_time_come_in_the_order_they_were_armed(driver: Driver, calls: Calls) -> None:
    """5.2"""
    when = driver.clock.now() + A_LITTLE
    for name in "cab":
        driver.clock.call_at(when, calls.named(name))
    driver.wait_for(calls.came("b"))
    assert calls.names == ["c", "a", "b"]


def test_a_cancelled_callback_does_not_come(driver: Driver, calls: Calls) -> None:
    """5.2"""
    timer = driver.clock.call_at(driver.clock.now() + A_LITTLE, calls.named("a"))
    driver.clock.call_at(driver.clock.now() + 2 * A_LITTLE, calls.named("b"))
    timer.cancel()
    timer.cancel()
    driver.wait_for(calls.came("b"))
    timer.cancel()
    assert calls.names == ["b"]


def test_a_callback_can_cancel_another_that_is_due_as_well(driver: Driver, calls: Calls) -> None:
    """5.2"""
    when = driver.clock.now() + A_LITTLE
    driver.clock.call_at(when, lambda: second.cancel())
    second = driver.clock.call_at(when, calls.named("second"))
    driver.clock.call_at(when + A_LITTLE, calls.named("last"))
    driver.wait_for(calls.came("last"))
    assert calls.names == ["last"]


def test_a_timer_can_be_cancelled_after_its_callback_came(driver: Driver, calls: Calls) -> None:
    """5.2"""
    timer = driver.clock.call_at(driver.clock.now(), calls.named("a"))
    driver.wait_for(calls.came("a"))
    timer.cancel()
    driver.clock.call_at(driver.clock.now(), calls.named("b"))
    driver.wait_for(calls.came("b"))


def test_a_callback_can_arm_the_next(driver: Driver, calls: Calls) -> None:
    """5.2"""

    def first() -> None:
        driver.clock.call_at(driver.clock.now(), calls.named("now"))
        driver.clock.call_at(driver.clock.now() + A_LITTLE, calls.named("later"))
        assert calls.names == []

    driver.clock.call_at(driver.clock.now(), first)
    driver.wait_for(calls.came("later"))
    assert calls.names == ["now", "later"]


@pytest.mark.parametrize("by", [timedelta(hours=1), -timedelta(hours=1), timedelta(seconds=1)])
def test_everybody_is_called_back_once_when_the_wall_clock_is_set(
    driver: Driver, calls: Calls, by: timedelta
) -> None:
    """5.2: whatever they wait for, so that they can look at everything anew."""
    driver.clock.call_at(datetime.max.replace(tzinfo=UTC), calls.named("far"))
    driver.clock.call_at(driver.clock.now() + timedelta(days=1), calls.named("near"))
    driver.set_wall_clock(by)
    driver.wait_for(calls.came("far"))
    assert calls.names == ["near", "far"]


def test_a_clock_that_was_set_is_noticed_by_those_who_arm_anew_all_the_time(
    driver: Driver, calls: Calls
) -> None:
    """5.2: each entry into the core cancels its timer and arms another."""
    far = driver.clock.now() + timedelta(days=1)
    timers = [driver.clock.call_at(far, calls.named("far"))]
    driver.set_wall_clock(timedelta(hours=1))

    def again() -> bool:
        timers.pop().cancel()
        timers.append(driver.clock.call_at(far, calls.named("far")))
        return bool(calls.names)

    if not calls.names:  # the fake has called already
        driver.wait_for(again)
