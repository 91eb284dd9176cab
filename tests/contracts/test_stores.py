"""What every storage adapter owes the core: one suite, run over the shipped fakes and the JSON files."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest

from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.testing.memory_stores import MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.ports import ReminderStore, ScheduleStore
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone

ZONE = AgentZone("UTC", UTC)
NOON = datetime(2026, 10, 10, 12, 0, 0, 123_000, tzinfo=UTC)
SCHEDULE = Schedule(timedelta(hours=4), False, "Look around", DeliveryMode.MESSAGE, NOON)
OTHER = Schedule(timedelta(seconds=90.5), True, "Zurück – \u2028 und weiter", DeliveryMode.SILENT)
TEA = Reminder("rem_tea", "Tea 🍵", NOON, NOON + timedelta(hours=1))
CAT = Reminder("rem_cat", "Feed\nthe cat", NOON, NOON + timedelta(days=1), timedelta(milliseconds=5001))
RENT = Reminder("rem_rent", "", NOON, datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC))


class World(Protocol):
    """A place where stores live, and where things happen to them."""

    def schedules(self) -> ScheduleStore:
        """Open the schedule, as a start does; called again, a restart."""

    def reminders(self) -> ReminderStore:
        """Open the reminders, as a start does; called again, a restart."""

    def break_saving(self, why: str | None) -> None:
        """Make each save fail from here on, or work again."""

    def edit(self, schedule: Schedule, reminders: Sequence[Reminder]) -> None:
        """Play a stranger."""

    def ruin(self) -> None:
        """Play a stranger who leaves nothing that can be used."""

    def lose(self) -> None:
        """Play a stranger who removes both."""

    def occupy(self) -> Callable[[], None]:
        """Play a second server that has both; gives how it stops."""


class Memory:
    def __init__(self) -> None:
        self.schedule = MemoryScheduleStore()
        self.reminder = MemoryReminderStore()

    def schedules(self) -> ScheduleStore:
        return self.schedule

    def reminders(self) -> ReminderStore:
        return self.reminder

    def break_saving(self, why: str | None) -> None:
        self.schedule.fail_with = self.reminder.fail_with = why

    def edit(self, schedule: Schedule, reminders: Sequence[Reminder]) -> None:
        self.schedule.edit(schedule)
        self.reminder.edit(reminders)

    def ruin(self) -> None:
        self.schedule.damage("ruined")
        self.reminder.damage("ruined")

    def lose(self) -> None:
        self.schedule.lose()
        self.reminder.lose()

    def occupy(self) -> Callable[[], None]:
        self.schedule.in_use = self.reminder.in_use = True

        def stop() -> None:
            self.schedule.in_use = self.reminder.in_use = False

        return stop


class BreakableCalls(SystemCalls):
    broken: str | None = None

    def fsync(self, fd: int) -> None:
        if self.broken is not None:
            raise OSError(errno.EIO, self.broken)
        super().fsync(fd)


class Files:
    def __init__(self, folder: Path) -> None:
        self.config, self.rows = folder / "config.json", folder / "reminders.json"
        self.calls = BreakableCalls()
        self.opened: list[ScheduleStore | ReminderStore] = []

    def schedules(self) -> ScheduleStore:
        store = JsonScheduleStore(str(self.config), SCHEDULE, ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def reminders(self) -> ReminderStore:
        store = JsonReminderStore(str(self.rows), ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def break_saving(self, why: str | None) -> None:
        self.calls.broken = why

    def edit(self, schedule: Schedule, reminders: Sequence[Reminder]) -> None:
        elsewhere = Files(self.config.parent / "elsewhere")
        writer, rows = elsewhere.schedules(), elsewhere.reminders()
        assert (writer.load().trouble, rows.load().trouble) == (None, None)
        assert (writer.save(schedule), rows.save(reminders, [])) == (None, None)
        elsewhere.close()
        elsewhere.config.rename(self.config)
        elsewhere.rows.rename(self.rows)

    def ruin(self) -> None:
        self.config.write_bytes(b"[")
        self.rows.write_bytes(b"[")

    def lose(self) -> None:
        self.config.unlink()
        self.rows.unlink()

    def occupy(self) -> Callable[[], None]:
        other = Files(self.config.parent)
        other.schedules().load()
        other.reminders().load()
        return other.close

    def close(self) -> None:
        for store in self.opened:
            store.close()


@pytest.fixture(params=["memory", "files"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "memory":
        yield Memory()
        return
    files = Files(tmp_path)
    yield files
    files.close()


def test_nothing_saved_yet_is_nothing_found_and_no_cause_for_a_notice(world: World) -> None:
    """8.1"""
    for found in (world.schedules().load(), world.reminders().load()):
        assert (found.content, found.trouble, found.in_use) == (None, None, False)


def test_a_schedule_comes_back_as_it_was_saved(world: World) -> None:
    """8.1, 5.3"""
    for schedule in (SCHEDULE, OTHER):
        store = world.schedules()
        store.load()
        assert store.save(schedule) is None
        store.close()
        again = world.schedules()
        assert again.load().content == schedule
        again.close()


def test_reminders_come_back_as_they_were_saved_in_the_order_in_which_they_came(world: World) -> None:
    """8.1, 5.3"""
    store = world.reminders()
    store.load()
    assert store.save([TEA, CAT], []) is None
    assert store.save([RENT], []) is None
    store.close()
    assert list(world.reminders().load().content or ()) == [TEA, CAT, RENT]


def test_a_save_changes_the_rows_that_it_names_and_no_others(world: World) -> None:
    """8.3"""
    store = world.reminders()
    store.load()
    store.save([TEA, CAT, RENT], [])
    later = replace(CAT, due=CAT.due + timedelta(days=1))
    assert store.save([later], [TEA.id]) is None
    store.close()
    assert list(world.reminders().load().content or ()) == [later, RENT]


def test_passing_a_row_twice_or_removing_one_that_is_not_there_is_harmless(world: World) -> None:
    """8.7: what a failed save was given comes again with the next."""
    store = world.reminders()
    store.load()
    assert store.save([TEA, CAT], ["rem_never"]) is None
    assert store.save([TEA], [CAT.id]) is None
    assert store.save([TEA], [CAT.id]) is None
    store.close()
    assert list(world.reminders().load().content or ()) == [TEA]


def test_saving_no_rows_at_all_is_still_something_saved(world: World) -> None:
    """8.1"""
    store = world.reminders()
    store.load()
    assert store.save([TEA], []) is None
    assert store.save([], [TEA.id]) is None
    store.close()
    found = world.reminders().load()
    assert found.content is not None
    assert (list(found.content), found.trouble) == ([], None)


def test_a_store_sees_no_stranger_in_its_own_saves(world: World) -> None:
    """8.8"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    for _ in range(3):
        assert (schedules.look(), reminders.look()) == (None, None)
        assert (schedules.save(SCHEDULE), reminders.save([TEA], [])) == (None, None)
    assert (schedules.look(), reminders.look()) == (None, None)


