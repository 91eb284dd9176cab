"""A history that is kept in memory: the fake of its port, for tests that read what became of each wake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heartbeat_core.history import HistoryLine
from heartbeat_core.ports import Trouble, TroubleKind


class MemoryHistory:
    """Implements `heartbeat_core.ports.History`: every line lands in `lines`, oldest first."""

    def __init__(self) -> None:
        self.lines: list[HistoryLine] = []
        self.appends = 0
        """How many times lines were handed over."""
        self.fail_with: str | None = None
        """While this is set, nothing is kept, and each append says it."""
        self.raises: Exception | None = None
        """While this is set, each call raises it, as a port of an embedder's own may."""

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        """Keep lines, or fail as the test has it."""
        if self.raises is not None:
            raise self.raises
        self.appends += 1
        if self.fail_with is not None:
            return Trouble(TroubleKind.NOT_SAVED, self.fail_with)
        self.lines.extend(lines)
        return None

    def newest_first(self) -> Iterator[HistoryLine]:
        """Read backwards from the last line."""
        if self.raises is not None:
            raise self.raises
        return reversed(tuple(self.lines))

    def close(self) -> None:
        """Do nothing: what is kept can still be read."""
