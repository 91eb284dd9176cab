"""Handlers in the same process that run on: beats do not overlap, and a time limit ends what hangs (9.5)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_adapters.testing import FakeClock, RecordingLog, pass_time, passing_time
from heartbeat_core import Wake

pytestmark = pytest.mark.timeout(60)  # what blocks a loop also holds up the limit that stands on it

HOUR = timedelta(hours=1)
AT_MOST = 20.0


def in_a_loop(test: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await asyncio.wait_for(test(), AT_MOST)

    asyncio.run(run())


class Agent:
    """Takes as long with each beat as the test has it; reminders are heard at once."""

    def __init__(self) -> None:
        self.beats: list[Wake] = []
        self.reminders = 0
        self.may_end = asyncio.Event()

    async def wake(self, wake: Wake) -> None:
        if wake.reminder_id is not None:
            self.reminders += 1
            return
        self.beats.append(wake)
        await self.may_end.wait()


async def moments(clock: FakeClock, length: timedelta) -> None:
    """Let time pass without waiting for handlers, and let the loop do what is due."""
    end = clock.monotonic() + length
    while clock.monotonic() < end:
        clock.advance(min(timedelta(minutes=10), end - clock.monotonic()))
        for _ in range(5):
            await asyncio.sleep(0)


def status(heartbeat: EmbeddedHeartbeat) -> str:
    return heartbeat.call("heartbeat_status").text


def test_a_beat_that_is_due_while_the_handler_of_an_earlier_one_runs_is_not_sent() -> None:
    """9.5: and the next one after its end says so"""

    async def run() -> None:
        clock, agent, log = FakeClock(), Agent(), RecordingLog()
        async with embed(agent.wake, clock=clock, log=log, handler_timeout=100 * HOUR) as heartbeat:
            heartbeat.call("heartbeat_configure", {"intervalHours": 1})
            await moments(clock, 3.5 * HOUR)
            assert len(agent.beats) == 1
            assert " | delivery=busy since 2026-01-01T01:00:00+00:00 [UTC] | " in status(heartbeat)
            assert any("is not sent: the handler of the one of 2026-01-01T01" in line for line in log.lines)
            agent.may_end.set()
            await moments(clock, HOUR)
            assert len(agent.beats) == 2
            assert "delivery=ok" in status(heartbeat)

    in_a_loop(run)


def test_while_a_beat_is_handled_none_can_be_triggered() -> None:
    """9.5"""

    async def run() -> None:
        clock, agent = FakeClock(), Agent()
        async with embed(agent.wake, clock=clock) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await moments(clock, timedelta(minutes=10))
            reply = heartbeat.call("heartbeat_trigger")
            assert reply.is_error
            assert "No heartbeat was sent: the one of 2026-01-01T00:00:00" in reply.text
            assert "is still being handled. Try again when it has ended" in reply.text
            agent.may_end.set()

    in_a_loop(run)


def test_inside_a_beats_own_handler_the_trigger_says_that_the_agent_is_in_it() -> None:
    """9.5"""
    replies: list[str] = []

    async def run() -> None:
        clock = FakeClock()

        def wake(_: Wake) -> None:
            replies.append(heartbeat.call("heartbeat_trigger").text)

        async with embed(wake, clock=clock) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await pass_time(heartbeat, clock, timedelta(seconds=1))

    in_a_loop(run)
    assert "is the one that you are in" in replies[0]


def test_reminders_run_side_by_side_with_a_beat() -> None:
    """9.5"""

    async def run() -> None:
        clock, agent = FakeClock(), Agent()
        async with embed(agent.wake, clock=clock) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            heartbeat.call("reminder_add", {"message": "tea", "inMinutes": 10})
            await moments(clock, timedelta(minutes=20))
            assert agent.reminders == 1
            agent.may_end.set()

    in_a_loop(run)


def test_a_beat_is_settled_when_its_handler_ends_and_not_after_30_seconds() -> None:
    """9.5: it is not tried again meanwhile"""

    async def run() -> None:
        clock, agent = FakeClock(), Agent()
        async with embed(agent.wake, clock=clock, handler_timeout=9 * HOUR) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await moments(clock, timedelta(minutes=50))
            agent.may_end.set()
            await moments(clock, HOUR)
            assert len(agent.beats) == 1

    in_a_loop(run)


def test_a_handler_that_never_ends_is_cancelled_after_an_hour_and_beats_come_again() -> None:
    """9.5: over 30 intervals it silences none for good"""

    async def run() -> None:
        clock, agent, log = FakeClock(), Agent(), RecordingLog()
        async with embed(agent.wake, clock=clock, log=log) as heartbeat:
            heartbeat.call("heartbeat_configure", {"intervalHours": 4})
            await moments(clock, 120.5 * HOUR)
            scheduled = {wake.due for wake in agent.beats}
            assert len(scheduled) == 30
            assert any("took longer than 3600 s and was cancelled" in line for line in log.lines)
            agent.may_end.set()

    in_a_loop(run)


def test_a_handler_that_goes_on_although_it_was_cancelled_is_waited_for_no_longer() -> None:
    """9.5"""
    started = 0

    async def run() -> None:
        clock, end = FakeClock(), asyncio.Event()

        async def stubborn(_: Wake) -> None:
            nonlocal started
            started += 1
            while not end.is_set():
                try:
                    await end.wait()
                except asyncio.CancelledError:
                    continue

        async with embed(stubborn, clock=clock, handler_timeout=HOUR) as heartbeat:
            try:
                heartbeat.call("heartbeat_trigger")
                await moments(clock, HOUR)
                assert "delivery=ok" in status(heartbeat)
                await moments(clock, 6 * HOUR)
                assert started >= 2
            finally:
                end.set()
                await asyncio.sleep(0)

    in_a_loop(run)


def test_the_time_that_a_handler_has_stands_still_in_suspend() -> None:
    """9.5: it is the monotonic clock that counts"""

    async def run() -> None:
        clock, agent = FakeClock(), Agent()
        async with embed(agent.wake, clock=clock, handler_timeout=HOUR) as heartbeat:
            heartbeat.call("heartbeat_configure", {"intervalHours": 9})
            heartbeat.call("heartbeat_trigger")
            await moments(clock, timedelta(minutes=10))
            clock.suspend(3 * HOUR)
            await moments(clock, timedelta(minutes=40))
            assert "delivery=busy" in status(heartbeat)
            await moments(clock, timedelta(minutes=10.5))
            assert "delivery=ok" in status(heartbeat)
            agent.may_end.set()

    in_a_loop(run)


def test_time_passes_for_all_heartbeats_on_one_clock_and_their_handlers_keep_up() -> None:
    """9.8: also one that awaits five times"""
    heard: dict[str, int] = {"first": 0, "second": 0}

    def handler(name: str, awaits: int) -> Callable[[Wake], Awaitable[None]]:
        async def wake(_: Wake) -> None:
            for _step in range(awaits):
                await asyncio.sleep(0)
            heard[name] += 1

        return wake

    async def run() -> None:
        clock = FakeClock()
        async with (
            embed(handler("first", 0), clock=clock) as first,
            embed(handler("second", 5), clock=clock) as second,
        ):
            for heartbeat in (first, second):
                heartbeat.call("heartbeat_configure", {"intervalHours": 1})
            await pass_time([first, second], clock, 48 * HOUR)

    in_a_loop(run)
    assert heard == {"first": 48, "second": 48}


def test_time_that_passes_ends_with_an_error_where_the_handler_of_one_of_several_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """9.8"""
    monkeypatch.setattr(passing_time, "AT_MOST", 0.05)

    async def run() -> None:
        clock, agent = FakeClock(), Agent()
        async with embed(print, clock=clock) as first, embed(agent.wake, clock=clock) as second:
            with pytest.raises(TimeoutError, match=re.escape("use clock.advance")):
                await pass_time([first, second], clock, 5 * HOUR)
            agent.may_end.set()

    in_a_loop(run)
