"""Starts, stops, and manners in a process that is not its own (9.2)."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from embedded_worlds import A_MINUTE, AT_MOST, AT_ONCE, Agent, in_a_loop, reminders_in

from heartbeat_adapters import (
    Container,
    EmbeddedHeartbeat,
    Handler,
    Settings,
    VolatileReminderStore,
    embed,
)
from heartbeat_adapters.embedded import running_heartbeat
from heartbeat_adapters.testing import FakeClock, RecordingLog
from heartbeat_adapters.testing.passing_time import pass_time
from heartbeat_core import Found, Refused, Reminder, Wake

pytestmark = pytest.mark.timeout(60)  # what blocks a loop also holds up the limit that stands on it


async def whatever_happens(end: asyncio.Event) -> None:
    """Wait for an event, as a handler that will not be cancelled."""
    while not end.is_set():
        try:
            await end.wait()
        except asyncio.CancelledError:
            continue


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
    monkeypatch.setattr(running_heartbeat, "GRACE", 0.01)

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
    monkeypatch.setattr(running_heartbeat, "GRACE", 0.01)

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
            assert "in use by another heartbeat" in second.call("heartbeat_status").text
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