def test_a_failed_save_says_why_and_leaves_what_was_saved_before(world: World) -> None:
    """8.7, 8.9"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    schedules.save(SCHEDULE)
    reminders.save([TEA], [])
    world.break_saving("the disk is on fire")
    assert "the disk is on fire" in str(schedules.save(OTHER))
    assert "the disk is on fire" in str(reminders.save([CAT], [TEA.id]))
    world.break_saving(None)
    schedules.close()
    reminders.close()
    assert world.schedules().load().content == SCHEDULE
    assert list(world.reminders().load().content or ()) == [TEA]


def test_the_next_save_that_works_writes_what_a_failed_one_was_given(world: World) -> None:
    """8.7"""
    store = world.reminders()
    store.load()
    store.save([TEA], [])
    world.break_saving("the disk is full")
    assert store.save([CAT], [TEA.id]) is not None
    world.break_saving(None)
    assert store.look() is None
    assert store.save([CAT, RENT], [TEA.id]) is None
    store.close()
    assert list(world.reminders().load().content or ()) == [CAT, RENT]


def test_a_strangers_edit_is_seen_once_and_saved_on_top_of(world: World) -> None:
    """8.8"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    schedules.save(SCHEDULE)
    reminders.save([TEA], [])
    world.edit(OTHER, [TEA, RENT])
    seen, rows = schedules.look(), reminders.look()
    assert seen is not None
    assert rows is not None
    assert (seen.content, seen.trouble) == (OTHER, None)
    assert (list(rows.content or ()), rows.trouble) == ([TEA, RENT], None)
    assert (schedules.look(), reminders.look()) == (None, None)
    assert reminders.save([CAT], [TEA.id]) is None
    reminders.close()
    assert list(world.reminders().load().content or ()) == [RENT, CAT]


