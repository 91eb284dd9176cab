"""The entrance for an agent in the same process: what `embed` promises to the program around it.

Loops are real; time is fake wherever it has to pass.
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from heartbeat_adapters import (
    Container,
    EmbeddedHeartbeat,
    Handler,
    Settings,
    VolatileReminderStore,
    embed,
)
from heartbeat_adapters.embedded import embedded_heartbeat
from heartbeat_adapters.testing import FakeClock, RecordingLog
from heartbeat_adapters.testing.passing_time import pass_time
from heartbeat_core import DEFAULT_SCHEDULE, Found, Policy, Refused, Reminder, Wake

AT_MOST = 10.0

pytestmark = pytest.mark.timeout(60)  # what blocks a loop also holds up the limit that stands on it
AT_ONCE = {"message": "tea", "inSeconds": 0.001}
A_MINUTE = timedelta(minutes=1)


def in_a_loop(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that is a coroutine, in bounded time."""

    async def run() -> None:
        await asyncio.wait_for(test(), AT_MOST)

    asyncio.run(run())


def reminders_in(folder: Path) -> list[str]:
    return [row["message"] for row in json.loads((folder / "heartbeat-reminders.json").read_bytes())]


async def whatever_happens(end: asyncio.Event) -> None:
    """Wait for an event, as a handler that will not be cancelled."""
    while not end.is_set():
        try:
            await end.wait()
        except asyncio.CancelledError:
            continue


class Agent:
    """Hears wakes, and can be waited for."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._woken = asyncio.Event()

    def __call__(self, wake: Wake) -> None:
        self.heard.append((wake.text or "").rpartition("] ")[2])
        self._woken.set()

    async def woken(self) -> None:
        await self._woken.wait()


# The job


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
    assert len({tool.name for tool in tools}) == 6
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


# Handlers that misbehave


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


async def hangs(_: Wake) -> None:
    await asyncio.Event().wait()


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


# Life


def test_a_handler_may_stop_the_heartbeat_and_its_answer_still_counts(tmp_path: Path) -> None:
    """9.2"""

    async def run(folder: Path, make: Callable[[list[EmbeddedHeartbeat]], Handler]) -> None:
        itself: list[EmbeddedHeartbeat] = []
        itself.append(embed(make(itself), folder=folder))
        itself[0].start()
        itself[0].call("reminder_add", {"message": "good night", "inSeconds": 0.001})
        await itself[0].wait_stopped()
        assert reminders_in(folder) == []

    def plain(itself: list[EmbeddedHeartbeat]) -> Handler:
        return lambda _: itself[0].stop()

    def awaited(itself: list[EmbeddedHeartbeat]) -> Handler:
        async def handler(_: Wake) -> bool:
            itself[0].stop()
            await itself[0].wait_stopped()
            itself[0].call("heartbeat_status")
            return True

        return handler

    in_a_loop(lambda: run(tmp_path / "plain", plain))
    in_a_loop(lambda: run(tmp_path / "async", awaited))


def test_a_stop_cancels_the_handlers_that_run_and_their_wakes_come_again(tmp_path: Path) -> None:
    """7.4, 9.2"""

    async def run() -> None:
        begun = asyncio.Event()
        ended: list[str] = []

        async def hangs(_: Wake) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cleaned up")

        async with embed(hangs, folder=tmp_path) as heartbeat:
            heartbeat.call("reminder_add", AT_ONCE)
            await begun.wait()
        assert ended == ["cleaned up"]
        assert reminders_in(tmp_path) == ["tea"]
        agent = Agent()
        async with embed(agent, folder=tmp_path):
            await agent.woken()
        assert agent.heard == ["tea"]

    in_a_loop(run)


def test_a_handler_that_will_not_be_cancelled_does_not_keep_the_stop_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """9.2"""
    monkeypatch.setattr(embedded_heartbeat, "GRACE", 0.01)

    async def run() -> None:
        begun, end = asyncio.Event(), asyncio.Event()

        async def stubborn(_: Wake) -> None:
            begun.set()
            await whatever_happens(end)

        log = RecordingLog()
        async with embed(stubborn, log=log) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await begun.wait()
        assert any("does not end" in line for line in log.lines)
        end.set()
        await heartbeat.drain()

    in_a_loop(run)


def test_a_stop_from_a_handler_ends_although_another_will_not_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """9.2"""
    monkeypatch.setattr(embedded_heartbeat, "GRACE", 0.01)

    async def run() -> None:
        begun, end = asyncio.Event(), asyncio.Event()

        async def wake(wake: Wake) -> None:
            if wake.reminder_id is not None:
                heartbeat.stop()
                return
            begun.set()
            await whatever_happens(end)

        async with embed(wake) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await begun.wait()
            heartbeat.call("reminder_add", AT_ONCE)
            await heartbeat.wait_stopped()
        end.set()

    in_a_loop(run)


class RaisingStore(VolatileReminderStore):
    """A store of an embedder's own that raises, against what the port says."""

    def load(self) -> Found[Sequence[Reminder]]:
        raise OSError("no such table")


def test_a_store_that_raises_while_it_is_read_does_not_keep_the_heartbeat_from_starting(
    tmp_path: Path,
) -> None:
    """8.4, 9.7"""

    async def run() -> None:
        settings = Settings(config_file=str(tmp_path / "c.json"), reminders_file=str(tmp_path / "r.json"))
        container = Container(settings=settings, log=RecordingLog(), reminder_store=RaisingStore())
        async with EmbeddedHeartbeat(lambda _: None, container) as heartbeat:
            listed = heartbeat.call("reminder_list").text
            assert "OSError: no such table" in listed
            assert "nothing is saved there until a restart" in listed

    in_a_loop(run)


