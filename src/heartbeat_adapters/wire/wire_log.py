"""What the wire tells the operator about the host: a few lines of a kind, then a count (2.5).

A host can send what is worth a line as fast as a pipe takes it. So `jsonrpc` and `mcp`, which have the
words, never write to the log directly. It is light to import, since it is there before the core is loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heartbeat_core.telling.throttled_log import ThrottledLog

if TYPE_CHECKING:
    from heartbeat_core.ports import Clock, Log, Timer

_BROKEN = "an unexpected error: a message of the host's was not handled, the rest goes on. Please report it"


class WireLog:
    """Writes to a `Log`, and sums up floods when the clock says so."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._lines = ThrottledLog(log)
        self._clock = clock
        self._timer: Timer | None = None

    def say(self, kind: str, text: str) -> None:
        """Write a line, or count it where many of its kind were written a moment ago."""
        self._lines.say_of_kind(kind, text, self._clock.monotonic())
        self._arm()

    def broken(self, error: Exception) -> None:
        """Something that nobody expected went wrong; `error` is being handled (2.8)."""
        self._lines.say_exception("broken", _BROKEN, self._clock.monotonic(), error)
        self._arm()

    def close(self) -> None:
        """Write what is held back. May be called twice."""
        self._lines.close()
        self._arm()

    def _arm(self) -> None:
        summary = self._lines.next_summary
        if summary is None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
        elif self._timer is None:
            wait = summary - self._clock.monotonic()
            self._timer = self._clock.call_at(self._clock.now() + wait, self._sum_up)

    def _sum_up(self) -> None:
        """Sum up what is over; a clock that was set calls early, so what is not over waits on."""
        self._timer = None
        self._lines.sum_up(self._clock.monotonic())
        self._arm()
