"""Which of two servers has a file, wherever its lock can be (8.6)."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from other_users import as_nobody, nobodys_folder

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.lock_holder import lock_holder
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Trouble
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import AgentZone

ZONE = AgentZone("UTC", UTC)
NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
TEA = Reminder("rem_tea", "Tea", NOON, NOON)
CAT = Reminder("rem_cat", "Cat", NOON, NOON)

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs two users")


class Room(SystemCalls):
    """Has no room for a lock file while `error` is set, and says what is called."""

    def __init__(self, error: int | None = None) -> None:
        self.error = error
        self.before_flock: Callable[[], None] | None = None
        self.refuse_flock = False

    def __getattribute__(self, name: str) -> object:
        if name == "open":
            return self.open_if_room
        return self.lock_file if name == "flock" else super().__getattribute__(name)

    def open_if_room(self, path: str, flags: int, mode: int = 0o777) -> int:
        if self.error is not None and path.endswith(".lock") and not os.path.exists(path):
            raise OSError(self.error, os.strerror(self.error))
        return os.open(path, flags, mode)

    def lock_file(self, fd: int, operation: int) -> None:
        if self.refuse_flock:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        before, self.before_flock = self.before_flock, None
        if before is not None:
            before()
        super().__getattribute__("flock")(fd, operation)


class Warnings:
    """A log that keeps its warnings."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, msg: str, /) -> None:
        pass

    def warning(self, msg: str, /) -> None:
        self.lines.append(msg)

    def exception(self, msg: str, /) -> None:
        raise AssertionError(msg)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with one reminder."""
    return written(tmp_path / "r.json")


def written(path: Path) -> Path:
    store = JsonReminderStore(str(path), ZONE)
    store.load()
    assert store.save([TEA], []) is None
    store.close()
    return path


def lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def is_in_use(path: Path) -> bool:
    """Whether a server that starts now finds it in use."""
    store = JsonReminderStore(str(path), ZONE)
    in_use = store.load().in_use
    store.close()
    return in_use


# Lock files that nobody holds.


def test_a_lock_file_that_a_killed_server_left_is_in_nobodys_way(path: Path) -> None:
    """8.6"""
    lock_of(path).touch(0o600)
    assert not is_in_use(path)
    assert os.listdir(path.parent) == ["r.json"]


@pytest.fixture
def shared() -> Iterator[Path]:
    """A file that two users may use, in a folder of one, with a lock file that only the other may open."""
    with nobodys_folder() as folder:
        path = written(folder / "r.json")
        path.chmod(0o666)
        lock_of(path).touch(0o600)
        yield path


@needs_root
def test_a_lock_file_of_another_user_that_nobody_holds_is_in_nobodys_way(shared: Path) -> None:
    """8.6"""

    def attempt() -> tuple[object, Trouble | None]:
        store = JsonReminderStore(str(shared), ZONE)
        found, why_not = store.load(), store.save([CAT], [])
        store.close()
        return found.content, why_not

    assert as_nobody(attempt) == ([TEA], None)


@needs_root
def test_a_file_whose_lock_file_is_another_users_is_still_one_servers_at_a_time(shared: Path) -> None:
    """8.6: also after a save, which puts a new file in its place."""

    def attempt() -> list[bool]:
        store = JsonReminderStore(str(shared), ZONE)
        store.load()
        before = is_in_use(shared)
        store.save([CAT], [])
        after = is_in_use(shared)
        store.close()
        return [before, after, is_in_use(shared)]

    assert as_nobody(attempt) == [True, True, False]


@needs_root
def test_a_server_of_another_user_that_runs_keeps_the_file(shared: Path) -> None:
    """8.6"""
    theirs = JsonReminderStore(str(shared), ZONE)
    theirs.load()
    lock_of(shared).chmod(0o600)

    def attempt() -> tuple[bool, str, str]:
        store = JsonReminderStore(str(shared), ZONE)
        found, why_not = store.load(), store.save([CAT], [])
        store.close()
        return found.in_use, str(found.trouble), str(why_not)

    in_use, notice, why_not = as_nobody(attempt)
    assert in_use
    assert f"in use by another heartbeat (process {os.getpid()}, of another user)" in notice
    assert why_not == notice
    theirs.close()


@needs_root
def test_where_nothing_tells_whether_a_lock_is_held_that_may_not_be_opened_it_is_respected(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8.6: a system without a list of locks"""
    monkeypatch.setattr("heartbeat_adapters.files.listed_locks._LIST", "/nowhere")

    def attempt() -> tuple[bool, str]:
        store = JsonReminderStore(str(shared), ZONE)
        found = store.load()
        store.close()
        return found.in_use, str(found.trouble)

    in_use, notice = as_nobody(attempt)
    assert in_use
    assert f"remove {lock_of(shared)} if none of theirs runs" in notice


@needs_root
def test_a_server_that_may_use_a_file_may_see_whether_its_lock_is_held(shared: Path) -> None:
    """8.6: without asking the system for a list, on which a server in another container is not"""
    theirs = JsonReminderStore(str(shared), ZONE)
    theirs.load()
    assert stat.S_IMODE(lock_of(shared).stat().st_mode) == 0o666
    theirs.close()


def test_a_lock_file_is_its_owners_where_the_file_is(path: Path) -> None:
    """8.6"""
    store = JsonReminderStore(str(path), ZONE)
    store.load()
    assert stat.S_IMODE(lock_of(path).stat().st_mode) == 0o600
    store.close()