def test_the_files_are_free_once_it_has_stopped(tmp_path: Path) -> None:
    """8.6, 9.2"""

    async def run() -> None:
        first = embed(lambda _: None, folder=tmp_path)
        first.start()
        async with embed(lambda _: None, folder=tmp_path) as second:
            assert "in use by another server" in second.call("heartbeat_status").text
        first.stop()
        first.stop()
        async with embed(lambda _: None, folder=tmp_path) as third:
            assert "in use" not in third.call("heartbeat_status").text

    in_a_loop(run)


def test_it_says_what_is_wrong_when_it_is_used_before_after_or_elsewhere() -> None:
    """9.2"""

    async def run() -> None:
        heartbeat = embed(lambda _: None)
        heartbeat.stop()
        with pytest.raises(RuntimeError, match="start it first"):
            heartbeat.call("heartbeat_status")
        async with heartbeat:
            with pytest.raises(RuntimeError, match="run_coroutine_threadsafe"):
                await asyncio.to_thread(heartbeat.call, "heartbeat_status")
            with pytest.raises(RuntimeError, match="started before"):
                heartbeat.start()
        with pytest.raises(RuntimeError, match="has stopped"):
            heartbeat.call("heartbeat_status")

    with pytest.raises(RuntimeError, match="no running event loop"):
        embed(lambda _: None).start()
    in_a_loop(run)


def test_two_in_one_process_do_not_know_of_each_other(tmp_path: Path) -> None:
    """9.2"""

    async def run() -> None:
        one, two = Agent(), Agent()
        async with (
            embed(one, folder=tmp_path / "one") as first,
            embed(two, folder=tmp_path / "two", timezone="Asia/Tokyo") as second,
        ):
            first.call("reminder_add", {"message": "for one", "inSeconds": 0.001})
            second.call("reminder_add", {"message": "for two", "inSeconds": 0.001})
            await one.woken()
            await two.woken()
            first.stop()
            assert second.call("heartbeat_trigger").text.startswith("Heartbeat fired.")
        assert (one.heard[0], two.heard[0]) == ("for one", "for two")

    in_a_loop(run)


def test_it_runs_on_a_loop_in_any_thread(tmp_path: Path) -> None:
    """9.2"""
    heard: list[str] = []

    async def run() -> None:
        agent = Agent()
        async with embed(agent, folder=tmp_path) as heartbeat:
            heartbeat.call("reminder_add", AT_ONCE)
            await agent.woken()
        heard.extend(agent.heard)

    thread = threading.Thread(target=in_a_loop, args=(run,))
    thread.start()
    thread.join(AT_MOST)
    assert heard == ["tea"]


# Manners


@pytest.mark.parametrize("log", [None, logging.getLogger("mine")], ids=["left out", "given"])
def test_the_log_goes_where_it_is_given_else_to_the_logger_heartbeat(
    log: logging.Logger | None, caplog: pytest.LogCaptureFixture
) -> None:
    """9.6: as libraries log, without a handler of its own"""

    async def run() -> None:
        clock = FakeClock()
        async with embed(lambda _: Refused("not now"), log=log, clock=clock) as heartbeat:
            heartbeat.call("heartbeat_trigger")
            await pass_time(heartbeat, clock, A_MINUTE)

    with caplog.at_level(logging.DEBUG):
        in_a_loop(run)
    ours = {(name, level) for name, level, _ in caplog.record_tuples if name != "asyncio"}
    assert ours == {("heartbeat" if log is None else "mine", logging.WARNING)}
    assert logging.getLogger("heartbeat").handlers == []


def test_import_and_start_read_no_environment_set_nothing_up_and_print_nothing(tmp_path: Path) -> None:
    """9.2; that pydantic asks the environment for itself is between the two of them."""
    code = f"""
import asyncio, dependency_injector.providers, logging, os, pydantic, signal, sys, threading, zoneinfo
import dateutil.tz, dateutil.parser

class Refusing(dict):
    def refuse(self, *names):
        if not names[0].startswith("PYDANTIC_"): raise AssertionError(names)
    __getitem__ = __contains__ = __iter__ = get = refuse

def handlers(): return [signal.getsignal(number) for number in signal.valid_signals()]

async def main():
    os.environ = Refusing()
    from heartbeat_adapters import embed
    before, levels = handlers(), logging.root.level
    async with embed(print, folder={str(tmp_path)!r}, timezone="Europe/Berlin") as heartbeat:
        heartbeat.call("reminder_add", {{"message": "x", "inHours": 1}})
        assert handlers() == before
        assert threading.active_count() == 1
    assert logging.root.handlers == [] and logging.root.level == levels
    assert logging.getLogger("heartbeat").handlers == []

asyncio.run(main())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_in_memory_it_needs_nothing_that_only_some_systems_have() -> None:
    """9.2: on Windows there is no `fcntl`, which locking files needs."""
    code = """
import sys
sys.modules["fcntl"] = None
import asyncio
from heartbeat_adapters import embed

async def main():
    async with embed(print) as heartbeat:
        assert "ACTIVE" in heartbeat.call("heartbeat_status").text

asyncio.run(main())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
