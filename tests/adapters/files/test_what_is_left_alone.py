"""Files that are not touched, and the copy of what cannot be used: 8.4, 8.5."""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from file_worlds import CAT, TEA, TEA_FILE, ZONE, Lines, copy_of, names, row
from other_users import as_nobody, nobodys_folder

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_core.ports import Trouble


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Fail instead of hanging."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"still not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def refuses(path: Path, what: str, log: Lines) -> None:
    """Both kinds of store leave alone what is at `path`, and say so at each save."""
    before = os.lstat(path)
    store = JsonReminderStore(str(path), ZONE, log)
    with bounded(10):
        found = store.load()
        assert found.content is None
        assert not found.in_use
        assert what in str(found.trouble)
        assert str(path) in str(found.trouble)
        assert store.save([TEA], []) == found.trouble
        assert store.look() is None
        assert store.save([TEA], []) == found.trouble
        store.close()
    assert os.lstat(path).st_ino == before.st_ino
    assert os.lstat(path).st_mode == before.st_mode


def test_a_folder_in_its_place_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    rows.mkdir()
    refuses(rows, "it is a folder", log)
    assert names(rows.parent) == {"reminders.json"}


def test_a_named_pipe_in_its_place_blocks_nothing_and_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    os.mkfifo(rows)
    refuses(rows, "named pipe", log)


def test_a_socket_in_its_place_is_left_alone(log: Lines) -> None:
    """8.4"""
    with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryDirectory() as short:
        path = Path(short, "r.json")
        listener.bind(str(path))
        refuses(path, "socket", log)


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null", "/dev/zero"])
def test_a_device_is_left_alone_even_by_root(device: str, rows: Path, log: Lines) -> None:
    """8.4: root could rename a file over it."""
    refuses(Path(device), "device", log)
    rows.symlink_to(device)
    refuses(rows, "device", log)
    assert stat.S_ISCHR(os.stat(device).st_mode)


def test_a_circle_of_links_is_left_alone(rows: Path, log: Lines) -> None:
    """8.4"""
    rows.symlink_to(rows.with_name("other"))
    rows.with_name("other").symlink_to(rows)
    refuses(rows, os.strerror(errno.ELOOP), log)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with nobodys_folder() as folder:
        yield folder


def test_a_file_without_permission_is_left_alone(open_folder: Path) -> None:
    """8.4"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0)

    def attempt() -> tuple[object, str, str]:
        store = JsonReminderStore(str(path), ZONE)
        found, why_not = store.load(), store.save([CAT], [])
        store.close()
        return found.content, str(found.trouble), str(why_not)

    content, notice, why_not = as_nobody(attempt)
    assert content is None
    assert os.strerror(errno.EACCES) in notice
    assert why_not == notice
    path.chmod(0o600)
    assert path.read_bytes() == TEA_FILE


def test_in_a_read_only_folder_the_file_is_served_and_each_save_says_why_it_fails(open_folder: Path) -> None:
    """8.3, 8.6"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0o644)
    open_folder.chmod(0o555)

    def attempt() -> tuple[object, Trouble | None, str, str, list[str]]:
        store = JsonReminderStore(str(path), ZONE, log := Lines())
        found, why_not, again = store.load(), store.save([CAT], []), store.save([CAT], [])
        store.close()
        return found.content, found.trouble, str(why_not), str(again), log.warnings

    content, notice, why_not, again, warnings = as_nobody(attempt)
    open_folder.chmod(0o755)
    assert (content, notice) == ([TEA], None)
    assert os.strerror(errno.EACCES) in why_not
    assert why_not == again
    assert warnings == []


def test_in_a_read_only_folder_too_only_one_server_has_the_file(open_folder: Path) -> None:
    """8.6"""
    path = open_folder / "r.json"
    path.write_bytes(TEA_FILE)
    path.chmod(0o644)
    open_folder.chmod(0o555)

    def attempt() -> tuple[object, bool, object]:
        first, second = JsonReminderStore(str(path), ZONE), JsonReminderStore(str(path), ZONE)
        mine, theirs = first.load(), second.load()
        first.close()
        later = second.look()
        second.close()
        return mine.content, theirs.in_use, later and later.content

    content, in_use, later = as_nobody(attempt)
    open_folder.chmod(0o755)
    assert (content, in_use, later) == ([TEA], True, [TEA])
    assert path.read_bytes() == TEA_FILE


def test_a_copy_that_is_already_there_is_not_made_again(rows: Path) -> None:
    """8.5"""
    rows.write_bytes(b"[1]")
    copy = copy_of(rows, b"[1]")
    for _ in range(2):
        store = JsonReminderStore(str(rows), ZONE)
        assert str(copy) in str(store.load().trouble)
        inode = copy.stat().st_ino
        store.close()
    assert copy.stat().st_ino == inode
    assert names(rows.parent) == {"reminders.json", copy.name}


@pytest.mark.parametrize(
    "occupant", ["folder", "other bytes", "link to nowhere", "link to the file", "named pipe"]
)
def test_where_no_copy_can_be_made_the_file_is_left_alone(
    occupant: str, rows: Path, store: JsonReminderStore
) -> None:
    """8.5, 8.4"""
    data = f"[{row(id='a')}, 7]".encode()
    rows.write_bytes(data)
    copy = copy_of(rows, data)
    match occupant:
        case "folder":
            copy.mkdir()
        case "other bytes":
            copy.write_bytes(b"mine")
        case "link to nowhere":
            copy.symlink_to("nowhere")
        case "link to the file":
            copy.symlink_to(rows)
        case _:
            os.mkfifo(copy)
    before = os.lstat(copy)
    with bounded(10):
        found = store.load()
    assert found.content is None
    assert f"could not be copied to {copy}" in str(found.trouble)
    assert store.save([TEA], []) == found.trouble
    assert rows.read_bytes() == data
    assert os.lstat(copy) == before
