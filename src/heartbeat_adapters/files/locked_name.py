"""The lock of whatever file has a name, also while that file is replaced (8.6).

`flock` means nothing without one more question: is it still the file that the name leads to?
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable

from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import check_regular, close_quietly

_TRIES = 16


class Elsewhere(Exception):
    """Somebody else holds the lock; the text goes on from `is`."""


class LockedName:
    """The lock of the file at `path`, which `open_it` opens."""

    def __init__(self, calls: SystemCalls, path: str, open_it: Callable[[], int]) -> None:
        self.path = path
        self._calls = calls
        self._open = open_it
        self._locked: list[int] = []

    @property
    def is_locked(self) -> bool:
        """Whether a lock is held, of whatever file; `is_held` looks which."""
        return bool(self._locked)

    def is_held(self) -> bool:
        """Whether the name leads to a file that is locked; others are let go of. Raises OSError."""
        named = self._status() if self._locked else None
        for fd in tuple(self._locked):
            if named is None or not os.path.samestat(self._calls.fstat(fd), named):
                self._close(fd)
        return self.is_locked

    def take(self) -> None:
        """Lock the file that the name leads to; never waits. Raises Elsewhere, and OSError."""
        for _ in range(_TRIES):
            try:
                self._lock(self._open())
            except BlockingIOError:
                raise Elsewhere("in use by another heartbeat") from None
            # The name may lead elsewhere by now: its last owner removed it, or somebody cleaned up.
            if self.is_held():
                return
        raise Elsewhere("in use by other heartbeats, one after the other")

    def lock_too(self, fd: int) -> None:
        """Lock another open file, which is about to get the name. Raises OSError."""
        self._lock(self._calls.dup(fd))

    def set_mode(self, mode: int) -> None:
        """Set the mode bits of what is locked. Raises OSError."""
        for fd in self._locked:
            if stat.S_IMODE(self._calls.fstat(fd).st_mode) != mode:
                self._calls.fchmod(fd, mode)

    def let_go(self) -> None:
        """Free all that is locked. May be called twice."""
        for fd in tuple(self._locked):
            self._close(fd)

    def _lock(self, fd: int) -> None:
        self._locked.append(fd)
        try:
            check_regular(self._calls.fstat(fd))
            self._calls.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._close(fd)
            raise

    def _close(self, fd: int) -> None:
        self._locked.remove(fd)
        close_quietly(self._calls, fd)

    def _status(self) -> os.stat_result | None:
        try:
            return self._calls.stat(self.path, follow_symlinks=False)
        except FileNotFoundError:
            return None
