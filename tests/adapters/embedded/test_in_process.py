"""The transport to a handler in the same process, by itself: what is called when, and what counts as what."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from heartbeat_adapters.embedded.in_process_transport import Handler, InProcessTransport, Verdict
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

pytestmark = pytest.mark.timeout(60)  # what blocks a loop also holds up the limit that stands on it

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)
AT_MOST = 10.0


def wake(number: int, event_id: str | None = None) -> Wake:
    return Wake(number, event_id or f"event_{number}", {"source": "heartbeat"}, "wake up", NOON, NOON)


class Side:
    """The core's side of a transport: pushes, and notes what is answered."""

    def __init__(self, handler: Handler) -> None:
        self.loop = asyncio.get_running_loop()
        self.answers: list[tuple[int, Answer]] = []
        self.errors: list[object] = []
        self.loop.set_exception_handler(lambda _, context: self.errors.append(context["exception"]))
        self.transport = InProcessTransport(
            handler, self._answered, self.loop, SystemClock(self.loop), timedelta(hours=1)
        )
        self._pushing = False

    def push(self, *wakes: Wake) -> None:
        self._pushing = True
        for each in wakes:
            self.transport.push(each)
        self._pushing = False

    async def settled(self) -> list[tuple[int, Answer]]:
        await asyncio.wait_for(self.transport.drain(), AT_MOST)
        return self.answers

    def _answered(self, answered: Wake, answer: Answer) -> None:
        assert not self._pushing, "answered from inside push"
        self.answers.append((answered.number, answer))


def answer_to_one(handler: Handler) -> Answer:
    """What the core is told when the handler is called with one wake."""

    async def run() -> Answer:
        side = Side(handler)
        side.push(wake(1))
        ((number, answer),) = await side.settled()
        assert number == 1
        return answer

    return asyncio.run(run())


