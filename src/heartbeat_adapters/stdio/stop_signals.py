"""SIGTERM, SIGINT and SIGHUP stop the process within a second, exit code 0, at any moment (1.4).

It must be fast to import: the first line of `main` calls it.

    signals = install_stop_signals()      # from here on a signal ends the process at once
    ...
    signals.hand_over(server.stop)        # from here on it asks, and insists after a moment
    server.serve(...)
    leave()                               # in place of returning from main
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import NoReturn

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

PATIENCE = 0.9
"""Seconds that stopping may take before the process ends as it is, which files survive (8.9)."""


class StopSignals:
    """What to do when a signal comes; see `install_stop_signals`."""

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None
        self.asked = False
        """Whether a signal has come."""

    def hand_over(self, stop: Callable[[], None]) -> None:
        """Call `stop` when a signal comes, anywhere between two bytecodes: it may only set a flag."""
        self._stop = stop

    def on_signal(self, *_signal_and_frame: object) -> None:
        """Stop now, or ask; a second signal changes nothing."""
        if self._stop is None:
            os._exit(0)
        if not self.asked:
            self.asked = True
            signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            self._stop()


def install_stop_signals() -> StopSignals:
    """Take the signals over, also those that whoever started us had ignored or blocked."""
    signals = StopSignals()
    for number in STOPPING:
        signal.signal(number, signals.on_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [*STOPPING, signal.SIGALRM])
    return signals


def leave(code: int = 0) -> NoReturn:
    """End the process without Python's own shutdown, during which a signal would still kill it."""
    os._exit(code)
