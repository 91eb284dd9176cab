"""The log as an operator reads it: a flood of one kind is one line with a count.

Lives here: which lines are held back and how they are counted. May not: writing them anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from heartbeat_core.ports import Log

QUIET = timedelta(seconds=10)
BURST = 5
"""So many lines of a kind are written within `QUIET`; further ones are counted, and summed up after it."""


class Level(Enum):
    """Whether a line asks somebody to act."""

    INFO = "info"
    WARNING = "warning"


@dataclass(slots=True)
class _Kind:
    """What came of one kind since its first line; `latest` is the last that was not written."""

    until: timedelta
    level: Level
    written: int = 0
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
        """Write a line, or count it where many of its kind were written a moment ago."""
        if self._may_be_written(kind, text, now, level):
            self.say(text, level)

    def say_exception(self, kind: str, text: str, now: timedelta) -> None:
        """As `say_of_kind`, with the traceback of the exception that is being handled."""
        if self._may_be_written(kind, text, now, Level.WARNING):
            self._log.exception(text)

    def _may_be_written(self, kind: str, text: str, now: timedelta, level: Level) -> bool:
        known = self._kinds.get(kind)
        if known is None or now >= known.until:
            if known is not None:
                self._write_held_back(known)
            known = self._kinds[kind] = _Kind(now + QUIET, level)
        if known.written < BURST:
            known.written += 1
            return True
        known.held_back += 1
        known.latest, known.level = text, level
        return False

    def forget(self, kind: str) -> None:
        """What was held back of a kind is not true any more."""
        self._kinds.pop(kind, None)

    @property
    def next_summary(self) -> timedelta | None:
        """When `sum_up` has something to write, on the monotonic clock."""
        return min((kind.until for kind in self._kinds.values() if kind.held_back), default=None)

    def sum_up(self, now: timedelta) -> None:
        """Write what was held back for long enough, one line a kind."""
        for kind, known in list(self._kinds.items()):
            if now >= known.until:
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
            self.say(f"{known.held_back} more of this kind, the last: {known.latest}", known.level)
