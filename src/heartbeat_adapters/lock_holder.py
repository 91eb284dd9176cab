"""Who holds the lock of a file, asked from outside: without taking it, and without disturbing the holder.

Lives here: reading what the system says of the lock that `file_lock` takes. May not: take or remove one.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody who holds a lock. `pid` is None where the system does not say who it is."""

    pid: int | None

    def __str__(self) -> str:
        return "a server that runs" if self.pid is None else f"the server that runs as process {self.pid}"


def lock_holder(path: str) -> Holder | None:
    """Who has the file at `path`, links resolved; None where nobody does. Raises for nothing a disk does."""
    folder, name = os.path.split(os.path.realpath(path))
    lock = os.path.join(folder, f".{name}.lock")
    try:
        status = os.stat(lock, follow_symlinks=False)
    except OSError:
        return None
    pid = _pid_from_kernel(status)
    return Holder(pid) if pid is not None else _holder_by_trying(lock)


def _pid_from_kernel(status: os.stat_result) -> int | None:
    """What Linux lists: `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF`."""
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    for words in map(str.split, lines):
        if len(words) > 5 and words[1] == "FLOCK" and words[5] == place and int(words[4]) > 0:
            return int(words[4])
    return None


def _holder_by_trying(lock: str) -> Holder | None:
    # Shared, and for a moment: a server that starts within it finds the file in use, and has it when it
    # looks again, 0.1 s later.
    try:
        fd = os.open(lock, _READ)
    except PermissionError:
        return Holder(None)  # of another user, who may be running
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
