"""The wire's log over a fake clock: when a flood is summed up, whatever the wall clock does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from heartbeat_adapters.testing import FakeClock, RecordingLog
from heartbeat_adapters.wire.wire_log import WireLog
from heartbeat_core.telling.throttled_log import BURST, QUIET

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
SUMMARY = "2 more of this kind, the last: tea"


class Flooded:
    """A log with one flood in it, and what it is made of."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        log = RecordingLog()
        self.lines = log.lines
        self.log = WireLog(log, self.clock)
        self.flood()

    def flood(self) -> None:
        for _ in range(BURST + 2):
            self.log.say("tea", "tea")


def test_a_flood_is_summed_up_once_and_then_nothing_is_waited_for() -> None:
    """5.4: an idle server sleeps"""
    flooded = Flooded()
    flooded.clock.advance(QUIET - SECOND)
    assert SUMMARY not in flooded.lines
    flooded.clock.advance(SECOND)
    assert flooded.lines.count(SUMMARY) == 1
    assert flooded.clock.next_due() is None


def test_a_line_that_is_written_is_not_waited_for() -> None:
    """5.4"""
    clock = FakeClock()
    WireLog(RecordingLog(), clock).say("tea", "tea")
    assert clock.next_due() is None


@pytest.mark.parametrize("by", [-HOUR, HOUR])
def test_a_clock_that_is_set_puts_no_summary_off(by: timedelta) -> None:
    """5.2: it counts on the clock that nobody sets"""
    flooded = Flooded()
    flooded.clock.set(flooded.clock.now() + by)
    assert SUMMARY not in flooded.lines
    flooded.clock.advance(QUIET)
    assert flooded.lines.count(SUMMARY) == 1


def test_a_flood_that_goes_on_is_summed_up_again() -> None:
    """2.5"""
    flooded = Flooded()
    flooded.clock.advance(QUIET)
    flooded.flood()
    flooded.clock.advance(QUIET)
    assert flooded.lines.count(SUMMARY) == 2