def in_a_loop(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that is a coroutine, in bounded time."""

    async def run() -> None:
        await asyncio.wait_for(test(), AT_MOST)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("verdict", "answer"),
    [
        (None, Taken()),
        (True, Taken()),
        (Taken(), Taken()),
        (False, Refused("the handler said no")),
        (Refused("asleep"), Refused("asleep")),
        (Failed("lost the line"), Failed("lost the line")),
    ],
    ids=repr,
)
def test_what_a_handler_gives_is_the_answer_whether_it_is_plain_or_async(
    verdict: Verdict, answer: Answer
) -> None:
    """9.2"""

    def plain(_: Wake) -> Verdict:
        return verdict

    async def awaited(_: Wake) -> Verdict:
        return verdict

    assert answer_to_one(plain) == answer
    assert answer_to_one(awaited) == answer


def test_whatever_can_be_awaited_is_awaited() -> None:
    """9.2"""

    def gives_a_future(_: Wake) -> Awaitable[bool]:
        future = asyncio.get_running_loop().create_future()
        future.set_result(False)
        return future

    class WithAsyncCall:
        async def __call__(self, _: Wake) -> Verdict:
            return Refused("called")

    assert answer_to_one(gives_a_future) == Refused("the handler said no")
    assert answer_to_one(WithAsyncCall()) == Refused("called")
    assert answer_to_one(lambda wake: WithAsyncCall()(wake)) == Refused("called")


@pytest.mark.parametrize("odd", ["done", {"accepted": False}, 0, 1, Taken], ids=repr)
def test_what_is_no_answer_is_not_taken_for_taken(odd: object) -> None:
    """9.2: a wake that is lost is worse than one that comes again."""
    answer = answer_to_one(lambda _: odd)  # type: ignore[arg-type, return-value]
    assert isinstance(answer, Failed)
    assert type(odd).__name__ in answer.reason


def test_a_handler_that_raises_has_failed_and_its_traceback_is_not_lost() -> None:
    """9.2"""

    async def run() -> None:
        async def raises(_: Wake) -> None:
            raise KeyError("no such agent")

        side = Side(raises)
        side.push(wake(1))
        assert await side.settled() == [(1, Failed("the handler raised KeyError: 'no such agent'"))]
        (error,) = side.errors
        assert isinstance(error, KeyError)
        assert error.__traceback__ is not None

    in_a_loop(run)


def test_a_handler_that_is_cancelled_from_elsewhere_has_failed() -> None:
    """9.2"""

    async def cancels_itself(_: Wake) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.Event().wait()

    assert answer_to_one(cancels_itself) == Failed("the handler was cancelled")


def test_handlers_run_side_by_side_and_begin_in_order() -> None:
    """7.4: one that hangs keeps nothing from the agent."""

    async def run() -> None:
        begun: list[int] = []
        go_on = asyncio.Event()

        async def first_hangs(heard: Wake) -> None:
            begun.append(heard.number)
            if heard.number == 1:
                await go_on.wait()

        side = Side(first_hangs)
        side.push(*[wake(number) for number in range(1, 33)])
        side.loop.call_later(0, side.loop.call_soon, go_on.set)
        answers = await side.settled()
        assert begun == list(range(1, 33))
        assert answers[-1] == (1, Taken())
        assert len(answers) == 32

    in_a_loop(run)


def test_while_a_handler_has_an_event_a_second_attempt_waits_for_its_answer() -> None:
    """4.12, 7.3: a handler that takes minutes hears a reminder once."""

    async def run() -> None:
        calls: list[int] = []
        go_on = asyncio.Event()

        async def slow(heard: Wake) -> Verdict:
            calls.append(heard.number)
            await go_on.wait()
            return True

        side = Side(slow)
        side.push(wake(1, "rem_1@0"))
        side.push(wake(2, "rem_1@0"), wake(3))
        go_on.set()
        assert await side.settled() == [(2, Taken()), (3, Taken())]
        side.push(wake(4, "rem_1@0"))
        await side.settled()
        assert calls == [1, 3, 4]

    in_a_loop(run)


def test_a_task_factory_of_the_program_is_left_out_since_it_may_start_tasks_at_once() -> None:
    """9.2: an eager one would call the handler from inside `push`."""

    async def run() -> None:
        made: list[str] = []

        def factory(
            loop: asyncio.AbstractEventLoop, coroutine: Coroutine[object, object, object], **more: Any
        ) -> asyncio.Task[object]:
            made.append(str(coroutine))
            return asyncio.Task(coroutine, loop=loop, **more)

        side = Side(lambda _: None)
        side.loop.set_task_factory(factory)  # type: ignore[arg-type]
        side.push(wake(1))
        assert await side.settled() == [(1, Taken())]
        assert not any(InProcessTransport.__name__ in name and "drain" not in name for name in made)

    in_a_loop(run)


def test_a_handler_does_not_see_the_context_of_whoever_called_a_tool_last() -> None:
    """9.2"""
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request", default="none")

    async def run() -> None:
        seen: list[str] = []

        def look(_: Wake) -> None:
            seen.append(request.get())
            request.set("left behind")

        side = Side(look)
        request.set("a user's")
        side.push(wake(1))
        await side.settled()
        side.push(wake(2))
        await side.settled()
        assert seen == ["none", "none"]

    in_a_loop(run)


def test_after_close_nothing_is_taken_and_what_runs_is_cancelled() -> None:
    """9.2"""

    async def run() -> None:
        begun = asyncio.Event()
        quiet = asyncio.Event()

        async def hangs(_: Wake) -> None:
            begun.set()
            await asyncio.Event().wait()

        side = Side(hangs)
        assert side.transport.ready()
        side.push(wake(1))
        await begun.wait()
        side.transport.close(quiet.set)
        assert not side.transport.ready()
        await quiet.wait()
        assert side.answers == [(1, Failed("the handler was cancelled"))]

    in_a_loop(run)


def test_a_handler_may_still_say_taken_when_it_is_cancelled() -> None:
    """9.2"""

    async def run() -> None:
        begun = asyncio.Event()
        quiet = asyncio.Event()

        async def finishes(_: Wake) -> Verdict:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return True
            return False

        side = Side(finishes)
        side.push(wake(1))
        await begun.wait()
        side.transport.close(quiet.set)
        await quiet.wait()
        assert side.answers == [(1, Taken())]

    in_a_loop(run)


def test_a_call_that_had_not_begun_when_it_was_cancelled_has_failed() -> None:
    """9.2"""

    async def run() -> None:
        called: list[Wake] = []
        quiet = asyncio.Event()
        side = Side(called.append)
        side.push(wake(1))
        side.transport.close(quiet.set)
        await quiet.wait()
        assert (called, side.answers) == ([], [(1, Failed("the handler was cancelled"))])

    in_a_loop(run)


def test_closing_while_nothing_runs_is_done_at_once() -> None:
    """9.2"""

    async def run() -> None:
        quiet = asyncio.Event()
        Side(lambda _: None).transport.close(quiet.set)
        assert quiet.is_set()

    in_a_loop(run)
