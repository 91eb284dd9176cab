"""An agent in the same process: the job, and handlers that misbehave (9.2)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from embedded_worlds import A_MINUTE, AT_ONCE, Agent, hangs, in_a_loop, reminders_in

from heartbeat_adapters import (
    Container,
    EmbeddedHeartbeat,
    Settings,
    VolatileReminderStore,
    embed,
)
from heartbeat_adapters.testing import FakeClock, RecordingLog
from heartbeat_adapters.testing.passing_time import pass_time
from heartbeat_core import DEFAULT_SCHEDULE, Policy, Refused, Wake

pytestmark = pytest.mark.timeout(60)  # what blocks a loop also holds up the limit that stands on it


def test_a_reminder_reaches_the_handler_and_is_gone_once_it_was_taken(tmp_path: Path) -> None:
    """9.2"""

    async def run() -> None:
        agent = Agent()
        async with embed(agent, folder=tmp_path) as heartbeat:
            assert heartbeat.call("reminder_add", AT_ONCE).text.startswith("Reminder rem_")
            assert reminders_in(tmp_path) == ["tea"]
            await agent.woken()
            await heartbeat.drain()
            assert heartbeat.call("reminder_list").text == "No reminders set."
            assert reminders_in(tmp_path) == []
        assert agent.heard == ["tea"]

    in_a_loop(run)


def test_a_month_of_beats_passes_in_no_time_on_a_fake_clock() -> None:
    """9.3"""

    async def run() -> None:
        heard: list[Wake] = []
        clock = FakeClock()
        async with embed(heard.append, clock=clock) as heartbeat:
            await pass_time(heartbeat, clock, timedelta(days=30))
        assert len(heard) == 30 * 6

    in_a_loop(run)


def test_a_restart_goes_on_with_what_is_in_the_folder_and_makes_it_where_it_is_missing(
    tmp_path: Path,
) -> None:
    """8.2, 8.3"""
    folder = tmp_path / "not" / "there"

    async def run() -> None:
        async with embed(lambda _: None, folder=folder) as first:
            first.call("reminder_add", {"message": "later", "inHours": 1})
            first.call("heartbeat_configure", {"intervalMinutes": 7})
        async with embed(lambda _: None, folder=str(folder)) as second:
            assert '"later"' in second.call("reminder_list").text
            assert "interval=420s" in second.call("heartbeat_status").text

    in_a_loop(run)


def test_both_files_are_in_the_folder_that_was_given_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8.1, 9.2"""
    folder, here = tmp_path / "given", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)

    async def run() -> None:
        async with embed(lambda _: None, folder=folder) as heartbeat:
            heartbeat.call("heartbeat_configure", {"intervalMinutes": 7})
            heartbeat.call("reminder_add", {"message": "later", "inHours": 1})

    in_a_loop(run)
    assert json.loads((folder / "heartbeat-config.json").read_bytes())["intervalSeconds"] == 420
    assert reminders_in(folder) == ["later"]
    assert list(here.iterdir()) == []


def test_there_is_nothing_to_wait_for_before_the_start() -> None:
    """9.2: waiting for a stop then is no error and no wait, and the start comes as ever."""

    async def run() -> None:
        heartbeat = embed(lambda _: None)
        await heartbeat.wait_stopped()
        async with heartbeat:
            assert "ACTIVE" in heartbeat.call("heartbeat_status").text
        await heartbeat.wait_stopped()

    in_a_loop(run)


def test_without_a_folder_nothing_is_written_and_nothing_outlives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """9.2"""
    monkeypatch.chdir(tmp_path)

    async def run() -> None:
        async with embed(lambda _: None) as first:
            assert "Note" not in first.call("reminder_add", {"message": "later", "inHours": 1}).text
        async with embed(lambda _: None) as second:
            assert second.call("reminder_list").text == "No reminders set."

    in_a_loop(run)
    assert list(tmp_path.iterdir()) == []


def test_zone_and_defaults_are_what_was_asked_for() -> None:
    """5.1, 9.2"""

    async def run() -> None:
        defaults = replace(DEFAULT_SCHEDULE, interval=timedelta(minutes=90), message="Anything new?")
        async with embed(lambda _: None, timezone="Europe/Berlin", defaults=defaults) as heartbeat:
            status = heartbeat.call("heartbeat_status").text
            assert "interval=5400s (1.50h)" in status
            assert 'message="Anything new?"' in status
            assert "[Europe/Berlin]" in heartbeat.call("reminder_add", {"message": "x", "inHours": 1}).text

    in_a_loop(run)


def test_an_unknown_zone_is_refused_when_it_is_named() -> None:
    """9.2"""
    with pytest.raises(ValueError, match=r"Mars/Olympus.*IANA"):
        embed(lambda _: None, timezone="Mars/Olympus")


def test_the_tools_come_as_model_apis_take_them() -> None:
    """9.2, 3.3"""
    tools = embed(lambda _: None).tools
    assert len({tool.name for tool in tools}) == 7
    for tool in tools:
        assert tool.description
        assert tool.schema["type"] == "object"
        json.dumps(tool.schema)


