"""Disks that are full, without inodes, mounted or read-only, and processes that are killed: 8.3, 8.6, 8.9."""

from __future__ import annotations

import errno
import multiprocessing
import os
import random  # noqa: TID251 - seeded, and a test
import resource
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from disk_worlds import NEW, NOON, OLD, SCENARIOS, ZONE, Faulty, Lab, Outcome, calls_of, text

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_core.ports import Trouble
from heartbeat_core.reminders.reminder import Reminder

T = TypeVar("T")


KILLS = int(os.environ.get("HEARTBEAT_KILLS", "300"))
"""Set it to thousands for a long run."""


KEPT = 20


@contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """Mount something at a place, and take it away whatever happens there, also with files still open."""
    mount = shutil.which("mount")
    if os.getuid() != 0 or mount is None:
        pytest.skip("only root may mount anything")
    done = subprocess.run([mount, *options, str(place)], capture_output=True, timeout=30, check=False)
    if done.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {done.stderr!r}")
    try:
        yield place
    finally:
        # Lazily: a test that fails leaves its file open, and the disk would be too busy to go.
        subprocess.run(["umount", "--lazy", str(place)], timeout=30, check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A place for a small filesystem."""
    disk = tmp_path / "disk"
    disk.mkdir()
    return disk


@pytest.fixture
def small_disk(disk: Path) -> Iterator[Path]:
    """A filesystem of 64 KiB."""
    with mounted(disk, "-t", "tmpfs", "-o", "size=64k", "none"):
        yield disk


def test_a_small_disk_is_taken_away_though_a_file_on_it_is_open(disk: Path) -> None:
    """So that a test that fails leaves none behind, at which each later run would stumble."""
    with mounted(disk, "-t", "tmpfs", "-o", "size=64k", "none"):
        left_open = (disk / "file").open("w")
    with left_open:
        assert not os.path.ismount(disk)


def fill_inodes(disk: Path) -> None:
    number = 0
    with suppress(OSError):
        while True:
            (disk / f"filler{number}").touch()
            number += 1


def test_where_no_inode_is_left_for_a_lock_file_one_server_has_the_file_all_the_same(disk: Path) -> None:
    """8.6"""
    with mounted(disk, "-t", "tmpfs", "-o", "nr_inodes=12", "none"):
        path = disk / "r.json"
        path.write_bytes(text(OLD))
        fill_inodes(disk)
        first, second = JsonReminderStore(str(path), ZONE), JsonReminderStore(str(path), ZONE)
        assert first.load().content == [OLD]
        assert second.load().in_use
        assert os.strerror(errno.ENOSPC) in str(first.save([NEW], []))
        (disk / "filler0").unlink()  # room for what is written, and for nothing else
        assert first.save([NEW], []) is None
        assert JsonReminderStore(str(path), ZONE).load().in_use
        first.close()
        taken = second.look()
        assert taken is not None
        assert taken.content == [OLD, NEW]
        second.close()


def test_a_file_that_is_mounted_by_itself_is_said_to_need_its_folder_mounted(tmp_path: Path) -> None:
    """8.7: containers are given such files, and nothing can take the place of one."""
    path, outside = tmp_path / "r.json", tmp_path / "outside.json"
    for file in (path, outside):
        file.write_bytes(text(OLD))
    with mounted(path, "--bind", str(outside)):
        store = JsonReminderStore(str(path), ZONE)
        store.load()
        why_not = str(store.save([NEW], []))
        store.close()
    assert os.strerror(errno.EBUSY) in why_not
    assert "mount its folder instead" in why_not
    assert outside.read_bytes() == text(OLD)


def test_a_disk_that_is_really_full_keeps_the_old_content_until_there_is_room(small_disk: Path) -> None:
    """8.9, 8.7"""
    path = small_disk / "r.json"
    store = JsonReminderStore(str(path), ZONE)
    store.load()
    assert store.save([OLD], []) is None
    (small_disk / "filler").write_bytes(b"x" * 48 * 1024)
    large = Reminder("rem_large", "x" * 20_000, NOON, NOON)
    for _ in range(3):
        assert os.strerror(errno.ENOSPC) in str(store.save([large], []))
        assert path.read_bytes() == text(OLD)
        assert sorted(os.listdir(small_disk)) == [".r.json.lock", "filler", "r.json"]
    (small_disk / "filler").unlink()
    assert store.save([large], []) is None
    store.close()
    assert os.listdir(small_disk) == ["r.json"]


def test_a_disk_without_room_for_a_copy_leaves_a_damaged_file_alone(small_disk: Path) -> None:
    """8.5, 8.4"""
    path = small_disk / "r.json"
    damaged = b"[" + b"x" * 40 * 1024
    path.write_bytes(damaged)
    store = JsonReminderStore(str(path), ZONE)
    found = store.load()
    assert "could not be copied" in str(found.trouble)
    assert store.save([NEW], []) == found.trouble
    store.close()
    assert os.listdir(small_disk) == ["r.json"]
    assert path.read_bytes() == damaged


def in_a_child(action: Callable[[], T]) -> T:
    mine, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(action()))
    child.start()
    theirs.close()
    assert mine.poll(30)
    answer: T = mine.recv()
    child.join(30)
    child.close()
    mine.close()
    return answer


def test_a_limit_on_file_sizes_is_a_full_disk(tmp_path: Path) -> None:
    """8.9"""
    path = tmp_path / "r.json"

    def attempt() -> tuple[Trouble | None, str]:
        store = JsonReminderStore(str(path), ZONE)
        store.load()
        first = store.save([OLD], [])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        second = store.save([Reminder("rem_large", "x" * 2000, NOON, NOON)], [])
        store.close()
        return first, str(second)

    first, second = in_a_child(attempt)
    assert first is None
    assert os.strerror(errno.EFBIG) in second
    assert path.read_bytes() == text(OLD)
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_process_without_descriptors_left_says_so_and_loses_nothing(tmp_path: Path) -> None:
    """8.9"""
    path = tmp_path / "r.json"
    path.write_bytes(text(OLD))

    def attempt() -> Trouble | None:
        store = JsonReminderStore(str(path), ZONE)
        store.load()
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        why_not = store.save([NEW], [])
        store.close()
        return why_not

    assert os.strerror(errno.EMFILE) in str(in_a_child(attempt))
    assert path.read_bytes() == text(OLD)
    assert os.listdir(tmp_path) == ["r.json"]


class Deadly(Faulty):
    """Kills the process right before the call at `position`, or right after it."""

    def __init__(self, position: int, *, after: bool) -> None:
        super().__init__()
        self._deadly, self._after = position, after

    def _call(self, name: str, real: Callable[..., object], *args: object, **kwargs: object) -> object:
        deadly = len(self.made) == self._deadly
        if deadly and not self._after:
            if name == "writev":
                self._position = self._deadly  # half of it gets through
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        try:
            return super()._call(name, real, *args, **kwargs)
        finally:
            if deadly:
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_kill_at_any_call_loses_nothing(name: str, after: bool, tmp_path: Path) -> None:
    """8.9"""
    for position, _ in enumerate(calls_of(SCENARIOS[name], tmp_path)):
        with Lab(SCENARIOS[name], tmp_path) as lab:
            child = multiprocessing.get_context("fork").Process(
                target=lab.play, args=(Deadly(position, after=after),)
            )
            child.start()
            child.join(30)
            assert child.exitcode == -signal.SIGKILL
            child.close()
            lab.check(Outcome())
            lab.check_next_start()


def _work(path: str, first: int, acknowledge: int) -> None:
    """Add a reminder and remove the one `KEPT` before it, again and again, saying what was saved."""
    store = JsonReminderStore(path, ZONE)
    store.load()
    number = first
    while True:
        assert store.look() is None
        added = Reminder(f"rem_{number}", "x" * (number % 7 * 1000), NOON, NOON)
        assert store.save([added], [f"rem_{number - KEPT}"]) is None
        os.write(acknowledge, b"%d\n" % number)
        number += 1


def test_whatever_a_killed_server_acknowledged_is_there_afterwards(tmp_path: Path) -> None:
    """8.9: killed at random moments; set HEARTBEAT_KILLS for more of them."""
    chance = random.Random(8_9)
    path = tmp_path / "r.json"
    number = 0  # of the next reminder to be added
    for _ in range(KILLS):
        reading, writing = os.pipe()
        child = multiprocessing.get_context("fork").Process(target=_work, args=(str(path), number, writing))
        child.start()
        os.close(writing)
        said = _listen_and_kill(child, reading, chance)
        os.close(reading)
        number = _number_after(path, acknowledged=int(said.split()[-1]))
    assert number > KILLS


def _listen_and_kill(
    child: multiprocessing.context.ForkProcess, reading: int, chance: random.Random
) -> bytes:
    """Hear some acknowledgements, wait a random moment for the next, then kill, and hear the rest."""
    said = b""
    for _ in range(chance.randrange(1, 6)):
        assert select.select([reading], [], [], 30)[0]
        said += os.read(reading, 65536)
    until = time.perf_counter() + chance.random() * 0.002
    while time.perf_counter() < until:
        pass
    child.kill()
    child.join(30)
    child.close()
    while chunk := os.read(reading, 65536):
        said += chunk
    return said


def _number_after(path: Path, acknowledged: int) -> int:
    """Check that what was acknowledged is there; what was in flight may be, whole."""
    store = JsonReminderStore(str(path), ZONE)
    found = store.load()
    store.close()
    assert found.trouble is None
    assert found.content is not None
    there = [int(reminder.id.removeprefix("rem_")) for reminder in found.content]
    last = there[-1]
    assert last in (acknowledged, acknowledged + 1)
    assert there == list(range(max(0, last - KEPT + 1), last + 1))
    assert os.listdir(path.parent) == ["r.json"]
    return last + 1