def test_a_file_with_a_lock_file_beside_it_is_not_locked_itself(path: Path) -> None:
    """8.6: on some network filesystems nobody may read what is locked"""
    store = JsonReminderStore(str(path), ZONE)
    store.load()
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    store.close()


def test_a_lock_file_that_is_replaced_while_it_is_being_locked_does_not_count(path: Path) -> None:
    """8.6: its owner stops and removes it, and the next one makes another"""
    calls, first = Room(), JsonReminderStore(str(path), ZONE)

    def replaced() -> None:
        lock_of(path).unlink()
        assert not first.load().in_use

    calls.before_flock = replaced
    second = JsonReminderStore(str(path), ZONE, calls=calls)
    assert second.load().in_use
    first.close()
    second.close()


# Where there can be no lock file.


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.ENAMETOOLONG])
def test_where_no_lock_file_can_be_made_the_file_carries_the_lock(error: int, path: Path) -> None:
    """8.6"""
    store = JsonReminderStore(str(path), ZONE, log := Warnings(), Room(error))
    assert store.load().content == [TEA]
    assert is_in_use(path)
    store.close()
    assert not is_in_use(path)
    assert log.lines == []


def test_a_file_that_carries_its_lock_keeps_it_through_each_save(path: Path) -> None:
    """8.6"""
    store = JsonReminderStore(str(path), ZONE, calls=Room(errno.ENOSPC))
    store.load()
    for _ in range(3):
        assert store.save([CAT], []) is None
        assert is_in_use(path)
        assert os.listdir(path.parent) == ["r.json"]
    store.close()


def test_a_file_that_carries_its_lock_keeps_it_when_a_save_fails(path: Path) -> None:
    """8.6"""
    store = JsonReminderStore(str(path), ZONE, calls=(calls := Room(errno.ENOSPC)))
    store.load()
    calls.refuse_flock = True
    assert os.strerror(errno.ENOLCK) in str(store.save([CAT], []))
    assert is_in_use(path)
    store.close()


def test_a_first_save_without_a_lock_file_makes_a_file_that_is_locked(tmp_path: Path) -> None:
    """8.6"""
    store = JsonReminderStore(str(tmp_path / "r.json"), ZONE, Warnings(), Room(errno.ENOSPC))
    store.load()
    assert store.save([CAT], []) is None
    assert is_in_use(tmp_path / "r.json")
    store.close()


def test_two_servers_without_a_lock_file_contend_for_the_file(path: Path) -> None:
    """8.6"""
    first, second = (JsonReminderStore(str(path), ZONE, calls=Room(errno.ENOSPC)) for _ in range(2))
    first.load()
    assert second.load().in_use
    first.save([CAT], [])
    assert second.look() is None
    first.close()
    taken = second.look()
    assert taken is not None
    assert taken.content == [TEA, CAT]
    second.close()


def test_a_server_that_gets_the_lock_file_while_another_is_about_to_lock_the_file_has_it_alone(
    path: Path,
) -> None:
    """8.6"""
    calls, first = Room(errno.ENOSPC), JsonReminderStore(str(path), ZONE)
    calls.before_flock = lambda: None if first.load().content else pytest.fail("it is free")
    second = JsonReminderStore(str(path), ZONE, calls=calls)
    assert second.load().in_use
    assert first.save([CAT], []) is None
    first.close()
    second.close()


def test_descriptors_are_given_back_when_the_file_carries_the_lock(path: Path) -> None:
    """8.6"""
    before = os.listdir("/dev/fd")
    store = JsonReminderStore(str(path), ZONE, calls=Room(errno.ENOSPC))
    store.load()
    for _ in range(3):
        store.save([CAT], [])
    assert len(os.listdir("/dev/fd")) == len(before) + 1
    store.close()
    assert len(os.listdir("/dev/fd")) == len(before)


# Whose lock file it is.


def test_a_stopping_server_leaves_the_lock_file_of_the_next_alone(tmp_path: Path) -> None:
    """8.6: somebody removed its own meanwhile"""
    path = tmp_path / "r.json"
    first, second = JsonReminderStore(str(path), ZONE), JsonReminderStore(str(path), ZONE)
    first.load()
    lock_of(path).unlink()
    assert not second.load().in_use
    first.close()
    assert lock_of(path).exists()
    assert is_in_use(path)
    second.close()


def test_a_server_that_finds_the_file_in_use_leaves_no_lock_file_behind(path: Path) -> None:
    """8.6"""
    first = JsonReminderStore(str(path), ZONE, calls=Room(errno.ENOSPC))
    first.load()
    assert is_in_use(path)
    assert os.listdir(path.parent) == ["r.json"]
    first.close()


# Asked from outside.


@pytest.mark.parametrize("listed", [True, False])
def test_whoever_asks_is_told_of_a_file_that_carries_its_lock(
    listed: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8.6"""
    if not listed:
        monkeypatch.setattr("heartbeat_adapters.files.listed_locks._LIST", "/nowhere")
    store = JsonReminderStore(str(path), ZONE, calls=Room(errno.ENOSPC))
    store.load()
    assert lock_holder(str(path)) is not None
    store.close()
    assert lock_holder(str(path)) is None


@needs_root
def test_whoever_asks_is_told_of_no_holder_where_a_lock_file_of_another_user_is_free(shared: Path) -> None:
    """8.6"""
    assert as_nobody(lambda: lock_holder(str(shared))) is None


def test_a_lock_of_another_kind_is_no_servers(path: Path) -> None:
    """8.6: editors and backups have their own"""
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert lock_holder(str(path)) is None
