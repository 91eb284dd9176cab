"""What makes a method an entry: the clocks are read before it, and the timer is armed after it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class HasEntries(Protocol):
    """What is called from outside, and has a clock to read and a timer to arm."""

    def _begin(self) -> object:
        """Read both clocks, once for all that follows."""

    def _end(self) -> None:
        """Wait for what comes next."""


S = TypeVar("S", bound=HasEntries)


def from_outside(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Make a method an entry, so that nobody can forget either step; also where the method raises."""

    @wraps(method)
    def entry(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        self._begin()
        try:
            return method(self, *args, **kwargs)
        finally:
            self._end()

    return entry