def test_a_save_never_replaces_an_edit_that_no_look_has_seen(world: World) -> None:
    """8.8"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    schedules.save(SCHEDULE)
    reminders.save([TEA], [])
    world.edit(OTHER, [RENT])
    assert schedules.save(SCHEDULE) is not None
    assert reminders.save([TEA], []) is not None
    schedules.close()
    reminders.close()
    assert world.schedules().load().content == OTHER
    assert list(world.reminders().load().content or ()) == [RENT]


def test_what_cannot_be_used_at_a_start_is_said_and_replaced_by_the_next_save(world: World) -> None:
    """8.5"""
    world.ruin()
    schedules, reminders = world.schedules(), world.reminders()
    for found in (schedules.load(), reminders.load()):
        assert found.content is None
        assert found.trouble
        assert not found.trouble.text.endswith(".")
        assert "\n" not in found.trouble.text
        assert not found.in_use
    assert (schedules.save(SCHEDULE), reminders.save([TEA], [])) == (None, None)
    schedules.close()
    reminders.close()
    assert world.schedules().load().content == SCHEDULE
    assert list(world.reminders().load().content or ()) == [TEA]


def test_what_a_stranger_ruined_is_said_and_the_rows_in_memory_stay(world: World) -> None:
    """8.8"""
    store = world.reminders()
    store.load()
    store.save([TEA, CAT], [])
    world.ruin()
    found = store.look()
    assert found is not None
    assert found.content is None
    assert found.trouble
    assert store.look() is None
    assert store.save([RENT], []) is None
    store.close()
    assert list(world.reminders().load().content or ()) == [TEA, CAT, RENT]


def test_what_is_gone_is_found_to_be_nothing_once_and_the_next_save_writes_all_of_it(world: World) -> None:
    """8.8"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    schedules.save(SCHEDULE)
    reminders.save([TEA, CAT], [])
    world.lose()
    for found in (schedules.look(), reminders.look()):
        assert found is not None
        assert (found.content, found.trouble, found.in_use) == (None, None, False)
    assert (schedules.look(), reminders.look()) == (None, None)
    assert (schedules.save(SCHEDULE), reminders.save([RENT], [])) == (None, None)
    schedules.close()
    reminders.close()
    assert world.schedules().load().content == SCHEDULE
    assert list(world.reminders().load().content or ()) == [TEA, CAT, RENT]


def test_what_was_never_there_is_not_gone(world: World) -> None:
    """8.8"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    assert (schedules.look(), reminders.look()) == (None, None)


def test_what_another_server_has_is_neither_read_nor_saved_to_until_it_is_free(world: World) -> None:
    """8.6"""
    first_schedules, first_reminders = world.schedules(), world.reminders()
    first_schedules.load()
    first_reminders.load()
    first_schedules.save(SCHEDULE)
    first_reminders.save([TEA], [])
    first_schedules.close()
    first_reminders.close()
    stop = world.occupy()
    schedules, reminders = world.schedules(), world.reminders()
    for found in (schedules.load(), reminders.load()):
        assert (found.content, found.in_use) == (None, True)
        assert found.trouble
    assert (schedules.look(), reminders.look()) == (None, None)
    assert schedules.save(OTHER) is not None
    assert reminders.save([CAT], []) is not None
    stop()
    taken, rows = schedules.look(), reminders.look()
    assert taken is not None
    assert rows is not None
    assert (taken.content, taken.trouble, taken.in_use) == (SCHEDULE, None, False)
    assert (list(rows.content or ()), rows.trouble, rows.in_use) == ([TEA], None, False)
    assert (schedules.look(), reminders.look()) == (None, None)
    assert (schedules.save(OTHER), reminders.save([CAT], [])) == (None, None)


def test_closing_twice_is_harmless_and_a_closed_store_saves_nothing(world: World) -> None:
    """8.6"""
    schedules, reminders = world.schedules(), world.reminders()
    schedules.load()
    reminders.load()
    for _ in range(2):
        schedules.close()
        reminders.close()
    assert (schedules.look(), reminders.look()) == (None, None)
    assert schedules.save(SCHEDULE) is not None
    assert reminders.save([TEA], []) is not None
