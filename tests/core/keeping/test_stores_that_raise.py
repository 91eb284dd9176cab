"""Stores and logs of an embedder's own that raise, against what the ports say: 9.7."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.testing import (
    UTC_ZONE,
    Bench,
    CountingIds,
    FakeClock,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingTransport,
)
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Found, Trouble
from heartbeat_core.reminders.asked import Asked
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.wakes import Taken, Wake

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Broken(MemoryReminderStore):
    """Raises in whichever method is named."""

    raises_in = ""

    def load(self) -> Found[Sequence[Reminder]]:
        self._maybe("load")
        return super().load()

    def look(self) -> Found[Sequence[Reminder]] | None:
        self._maybe("look")
        return super().look()

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        self._maybe("save")
        return super().save(changed, removed)

    def close(self) -> None:
        self._maybe("close")
        super().close()

    def _maybe(self, method: str) -> None:
        if self.raises_in == method:
            raise RuntimeError("the table is locked")


class BrokenSchedule(MemoryScheduleStore):
    raises = False

    def look(self) -> Found[Schedule] | None:
        if self.raises:
            raise RuntimeError("the table is locked")
        return super().look()

    def close(self) -> None:
        if self.raises:
            raise RuntimeError("the table is locked")
        super().close()


class BrokenLog:
    """A log that raises for every line."""

    def info(self, _: str, /) -> None:
        raise RuntimeError("no space for logs")

    warning = exception = info


@pytest.mark.parametrize("method", ["look", "save"])
def test_each_firing_is_heard_once_whatever_a_store_raises(method: str) -> None:
    """9.7: the handler's answer counts"""
    store = Broken()
    bench = Bench(host=lambda _: Taken(), reminder_store=store)
    bench.call("heartbeat_configure", paused=True)
    bench.call("reminder_add", message="tea", everyHours=1)
    store.raises_in = method
    bench.pass_time(hours=4)
    assert len(bench.heard) == 4


def test_a_beat_is_sent_though_both_stores_raise_at_each_look() -> None:
    """9.7"""
    store, schedule_store = Broken(), BrokenSchedule()
    bench = Bench(host=lambda _: Taken(), reminder_store=store, schedule_store=schedule_store)
    store.raises_in, schedule_store.raises = "look", True
    bench.pass_time(hours=12)
    assert len(bench.heard) == 3


def test_what_a_store_raised_at_a_save_is_in_the_reply_and_saved_by_the_next_that_works() -> None:
    """9.7, 8.7"""
    store = Broken()
    bench = Bench(reminder_store=store)
    store.raises_in = "save"
    reply = bench.call("reminder_add", message="tea", inHours=1)
    assert "this change is not saved: the store raised RuntimeError: the table is locked" in reply.text
    assert any("the list of reminders is not saved" in line for line in bench.log.lines)
    store.raises_in = ""
    bench.pass_time(minutes=1)
    assert list(store.saved) == ["rem_1"]


def test_a_store_that_raises_while_it_is_read_is_left_alone_until_a_restart() -> None:
    """9.7, 8.4"""
    store = Broken([Reminder("a", "kept", NOW, NOW + HOUR)])
    store.raises_in = "load"
    bench = Bench(clock=FakeClock(NOW), reminder_store=store)
    store.raises_in = ""
    text = bench.call("reminder_add", message="tea", inHours=1).text
    assert "this change is not saved, and is in force only until the server stops" in text
    assert "the store could not be read (RuntimeError: the table is locked)" in text
    bench.pass_time(minutes=5)
    assert list(store.saved) == ["a"]
    bench.restart()
    assert "kept" in bench.call("reminder_list").text


def test_a_log_that_raises_stops_nothing() -> None:
    """9.7, 1.3"""
    clock, transport = FakeClock(NOW), RecordingTransport()
    heartbeat = Heartbeat(
        clock=clock,
        transport=transport,
        schedule_store=MemoryScheduleStore(),
        reminder_store=MemoryReminderStore(),
        new_id=CountingIds(),
        log=BrokenLog(),
        zone=UTC_ZONE,
        policy=Policy.open(),
    )
    heartbeat.start()
    heartbeat.add(Asked("tea", HOUR))
    clock.advance(HOUR)
    (wake,) = transport.wakes
    assert isinstance(wake, Wake)
    heartbeat.answered(wake, Taken())
    assert len(heartbeat.reminders) == 0


def test_stores_that_raise_as_they_are_closed_are_both_let_go_of_and_named_in_the_log() -> None:
    """9.7"""
    store, schedule_store = Broken(), BrokenSchedule()
    bench = Bench(reminder_store=store, schedule_store=schedule_store)
    store.raises_in, schedule_store.raises = "close", True
    bench.heartbeat.stop()
    named = [line for line in bench.log.lines if "raised RuntimeError: the table is locked when" in line]
    assert [line.split(":")[1].strip() for line in named] == ["the schedule", "the list of reminders"]
