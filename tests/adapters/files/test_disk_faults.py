"""Each system call that a save makes, failing in turn: 8.3 to 8.9."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from disk_worlds import NEW, OLD, SCENARIOS, ZONE, Faulty, Lab, calls_of, text

from heartbeat_adapters.files.json_stores import JsonReminderStore
from heartbeat_adapters.files.system_calls import SystemCalls

ERRORS = [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES]


def open_descriptors() -> set[str]:
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    return set(os.listdir(folder))


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
