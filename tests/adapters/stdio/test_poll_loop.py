"""The loop on poll: timers in order and on time, descriptors of every kind, signals that end a wait."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from heartbeat_adapters.stdio import poll_loop
from heartbeat_adapters.stdio.poll_loop import PollLoop

AT_MOST = 10.0

pytestmark = pytest.mark.timeout(60)  # a loop that is broken may never come to its own limit


@dataclass
class Bounded:
    """A loop that gives up after a while, and what it has noted."""

    loop: PollLoop
    log: list[str]
    seen: list[object] = field(default_factory=list)

    def note(self, what: object) -> Callable[[], None]:
        return lambda: self.seen.append(what)

    def run(self) -> list[object]:
        limit = self.loop.call_later(AT_MOST, lambda: pytest.fail("nothing stopped the loop"))
        self.loop.run()
        limit.cancel()
        return self.seen


@pytest.fixture
def bounded() -> Bounded:
    log: list[str] = []
    return Bounded(PollLoop(log.append), log)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def test_timers_come_in_order_of_their_times(bounded: Bounded) -> None:
    """5.2"""
    for delay in (0.003, 0.001, 0.002, -1.0, 0.0):
        bounded.loop.call_later(delay, bounded.note(delay))
    bounded.loop.call_later(0.004, bounded.loop.stop)
    assert bounded.run() == [-1.0, 0.0, 0.001, 0.002, 0.003]


def test_a_timer_is_never_early(bounded: Bounded) -> None:
    """5.2"""
    due = bounded.loop.time() + 0.0105

    def look() -> None:
        assert bounded.loop.time() >= due
        bounded.loop.stop()

    bounded.loop.call_later(0.0105, look)
    bounded.run()
    assert bounded.log == []


def test_a_timer_never_comes_from_inside_the_call_that_arms_it(bounded: Bounded) -> None:
    """5.2"""
    bounded.loop.call_later(-5.0, bounded.note("a"))
    assert bounded.seen == []


def test_a_cancelled_timer_does_not_come(bounded: Bounded) -> None:
    """5.2"""
    handle = bounded.loop.call_later(0.0, bounded.note("cancelled"))
    handle.cancel()
    handle.cancel()
    bounded.loop.call_later(0.001, bounded.loop.stop)
    assert bounded.run() == []


def test_arming_anew_all_the_time_leaves_nothing_behind(bounded: Bounded) -> None:
    """2.7"""
    for _ in range(10_000):
        bounded.loop.call_later(1_000.0, bounded.note("far")).cancel()
    assert len(bounded.loop._timers) < 100


def test_a_timer_that_breaks_is_logged_and_the_others_come(bounded: Bounded) -> None:
    """2.8"""

    def break_down() -> None:
        raise KeyError("boom")

    bounded.loop.call_later(0.0, break_down)
    bounded.loop.call_later(0.0, bounded.note("other"))
    bounded.loop.call_later(0.0, bounded.loop.stop)
    assert bounded.run() == ["other"]
    assert "KeyError" in bounded.log[0]


def test_a_descriptor_whose_callback_breaks_is_logged_and_called_again(
    bounded: Bounded, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """2.8"""
    monkeypatch.setattr(poll_loop, "REST", 0.001)

    def read_and_break(_events: int) -> None:
        bounded.seen.append(os.read(pipe[0], 1))
        if bounded.seen == [b"a", b"b"]:
            bounded.loop.stop()
        raise ValueError("broken watcher")

    bounded.loop.watch(pipe[0], select.POLLIN, read_and_break)
    os.write(pipe[1], b"ab")
    assert bounded.run() == [b"a", b"b"]
    assert len(bounded.log) == 2
    assert "broken watcher" in bounded.log[0]


def breaks_when_it_can_be_read(bounded: Bounded, fd: int) -> None:
    """Watch a descriptor with a callback that reads nothing, so that it would be ready again at once."""

    def break_down(_events: int) -> None:
        bounded.seen.append("broken")
        raise MemoryError

    bounded.loop.watch(fd, select.POLLIN, break_down)


def test_a_descriptor_whose_callback_breaks_rests(bounded: Bounded, pipe: tuple[int, int]) -> None:
    """2.8: it would fill the log and take the whole machine."""
    os.write(pipe[1], b"x")
    breaks_when_it_can_be_read(bounded, pipe[0])
    bounded.loop.call_later(0.02, bounded.loop.stop)
    assert bounded.run() == ["broken"]
    assert len(bounded.log) == 1


def test_a_descriptor_that_rests_can_be_unwatched(
    bounded: Bounded, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """2.8"""
    monkeypatch.setattr(poll_loop, "REST", 0.005)
    os.write(pipe[1], b"x")
    breaks_when_it_can_be_read(bounded, pipe[0])
    bounded.loop.call_later(0.001, lambda: bounded.loop.unwatch(pipe[0]))
    bounded.loop.call_later(0.03, bounded.loop.stop)
    assert bounded.run() == ["broken"]
    assert len(bounded.log) == 1


def test_a_descriptor_that_rests_can_be_watched_anew_at_once(bounded: Bounded, pipe: tuple[int, int]) -> None:
    """2.8"""
    os.write(pipe[1], b"x")
    breaks_when_it_can_be_read(bounded, pipe[0])

    def watch_anew() -> None:
        bounded.loop.watch(pipe[0], select.POLLIN, lambda _events: bounded.loop.stop())

    bounded.loop.call_later(0.001, watch_anew)
    assert bounded.run() == ["broken"]


def test_timers_that_arm_each_other_leave_descriptors_their_turn(
    bounded: Bounded, pipe: tuple[int, int]
) -> None:
    """5.2"""

    def again() -> None:
        bounded.loop.call_later(0.0, again)

    again()
    os.write(pipe[1], b"x")
    bounded.loop.watch(pipe[0], select.POLLIN, lambda _events: bounded.loop.stop())
    bounded.run()


def test_descriptors_that_are_always_ready_leave_timers_their_turn(
    bounded: Bounded, pipe: tuple[int, int]
) -> None:
    """5.2"""
    os.write(pipe[1], b"x")
    bounded.loop.watch(pipe[0], select.POLLIN, bounded.seen.append)
    bounded.loop.call_later(0.002, bounded.loop.stop)
    assert set(bounded.run()) == {select.POLLIN}


def test_a_descriptor_unwatched_by_another_is_left_alone(bounded: Bounded, pipe: tuple[int, int]) -> None:
    """1.7"""
    twice = os.dup(pipe[0])
    os.write(pipe[1], b"x")

    def first(other: int) -> Callable[[int], None]:
        def call(_events: int) -> None:
            bounded.seen.append(other)
            bounded.loop.unwatch(other)
            bounded.loop.unwatch(other)
            bounded.loop.call_later(0.0, bounded.loop.stop)

        return call

    bounded.loop.watch(pipe[0], select.POLLIN, first(twice))
    bounded.loop.watch(twice, select.POLLIN, first(pipe[0]))
    seen = bounded.run()
    os.close(twice)
    assert set(seen) in ({twice}, {pipe[0]})


def test_a_hang_up_comes_without_being_asked_for(bounded: Bounded) -> None:
    """1.4"""
    reading, writing = os.pipe()
    os.close(writing)

    def ended(events: int) -> None:
        bounded.seen.append(events)
        bounded.loop.stop()

    bounded.loop.watch(reading, 0, ended)
    assert bounded.run() == [select.POLLHUP]
    os.close(reading)


def test_a_loop_that_was_stopped_before_it_ran_does_not_wait(bounded: Bounded) -> None:
    """1.4: a signal may come just before."""
    bounded.loop.stop()
    assert bounded.run() == []


def test_a_signal_ends_the_wait(bounded: Bounded) -> None:
    """1.4: its handler runs, and the loop sees at once what that has set."""
    before = signal.signal(signal.SIGUSR1, lambda *_: bounded.loop.stop())
    try:
        bounded.loop.call_later(0.001, lambda: killer.start())
        killer = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGUSR1))
        bounded.run()
        killer.join(AT_MOST)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert signal.set_wakeup_fd(-1) == -1


def test_a_signal_that_stops_nothing_is_no_end(bounded: Bounded) -> None:
    """1.4"""
    before = signal.signal(signal.SIGUSR1, lambda *_: bounded.seen.append("signal"))
    try:
        bounded.loop.call_later(0.0, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        bounded.loop.call_later(0.005, bounded.loop.stop)
        assert bounded.run() == ["signal"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_loop_runs_in_any_thread(bounded: Bounded) -> None:
    """9.2: only the main thread hears signals, the others go without."""
    bounded.loop.call_later(0.0, bounded.note("ran"))
    bounded.loop.call_later(0.0, bounded.loop.stop)
    thread = threading.Thread(target=bounded.run, daemon=True)
    thread.start()
    thread.join(AT_MOST)
    assert bounded.seen == ["ran"]
