"""Who holds the lock of a file, asked from outside: without taking it, and without disturbing the holder."""

from __future__ import annotations

import fcntl
import os
import stat
from dataclasses import dataclass

from heartbeat_adapters.files.listed_locks import NotListed, listed_holder
from heartbeat_adapters.files.system_calls import SystemCalls

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who holds a lock. `pid` is None where the system does not say who it is."""

    pid: int | None

    def __str__(self) -> str:
        return "a server that runs" if self.pid is None else f"the server that runs as process {self.pid}"


def lock_holder(path: str) -> Holder | None:
    """Who has the file at `path`, links resolved; None where nobody does. Whatever the disk
    does, this does not raise."""
    file = os.path.realpath(path)
    folder, name = os.path.split(file)
    return _holder_of(os.path.join(folder, f".{name}.lock")) or _holder_of(file)


def _holder_of(path: str) -> Holder | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None  # and opening it could do things
    try:
        pid = listed_holder(SystemCalls(), status)
    except NotListed:
        return _holder_by_trying(path, if_forbidden=Holder(None))
    # The list has only the locks of processes that can be seen from here.
    return Holder(pid) if pid is not None else _holder_by_trying(path, if_forbidden=None)


def _holder_by_trying(path: str, *, if_forbidden: Holder | None) -> Holder | None:
    """Who holds the lock, found out by asking for it; `if_forbidden` is the answer where we may not ask."""
    # Shared, and for a moment: a server that starts within it finds the file in use, and has it when it
    # looks again, 0.1 s later.
    try:
        fd = os.open(path, _READ)
    except PermissionError:
        return if_forbidden
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Holder(None)
    except OSError:
        return None
    finally:
        os.close(fd)
    return None
