"""Both clocks read together: when the wall clock counts as set (5.2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_core.times.clock_readings import ClockWatch

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class TwoClocks:
    """A machine that has run for days: both clocks are set by hand."""

    def __init__(self) -> None:
        self.wall, self.steady = NOON, timedelta(days=9)

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> timedelta:
        return self.steady


def test_a_machine_that_has_run_for_days_had_its_clock_not_set() -> None:
    clocks = TwoClocks()
    watch = ClockWatch(clocks)
    for _ in range(3):
        clocks.wall += timedelta(hours=1)
        clocks.steady += timedelta(hours=1)
        assert watch.read()[1] == timedelta(0)


@pytest.mark.parametrize(
    ("milliseconds", "noticed"), [(-49, 0), (-50, 0), (-51, 51), (-3_600_000, 3_600_000), (60_000, 0)]
)
def test_a_clock_that_was_set_back_is_noticed_once_by_how_much(milliseconds: int, noticed: int) -> None:
    clocks = TwoClocks()
    watch = ClockWatch(clocks)
    clocks.wall += timedelta(milliseconds=milliseconds)
    assert watch.read()[1] == timedelta(milliseconds=noticed)
    assert watch.read()[1] == timedelta(0)


def test_small_steps_back_add_up() -> None:
    clocks = TwoClocks()
    watch = ClockWatch(clocks)
    clocks.wall -= timedelta(milliseconds=30)
    assert watch.read()[1] == timedelta(0)
    clocks.wall -= timedelta(milliseconds=30)
    assert watch.read()[1] == timedelta(milliseconds=60)
