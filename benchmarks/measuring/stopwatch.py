"""The two clocks that measure: one that only moves forwards, and the wall clock that wakes are due by."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds() -> float:
    """The monotonic clock at its finest."""
    return time.perf_counter()


def epoch_seconds() -> float:
    """The wall clock, as due times are given in."""
    return time.time_ns() / 1e9


def timed(step: Callable[[], object]) -> float:
    """How many seconds a step takes."""
    start = seconds()
    step()
    return seconds() - start
