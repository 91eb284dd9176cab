"""A loop on `poll`: timers and descriptors, each calling back.

It has `call_later` as asyncio's loop has it, so `SystemClock` runs on either. asyncio itself is too slow to
import, and its pipes take neither files nor `/dev/null`.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial

REST = 1.0
"""Seconds for which a descriptor whose callback raised is left alone: it would be ready again at once."""

_LONGEST_WAIT = 3600.0  # poll counts milliseconds in an int


class Handle:
    """What `call_later` gives back."""

    __slots__ = ("_loop", "callback")

    def __init__(self, loop: PollLoop, callback: Callable[[], object]) -> None:
        self._loop = loop
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        """Make sure that the callback does not come any more. May be called twice."""
        if self.callback is not None:
            self.callback = None
            self._loop._forget_one()


class PollLoop:
    """Runs until stopped. An exception in a callback is logged, and the loop goes on."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._poll = select.poll()
        self._watchers: dict[int, tuple[int, Callable[[int], None]]] = {}
        self._timers: list[tuple[float, int, Handle]] = []
        self._order = 0
        self._cancelled = 0
        self.stopped = False

    def time(self) -> float:
        """The seconds that `call_later` counts by."""
        return time.monotonic()  # noqa: TID251 - what the Clock on this loop stands on

    def call_later(self, delay: float, callback: Callable[[], object]) -> Handle:
        """Call back once after so many seconds, never from inside this call, never early."""
        handle = Handle(self, callback)
        self._order += 1  # equal times keep their order
        heapq.heappush(self._timers, (self.time() + delay, self._order, handle))
        return handle

    def watch(self, fd: int, events: int, callback: Callable[[int], None]) -> None:
        """Call back with what `poll` says of a descriptor, from now on, in place of what was set before.

        POLLERR, POLLHUP and POLLNVAL come without being asked for, even with 0 for `events`, and come
        again each turn: the callback unwatches what it cannot get rid of. What is watched in the same way
        already is left as it is, also where it rests.
        """
        if self._watchers.get(fd) != (events, callback):
            self._poll.register(fd, events)
            self._watchers[fd] = (events, callback)

    def unwatch(self, fd: int) -> None:
        """Stop calling back. May be called for what is not watched."""
        if self._watchers.pop(fd, None) is not None:
            self._leave_alone(fd)

    def stop(self) -> None:
        """Make `run` return after the callback that is running. For signal handlers too; it stays so."""
        self.stopped = True

    def run(self, before_waiting: Callable[[], object] = lambda: None) -> None:
        """Call back what becomes due or ready until stopped; and `before_waiting` each time before that."""
        with self._woken_by_signals():
            while self._goes_on(before_waiting):
                ready = self._poll.poll(self._timeout())
                self._call_due()
                self._call_ready(ready)

    def _goes_on(self, before_waiting: Callable[[], object]) -> bool:
        """Whether there is more to wait for, after what is done before each wait, which may stop it."""
        self._call(before_waiting)
        return not self.stopped

    def _timeout(self) -> float:
        """Milliseconds to wait, which `poll` rounds up: a timer is late by a fraction of one, not early."""
        first = self._first_due()
        wait = _LONGEST_WAIT if first is None else min(first - self.time(), _LONGEST_WAIT)
        return max(wait, 0.0) * 1000

    def _first_due(self) -> float | None:
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
            self._cancelled -= 1
        return self._timers[0][0] if self._timers else None

    def _call_due(self) -> None:
        """Call what is due at this moment, not what that arms: descriptors have their turn too."""
        now, last = self.time(), self._order
        while not self.stopped and (first := self._first_due()) is not None and first <= now:
            if self._timers[0][1] > last:
                break
            _, _, handle = heapq.heappop(self._timers)
            callback, handle.callback = handle.callback, None
            if callback is not None:
                self._call(callback)

    def _call(self, callback: Callable[[], object]) -> bool:
        try:
            callback()
        except Exception:
            import traceback  # here, because it is slow to import and hardly ever needed

            self._log(traceback.format_exc().rstrip())
            return False
        return True

    def _call_ready(self, ready: list[tuple[int, int]]) -> None:
        for fd, events in ready:
            watcher = self._watchers.get(fd)  # an earlier callback may have unwatched it
            if watcher is not None and not self.stopped and not self._call(partial(watcher[1], events)):
                self._rest(fd)

    def _rest(self, fd: int) -> None:
        """Watch a descriptor again after a while, unless somebody does so before or wants no more of it."""

        def watch_again() -> None:
            if fd in self._watchers:
                self._poll.register(fd, self._watchers[fd][0])

        self._leave_alone(fd)
        self.call_later(REST, watch_again)

    def _leave_alone(self, fd: int) -> None:
        with contextlib.suppress(KeyError):  # it rests
            self._poll.unregister(fd)

    def _forget_one(self) -> None:
        """Keep cancelled timers from piling up: who arms anew at each request leaves one each time."""
        self._cancelled += 1
        if self._cancelled > 64 and self._cancelled * 2 > len(self._timers):
            self._timers = [timer for timer in self._timers if timer[2].callback is not None]
            heapq.heapify(self._timers)
            self._cancelled = 0

    @contextlib.contextmanager
    def _woken_by_signals(self) -> Iterator[None]:
        """Have a signal end the wait: `poll` itself goes on waiting once its handler has run."""
        try:
            before = signal.set_wakeup_fd(-1)
        except ValueError:  # not in the main thread, where no handler runs
            yield
            return
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self.watch(reading, select.POLLIN, lambda _events: _drain(reading))
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            self.unwatch(reading)
            os.close(reading)
            os.close(writing)


def _drain(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        os.read(fd, 4096)
