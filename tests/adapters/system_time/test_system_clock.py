"""The machine's clock over a loop and time sources that stand still until told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_adapters.testing.fake_clock import FakeClock, FakeTimer

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


class Machine:
    """Two clocks and a loop that counts how often it was woken."""

    def __init__(self) -> None:
        self.steady = FakeClock()  # the loop, on a clock that nobody sets
        self.wall = datetime(2026, 1, 1, tzinfo=UTC) - self.steady.now()
        self.wakes = 0
        self.early = timedelta()
        self.clock = SystemClock(self, wall=self.now, steady=lambda: self.steady.monotonic().total_seconds())

    def now(self) -> datetime:
        return self.steady.now() + self.wall

    def call_later(self, delay: float, callback: Callable[[], object]) -> FakeTimer:
        def wake() -> None:
            self.wakes += 1
            callback()

        wait = max(timedelta(seconds=delay) - self.early, timedelta())
        return self.steady.call_at(self.steady.now() + wait, wake)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def called() -> list[datetime]:
    return []


def arm(machine: Machine, after: timedelta, called: list[datetime]) -> None:
    machine.clock.call_at(machine.now() + after, lambda: called.append(machine.now()))


def test_an_idle_clock_wakes_once_in_ten_seconds(machine: Machine, called: list[datetime]) -> None:
    """5.4"""
    for hours in range(1, 9):
        arm(machine, hours * HOUR, called)
    machine.steady.advance(HOUR - SECOND)
    assert machine.wakes == 359
    assert called == []


def test_a_clock_with_nothing_armed_does_not_wake(machine: Machine, called: list[datetime]) -> None:
    """5.4"""
    machine.clock.call_at(machine.now() + HOUR, lambda: called.append(machine.now())).cancel()
    machine.steady.advance(HOUR)
    assert (machine.wakes, called) == (0, [])


def test_a_callback_comes_on_time(machine: Machine, called: list[datetime]) -> None:
    """5.2"""
    due = machine.now() + HOUR + timedelta(microseconds=1)
    arm(machine, due - machine.now(), called)
    machine.steady.advance(2 * HOUR)
    assert called == [due]


def test_a_loop_that_is_early_does_not_make_a_callback_early(
    machine: Machine, called: list[datetime]
) -> None:
    """5.2: asyncio calls back within its clock's resolution."""
    due = machine.now() + 5 * SECOND
    arm(machine, 5 * SECOND, called)
    machine.early = timedelta(microseconds=3)
    arm(machine, 5 * SECOND, called)
    machine.steady.advance(4 * SECOND)
    machine.early = timedelta()
    machine.steady.advance(6 * SECOND)
    assert called == [due, due]


@pytest.mark.parametrize("by", [HOUR, -HOUR, 51 * SECOND / 1000, -51 * SECOND / 1000])
def test_a_clock_that_was_set_is_noticed_within_ten_seconds(
    machine: Machine, called: list[datetime], by: timedelta
) -> None:
    """5.2"""
    arm(machine, 9 * HOUR, called)
    machine.steady.advance(25 * SECOND)
    machine.wall += by
    machine.steady.advance(10 * SECOND)
    assert len(called) == 1
    machine.steady.advance(10 * HOUR)
    assert len(called) == 1


def test_a_suspend_past_the_due_time_is_noticed_within_ten_seconds(
    machine: Machine, called: list[datetime]
) -> None:
    """5.2: the steady clock, and with it the loop, stood still meanwhile."""
    arm(machine, HOUR, called)
    machine.steady.advance(15 * SECOND)
    machine.wall += 8 * HOUR
    machine.steady.advance(10 * SECOND)
    assert len(called) == 1


def test_a_clock_that_is_slewed_is_not_set(machine: Machine, called: list[datetime]) -> None:
    """5.2: NTP moves a clock by half a millisecond a second, for hours."""
    arm(machine, HOUR, called)
    for _ in range(3_000):
        machine.wall += timedelta(microseconds=500)
        machine.steady.advance(SECOND)
    assert called == []
    machine.steady.advance(700 * SECOND)
    assert len(called) == 1


def test_what_happened_while_nobody_waited_is_told_to_nobody(
    machine: Machine, called: list[datetime]
) -> None:
    """5.2"""
    machine.steady.advance(HOUR)
    machine.wall += HOUR
    arm(machine, HOUR, called)
    machine.steady.advance(30 * SECOND)
    assert called == []


def test_a_clock_that_was_set_just_before_arming_anew_is_noticed(
    machine: Machine, called: list[datetime]
) -> None:
    """5.2: the core cancels and arms at each entry, also between the setting and its notice."""
    timer = machine.clock.call_at(machine.now() + HOUR, called.clear)
    machine.steady.advance(3 * SECOND)
    machine.wall -= HOUR
    timer.cancel()
    arm(machine, 2 * HOUR, called)
    machine.steady.advance(7 * SECOND)
    assert len(called) == 1


def test_a_callback_that_breaks_takes_no_other_with_it(machine: Machine, called: list[datetime]) -> None:
    """2.8"""

    def break_down() -> None:
        raise KeyError("boom")

    machine.clock.call_at(machine.now(), break_down)
    arm(machine, timedelta(), called)
    arm(machine, SECOND, called)
    with pytest.raises(KeyError):
        machine.steady.settle()
    machine.steady.advance(2 * SECOND)
    assert len(called) == 2


def test_a_pause_between_two_readings_is_no_clock_that_was_set(called: list[datetime]) -> None:
    """5.2: the machine may be busy just then; the clocks are read once more."""
    machine, pauses = Machine(), [0.0]

    def wall() -> datetime:
        pauses.append(pauses[-1] + (1.0 if len(pauses) == 9 else 0.0))
        return machine.now() + timedelta(seconds=pauses[-1])

    machine.clock = SystemClock(
        machine, wall=wall, steady=lambda: machine.steady.monotonic().total_seconds() + pauses[-1]
    )
    arm(machine, HOUR, called)
    machine.steady.advance(60 * SECOND)
    assert len(pauses) > 9
    assert called == []
