"""Descriptors 0, 1 and 2, made safe before anything else opens one (1.3, 1.7).

`main` calls `claim_stdio` once, before the first file is opened; `StdioServer` runs on what it gives. There
are no dataclasses here: they take longer to import than all of this.
"""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

PIPE_BUF = 4096
"""Bytes that a pipe or socket takes without blocking once `poll` says that it is writable."""


class OutputDescriptor(NamedTuple):
    """Where to write: `at_once` bytes never block, once `poll` has agreed where `ask` is set."""

    fd: int
    at_once: int
    ask: bool


class Streams(NamedTuple):
    """The host's two ways. `output` is None where the host had closed it before the start."""

    input: int
    output: OutputDescriptor | None


def claim_stdio() -> Streams:
    """Keep 0 and 1 to ourselves, and point them where stray reads and prints do no harm.

    Descriptors that were closed are opened on /dev/null, or the next data file would become stdout.
    Afterwards 0 is /dev/null and 1 is stderr, for libraries and for children alike. What is printed
    never waits for whoever reads stderr; only where that is a socket, raw writes and children may.
    """
    was_open = fill_closed()
    streams = Streams(os.dup(0), output(os.dup(1)) if was_open[1] else None)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    errors = output(2)
    os.dup2(errors.fd, 2)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = io.TextIOWrapper(
        _Prints(errors), encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=True
    )
    return streams


def fill_closed() -> list[bool]:
    """Open /dev/null on those of 0, 1 and 2 that are closed; whether each was open."""
    return [_fill(fd) for fd in (0, 1, 2)]


def output(fd: int) -> OutputDescriptor:
    """Find out how to write to a descriptor without ever waiting.

    O_NONBLOCK belongs to the open file, not to the descriptor: setting it would change it for whoever
    holds a duplicate, the host's own terminal or log among them. Pipes and terminals can be opened anew
    for ourselves; what cannot is asked before each write and given no more than it surely takes.
    """
    mode = _mode(fd)
    if stat.S_ISREG(mode):
        return OutputDescriptor(fd, 65536, ask=False)
    if stat.S_ISFIFO(mode) or os.isatty(fd):
        anew = _open_anew(fd)
        if anew is not None:
            return OutputDescriptor(anew, 65536, ask=False)
    return OutputDescriptor(fd, PIPE_BUF, ask=True)


class _Prints(io.RawIOBase):
    """Takes whatever is printed, and drops what stderr does not take at once."""

    def __init__(self, out: OutputDescriptor) -> None:
        self._output = out
        self._poll = select.poll()
        self._poll.register(self._output.fd, select.POLLOUT)

    def fileno(self) -> int:
        return self._output.fd

    def writable(self) -> bool:
        return True

    def write(self, printed: ReadableBuffer, /) -> int:
        data = memoryview(printed).cast("B")
        done = 0
        while done < len(data) and (written := self._write_some(data[done : done + self._output.at_once])):
            done += written
        return len(data)

    def _write_some(self, part: memoryview) -> int:
        if self._output.ask and not self._poll.poll(0):
            return 0
        try:
            return os.write(self._output.fd, part)
        except OSError:  # full, closed, broken
            return 0


def _mode(fd: int) -> int:
    try:
        return os.fstat(fd).st_mode
    except OSError:  # closed: writing will say so
        return 0


def _open_anew(fd: int) -> int | None:
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:  # no /proc, no permission, or nobody reads the pipe any more
        return None


def _fill(fd: int) -> bool:
    """Open /dev/null where a descriptor is closed; whether it was open."""
    try:
        os.fstat(fd)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        return False
    return True
