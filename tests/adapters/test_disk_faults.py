"""A disk that fails, or a process that is killed, at every single system call (8.3 to 8.5, 8.9).

Each scenario is played once for each call that it makes, with that call failing, with the disk failing
from that call on, or with the process killed right before or right after it. Whatever happens, the file
holds the old content or the new, what was copied is byte for byte, the answer says which, and nothing
else is left.
"""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import random  # noqa: TID251 - seeded, and a test
import resource
import select
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import pytest

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_core.ports import Found, Trouble
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import AgentZone

T = TypeVar("T")

ZONE = AgentZone("UTC", UTC)
NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
OLD = Reminder("rem_old", "Old", NOON, NOON)
NEW = Reminder("rem_new", "New", NOON, NOON)
ERRORS = [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES]
FALLIBLE = {
    *("open", "close", "read", "writev", "stat", "fstat", "fchmod", "fchown", "utime", "fsync", "rename"),
    *("unlink", "mkdir", "rmdir", "listdir", "flock", "dup"),
}
KILLS = int(os.environ.get("HEARTBEAT_KILLS", "300"))
"""Set it to thousands for a long run."""
KEPT = 20


def row(reminder: Reminder) -> dict[str, object]:
    return {
        "id": reminder.id,
        "message": reminder.message,
        "createdAt": 1791633600000,
        "fireAt": 1791633600000,
        "everySeconds": None,
    }


def text(*reminders: Reminder) -> bytes:
    return (json.dumps([row(reminder) for reminder in reminders], indent=2) + "\n").encode()


DAMAGED = b"[" + json.dumps(row(OLD)).encode() + b', "\xff"]'


