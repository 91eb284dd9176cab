"""The log as an operator reads it: a flood of one kind is one line with a count.

It is light to import, without dataclasses: adapters use it before the core is loaded.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heartbeat_core.ports import Log

QUIET = timedelta(seconds=10)
BURST = 5
"""How many lines of a kind are written within `QUIET`; further ones are counted, and summed up after it."""

MOST_KEPT = 20
_MOST_KEPT_CHARACTERS = 10_000
"""What a summary has to name; where there is more, it is written at once."""

_MOST_SAID = 1_000


class Level(Enum):
    """Whether a line asks somebody to act."""

    INFO = "info"
    WARNING = "warning"


class _Kind:
    """What came of one kind since its first line.

    `latest` is the last line that was not written, and `about` what that was about. `kept` is what the
    lines were about that were not written, but for what was said before; `said` has that, hashed.
    """

    def __init__(self, until: timedelta, level: Level) -> None:
        self.until = until
        self.level = level
        self.written = 0
        self.held_back = 0
        self.latest = ""
        self.about = ""
        self.kept: dict[str, None] = {}
        self.said: set[int] = set()

    def write(self, about: str) -> None:
        """Count a line that is written."""
        self.written += 1
        self._say(about)

    def hold_back(self, text: str, level: Level, about: str) -> None:
        """Count a line that is not written."""
        self.held_back += 1
        self.latest, self.level, self.about = text, level, about
        if about and hash(about) not in self.said:
            self.kept[about] = None

    @property
    def is_full(self) -> bool:
        """Whether no more can be kept in bounded memory, and in a line that can be read."""
        return len(self.kept) >= MOST_KEPT or sum(map(len, self.kept)) >= _MOST_KEPT_CHARACTERS

    def summary(self) -> str:
        """What was held back, as one line; from now on it is said."""
        others = [about for about in self.kept if about != self.about]
        among = f", among them about {'; '.join(others)}" if others else ""
        text = f"{self.held_back} more of this kind{among}, the last: {self.latest}"
        text = self.latest if self.held_back == 1 else text
        for about in self.kept:
            self._say(about)
        self.held_back, self.latest, self.about = 0, "", ""
        self.kept.clear()
        return text

    def _say(self, about: str) -> None:
        if len(self.said) >= _MOST_SAID:
            self.said.clear()
        self.said.add(hash(about))


class ThrottledLog:
    """Writes to a `Log`; `ticks` is the monotonic clock throughout.

    `about` is what tells a line from others of its kind and must not be lost in a flood of them: a
    summary names each such thing that no line before has named.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._kinds: dict[str, _Kind] = {}

    def say(self, text: str, level: Level = Level.INFO) -> None:
        """Write a line that comes seldom enough by itself. A log that raises stops nothing (1.3, 9.7)."""
        with suppress(Exception):
            match level:
                case Level.INFO:
                    self._log.info(text)
                case Level.WARNING:
                    self._log.warning(text)

    def say_of_kind(
        self, kind: str, text: str, ticks: timedelta, level: Level = Level.INFO, *, about: str = ""
    ) -> None:
        """Write a line, or count it where many of its kind were written a moment ago."""
        if self._may_be_written(kind, text, ticks, level, about):
            self.say(text, level)

    def say_exception(self, kind: str, text: str, ticks: timedelta, error: BaseException) -> None:
        """As `say_of_kind`, with the traceback of `error`, the exception that is being handled.

        What went wrong in another place is of another kind: only a traceback tells what to mend.
        """
        if self._may_be_written(f"{kind} {_place_of(error)}", text, ticks, Level.WARNING, ""):
            with suppress(Exception):
                self._log.exception(text)

    def _may_be_written(self, kind: str, text: str, ticks: timedelta, level: Level, about: str) -> bool:
        known = self._kinds.get(kind)
        if known is None or ticks >= known.until:
            if known is not None:
                self._write_held_back(known)
            known = self._kinds[kind] = _Kind(ticks + QUIET, level)
        if known.written < BURST:
            known.write(about)
            return True
        known.hold_back(text, level, about)
        if known.is_full:
            self._write_held_back(known)
        return False

    def forget(self, kind: str) -> None:
        """What was held back of a kind is not true any more."""
        self._kinds.pop(kind, None)

    @property
    def next_summary(self) -> timedelta | None:
        """When `sum_up` has something to write, on the monotonic clock."""
        return min((kind.until for kind in self._kinds.values() if kind.held_back), default=None)

    def sum_up(self, ticks: timedelta) -> None:
        """Write what was held back for long enough, one line a kind."""
        for kind, known in list(self._kinds.items()):
            if ticks >= known.until:
                del self._kinds[kind]
                self._write_held_back(known)

    def close(self) -> None:
        """Write all that is held back."""
        for known in self._kinds.values():
            self._write_held_back(known)
        self._kinds.clear()

    def _write_held_back(self, known: _Kind) -> None:
        if known.held_back:
            self.say(known.summary(), known.level)


def _place_of(error: BaseException) -> str:
    """Its type, and the line of the program that raised it: there are only so many of these."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    line = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place is not None else ""
    return f"{type(error).__name__} {line}"
