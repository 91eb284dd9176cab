"""What is due and when: one timer, and the one place that everything due is done from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from heartbeat_core.ports import Clock, Timer
from heartbeat_core.times.clock_readings import Reading

_PUT_OFF = timedelta(seconds=10)
"""How long an action waits that went wrong in a way that nobody expected; the others go on."""

_AGAIN = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class DueAction:
    """Something to do, and from when on. `kind` tells it from the others that are coming."""

    kind: str
    when: datetime
    act: Callable[[], object]


class Agenda:
    """Does actions when they are due, the earliest first.

    `coming` gives all actions there are, anew each time. What is due now and when the next moment comes are
    read from that one list, so the two can never disagree. An action may only be in it if doing it takes it
    out. `read` reads the clocks. `done` is called when all that was due is done, and calls `arm`. `broken` is
    called with an exception that an action raised, while that is handled.
    """

    def __init__(
        self,
        clock: Clock,
        read: Callable[[], Reading],
        coming: Callable[[], Iterable[DueAction]],
        done: Callable[[], None],
        broken: Callable[[Exception], None],
    ) -> None:
        self._clock = clock
        self._read = read
        self._coming = coming
        self._done = done
        self._broken = broken
        self._timer: Timer | None = None
        self._armed_for: datetime | None = None
        self._put_off: dict[str, timedelta] = {}
        self._stopped = False

    def arm(self, at: Reading) -> None:
        """Wait for what comes next; to be called after everything that may have changed that."""
        if self._stopped or self.is_about_to_step(at):
            return
        action = self._next(at)
        when = None if action is None else action.when
        if self._timer is None or when != self._armed_for:
            self._cancel()
            self._armed_for = when
            self._timer = None if when is None else self._clock.call_at(when, self._step)

    def is_about_to_step(self, at: Reading) -> bool:
        """Whether the timer comes at once anyway, and looks at everything then: many answers are one step."""
        return self._timer is not None and self._armed_for is not None and self._armed_for <= at.now

    def do_due(self) -> None:
        """Do what is due now, without waiting for the timer."""
        self._cancel()
        self._step()

    def stop(self) -> None:
        """Do nothing any more."""
        self._stopped = True
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _next(self, at: Reading) -> DueAction | None:
        return min(self._all(at), key=lambda action: action.when, default=None)

    def _all(self, at: Reading) -> Iterable[DueAction]:
        if not self._put_off:
            return self._coming()
        self._put_off = {kind: until for kind, until in self._put_off.items() if until > at.ticks}
        return [self._later(action, at) for action in self._coming()]

    def _later(self, action: DueAction, at: Reading) -> DueAction:
        until = self._put_off.get(action.kind)
        return action if until is None else replace(action, when=max(action.when, at.wall(until)))

    def _step(self) -> None:
        """Do all that is due. Whatever happens, a timer is armed: else no wake would ever come again."""
        self._timer = None
        if self._stopped:
            return
        kind = "none"
        try:
            at = self._read()
            while (action := self._next(at)) is not None and action.when <= at.now:
                kind = action.kind
                action.act()
            self._done()
        except Exception as error:  # an embedder's store or transport, or our own mistake
            self._broken(error)
            self._put_off[kind] = self._clock.monotonic() + _PUT_OFF
            self._armed_for = None
            self._timer = self._clock.call_at(self._clock.now() + _AGAIN, self._step)
