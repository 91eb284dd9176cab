"""What every storage adapter owes the core: the shipped fakes, the stores in memory, and the JSON files.

Anything that only files have is in `tests/adapters`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from heartbeat_adapters import (
    JsonReminderStore,
    JsonScheduleStore,
    VolatileReminderStore,
    VolatileScheduleStore,
)
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.testing import (
    MemoryReminderStore,
    MemoryScheduleStore,
    ReminderStoreSuite,
    ScheduleStoreSuite,
)
from heartbeat_adapters.testing.suites.store_events import StoreEvents
from heartbeat_core import DEFAULT_SCHEDULE, AgentZone, Reminder, ReminderStore, Schedule, ScheduleStore

ZONE = AgentZone("UTC", UTC)


class InMemory(StoreEvents):
    """What happens to the fakes."""

    store: MemoryScheduleStore | MemoryReminderStore

    def break_saving(self, why: str | None) -> None:
        self.store.fail_with = why

    def ruin(self) -> None:
        self.store.damage("ruined")

    def lose(self) -> None:
        self.store.lose()

    def occupy(self) -> Callable[[], None]:
        self.store.in_use = True

        def end() -> None:
            self.store.in_use = False

        return end


class TestMemoryScheduleStore(InMemory, ScheduleStoreSuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store: MemoryScheduleStore = MemoryScheduleStore()

    def make_store(self) -> ScheduleStore:
        return self.store

    def edit(self, schedule: Schedule) -> None:
        self.store.edit(schedule)


class TestMemoryReminderStore(InMemory, ReminderStoreSuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store: MemoryReminderStore = MemoryReminderStore()

    def make_store(self) -> ReminderStore:
        return self.store

    def edit(self, reminders: Sequence[Reminder]) -> None:
        self.store.edit(reminders)


class TestVolatileScheduleStore(ScheduleStoreSuite):
    """Nobody else gets at it, and nothing ever fails: what cannot happen to it is not played."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store = VolatileScheduleStore()

    def make_store(self) -> ScheduleStore:
        return self.store


class TestVolatileReminderStore(ReminderStoreSuite):
    """As `TestVolatileScheduleStore`."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.store = VolatileReminderStore()

    def make_store(self) -> ReminderStore:
        return self.store


class BreakableCalls(SystemCalls):
    broken: str | None = None

    def fsync(self, fd: int) -> None:
        if self.broken is not None:
            raise OSError(errno.EIO, self.broken)
        super().fsync(fd)


class OnFiles(StoreEvents):
    """What happens to a file that a store keeps."""

    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path: Path) -> Iterator[None]:
        self.file, self.calls = tmp_path / "kept.json", BreakableCalls()
        self.opened: list[ScheduleStore | ReminderStore] = []
        yield
        for store in self.opened:
            store.close()

    def open_at(self, path: Path) -> ScheduleStore | ReminderStore:
        """Give a store on a file."""
        raise NotImplementedError

    def break_saving(self, why: str | None) -> None:
        self.calls.broken = why

    def ruin(self) -> None:
        self.file.write_bytes(b"[")

    def lose(self) -> None:
        self.file.unlink()

    def occupy(self) -> Callable[[], None]:
        other = self.open_at(self.file)
        other.load()
        return other.close


class TestJsonScheduleStore(OnFiles, ScheduleStoreSuite):
    def open_at(self, path: Path) -> ScheduleStore:
        store = JsonScheduleStore(str(path), DEFAULT_SCHEDULE, ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def make_store(self) -> ScheduleStore:
        return self.open_at(self.file)

    def edit(self, schedule: Schedule) -> None:
        elsewhere = self.file.parent / "elsewhere.json"
        writer = self.open_at(elsewhere)
        assert (writer.load().trouble, writer.save(schedule)) == (None, None)
        writer.close()
        elsewhere.rename(self.file)


class TestJsonReminderStore(OnFiles, ReminderStoreSuite):
    def open_at(self, path: Path) -> ReminderStore:
        store = JsonReminderStore(str(path), ZONE, calls=self.calls)
        self.opened.append(store)
        return store

    def make_store(self) -> ReminderStore:
        return self.open_at(self.file)

    def edit(self, reminders: Sequence[Reminder]) -> None:
        elsewhere = self.file.parent / "elsewhere.json"
        writer = self.open_at(elsewhere)
        assert (writer.load().trouble, writer.save(reminders, [])) == (None, None)
        writer.close()
        elsewhere.rename(self.file)
