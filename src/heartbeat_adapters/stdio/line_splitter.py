"""Bytes cut into lines at `\\n` alone, in bounded memory (2.1, 2.3). No I/O, no JSON."""

from __future__ import annotations

from collections import deque
from typing import Final

LONGEST_LINE = 4 * 1024 * 1024

TOO_LONG: Final = None
"""What `LineSplitter.next_line` gives once in place of a line longer than is read."""


class LineSplitter:
    """Takes bytes in any chunks and gives the same lines whatever the chunks were."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._lines: deque[bytes | None] = deque()
        self._tail = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> None:
        """Take what was read."""
        first, *more = chunk.split(b"\n")
        self._extend(first)
        for part in more:
            self._end_line()
            self._extend(part)

    def end(self) -> None:
        """Take what is left as a line: its newline will not come (2.1)."""
        if self._tail:
            self._end_line()

    def __len__(self) -> int:
        """Count the lines that `next_line` has to give."""
        return len(self._lines)

    def next_line(self) -> bytes | None:
        """Give the first line that was not given yet, or TOO_LONG. Raises IndexError without one."""
        return self._lines.popleft()

    def _extend(self, part: bytes) -> None:
        if self._skipping:
            return
        self._tail += part
        # One byte over may yet turn out to be the "\r" that is dropped.
        over = len(self._tail) - self._longest
        if over > 1 or (over == 1 and self._tail[-1] != 0x0D):
            self._lines.append(TOO_LONG)
            self._tail.clear()
            self._skipping = True

    def _end_line(self) -> None:
        if not self._skipping:
            self._lines.append(bytes(self._tail.removesuffix(b"\r")))
        self._tail.clear()
        self._skipping = False
