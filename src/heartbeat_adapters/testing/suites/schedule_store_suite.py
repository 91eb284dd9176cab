"""What every `ScheduleStore` owes the core."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing.suites.playing import not_played
from heartbeat_adapters.testing.suites.store_events import StoreEvents
from heartbeat_core.ports import ScheduleStore
from heartbeat_core.schedule.active_hours import ActiveHours
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule

NOON = datetime(2026, 10, 10, 12, 0, 0, 123_000, tzinfo=UTC)
SCHEDULE = Schedule(timedelta(hours=4), False, "Look around", DeliveryMode.MESSAGE, NOON)
PAUSED = Schedule(timedelta(seconds=90.5), True, "Zurück – \u2028 und weiter", DeliveryMode.SILENT)
BY_DAY = Schedule(
    timedelta(hours=1),
    False,
    "Work",
    DeliveryMode.MESSAGE,
    NOON,
    ActiveHours((20 * 60, 4 * 60), ("MO", "FR")),
    next_is_asked=True,
)


class ScheduleStoreSuite(StoreEvents):
    """The obligations of `heartbeat_core.ports.ScheduleStore`."""

    def make_store(self) -> ScheduleStore:
        """Open a store in a place that is this test's own and empty at first.

        Called again within a test, it opens what is there, as a restart does; the one before was closed.
        """
        raise NotImplementedError

    def edit(self, schedule: Schedule) -> None:
        """Play a stranger who puts another schedule there."""
        not_played(self, "edit")

    # The tests

    def _opened(self) -> ScheduleStore:
        store = self.make_store()
        store.load()
        return store

    def _holding(self, schedule: Schedule) -> ScheduleStore:
        store = self._opened()
        assert store.save(schedule) is None
        return store

    def _kept(self, store: ScheduleStore) -> Schedule | None:
        """What a restart finds after `store`."""
        store.close()
        again = self.make_store()
        content = again.load().content
        again.close()
        return content

    def test_nothing_saved_yet_is_nothing_found_and_no_cause_for_a_notice(self) -> None:
        """8.1"""
        found = self.make_store().load()
        assert (found.content, found.trouble, found.in_use) == (None, None, False)

    def test_a_schedule_comes_back_as_it_was_saved(self) -> None:
        """8.1, 5.3"""
        for schedule in (SCHEDULE, PAUSED, BY_DAY):
            store = self._holding(schedule)
            assert self._kept(store) == schedule

    def test_a_store_sees_no_stranger_in_its_own_saves(self) -> None:
        """8.8"""
        store = self._opened()
        for _ in range(3):
            assert store.look() is None
            assert store.save(SCHEDULE) is None
        assert store.look() is None

    def test_what_was_never_there_is_not_gone(self) -> None:
        """8.8"""
        assert self._opened().look() is None

    def test_a_failed_save_says_why_and_leaves_what_was_saved_before(self) -> None:
        """8.7, 8.9"""
        store = self._holding(SCHEDULE)
        self.break_saving("the disk is on fire")
        assert "the disk is on fire" in str(store.save(PAUSED))
        self.break_saving(None)
        assert self._kept(store) == SCHEDULE

    def test_a_save_after_one_that_failed_works_once_it_can(self) -> None:
        """8.7"""
        store = self._holding(SCHEDULE)
        self.break_saving("the disk is full")
        assert store.save(PAUSED) is not None
        self.break_saving(None)
        assert store.save(PAUSED) is None
        assert self._kept(store) == PAUSED

    def test_a_strangers_edit_is_seen_once(self) -> None:
        """8.8"""
        store = self._holding(SCHEDULE)
        self.edit(PAUSED)
        seen = store.look()
        assert seen is not None
        assert (seen.content, seen.trouble) == (PAUSED, None)
        assert store.look() is None

    def test_a_save_never_replaces_an_edit_that_no_look_has_seen(self) -> None:
        """8.8"""
        store = self._holding(SCHEDULE)
        self.edit(PAUSED)
        assert store.save(SCHEDULE) is not None
        assert self._kept(store) == PAUSED

    def test_what_cannot_be_used_at_a_start_is_said_in_one_line_and_replaced_by_the_next_save(self) -> None:
        """8.5"""
        self.ruin()
        store = self.make_store()
        found = store.load()
        assert (found.content, found.in_use) == (None, False)
        assert found.trouble is not None
        assert not found.trouble.text.endswith(".")
        assert "\n" not in found.trouble.text
        assert store.save(SCHEDULE) is None
        assert self._kept(store) == SCHEDULE

    def test_what_is_gone_is_found_to_be_nothing_once_and_written_anew(self) -> None:
        """8.8"""
        store = self._holding(SCHEDULE)
        self.lose()
        found = store.look()
        assert found is not None
        assert (found.content, found.trouble, found.in_use) == (None, None, False)
        assert store.look() is None
        assert store.save(SCHEDULE) is None
        assert self._kept(store) == SCHEDULE

    def test_what_another_has_is_neither_read_nor_saved_to_until_it_is_free(self) -> None:
        """8.6"""
        self._holding(SCHEDULE).close()
        end = self.occupy()
        store = self.make_store()
        found = store.load()
        assert (found.content, found.in_use) == (None, True)
        assert store.look() is None
        assert store.save(PAUSED) is not None
        end()
        taken = store.look()
        assert taken is not None
        assert (taken.content, taken.trouble, taken.in_use) == (SCHEDULE, None, False)
        assert store.look() is None
        assert store.save(PAUSED) is None

    def test_closing_twice_is_harmless_and_a_closed_store_sees_nothing(self) -> None:
        """8.6"""
        store = self._holding(SCHEDULE)
        store.close()
        store.close()
        assert store.look() is None

    def test_what_was_let_go_of_is_not_saved_to_any_more(self) -> None:
        """8.6"""
        store = self._holding(SCHEDULE)
        store.close()
        end = self.occupy()
        assert store.save(PAUSED) is not None
        end()
        assert self._kept(store) == SCHEDULE
