"""What an embedded heartbeat says fits the process that it lives in: no host, no server (9.6)."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest
from embedded_worlds import hangs, in_a_loop

from heartbeat_adapters import Handler, embed
from heartbeat_adapters.testing import FakeClock, MemoryReminderStore, MemoryScheduleStore, RecordingLog
from heartbeat_core import DeliveryMode, Failed, Refused, Wake

HOUR = timedelta(hours=1)
OF_A_WIRE = re.compile(r"\b(host|hosts|server|servers)\b")


def takes(_: Wake) -> None: ...


def refuses(_: Wake) -> Refused:
    return Refused("not now")


def fails(_: Wake) -> Failed:
    return Failed("no tokens")


def calls_it_a_duplicate(_: Wake) -> Refused:
    return Refused("duplicate")


def refuses_what_is_empty(wake: Wake) -> Refused | None:
    return None if wake.text else Refused("content is empty", -32602)


async def everything_said(handler: Handler, store: MemoryReminderStore, folder: Path | None) -> list[str]:
    """The log and all replies of an agent that does a bit of everything, while all goes wrong that can."""
    log, clock, schedules = RecordingLog(), FakeClock(), MemoryScheduleStore()
    replies: list[str] = []
    own = {} if folder else {"reminder_store": store, "schedule_store": schedules}
    async with embed(handler, log=log, clock=clock, folder=folder, **own) as heartbeat:  # type: ignore[arg-type]
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)

        async def pass_by(length: timedelta) -> None:
            clock.advance(length)
            for _ in range(10):
                await asyncio.sleep(0)

        def say_all() -> None:
            calls: list[tuple[str, object]] = [
                ("heartbeat_status", {}),
                ("reminder_list", {}),
                ("heartbeat_trigger", {}),
                ("reminder_add", {"message": "tea", "inSeconds": 1}),
                ("heartbeat_configure", {"message": f"look {len(replies)}"}),
                ("reminder_cancel", {"id": "none"}),
            ]
            replies.extend(heartbeat.call(name, arguments).text for name, arguments in calls)

        heartbeat.configure(mode=DeliveryMode.SILENT)
        for trouble in (None, "the disk is full", None):
            schedules.fail_with = store.fail_with = trouble
            say_all()
            await pass_by(2 * HOUR)
        clock.set(clock.now() - HOUR)
        schedules.damage("a row is no row")
        store.damage("a row is no row")
        say_all()
        await pass_by(5 * HOUR)
    return replies + log.lines


@pytest.mark.parametrize(
    "handler", [takes, refuses, fails, calls_it_a_duplicate, refuses_what_is_empty, hangs]
)
def test_whatever_a_handler_does_nothing_that_is_said_speaks_of_a_wire(handler: Handler) -> None:
    """9.6"""

    async def run() -> None:
        said = await everything_said(handler, MemoryReminderStore(), None)
        assert not [line for line in said if OF_A_WIRE.search(line)]
        assert handler is takes or any("agent" in line for line in said)

    in_a_loop(run)


def test_a_store_that_cannot_be_used_is_said_without_speaking_of_a_wire() -> None:
    """9.6, 8.6, 8.7"""

    async def run() -> None:
        store = MemoryReminderStore()
        store.in_use = True
        said = await everything_said(takes, store, None)
        assert any("in use by another heartbeat" in line for line in said)
        assert any(
            "this change is not saved yet, and is in force until the heartbeat stops" in line for line in said
        )
        assert not [line for line in said if OF_A_WIRE.search(line)]

    in_a_loop(run)


def test_a_folder_of_another_heartbeat_is_said_without_speaking_of_a_wire(tmp_path: Path) -> None:
    """9.6, 8.5, 8.6: two in one process, on one folder, in which one of the files is damaged"""
    (tmp_path / "heartbeat-config.json").write_text("{")

    async def run() -> None:
        async with embed(takes, folder=tmp_path, log=(log := RecordingLog())) as first:
            first.add("tea", after=HOUR)
            said = await everything_said(takes, MemoryReminderStore(), tmp_path)
            assert any("in use by another heartbeat" in line for line in said)
            assert any("is not what a heartbeat writes" in line for line in log.lines)
            assert not [line for line in said + log.lines if OF_A_WIRE.search(line)]

    in_a_loop(run)
