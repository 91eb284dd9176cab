"""The log as an operator reads it: a flood of one kind is one line with a count.

Lives here: which lines are held back and how they are counted. May not: writing them anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from heartbeat_core.ports import Log

QUIET = timedelta(seconds=10)
"""For so long after a line of a kind, further ones are counted instead of written."""


class Level(Enum):
    """Whether a line asks somebody to act."""

    INFO = "info"
    WARNING = "warning"


@dataclass(slots=True)
class _Kind:
    quiet_until: timedelta
    level: Level
    held_back: int = 0
    latest: str = ""


class Journal:
    """Writes to a `Log`; `now` is the monotonic clock throughout."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kinds: dict[str, _Kind] = {}

    def say(self, text: str, level: Level = Level.INFO) -> None:
        """Write a line that comes seldom enough by itself."""
        match level:
            case Level.INFO:
                self._log.info(text)
            case Level.WARNING:
                self._log.warning(text)

    def say_of_kind(self, kind: str, text: str, now: timedelta, level: Level = Level.INFO) -> None:
        """Write a line, or count it where one of its kind was written a moment ago."""
        known = self._kinds.get(kind)
        if known is not None and now < known.quiet_until:
            known.held_back += 1
            known.latest = text
            known.level = level
            return
        self._kinds[kind] = _Kind(now + QUIET, level)
        self.say(text, level)

    @property
    def next_summary(self) -> timedelta | None:
        """When `sum_up` has something to write, on the monotonic clock."""
        return min((k.quiet_until for k in self._kinds.values() if k.held_back), default=None)

    def sum_up(self, now: timedelta) -> None:
        """Write what was held back for long enough, one line a kind."""
        for kind, known in list(self._kinds.items()):
            if now >= known.quiet_until:
                del self._kinds[kind]
                self._write_held_back(known)

    def close(self) -> None:
        """Write all that is held back."""
        for known in self._kinds.values():
            self._write_held_back(known)
        self._kinds.clear()

    def _write_held_back(self, known: _Kind) -> None:
        if known.held_back == 1:
            self.say(known.latest, known.level)
        elif known.held_back:
            self.say(f"{known.held_back} more like the line before, the last: {known.latest}", known.level)