class Faulty(SystemCalls):
    """Counts calls, and makes the one at `position` fail, or all from there on.

    A write that fails has written half; a file that cannot be closed is closed, as Linux has it.
    """

    def __init__(self, position: int | None = None, error: int = 0, *, for_good: bool = False) -> None:
        self.made: list[str] = []
        self.failed: list[str] = []
        self._position, self._error, self._for_good = position, error, for_good

    def __getattribute__(self, name: str) -> object:
        real = super().__getattribute__(name)
        if name not in FALLIBLE:
            return real
        return lambda *args, **kwargs: self._call(name, real, *args, **kwargs)

    def _call(self, name: str, real: Callable[..., object], *args: object, **kwargs: object) -> object:
        number = len(self.made)
        self.made.append(name)
        if not self._fails(number):
            return real(*args, **kwargs)
        self.failed.append(name)
        if name == "close":
            real(*args)
        if name == "writev":
            fd, pieces = args
            assert isinstance(pieces, list)
            whole = b"".join(pieces)
            real(fd, [whole[: len(whole) // 2]])
        raise OSError(self._error, os.strerror(self._error))

    def _fails(self, number: int) -> bool:
        if self._position is None:
            return False
        return number >= self._position if self._for_good else number == self._position


@dataclass
class Outcome:
    """What the store said: to load, to look, to each save."""

    found: list[Found[object]] = field(default_factory=list)
    saves: list[Trouble | None] = field(default_factory=list)

    def said(self) -> str:
        """All of it that is words."""
        troubles = [*(found.trouble for found in self.found), *self.saves]
        return "\n".join(str(trouble) for trouble in troubles if trouble is not None)


@dataclass(frozen=True)
class Scenario:
    """What is there before, what is done, and which contents the file may have afterwards instead."""

    before: bytes | None
    play: Callable[[JsonReminderStore, Path, Outcome], None]
    may_hold: tuple[bytes | None, ...]
    copied: tuple[bytes, ...] = ()
    folder: str = "."


def start(store: JsonReminderStore, _path: Path, outcome: Outcome) -> None:
    outcome.found.append(store.load())


def save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


def look(store: JsonReminderStore, outcome: Outcome) -> None:
    if (found := store.look()) is not None:
        outcome.found.append(found)


def edit_then_save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    path.write_bytes(DAMAGED)
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


def vanish_then_save(store: JsonReminderStore, path: Path, outcome: Outcome) -> None:
    start(store, path, outcome)
    path.unlink()
    look(store, outcome)
    outcome.saves.append(store.save([NEW], []))


SCENARIOS = {
    "a first save": Scenario(None, save, (text(NEW),)),
    "a first save in folders to be made": Scenario(None, save, (text(NEW),), folder="a/b"),
    "a later save": Scenario(text(OLD), save, (text(OLD, NEW),)),
    "a start on a damaged file": Scenario(DAMAGED, start, (), (DAMAGED,)),
    "a save after a start on one": Scenario(DAMAGED, save, (text(OLD, NEW),), (DAMAGED,)),
    "a save over a stranger's damage": Scenario(
        text(OLD), edit_then_save, (DAMAGED, text(OLD, NEW)), (DAMAGED,)
    ),
    "a save of what vanished": Scenario(text(OLD), vanish_then_save, (None, text(OLD, NEW), text(NEW))),
}


class Lab:
    """A folder in which one scenario is played many times."""

    def __init__(self, scenario: Scenario, top: Path) -> None:
        self.scenario = scenario
        self.top = top / "lab"
        self.path = self.top / scenario.folder / "r.json"

    def __enter__(self) -> Lab:
        self.top.mkdir()
        if self.scenario.before is not None:
            self.path.write_bytes(self.scenario.before)
            self.path.chmod(0o640)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        shutil.rmtree(self.top)

    def play(self, calls: SystemCalls) -> Outcome:
        store = JsonReminderStore(str(self.path), ZONE, calls=calls)
        outcome = Outcome()
        self.scenario.play(store, self.path, outcome)
        store.close()
        return outcome

    def holds(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None

    def left(self) -> set[str]:
        """Names in the folder, without the file and its copies, each of which is checked."""
        copies = {
            f"r.json.unreadable-{hashlib.sha256(data).hexdigest()[:12]}" for data in self.scenario.copied
        }
        left = {entry.name for entry in self.path.parent.iterdir()} if self.path.parent.exists() else set()
        for copy in left & copies:
            assert (self.path.parent / copy).read_bytes() in self.scenario.copied
        return left - copies - {"r.json"}

    def check(self, outcome: Outcome) -> None:
        """What holds after whatever happened."""
        held = self.holds()
        assert held in (self.scenario.before, *self.scenario.may_hold)
        for found in outcome.found:
            # Nothing is taken for a fresh start that was not one, without a word.
            may_be_fresh = None in (self.scenario.before, *self.scenario.may_hold)
            assert found.content is not None or found.trouble is not None or may_be_fresh
        if outcome.saves == [None]:
            assert held is not None
            assert NEW.id.encode() in held
            if self.scenario.copied:
                assert any(name.startswith("r.json.unreadable-") for name in os.listdir(self.path.parent))
        for why_not in (trouble.text for trouble in outcome.saves if trouble is not None):
            assert str(self.path) in why_not
            assert "\n" not in why_not
            assert not why_not.endswith(".")
            assert held is None or NEW.id.encode() not in held or "power cut" in why_not

    def check_next_start(self) -> None:
        """After the fault is gone: the file loads, everything can be saved, nothing is left."""
        store = JsonReminderStore(str(self.path), ZONE)
        found = store.load()
        assert found.content is not None or found.trouble is not None or self.holds() is None
        assert store.save([NEW], []) is None
        store.close()
        again = JsonReminderStore(str(self.path), ZONE)
        content = again.load().content
        assert content is not None
        assert NEW in content
        again.close()
        assert self.left() == set()


def open_descriptors() -> set[str]:
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    return set(os.listdir(folder))


def calls_of(scenario: Scenario, top: Path) -> list[str]:
    with Lab(scenario, top) as lab:
        calls = Faulty()
        outcome = lab.play(calls)
        lab.check(outcome)
        assert lab.left() == set()
        assert None in outcome.saves or scenario.play is start
    return calls.made


@pytest.mark.parametrize("error", ERRORS, ids=lambda number: errno.errorcode[number])
@pytest.mark.parametrize("name", SCENARIOS)
def test_one_call_that_fails_loses_nothing_and_leaves_nothing(name: str, error: int, tmp_path: Path) -> None:
    """8.3, 8.5, 8.9"""
    for position, _ in enumerate(calls_of(SCENARIOS[name], tmp_path)):
        with Lab(SCENARIOS[name], tmp_path) as lab:
            before = open_descriptors()
            calls = Faulty(position, error)
            outcome = lab.play(calls)
            assert open_descriptors() == before, calls.made
            lab.check(outcome)
            if calls.failed[0] in {"writev", "rename", "mkdir", "fsync"}:
                # What failed at the start and went well later left nothing to be said.
                assert os.strerror(error) in outcome.said() or outcome.saves == [None]
            # What could not be removed stays until the next start.
            assert lab.left() <= {".r.json.lock"} or calls.failed == ["unlink"]
            lab.check_next_start()


@pytest.mark.parametrize("error", ERRORS, ids=lambda number: errno.errorcode[number])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_disk_that_dies_at_any_call_loses_nothing(name: str, error: int, tmp_path: Path) -> None:
    """8.3, 8.5, 8.9"""
    for position, _ in enumerate(calls_of(SCENARIOS[name], tmp_path)):
        with Lab(SCENARIOS[name], tmp_path) as lab:
            before = open_descriptors()
            calls = Faulty(position, error, for_good=True)
            outcome = lab.play(calls)
            assert open_descriptors() == before, calls.made
            lab.check(outcome)
            lab.check_next_start()


def test_a_save_that_works_again_writes_all_that_failed_before(tmp_path: Path) -> None:
    """8.7"""

    class Full(SystemCalls):
        full = True

        def fsync(self, fd: int) -> None:
            if self.full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            super().fsync(fd)

    path = tmp_path / "r.json"
    store = JsonReminderStore(str(path), ZONE, calls=(calls := Full()))
    store.load()
    for reminder in (OLD, NEW):
        assert os.strerror(errno.ENOSPC) in str(store.save([reminder], []))
        assert not path.exists()
    calls.full = False
    assert store.save([], []) is None
    assert path.read_bytes() == text(OLD, NEW)
    store.close()
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_save_whose_folder_could_not_be_flushed_is_not_taken_for_a_strangers(tmp_path: Path) -> None:
    """8.8, 8.9: the content is in place, and it is ours."""

    class Unflushed(SystemCalls):
        def fsync(self, fd: int) -> None:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            super().fsync(fd)

    store = JsonReminderStore(str(tmp_path / "r.json"), ZONE, calls=Unflushed())
    store.load()
    for _ in range(2):
        assert "power cut" in str(store.save([NEW], []))
        assert store.look() is None
    store.close()
    assert (tmp_path / "r.json").read_bytes() == text(NEW)


def test_a_folder_that_is_made_is_flushed_into_the_one_above_it(tmp_path: Path) -> None:
    """8.3"""
    flushed: list[str] = []

    class Watched(SystemCalls):
        def fsync(self, fd: int) -> None:
            status = os.fstat(fd)
            folders = [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
            flushed.extend(f.name for f in folders if f.exists() and os.path.samestat(f.stat(), status))
            super().fsync(fd)

    store = JsonReminderStore(str(tmp_path / "a" / "b" / "r.json"), ZONE, calls=Watched())
    store.load()
    assert store.save([NEW], []) is None
    assert flushed == [tmp_path.name, "a", "b"]
    store.close()


def test_a_folder_that_could_not_be_flushed_is_made_anew_and_flushed_by_the_next_save(tmp_path: Path) -> None:
    """8.3, 8.9: the reply to a save must not come before what leads to the file is on the disk."""
    flushed: list[bool] = []

    class OnceUnflushed(SystemCalls):
        def fsync(self, fd: int) -> None:
            if os.path.samestat(os.fstat(fd), tmp_path.stat()):
                flushed.append(len(flushed) > 0)
                if not flushed[-1]:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
            super().fsync(fd)

    store = JsonReminderStore(str(tmp_path / "a" / "r.json"), ZONE, calls=OnceUnflushed())
    store.load()
    assert store.save([NEW], []) is None
    assert flushed == [False, True]
    store.close()


def test_a_short_write_is_gone_on_with(tmp_path: Path) -> None:
    """8.9: a system may write less than it was asked to, and say so."""

    class Short(SystemCalls):
        def __getattribute__(self, name: str) -> object:
            return self.one_byte if name == "writev" else super().__getattribute__(name)

        def one_byte(self, fd: int, pieces: list[bytes]) -> int:
            return os.write(fd, bytes(pieces[0][:1]))

    store = JsonReminderStore(str(tmp_path / "r.json"), ZONE, calls=Short())
    store.load()
    assert store.save([OLD, NEW], []) is None
    store.close()
    assert (tmp_path / "r.json").read_bytes() == text(OLD, NEW)


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    """8.8: an editor may be half-way through writing it."""
    path = tmp_path / "r.json"
    path.write_bytes(text(OLD)[:30])

    class Overtaken(SystemCalls):
        reads = 0

        def __getattribute__(self, name: str) -> object:
            return self.and_finish if name == "read" else super().__getattribute__(name)

        def and_finish(self, fd: int, size: int) -> bytes:
            data = os.read(fd, size)
            if not self.reads:
                with path.open("ab") as editor:
                    editor.write(text(OLD)[30:])
            self.reads += 1
            return data[:30] if self.reads == 1 else b"" if self.reads == 2 else data

    store = JsonReminderStore(str(path), ZONE, calls=Overtaken())
    assert store.load().content == [OLD]
    store.close()


# Real disks.


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


# Kills.


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
