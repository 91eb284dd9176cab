"""One lock for one file: held by at most one server, freed by the system when its process dies (8.6).

Lives here: taking, keeping and giving back the lock. May not: read or write what it protects.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from enum import Enum, auto

from heartbeat_adapters.system_calls import SystemCalls
from heartbeat_adapters.whole_files import check_regular, close_quietly

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TRIES = 16


class Grip(Enum):
    """How well a file is held."""

    HELD = auto()
    ELSEWHERE = auto()
    NONE = auto()


class FileLock:
    """The lock of the file at `path`, links resolved.

    It is a file of its own, `.<name>.lock` next to the file, empty, which is removed when the server
    stops and left behind, unlocked, when it is killed. The file itself cannot carry the lock: it is
    not there before the first save, and an editor that saves by renaming takes the locked one away, so
    that a second server would find it free. The folder cannot either: it may hold the files of others.
    Only in a folder that cannot be written to does the file carry it: nobody renames there.
    """

    def __init__(self, calls: SystemCalls, path: str) -> None:
        folder, name = os.path.split(path)
        self.path = path
        self.why: str | None = None
        """After `take` said NONE or ELSEWHERE: what prevents it, if that is worth a word."""
        self._name = self._sidecar = os.path.join(folder, f".{name}.lock")
        self._calls = calls
        self._fd: int | None = None

    def take(self) -> Grip:
        """Take the lock, or make sure that it is still held; never waits.

        NONE says that there can be no lock here now: the folder is missing or cannot be written to, or
        its filesystem has none. Whoever asks goes on without, and asks again later.
        """
        try:
            for _ in range(_TRIES):
                if self._fd is None:
                    self._fd = self._open()
                    self._calls.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The name may lead elsewhere by now: its last owner removed it, or somebody cleaned up.
                if self._is_still_there(self._fd):
                    return Grip.HELD
                self._let_go()
            raise OSError(errno.EAGAIN, "it is removed again and again")
        except (BlockingIOError, PermissionError) as failure:
            in_use = isinstance(failure, BlockingIOError)
            self.why = "in use by another server" if in_use else f"locked by another user ({self._name})"
            self._let_go()
            return Grip.ELSEWHERE
        except FileNotFoundError:
            self.why = None  # the folder is still to be made, and then there will be a lock
        except OSError as failure:
            self.why = f"{self._name}: {failure.strerror}"
        self._let_go()
        return Grip.NONE

    def release(self) -> None:
        """Give the lock back, and remove its file. May be called twice."""
        if self._fd is None:
            return
        # Removed before it is freed: whoever opened it meanwhile sees in `take` that the name is gone.
        with suppress(OSError):
            if self._name == self._sidecar and self._is_still_there(self._fd):
                self._calls.unlink(self._name)
        self._let_go()

    def _open(self) -> int:
        self._name = self._sidecar
        try:
            return self._calls.open(self._name, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        except OSError as failure:
            if failure.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
        try:
            # A lock that is there can be taken without writing to it. One that may not even be opened
            # is another user's, and their server may be running.
            return self._calls.open(self._name, os.O_RDONLY | _FLAGS)
        except FileNotFoundError:
            pass
        self._name = self.path
        try:
            return self._calls.open(self._name, os.O_RDONLY | _FLAGS)
        except OSError:  # it is not there, or nobody's to read: reading it says more
            raise OSError(errno.EROFS, "its folder cannot be written to") from None

    def _is_still_there(self, fd: int) -> bool:
        held = self._calls.fstat(fd)
        check_regular(held)
        try:
            named = self._calls.stat(self._name, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(held, named)

    def _let_go(self) -> None:
        if self._fd is not None:
            close_quietly(self._calls, self._fd)
            self._fd = None
