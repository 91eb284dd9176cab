"""One lock for one file: held by at most one server, freed by the system when its process dies (8.6).

It stands in one of two places, and this decides in which; the lock of one place is in `locked_name`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from enum import Enum, auto

from heartbeat_adapters.files.listed_locks import NotListed, listed_holder
from heartbeat_adapters.files.locked_name import Elsewhere, LockedName
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import check_regular

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY)


class Grip(Enum):
    """How well a file is held."""

    HELD = auto()
    ELSEWHERE = auto()
    NONE = auto()


class FileLock:
    """The lock of the file at `path`, links resolved.

    It is a file of its own, `.<name>.lock` next to the file, empty, which is removed when the server
    stops and left behind, unlocked, when it is killed. The file itself is a worse place: it is not there
    before the first save, an editor that saves by renaming takes the locked one away, so that a second
    server would find it free, and some network filesystems let nobody read what is locked. The folder is
    no place at all: it may hold the files of others.

    Only where no lock file can be had (the folder cannot be written to, no room, or one of another user)
    does the file carry the lock, and each save takes it along (`carry_over`). So whoever gets the lock
    file looks whether the file carries one too, and whoever locks the file looks for the lock file again:
    of two servers that begin at once, at most one goes on.
    """

    def __init__(self, calls: SystemCalls, path: str) -> None:
        folder, name = os.path.split(path)
        self.path = path
        self.why: str | None = None
        """After `take` said NONE or ELSEWHERE: what prevents it, if that is worth a word."""
        self._calls = calls
        self._beside = LockedName(calls, os.path.join(folder, f".{name}.lock"), self._open_beside)
        self._file = LockedName(calls, path, self._open_file)

    def take(self) -> Grip:
        """Take the lock, or make sure that it is still held; never waits.

        NONE says that there can be no lock here now: the folder or the file is missing, or the filesystem
        has no locks. Whoever asks goes on without, and asks again later.
        """
        self.why = None
        try:
            # A file that carries the lock goes on doing so: a lock file could take the last inode of a disk,
            # which the next save needs.
            if self._beside.is_held() or self._file.is_held() or self._take():
                return Grip.HELD
        except Elsewhere as failure:
            self.why = str(failure)
            self.release()
            return Grip.ELSEWHERE
        except OSError as failure:
            self.why = f"{self.path}: {failure.strerror}"
        self.release()
        return Grip.NONE

    def carry_over(self, fd: int) -> None:
        """Lock the open file that is about to take the place of this one, where that carries the lock.

        Raises OSError where it cannot. `settle` is to be called afterwards, whatever became of it.
        """
        if self._beside.is_locked:
            return
        try:
            self._file.lock_too(fd)
        except OSError:
            if self._file.is_locked:
                raise

    def settle(self) -> None:
        """Go on with the lock of the file that is there now."""
        with suppress(OSError):  # then the next `take` does it
            self._file.is_held()

    def release(self) -> None:
        """Give the lock back, and remove its file, if that is still the one that was locked.

        May be called twice.
        """
        # Removed before it is freed: whoever opened it meanwhile sees in `take` that the name is gone.
        with suppress(OSError):
            if self._beside.is_held():
                self._calls.unlink(self._beside.path)
        self._beside.let_go()
        self._file.let_go()

    def _take(self) -> bool:
        self._take_beside()
        self._take_file()
        if self._beside.is_locked:
            self._file.let_go()
            self._admit_who_may_use_the_file()
        return self._beside.is_locked or self._file.is_locked

    def _take_beside(self) -> None:
        try:
            self._beside.take()
        except FileNotFoundError:
            pass  # the folder is still to be made, and then there will be a lock
        except OSError as failure:
            self.why = f"{self._beside.path}: {failure.strerror}"

    def _take_file(self) -> None:
        try:
            self._file.take()
        except OSError:
            return  # it is not there, or nobody's to read: reading it says more
        if not self._beside.is_locked:
            self._take_beside()  # somebody may have got it before this file was locked

    def _open_beside(self) -> int:
        path = self._beside.path
        try:
            return self._calls.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        except OSError as failure:
            if failure.errno not in _NO_RIGHT:
                raise
        try:
            return self._calls.open(path, os.O_RDONLY | _FLAGS)  # which is enough to lock it
        except FileNotFoundError:
            raise OSError(errno.EROFS, "its folder cannot be written to") from None
        except PermissionError:
            self._check_that_nobody_holds(path)
            raise OSError(errno.EACCES, "it belongs to another user") from None

    def _check_that_nobody_holds(self, path: str) -> None:
        try:
            holder = listed_holder(self._calls, self._calls.stat(path, follow_symlinks=False))
        except NotListed:
            advice = f"remove {path} if none of theirs runs"
            raise Elsewhere(f"perhaps in use by a heartbeat of another user ({advice})") from None
        if holder is not None:
            raise Elsewhere(f"in use by another heartbeat (process {holder}, of another user)")

    def _open_file(self) -> int:
        # Asked before it is opened, since opening a device can do things.
        check_regular(self._calls.stat(self.path))
        try:
            return self._calls.open(self.path, os.O_RDWR | _FLAGS)  # some filesystems lock nothing else
        except OSError as failure:
            if failure.errno not in _NO_RIGHT:
                raise
        return self._calls.open(self.path, os.O_RDONLY | _FLAGS)

    def _admit_who_may_use_the_file(self) -> None:
        """Let the users who may open the file open its lock: they have to see whether that is held."""
        with suppress(OSError):
            self._beside.set_mode(stat.S_IMODE(self._calls.stat(self.path).st_mode) & 0o666 | 0o600)
