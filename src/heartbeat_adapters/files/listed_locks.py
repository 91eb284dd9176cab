"""The locks that the system lists: whether one is held that may not be opened, and by whom (8.6).

Linux has the list, `/proc/locks`, and anybody may read it.
"""

from __future__ import annotations

import os

from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import close_quietly

_LIST = "/proc/locks"
_NO_DEVICE = 0
"""The major number of filesystems that are on no device of their own; some list another minor one."""


class NotListed(OSError):
    """The system has no list of locks, or does not show it."""


def listed_holder(calls: SystemCalls, status: os.stat_result) -> int | None:
    """The process that holds the lock of a file, None where none does. Raises NotListed.

    Linux lists `1: FLOCK  ADVISORY  WRITE 708 08:01:131 0 EOF`, also for those who may not open the file,
    but only the locks of processes that the asker could see.
    """
    try:
        return _holder_in(_read_list(calls), status)
    except OSError as why:
        raise NotListed(why.errno, why.strerror) from why
    except ValueError as why:
        raise NotListed(f"{_LIST} is not what it was: {why}") from why


def _holder_in(text: str, status: os.stat_result) -> int | None:
    for words in map(str.split, text.splitlines()):
        if len(words) > 5 and words[1] == "FLOCK" and _is_of(words[5], status) and int(words[4]) > 0:
            return int(words[4])
    return None


def _is_of(place: str, status: os.stat_result) -> bool:
    major, minor, inode = place.split(":")
    if int(inode) != status.st_ino or int(major, 16) != os.major(status.st_dev):
        return False
    return int(minor, 16) == os.minor(status.st_dev) or int(major, 16) == _NO_DEVICE


def _read_list(calls: SystemCalls) -> str:
    chunks = []
    fd = calls.open(_LIST, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while chunk := calls.read(fd, 1 << 16):
            chunks.append(chunk)
    finally:
        close_quietly(calls, fd)
    return b"".join(chunks).decode("ascii", "replace")
