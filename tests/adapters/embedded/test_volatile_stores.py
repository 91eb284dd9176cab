"""The stores that keep nothing beyond the process: what the storage ports ask of them all the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from heartbeat_adapters.embedded.volatile_stores import VolatileReminderStore, VolatileScheduleStore
from heartbeat_core import DEFAULT_SCHEDULE, Interval, Reminder, ReminderStore, ScheduleStore

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
TEA = Reminder("rem_tea", "Tea", NOON, NOON + timedelta(hours=1))
CAT = Reminder("rem_cat", "Cat", NOON, NOON + timedelta(days=1), Interval(timedelta(days=1)))


def test_a_schedule_comes_back_as_it_was_saved() -> None:
    """8.1"""
    store: ScheduleStore = VolatileScheduleStore()
    assert (store.load().content, store.load().trouble, store.look()) == (None, None, None)
    assert store.save(DEFAULT_SCHEDULE) is None
    store.close()
    assert store.load().content == DEFAULT_SCHEDULE


def test_reminders_come_back_in_the_order_in_which_they_came_and_passing_one_twice_is_harmless() -> None:
    """8.1"""
    store: ReminderStore = VolatileReminderStore()
    assert (list(store.load().content or ()), store.look()) == ([], None)
    assert store.save([TEA, CAT], []) is None
    assert store.save([TEA], ["rem_gone", "rem_gone"]) is None
    assert list(store.load().content or ()) == [TEA, CAT]
    assert store.save([], ["rem_tea"]) is None
    store.close()
    assert list(store.load().content or ()) == [CAT]
