"""Signals that stop a command which has something to tidy up: a child, a temporary folder.

They are KeyboardInterrupt for a while. The server has its own way (`stop_signals`).
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from heartbeat_adapters.stdio.stop_signals import STOPPING

EXIT_INTERRUPTED = 130
"""As shells have it for what Ctrl-C ended; SIGTERM and SIGHUP end a command in the same way."""


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Have the first signal raise KeyboardInterrupt, and further ones not disturb the tidying up."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
