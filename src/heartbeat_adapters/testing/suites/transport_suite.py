"""What every `Transport` owes the core."""

from __future__ import annotations

from datetime import UTC, datetime

from heartbeat_adapters.testing.suites.playing import not_played
from heartbeat_core.ports import Transport
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


class CoreSide:
    """What a transport knows of the core: notes what it is told, and fails where that comes inside `push`."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Answer]] = []
        """The number of each wake that was answered, and the answer."""
        self.room_again = 0
        """How often it was told that there is room again."""
        self.inside = False

    def answered(self, wake: Wake, answer: Answer) -> None:
        """As `Heartbeat.answered`."""
        assert not self.inside, "answered from inside push"
        self.answers.append((wake.number, answer))

    def transport_ready(self) -> None:
        """As `Heartbeat.transport_ready`."""
        assert not self.inside, "transport_ready from inside push"
        self.room_again += 1


class TransportSuite:
    """The obligations of `heartbeat_core.ports.Transport`.

    The wakes have numbers from 1, and the event ids `event_1`, `event_2`, ….
    """

    def make_transport(self, core: CoreSide) -> Transport:
        """Give the transport under test, which tells `core` what its other end says; once in each test."""
        raise NotImplementedError

    def arrived(self) -> list[str]:
        """Give the event ids that have reached the other end, in order."""
        not_played(self, "arrived")

    def answer(self, number: int, refused_with: str | None = None) -> None:
        """Have the other end answer the wake of that number; `core` has heard it when this returns."""
        not_played(self, "answer")

    def fill(self) -> None:
        """Take the room away."""
        not_played(self, "fill")

    def drain(self) -> None:
        """Give the room back."""
        not_played(self, "drain")

    # The tests

    def _make(self) -> Transport:
        self._core = CoreSide()
        self._transport = self.make_transport(self._core)
        return self._transport

    def _push(self, *numbers: int) -> None:
        self._core.inside = True
        for number in numbers:
            wake = Wake(number, f"event_{number}", {"source": "heartbeat"}, f"wake {number}", NOON, NOON)
            self._transport.push(wake)
        self._core.inside = False

    def test_wakes_reach_the_other_end_in_the_order_in_which_they_were_pushed(self) -> None:
        """5.2"""
        self._make()
        self._push(1, 2, 3)
        assert self.arrived() == ["event_1", "event_2", "event_3"]

    def test_nothing_is_answered_before_the_other_end_has_answered(self) -> None:
        """7.2"""
        self._make()
        self._push(1)
        assert self.arrived() == ["event_1"]
        assert self._core.answers == []

    def test_what_the_other_end_says_is_the_answer_to_the_wake_that_it_is_about(self) -> None:
        """4.11"""
        self._make()
        self._push(1, 2)
        self.answer(1)
        self.answer(2, refused_with="asleep")
        assert self._core.answers == [(1, Taken()), (2, Refused("asleep"))]

    def test_answers_may_come_in_any_order_and_after_further_wakes(self) -> None:
        """4.11"""
        self._make()
        self._push(1, 2)
        self.answer(2)
        self._push(3)
        self.answer(3)
        self.answer(1)
        assert self._core.answers == [(2, Taken()), (3, Taken()), (1, Taken())]

    def test_there_is_room_at_the_start_and_for_as_many_as_the_core_has_out(self) -> None:
        """7.4"""
        transport = self._make()
        for number in range(1, 33):
            assert transport.ready()
            self._push(number)
        assert self._core.answers == []

    def test_a_transport_without_room_says_so(self) -> None:
        """2.7"""
        transport = self._make()
        self.fill()
        assert not transport.ready()
        assert self._core.room_again == 0

    def test_the_core_is_told_when_there_is_room_again(self) -> None:
        """2.7"""
        transport = self._make()
        self.fill()
        assert not transport.ready()
        self.drain()
        assert transport.ready()
        assert self._core.room_again == 1
