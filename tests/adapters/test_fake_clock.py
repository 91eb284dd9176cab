"""What the fake clock adds to the port: time that moves when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from heartbeat_adapters.testing.fake_clock import FakeClock

MINUTE = timedelta(minutes=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def test_it_starts_where_it_is_told_to() -> None:
    """9.3"""
    at_noon = datetime(2020, 2, 2, 12, tzinfo=timezone(timedelta(hours=2)))
    assert FakeClock(at_noon).now().isoformat() == "2020-02-02T10:00:00+00:00"
    assert FakeClock().now() == START


def test_a_start_without_a_zone_is_refused() -> None:
    """9.3: it would be another time on each machine"""
    with pytest.raises(TypeError, match="start must be an aware datetime"):
        FakeClock(datetime(2026, 1, 1))


def test_a_callback_sees_its_own_time_exactly() -> None:
    """9.3"""
    clock, seen = FakeClock(), list[object]()
    for minutes in (3, 1, 2):
        clock.call_at(START + minutes * MINUTE, lambda: seen.append((clock.now(), clock.monotonic())))
    clock.advance(10 * MINUTE)
    assert seen == [(START + n * MINUTE, n * MINUTE) for n in (1, 2, 3)]
    assert (clock.now(), clock.monotonic()) == (START + 10 * MINUTE, 10 * MINUTE)


def test_a_month_of_wakes_that_arm_each_other_passes_at_once() -> None:
    """9.3"""
    clock, beats = FakeClock(), list[datetime]()

    def beat() -> None:
        beats.append(clock.now())
        clock.call_at(clock.now() + MINUTE, beat)

    clock.call_at(START + MINUTE, beat)
    clock.advance(timedelta(days=30))
    assert len(beats) == 30 * 24 * 60
    assert clock.next_due() == clock.now() + MINUTE


def test_arming_anew_at_each_step_leaves_nothing_behind() -> None:
    """9.3"""
    clock = FakeClock()
    for _ in range(10_000):
        clock.call_at(START + timedelta(days=1), lambda: None).cancel()
    assert len(clock._armed) < 100
    assert clock.next_due() is None


def test_setting_the_clock_moves_the_wall_clock_alone() -> None:
    """9.3"""
    clock, calls = FakeClock(), list[str]()
    clock.advance(MINUTE)
    clock.call_at(START + 60 * MINUTE, lambda: calls.append("late"))
    clock.call_at(START + 30 * MINUTE, lambda: calls.append("soon"))
    clock.set(START - MINUTE)
    assert calls == ["soon", "late"]
    assert (clock.now(), clock.monotonic()) == (START - MINUTE, MINUTE)


def test_a_suspend_moves_the_wall_clock_alone() -> None:
    """9.3"""
    clock, calls = FakeClock(), list[datetime]()
    clock.call_at(START + MINUTE, lambda: calls.append(clock.now()))
    clock.suspend(60 * MINUTE)
    assert calls == [START + 60 * MINUTE]
    assert clock.monotonic() == timedelta()


def test_what_a_clock_that_was_set_makes_due_is_called_as_well() -> None:
    """9.3"""
    clock, calls = FakeClock(), list[str]()

    def again() -> None:
        clock.call_at(clock.now(), lambda: calls.append("again"))

    clock.call_at(START + MINUTE, again)
    clock.set(START + 2 * MINUTE)
    assert calls == ["again"]


def test_a_callback_may_set_the_clock_while_it_advances() -> None:
    """9.3: time goes on for as long as was asked, from wherever the wall clock now stands."""
    clock, calls = FakeClock(), list[datetime]()
    clock.call_at(START + MINUTE, lambda: clock.set(START))
    clock.call_at(START + 2 * MINUTE, lambda: calls.append(clock.now()))
    clock.advance(3 * MINUTE)
    assert calls == [START]
    assert (clock.now(), clock.monotonic()) == (START + 2 * MINUTE, 3 * MINUTE)


def test_settling_calls_what_is_due_now_and_nothing_else() -> None:
    """9.3"""
    clock, calls = FakeClock(), list[str]()
    clock.call_at(START - MINUTE, lambda: calls.append("past"))
    clock.call_at(START, lambda: calls.append("now"))
    clock.call_at(START + timedelta(microseconds=1), lambda: calls.append("later"))
    clock.settle()
    assert calls == ["past", "now"]


def test_a_busy_loop_is_raised() -> None:
    """9.3"""
    clock = FakeClock()

    def again() -> None:
        clock.call_at(clock.now(), again)

    again()
    with pytest.raises(RuntimeError, match="busy loop"):
        clock.settle()


def test_time_does_not_pass_backwards() -> None:
    """9.3"""
    with pytest.raises(ValueError, match="set it"):
        FakeClock().advance(-MINUTE)
