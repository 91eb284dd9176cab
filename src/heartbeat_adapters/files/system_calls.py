"""Every call that reading and writing a file makes to the operating system, as attributes of one object.

So a test can make any one of them fail at any moment. `os.path.realpath`, which does not fail, is called
directly, and so is what `lock_holder` asks from outside.
"""

from __future__ import annotations

import fcntl
import os
import time


class SystemCalls:
    """The real calls. Each raises OSError, as its namesake in `os` does."""

    open = staticmethod(os.open)
    close = staticmethod(os.close)
    dup = staticmethod(os.dup)
    read = staticmethod(os.read)
    pread = staticmethod(os.pread)
    writev = staticmethod(os.writev)
    stat = staticmethod(os.stat)
    fstat = staticmethod(os.fstat)
    fchmod = staticmethod(os.fchmod)
    fchown = staticmethod(os.fchown)
    utime = staticmethod(os.utime)
    rename = staticmethod(os.replace)
    unlink = staticmethod(os.unlink)
    mkdir = staticmethod(os.mkdir)
    rmdir = staticmethod(os.rmdir)
    listdir = staticmethod(os.listdir)
    flock = staticmethod(fcntl.flock)
    token = staticmethod(os.urandom)
    wall_clock_ns = staticmethod(time.time_ns)

    def fsync(self, fd: int) -> None:
        """Flush to the disk itself; on macOS `fsync` alone stops at the drive's cache."""
        full_fsync = getattr(fcntl, "F_FULLFSYNC", None)
        if full_fsync is None:
            os.fsync(fd)
        else:
            fcntl.fcntl(fd, full_fsync)
