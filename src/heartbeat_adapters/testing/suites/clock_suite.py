"""What every `Clock` owes the core (5.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing.suites.playing import not_played
from heartbeat_core.ports import Clock

A_LITTLE = timedelta(milliseconds=5)
A_WHILE = timedelta(milliseconds=65)
AT_MOST = timedelta(seconds=10)


class ClockSuite:
    """The obligations of `heartbeat_core.ports.Clock`. A real clock is waited for some milliseconds."""

    def make_clock(self) -> Clock:
        """Give the clock under test; called once in each test."""
        raise NotImplementedError

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Let time pass until the condition holds; raise AssertionError where it does not come to hold.

        As it stands this is for a clock whose callbacks come by themselves. Override it for one that needs a
        loop to be run, or that is moved by hand.
        """
        clock = self._clock
        end = clock.monotonic() + AT_MOST
        while not condition():
            assert clock.monotonic() < end, "waited for 10 s in vain"

    def set_wall_clock(self, by: timedelta) -> None:
        """Play an operator who sets the wall clock forward, or back where `by` is negative."""
        not_played(self, "set_wall_clock")

    # The tests

    def _make(self) -> Clock:
        self._clock = self.make_clock()
        self._names: list[str] = []
        self._times: list[datetime] = []
        return self._clock

    def _named(self, name: str) -> Callable[[], None]:
        """A callback that notes its name, and when it came."""

        def call() -> None:
            self._names.append(name)
            self._times.append(self._clock.now())

        return call

    def _wait_for(self, name: str) -> None:
        self.wait_for(lambda: name in self._names)

    def test_now_is_aware_and_in_utc(self) -> None:
        """5.2"""
        assert self._make().now().utcoffset() == timedelta()

    def test_the_monotonic_clock_never_goes_back(self) -> None:
        """5.2"""
        clock = self._make()
        first = clock.monotonic()
        self.set_wall_clock(-timedelta(days=1))
        assert clock.monotonic() >= first

    def test_a_callback_comes_once_and_not_early(self) -> None:
        """5.2"""
        clock = self._make()
        when = clock.now() + A_LITTLE
        clock.call_at(when, self._named("a"))
        clock.call_at(when + 2 * A_LITTLE, self._named("later"))
        self._wait_for("later")
        assert self._names == ["a", "later"]
        assert self._times[0] >= when

    def test_a_longer_wait_is_kept_to_the_end(self) -> None:
        """5.2: a clock that looks in between whether it was set must not call back early"""
        clock = self._make()
        when = clock.now() + A_WHILE
        clock.call_at(when, self._named("a"))
        self._wait_for("a")
        assert self._times[0] >= when

    def test_a_time_in_the_past_calls_back_soon_but_not_from_inside(self) -> None:
        """5.2"""
        clock = self._make()
        for number, ago in enumerate([timedelta(), timedelta(days=1), timedelta(days=365 * 2000)]):
            clock.call_at(clock.now() - ago, self._named(f"{number}"))
            assert f"{number}" not in self._names
            self._wait_for(f"{number}")

    def test_the_end_of_all_times_never_comes(self) -> None:
        """5.2"""
        clock = self._make()
        clock.call_at(datetime.max.replace(tzinfo=UTC), self._named("end"))
        clock.call_at(clock.now() + A_WHILE / 2, self._named("a"))
        self._wait_for("a")
        assert self._names == ["a"]

    def test_callbacks_come_in_the_order_of_their_times(self) -> None:
        """5.2"""
        clock = self._make()
        start = clock.now()
        for name in "cabd":
            clock.call_at(start + ("abcd".index(name) - 2) * A_LITTLE, self._named(name))
        self._wait_for("d")
        assert self._names == ["a", "b", "c", "d"]

    def test_callbacks_at_one_time_come_in_the_order_they_were_armed(self) -> None:
        """5.2"""
        clock = self._make()
        when = clock.now() + A_LITTLE
        for name in "cab":
            clock.call_at(when, self._named(name))
        self._wait_for("b")
        assert self._names == ["c", "a", "b"]

    def test_a_cancelled_callback_does_not_come(self) -> None:
        """5.2"""
        clock = self._make()
        timer = clock.call_at(clock.now() + A_LITTLE, self._named("a"))
        clock.call_at(clock.now() + 2 * A_LITTLE, self._named("b"))
        timer.cancel()
        timer.cancel()
        self._wait_for("b")
        timer.cancel()
        assert self._names == ["b"]

    def test_a_callback_can_cancel_another_that_is_due_as_well(self) -> None:
        """5.2"""
        clock = self._make()
        when = clock.now() + A_LITTLE
        clock.call_at(when, lambda: second.cancel())
        second = clock.call_at(when, self._named("second"))
        clock.call_at(when + A_LITTLE, self._named("last"))
        self._wait_for("last")
        assert self._names == ["last"]

    def test_a_timer_can_be_cancelled_after_its_callback_came(self) -> None:
        """5.2"""
        clock = self._make()
        timer = clock.call_at(clock.now(), self._named("a"))
        self._wait_for("a")
        timer.cancel()
        clock.call_at(clock.now(), self._named("b"))
        self._wait_for("b")

    def test_a_callback_can_arm_the_next(self) -> None:
        """5.2"""
        clock = self._make()

        def first() -> None:
            clock.call_at(clock.now(), self._named("now"))
            clock.call_at(clock.now() + A_LITTLE, self._named("later"))
            assert self._names == []

        clock.call_at(clock.now(), first)
        self._wait_for("later")
        assert self._names == ["now", "later"]

    def _everybody_is_called_back_where_it_is_set(self, by: timedelta) -> None:
        clock = self._make()
        clock.call_at(datetime.max.replace(tzinfo=UTC), self._named("far"))
        clock.call_at(clock.now() + timedelta(days=1), self._named("near"))
        self.set_wall_clock(by)
        self._wait_for("far")
        assert self._names == ["near", "far"]

    def test_everybody_is_called_back_once_when_the_wall_clock_is_set_forward(self) -> None:
        """5.2: whatever they wait for, so that they can look at everything anew"""
        self._everybody_is_called_back_where_it_is_set(timedelta(hours=1))

    def test_everybody_is_called_back_once_when_the_wall_clock_is_set_back(self) -> None:
        """5.2"""
        self._everybody_is_called_back_where_it_is_set(-timedelta(hours=1))

    def test_everybody_is_called_back_once_when_the_wall_clock_is_set_by_a_second(self) -> None:
        """5.2"""
        self._everybody_is_called_back_where_it_is_set(timedelta(seconds=1))

    def test_a_clock_that_was_set_is_noticed_by_those_who_arm_anew_all_the_time(self) -> None:
        """5.2: each entry into the core cancels its timer and arms another"""
        clock = self._make()
        far = clock.now() + timedelta(days=1)
        timers = [clock.call_at(far, self._named("far"))]
        self.set_wall_clock(timedelta(hours=1))

        def again() -> bool:
            timers.pop().cancel()
            timers.append(clock.call_at(far, self._named("far")))
            return bool(self._names)

        if not self._names:  # one that is set by hand may have called already
            self.wait_for(again)
