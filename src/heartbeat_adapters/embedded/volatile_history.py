"""A history as durable as the process, for those who embed the core and want no files (14.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from heartbeat_core.history import HistoryLine
from heartbeat_core.ports import Trouble

MOST_KEPT = 1_000
"""So many lines are kept, the newest ones."""


class VolatileHistory:
    """A `History` in memory."""

    def __init__(self) -> None:
        self._lines: deque[HistoryLine] = deque(maxlen=MOST_KEPT)

    def append(self, lines: Sequence[HistoryLine]) -> Trouble | None:
        """Keep the lines; never fails."""
        self._lines.extend(lines)
        return None

    def newest_first(self) -> Iterator[HistoryLine]:
        """The lines as they are now, the last first."""
        return iter(list(reversed(self._lines)))

    def close(self) -> None:
        """Do nothing."""
