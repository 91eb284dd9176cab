"""The one timer that everything due is done from: also when something goes wrong in a way nobody expected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from heartbeat_adapters.testing import (
    UTC_ZONE,
    Bench,
    CountingIds,
    FakeClock,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingLog,
    RecordingTransport,
)
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Trouble
from heartbeat_core.reminders.asked import Asked
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.wakes import Taken, Wake

DAILY = timedelta(days=1)


class BrokenScheduleStore(MemoryScheduleStore):
    """A store of an embedder's that raises, against what the port says."""

    broken = False

    def save(self, schedule: Schedule) -> Trouble | None:
        if self.broken:
            raise OSError("no such table")
        return super().save(schedule)


class BrokenReminderStore(MemoryReminderStore):
    broken = False

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        if self.broken:
            raise OSError("no such table")
        return super().save(changed, removed)


def test_an_errand_that_goes_wrong_leaves_the_others_their_turn() -> None:
    """The beat cannot be sent, since its store raises; the reminder comes all the same."""
    store = BrokenScheduleStore(DEFAULT_SCHEDULE)
    bench = Bench(host=lambda _: Taken(), schedule_store=store)
    store.broken = True
    bench.call("reminder_add", message="tea", inHours=5)
    bench.pass_time(hours=6)
    assert [wake.reminder_id for wake in bench.heard if wake.reminder_id] == ["rem_1"]


class NoWayForBeats(RecordingTransport):
    """A transport of an embedder's that raises for each beat, before anything has moved on."""

    def push(self, wake: Wake) -> None:
        if wake.reminder_id is None:
            raise OSError("no way")
        super().push(wake)


def test_what_is_due_and_goes_wrong_again_and_again_is_put_off_and_what_comes_after_it_is_done() -> None:
    """The beat is due first, and still due when it went wrong."""
    clock, transport = FakeClock(), NoWayForBeats()
    heartbeat = Heartbeat(
        clock=clock,
        transport=transport,
        schedule_store=MemoryScheduleStore(),
        reminder_store=MemoryReminderStore(),
        new_id=CountingIds(),
        log=RecordingLog(),
        zone=UTC_ZONE,
        policy=Policy.open(),
    )
    heartbeat.start()
    heartbeat.add(Asked("tea", timedelta(hours=5)))
    clock.advance(timedelta(hours=5, seconds=2))
    assert [wake.reminder_id for wake in transport.wakes] == ["rem_1"]


def test_what_goes_wrong_is_logged_with_a_count_and_tried_again() -> None:
    store = BrokenScheduleStore(DEFAULT_SCHEDULE)
    bench = Bench(schedule_store=store)
    store.broken = True
    bench.pass_time(hours=5)
    assert any("no such table" in line for line in bench.log.lines)
    assert len(bench.log.lines) < 6 * 400
    store.broken = False
    bench.pass_time(minutes=1)
    assert store.saved is not None
    assert store.saved.next_beat == bench.heartbeat.schedule.next_beat


def test_after_a_stop_nothing_is_sent_although_something_had_gone_wrong() -> None:
    """9.2"""
    store = BrokenReminderStore()
    bench = Bench(reminder_store=store)
    bench.call("reminder_add", message="tea", everySeconds=5)
    store.broken = True
    bench.pass_time(seconds=5)
    bench.take(bench.sent()[0])
    bench.pass_time(seconds=1)
    store.broken = False
    bench.heartbeat.stop()
    bench.pass_time(days=1)
    assert bench.sent() == []
    assert bench.clock.next_due() is None


def test_a_month_arms_one_timer_at_a_time() -> None:
    clock = FakeClock()
    bench = Bench(host=lambda _: Taken(), clock=clock)
    bench.call("reminder_add", message="tea", everyHours=24)
    bench.pass_time(days=30)
    due = clock.next_due()
    assert due is not None
    assert due - clock.now() <= timedelta(hours=4)
    bench.heartbeat.stop()
    assert clock.next_due() is None