def test_what_a_model_gets_wrong_it_is_told() -> None:
    """6.8, 9.2"""

    async def run() -> None:
        async with embed(lambda _: None) as heartbeat:
            assert heartbeat.call("reminder_add", {"message": "x", "inMinute": 5}).is_error
            assert heartbeat.call("reminder_add", '{"message": "x"}').is_error
            unknown = heartbeat.call("set_alarm")
            assert unknown.is_error
            assert "reminder_add" in unknown.text

    in_a_loop(run)


def test_wakes_wait_for_a_policy_where_one_is_wanted() -> None:
    """9.2"""

    async def run() -> None:
        agent = Agent()
        async with embed(agent, policy=Policy()) as heartbeat:
            assert "reminders wait" in heartbeat.call("reminder_add", AT_ONCE).text
            receipt = heartbeat.core.policy_requested({"effectiveCapabilities": ["tools", "pushEvents"]})
            assert isinstance(receipt, dict)
            assert receipt["mode"] == "full"
            assert agent.heard == []
            await agent.woken()

    in_a_loop(run)


def test_stores_of_ones_own_come_in_by_the_container(tmp_path: Path) -> None:
    """9.2"""

    async def run() -> None:
        store = VolatileReminderStore()
        container = Container(
            settings=Settings(
                config_file=str(tmp_path / "schedule.json"), timezone="UTC", answer_within=A_MINUTE
            ),
            policy=Policy.open(),
            log=RecordingLog(),
            reminder_store=store,
        )
        async with EmbeddedHeartbeat(lambda _: None, container) as heartbeat:
            heartbeat.call("reminder_add", {"message": "kept elsewhere", "inHours": 1})
        assert [reminder.message for reminder in store.load().content or ()] == ["kept elsewhere"]
        assert (tmp_path / "schedule.json").exists()

    in_a_loop(run)


def held_after(handler: Callable[[Wake], object], *, advance: timedelta = timedelta(0)) -> str:
    """What `reminder_list` says after the handler was called with a reminder."""
    shown = ""

    async def run() -> None:
        nonlocal shown
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        clock = FakeClock()
        async with embed(handler, clock=clock) as heartbeat:  # type: ignore[arg-type]
            heartbeat.call("reminder_add", AT_ONCE)
            clock.advance(A_MINUTE / 60)
            if advance:
                await asyncio.sleep(0)
                clock.advance(advance)
            else:
                await heartbeat.drain()
            shown = heartbeat.call("reminder_list").text

    in_a_loop(run)
    return shown


async def raises(_: Wake) -> None:
    raise RuntimeError("out of tokens")


async def cancels_itself(_: Wake) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


def test_a_reminder_that_was_not_taken_is_held_with_the_reason() -> None:
    """7.3, 9.2"""
    assert held_after(lambda _: Refused("busy")).endswith(": busy")
    assert held_after(raises).endswith(": the handler raised RuntimeError: out of tokens")
    assert held_after(cancels_itself).endswith(": the handler was cancelled")


def test_a_handler_that_hangs_is_given_up_after_30_s_and_cancelled_at_the_stop() -> None:
    """7.3, 9.2"""
    assert "wake sent" in held_after(hangs, advance=timedelta(seconds=20))
    assert held_after(hangs, advance=timedelta(seconds=40)).endswith(": no answer within 30 s")


def test_a_wake_that_hangs_keeps_no_other_from_the_agent() -> None:
    """7.4, 9.2"""

    async def run() -> None:
        heard: list[Wake] = []

        async def hangs_on_the_first(wake: Wake) -> None:
            heard.append(wake)
            if len(heard) == 1:
                await asyncio.Event().wait()

        clock = FakeClock()
        async with embed(hangs_on_the_first, clock=clock) as heartbeat:
            for _ in range(3):
                heartbeat.call("reminder_add", AT_ONCE)
            clock.advance(timedelta(seconds=1))
            await asyncio.sleep(0)
            assert len({wake.reminder_id for wake in heard}) == 3

    in_a_loop(run)


def test_a_handler_that_takes_minutes_hears_a_reminder_once_and_its_answer_counts() -> None:
    """7.3, 9.2"""

    async def run() -> None:
        heard: list[Wake] = []
        done = asyncio.Event()

        async def slow(wake: Wake) -> None:
            heard.append(wake)
            await done.wait()

        clock = FakeClock()
        async with embed(slow, clock=clock) as heartbeat:
            heartbeat.call("reminder_add", AT_ONCE)
            for _ in range(10):
                clock.advance(A_MINUTE)
                await asyncio.sleep(0)
            assert "held since" in heartbeat.call("reminder_list").text
            done.set()
            await heartbeat.drain()
            assert heartbeat.call("reminder_list").text == "No reminders set."
            assert len(heard) == 1

    in_a_loop(run)
