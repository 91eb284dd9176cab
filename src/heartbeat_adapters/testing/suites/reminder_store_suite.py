"""What every `ReminderStore` owes the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing.suites.playing import not_played
from heartbeat_adapters.testing.suites.store_events import StoreEvents
from heartbeat_core.ports import ReminderStore
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder

NOON = datetime(2026, 10, 10, 12, 0, 0, 123_000, tzinfo=UTC)
TEA = Reminder("rem_tea", "Tea 🍵", NOON, NOON + timedelta(hours=1))
CAT = Reminder(
    "rem_cat", "Feed\nthe cat", NOON, NOON + timedelta(days=1), Interval(timedelta(milliseconds=5001))
)
RENT = Reminder("rem_rent", "", NOON, datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC))


class ReminderStoreSuite(StoreEvents):
    """The obligations of `heartbeat_core.ports.ReminderStore`."""

    def make_store(self) -> ReminderStore:
        """Open a store in a place that is this test's own and empty at first.

        Called again within a test, it opens what is there, as a restart does; the one before was closed.
        """
        raise NotImplementedError

    def edit(self, reminders: Sequence[Reminder]) -> None:
        """Play a stranger who puts other reminders there."""
        not_played(self, "edit")

    # The tests

    def _opened(self) -> ReminderStore:
        store = self.make_store()
        store.load()
        return store

    def _holding(self, *reminders: Reminder) -> ReminderStore:
        store = self._opened()
        assert store.save(reminders, []) is None
        return store

    def _kept(self, store: ReminderStore) -> list[Reminder]:
        """What a restart finds after `store`."""
        store.close()
        again = self.make_store()
        content = again.load().content
        again.close()
        return list(content or ())

    def test_nothing_saved_yet_is_nothing_found_and_no_cause_for_a_notice(self) -> None:
        """8.1"""
        found = self.make_store().load()
        assert (list(found.content or ()), found.trouble, found.in_use) == ([], None, False)

    def test_reminders_come_back_as_they_were_saved_in_the_order_in_which_they_came(self) -> None:
        """8.1, 5.3"""
        store = self._holding(TEA, CAT)
        assert store.save([RENT], []) is None
        assert self._kept(store) == [TEA, CAT, RENT]

    def test_a_save_changes_the_rows_that_it_names_and_no_others(self) -> None:
        """8.3"""
        store = self._holding(TEA, CAT, RENT)
        later = replace(CAT, due=CAT.due + timedelta(days=1))
        assert store.save([later], [TEA.id]) is None
        assert self._kept(store) == [later, RENT]

    def test_passing_a_row_twice_or_removing_one_that_is_not_there_is_harmless(self) -> None:
        """8.7"""
        store = self._holding(TEA)
        assert store.save([TEA, CAT], ["rem_gone", "rem_gone"]) is None
        assert store.save([CAT], ["rem_gone"]) is None
        assert self._kept(store) == [TEA, CAT]

    def test_removing_the_last_row_leaves_none(self) -> None:
        """8.3"""
        store = self._holding(TEA)
        assert store.save([], [TEA.id]) is None
        assert self._kept(store) == []

    def test_a_store_sees_no_stranger_in_its_own_saves(self) -> None:
        """8.8"""
        store = self._opened()
        for _ in range(3):
            assert store.look() is None
            assert store.save([TEA], []) is None
        assert store.look() is None

    def test_what_was_never_there_is_not_gone(self) -> None:
        """8.8"""
        assert self._opened().look() is None

    def test_a_failed_save_says_why_and_leaves_what_was_saved_before(self) -> None:
        """8.7, 8.9: all of it, the rows to be removed too"""
        store = self._holding(TEA)
        self.break_saving("the disk is on fire")
        assert "the disk is on fire" in str(store.save([CAT], [TEA.id]))
        self.break_saving(None)
        assert self._kept(store) == [TEA]

    def test_the_next_save_that_works_writes_what_a_failed_one_was_given(self) -> None:
        """8.7"""
        store = self._holding(TEA)
        self.break_saving("the disk is full")
        assert store.save([CAT], [TEA.id]) is not None
        self.break_saving(None)
        assert store.look() is None
        assert store.save([CAT, RENT], [TEA.id]) is None
        assert self._kept(store) == [CAT, RENT]

    def test_a_strangers_edit_is_seen_once_and_saved_on_top_of(self) -> None:
        """8.8"""
        store = self._holding(TEA)
        self.edit([TEA, RENT])
        seen = store.look()
        assert seen is not None
        assert (list(seen.content or ()), seen.trouble) == ([TEA, RENT], None)
        assert store.look() is None
        assert store.save([CAT], [TEA.id]) is None
        assert self._kept(store) == [RENT, CAT]

    def test_a_save_never_replaces_an_edit_that_no_look_has_seen(self) -> None:
        """8.8"""
        store = self._holding(TEA)
        self.edit([RENT])
        assert store.save([TEA], []) is not None
        assert self._kept(store) == [RENT]

    def test_what_cannot_be_used_at_a_start_is_said_in_one_line_and_replaced_by_the_next_save(self) -> None:
        """8.5"""
        self.ruin()
        store = self.make_store()
        found = store.load()
        assert (found.content, found.in_use) == (None, False)
        assert found.trouble is not None
        assert not found.trouble.text.endswith(".")
        assert "\n" not in found.trouble.text
        assert store.save([TEA], []) is None
        assert self._kept(store) == [TEA]

    def test_what_a_stranger_ruined_is_said_once_and_the_rows_in_memory_stay(self) -> None:
        """8.8"""
        store = self._holding(TEA, CAT)
        self.ruin()
        found = store.look()
        assert found is not None
        assert found.content is None
        assert found.trouble is not None
        assert store.look() is None
        assert store.save([RENT], []) is None
        assert self._kept(store) == [TEA, CAT, RENT]

    def test_what_is_gone_is_found_to_be_nothing_once_and_the_next_save_writes_all_of_it(self) -> None:
        """8.8"""
        store = self._holding(TEA, CAT)
        self.lose()
        found = store.look()
        assert found is not None
        assert (found.content, found.trouble, found.in_use) == (None, None, False)
        assert store.look() is None
        assert store.save([RENT], []) is None
        assert self._kept(store) == [TEA, CAT, RENT]

    def test_what_another_has_is_neither_read_nor_saved_to_until_it_is_free(self) -> None:
        """8.6"""
        self._holding(TEA).close()
        end = self.occupy()
        store = self.make_store()
        found = store.load()
        assert (found.content, found.in_use) == (None, True)
        assert store.look() is None
        assert store.save([CAT], []) is not None
        end()
        taken = store.look()
        assert taken is not None
        assert (list(taken.content or ()), taken.trouble, taken.in_use) == ([TEA], None, False)
        assert store.look() is None
        assert store.save([CAT], []) is None
        assert self._kept(store) == [TEA, CAT]

    def test_closing_twice_is_harmless_and_a_closed_store_sees_nothing(self) -> None:
        """8.6"""
        store = self._holding(TEA)
        store.close()
        store.close()
        assert store.look() is None

    def test_what_was_let_go_of_is_not_saved_to_any_more(self) -> None:
        """8.6"""
        store = self._holding(TEA)
        store.close()
        end = self.occupy()
        assert store.save([CAT], []) is not None
        end()
        assert self._kept(store) == [TEA]
