"""Two servers on one file, and what dead ones left: 8.6."""

from __future__ import annotations

import errno
import multiprocessing
import os
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from file_worlds import CAT, TEA, ZONE, Lines, ids, names, undated

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found


def test_two_stores_on_one_file_contend_also_within_one_process(rows: Path, store: JsonReminderStore) -> None:
    """8.6"""
    store.load()
    second = JsonReminderStore(str(rows), ZONE)
    found = second.load()
    assert found.in_use
    assert str(rows) in str(found.trouble)
    assert second.save([CAT], []) == found.trouble
    assert store.save([TEA], []) is None
    store.close()
    assert undated(second.look()) == Found([TEA])
    assert second.save([CAT], []) is None
    second.close()
    assert names(rows.parent) == {"reminders.json"}


def test_files_in_one_folder_do_not_contend(tmp_path: Path) -> None:
    """8.6"""
    stores = [JsonReminderStore(str(tmp_path / f"{n}.json"), ZONE) for n in range(3)]
    assert [store.load().in_use for store in stores] == [False] * 3
    for store in stores:
        store.close()
    assert os.listdir(tmp_path) == []


def test_a_path_through_a_link_is_the_same_file(tmp_path: Path, store: JsonReminderStore) -> None:
    """8.6"""
    store.load()
    (tmp_path / "folder").symlink_to(".")
    (tmp_path / "link.json").symlink_to("folder/reminders.json")
    for path in (tmp_path / "link.json", tmp_path / "folder" / "reminders.json"):
        assert JsonReminderStore(str(path), ZONE).load().in_use


def _hold(path: str, ready: Connection) -> None:
    store = JsonReminderStore(path, ZONE)
    found = store.load()
    ready.send((found.in_use, store.save([TEA], [])))
    ready.recv()  # never comes: it is killed here, or told to close by the end of the pipe


def test_a_server_that_is_killed_frees_the_file_for_its_successor(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    mine, theirs = multiprocessing.Pipe()
    holder = multiprocessing.get_context("fork").Process(target=_hold, args=(str(rows), theirs))
    holder.start()
    theirs.close()
    assert mine.poll(30)
    assert mine.recv() == (False, None)
    assert store.load().in_use
    assert store.look() is None
    assert store.save([CAT], []) is not None
    holder.kill()
    holder.join(30)
    holder.close()
    mine.close()
    assert undated(store.look()) == Found([TEA])
    assert store.save([CAT], []) is None
    store.close()
    assert os.listdir(rows.parent) == ["reminders.json"]


def test_a_lock_file_that_somebody_removed_lets_no_second_server_write(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    store.load()
    store.save([TEA], [])
    lock = rows.with_name(".reminders.json.lock")
    lock.unlink()
    assert store.save([TEA], []) is None
    assert lock.exists()
    lock.unlink()
    second = JsonReminderStore(str(rows), ZONE)
    assert ids(second.load()) == ["rem_tea"]
    assert "in use" in str(store.save([CAT], []))
    assert second.save([CAT], []) is None
    lost = store.look()
    assert lost is not None
    assert lost.in_use
    assert store.look() is None
    second.close()
    assert ids(store.look()) == ["rem_tea", "rem_cat"]


def test_a_lock_file_that_is_no_file_is_survived(rows: Path, store: JsonReminderStore, log: Lines) -> None:
    """8.6"""
    rows.with_name(".reminders.json.lock").mkdir()
    assert undated(store.load()) == Found()
    assert store.save([TEA], []) is None
    assert len(log.warnings) == 1


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_filesystem_without_locks_is_served_and_the_log_says_so_once(
    number: int, rows: Path, log: Lines
) -> None:
    """8.6"""

    class NoLocks(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.refuse if name == "flock" else super().__getattribute__(name)

        def refuse(self, _fd: int, _operation: int) -> None:
            raise OSError(number, os.strerror(number))

    in_flight = rows.with_name(".reminders.json.0a1b2c3d.tmp")
    in_flight.touch()
    store = JsonReminderStore(str(rows), ZONE, log, NoLocks())
    assert undated(store.load()) == Found()
    assert in_flight.exists()  # where nothing tells that nobody else is writing
    assert store.save([TEA], []) is None
    assert store.look() is None
    assert store.save([CAT], []) is None
    assert len(log.warnings) == 1
    assert os.strerror(number) in log.warnings[0]
    store.close()


def test_temporary_files_of_dead_servers_are_removed_at_the_next_start_and_nothing_else(rows: Path) -> None:
    """8.3"""
    ours = [".reminders.json.0a1b2c3d.tmp", ".reminders.json.unreadable-0123456789ab.0a1b2c3d.tmp"]
    others = [
        ".reminders.json.mine.tmp",
        ".other.json.0a1b2c3d.tmp",
        "reminders.json.0a1b2c3d.tmp",
        "note.txt",
    ]
    for name in (*ours, *others):
        rows.with_name(name).write_bytes(b"x")
    rows.with_name(".reminders.json.00000000.tmp").mkdir()
    store = JsonReminderStore(str(rows), ZONE)
    store.load()
    store.close()
    assert names(rows.parent) == {*others, ".reminders.json.00000000.tmp"}


def test_a_server_that_does_not_have_the_file_removes_nothing_of_the_one_that_has(
    rows: Path, store: JsonReminderStore
) -> None:
    """8.6"""
    store.load()
    rows.with_name(".reminders.json.0a1b2c3d.tmp").write_bytes(b"x")
    JsonReminderStore(str(rows), ZONE).load()
    assert rows.with_name(".reminders.json.0a1b2c3d.tmp").exists()
