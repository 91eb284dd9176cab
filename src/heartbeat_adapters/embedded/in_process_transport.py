"""The `Transport` to an agent in the same process: a handler that is called with each wake.

Handlers of reminders run side by side, each in a task of its own: up to 32 may be out at once, and one that
hangs must not keep the others from the agent. Beats do not overlap; the core sees to that (9.5). An agent
that hears one thing at a time puts wakes into a queue, which its handler does in no time.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from heartbeat_core.ports import Clock, Timer
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

Verdict = Answer | bool | None
"""What a handler may say: None, True or `Taken()` for taken; False or `Refused(reason)` for refused; or
`Failed(reason)`. An exception counts as `Failed`, too."""

Handler = Callable[[Wake], Verdict | Awaitable[Verdict]]
"""What is called with each wake: a plain function, which runs on the loop and so must be quick, or one that
gives something to await.

A silent wake has no `text` (6.11). One that takes longer than `handler_timeout` is cancelled (9.5); a plain
function that blocks cannot be.
"""


@dataclass(slots=True)
class _Call:
    """One call of the handler; `wake` is the latest attempt at its event, the one that can be answered."""

    wake: Wake
    task: asyncio.Task[Verdict]
    started: timedelta
    timer: Timer | None = None

    def stop_timing(self) -> None:
        """Nobody waits any more."""
        if self.timer is not None:
            self.timer.cancel()


class InProcessTransport:
    """Implements `heartbeat_core.ports.Transport` on a loop, for one handler.

    `answered` is `Heartbeat.answered`. It is called on the loop, and never from inside `push`. Every
    call runs in a copy of the context in which this was built: not in that of whoever called a tool last.
    """

    def __init__(
        self,
        handler: Handler,
        answered: Callable[[Wake, Answer], None],
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        handler_timeout: timedelta,
    ) -> None:
        self._clock = clock
        self._timeout = handler_timeout
        self._handler = handler
        self._answered = answered
        self._loop = loop
        self._context = contextvars.copy_context()
        self._calls: dict[str, _Call] = {}
        """Those that have not ended, by event id."""
        self._when_quiet: Callable[[], None] | None = None
        self._closer: asyncio.Task[Verdict] | None = None
        """The call that `close` was called from, if any."""

    def push(self, wake: Wake) -> None:
        """Have the handler called with the wake, soon.

        While it still runs with an earlier attempt at the same event, it is not called again: what it
        says in the end answers this attempt. A handler that takes minutes so hears a reminder once,
        although the core holds what got no answer in time, and tries it again (4.12, 7.3).
        """
        running = self._calls.get(wake.event_id)
        if running is not None:
            running.wake = wake
            return
        # Not by way of the loop's task factory: an eager one would call the handler from in here.
        task = asyncio.Task(self._handle(wake), loop=self._loop, context=self._context.copy())
        call = self._calls[wake.event_id] = _Call(wake, task, self._clock.monotonic())
        task.add_done_callback(lambda _: self._ended(call))
        self._time(call)

    def _time(self, call: _Call) -> None:
        """Wait for the end of the time that a handler has, on the clock that stands still in suspend."""
        left = call.started + self._timeout - self._clock.monotonic()
        if left > timedelta(0):
            call.timer = self._clock.call_at(self._clock.now() + left, lambda: self._time(call))
        elif self._calls.pop(call.wake.event_id, None) is not None:
            call.task.cancel()
            seconds = f"{self._timeout.total_seconds():g}"
            self._settle(call, Failed(f"the handler took longer than {seconds} s and was cancelled"))

    def ready(self) -> bool:
        """Whether wakes are still taken: until `close`."""
        return self._when_quiet is None

    def close(self, when_quiet: Callable[[], None]) -> None:
        """Take no more wakes, and cancel the calls that still run, but for the one that this is called from.

        `when_quiet` is called once, when all have ended, whose answers still count; at once where none runs.
        """
        self._when_quiet = when_quiet
        self._closer = _current_task()
        if not self._calls:
            when_quiet()
        for call in self._calls.values():
            if call.task is not self._closer:
                call.task.cancel()

    def give_up(self) -> int:
        """Wait no longer for calls that do not end although they were cancelled; gives how many.

        Their answers are lost. The call that `close` was called from was not cancelled, and goes on.
        """
        before = len(self._calls)
        self._calls = {event: call for event, call in self._calls.items() if call.task is self._closer}
        if self._when_quiet is not None and not self._calls:
            self._when_quiet()
        return before - len(self._calls)

    def in_beat(self) -> bool:
        """Whether this is called from the handler of a beat (9.5)."""
        current = _current_task()
        return any(call.task is current and call.wake.reminder_id is None for call in self._calls.values())

    def is_inside(self) -> bool:
        """Whether this is called from the handler."""
        return any(call.task is _current_task() for call in self._calls.values())

    async def drain(self) -> None:
        """Wait until the calls that run now have ended and their answers were passed on."""
        tasks = {call.task for call in self._calls.values()} - {_current_task()}
        if tasks:
            await asyncio.wait(tasks)

    async def _handle(self, wake: Wake) -> Verdict:
        verdict = self._handler(wake)
        return await verdict if inspect.isawaitable(verdict) else verdict

    def _ended(self, call: _Call) -> None:
        if self._calls.get(call.wake.event_id) is not call:  # it took too long, or was given up
            if not call.task.cancelled():
                call.task.exception()  # or asyncio logs that nobody asked for it
            return
        del self._calls[call.wake.event_id]
        self._settle(call, self._answer_of(call.task))

    def _settle(self, call: _Call, answer: Answer) -> None:
        call.stop_timing()
        self._answered(call.wake, answer)
        if self._when_quiet is not None and not self._calls:
            self._when_quiet()

    def _answer_of(self, task: asyncio.Task[Verdict]) -> Answer:
        if task.cancelled():
            return Failed("the handler was cancelled")
        error = task.exception()
        if error is None:
            return _read(task.result())
        # The agent's own mistake: to the core it is one line, and its maker needs the traceback.
        self._loop.call_exception_handler(
            {"message": "The handler of a wake raised", "exception": error, "task": task}
        )
        return Failed(f"the handler raised {type(error).__name__}: {error}")


def _current_task() -> asyncio.Task[Verdict] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs in this thread
        return None


def _read(verdict: object) -> Answer:
    match verdict:
        case None | True:
            return Taken()
        case False:
            return Refused("the handler said no")
        case Taken() | Refused() | Failed():
            return verdict
    # Not taken for taken: what is returned by mistake may be a refusal in some other shape, or a
    # generator that never ran, and a wake that is lost is worse than one that comes again.
    return Failed(
        f"the handler gave {type(verdict).__name__}, which is no answer: give None, a bool, Taken, "
        "Refused or Failed"
    )
