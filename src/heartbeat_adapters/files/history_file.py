"""The history as lines of JSON in a file, and in the one that was full before it (14.2).

Lines are appended, never rewritten, and not flushed to the disk: a power cut may take the last of them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress

from heartbeat_adapters.files.file_lock import FileLock, Grip
from heartbeat_adapters.files.lines_backwards import lines_backwards
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_adapters.files.whole_files import check_regular, close_quietly, make_folder
from heartbeat_adapters.json_text import write
from heartbeat_core.history import HistoryLine
from heartbeat_core.keeping.history_records import history_record, read_history_line
from heartbeat_core.ports import Trouble, TroubleKind

FULL = 1 << 20
"""Bytes from which on the next append begins a new file (14.2)."""

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class JsonLinesHistory:
    """A `History` in the file at `path`, absolute; the full one before it is `<path>.1`.

    Reading takes no lock. Only the first of two servers writes (8.6).
    """

    def __init__(self, path: str, calls: SystemCalls | None = None) -> None:
        self.path = path
        self._calls = calls or SystemCalls()
        self._lock: FileLock | None = None

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        """Append the lines whole, oldest first."""
        try:
            return self._append("".join(f"{write(history_record(line))}\n" for line in lines).encode())
        except OSError as why:
            words = why.strerror or str(why)
            return Trouble(
                TroubleKind.NOT_SAVED,
                f"the history in {self.path} cannot be written ({words}), and lines of it are lost",
            )

    def newest_first(self) -> Iterator[HistoryLine]:
        """Read both files backwards, as far as is asked for."""
        for text in self._texts():
            if (line := read_history_line(text)) is not None:
                yield line

    def close(self) -> None:
        """Let another server have the file."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _append(self, data: bytes) -> Trouble | None:
        target = os.path.realpath(self.path)
        if (folder := os.path.dirname(target)) and not self._is_there(folder):
            make_folder(self._calls, folder)
        if (taken := self._hold(target)) is not None:
            return taken
        if self._is_full(target):
            self._calls.rename(target, f"{target}.1")
        fd = self._calls.open(target, _APPEND, 0o600)
        try:
            self._write(fd, data)
        finally:
            close_quietly(self._calls, fd)
        return None

    def _hold(self, target: str) -> Trouble | None:
        if self._lock is None or self._lock.path != target:
            self.close()
            self._lock = FileLock(self._calls, target)
        if self._lock.take() is not Grip.ELSEWHERE:
            return None
        return Trouble(
            TroubleKind.IN_USE,
            f"the history in {self.path} is {self._lock.why}, so what this server has to tell is lost: stop "
            "the other server, or give each a file of its own",
        )

    def _is_there(self, path: str) -> bool:
        try:
            self._calls.stat(path)
        except FileNotFoundError:
            return False
        return True

    def _is_full(self, target: str) -> bool:
        # Asked before it is opened, since opening a device can do things.
        try:
            status = self._calls.stat(target)
        except FileNotFoundError:
            return False
        check_regular(status)
        return status.st_size >= FULL

    def _write(self, fd: int, data: bytes) -> None:
        """Write, after ending a half line that a crash or a full disk has left."""
        status = self._calls.fstat(fd)
        check_regular(status)
        if status.st_size and self._calls.pread(fd, 1, status.st_size - 1) != b"\n":
            data = b"\n" + data
        if self._calls.writev(fd, [data]) < len(data):
            raise OSError(errno.ENOSPC, "there is no room for it")

    def _texts(self) -> Iterator[bytes]:
        """The lines of both files as they are, the last first."""
        with ExitStack() as opened:
            files = [self._opened(path, opened) for path in (self.path, f"{os.path.realpath(self.path)}.1")]
            current, full = files
            if current is not None:
                yield from self._lines(current)
            # Where the file became full just between, both names led to the same one.
            if full is not None and (current is None or not self._same(current, full)):
                yield from self._lines(full)

    def _lines(self, fd: int) -> Iterator[bytes]:
        with suppress(OSError):
            yield from lines_backwards(self._calls, fd)

    def _same(self, one: int, other: int) -> bool:
        return os.path.samestat(self._calls.fstat(one), self._calls.fstat(other))

    def _opened(self, path: str, opened: ExitStack) -> int | None:
        try:
            check_regular(self._calls.stat(path))
            fd = self._calls.open(path, _READ)
            opened.callback(close_quietly, self._calls, fd)
            check_regular(self._calls.fstat(fd))
        except OSError:
            return None
        return fd
