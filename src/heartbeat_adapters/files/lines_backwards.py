"""The lines of a file from its end, in bounded memory, reading no more than is asked for (14.2)."""

from __future__ import annotations

from collections.abc import Iterator

from heartbeat_adapters.files.system_calls import SystemCalls

BLOCK = 16 * 1024
"""Bytes of one read: some sixty lines of history."""

LONGEST_LINE = 64 * 1024
"""Bytes of a line that are kept; a longer one is none of ours, and is passed over."""


def lines_backwards(calls: SystemCalls, fd: int) -> Iterator[bytes]:
    """Give each line of an open file without its newline, the last first. Raises OSError.

    What comes after the last newline is given too: it may be half a line.
    """
    end = calls.fstat(fd).st_size
    tail: bytes | None = b""  # what was read of a line whose start lies before `end`; None: too long
    while end > 0:
        start = max(0, end - BLOCK)
        head, *lines = calls.pread(fd, end - start, start).split(b"\n")
        end = start
        if not lines:
            tail = _joined(head, tail)
            continue
        last = _joined(lines.pop(), tail)
        if last:
            yield last
        yield from (line for line in reversed(lines) if line)
        tail = head
    if tail:
        yield tail


def _joined(head: bytes, tail: bytes | None) -> bytes | None:
    """Both parts of a line; None where it is too long to be kept."""
    if tail is None or len(head) + len(tail) > LONGEST_LINE:
        return None
    return head + tail
