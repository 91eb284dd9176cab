"""The one timer that everything due is done from: also when something goes wrong in a way nobody expected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.reminders import Reminder
from heartbeat_core.schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.wakes import Taken

DAILY = timedelta(days=1)


class BrokenScheduleStore(MemoryScheduleStore):
    """A store of an embedder's that raises, against what the port says."""

    broken = False

    def save(self, schedule: Schedule) -> str | None:
        if self.broken:
            raise OSError("no such table")
        return super().save(schedule)


class BrokenReminderStore(MemoryReminderStore):
    broken = False

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> str | None:
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
