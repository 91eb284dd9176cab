"""What every transport owes the core: one suite over the shipped fake, the in-process one, and MCP's.

Each `World` plays the host at the other end: it answers, or does not, when the test says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, cast

import pytest

from heartbeat_adapters.embedded.in_process_transport import InProcessTransport, Verdict
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_adapters.testing.fake_clock import FakeClock
from heartbeat_adapters.testing.recording_log import RecordingLog
from heartbeat_adapters.testing.recording_transport import RecordingTransport
from heartbeat_adapters.wire.mcp import Core, McpServer
from heartbeat_adapters.wire.wire_log import WireLog
from heartbeat_core.ports import Transport
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


def wake(number: int) -> Wake:
    return Wake(number, f"event_{number}", {"source": "heartbeat"}, f"wake {number}", NOON, NOON)


class Heard:
    """The core's side: notes what it is told, and whether that comes from inside `push`."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Answer]] = []
        self.room_again = 0
        self.inside = False

    def answered(self, answered: Wake, answer: Answer) -> None:
        assert not self.inside
        self.answers.append((answered.number, answer))

    def transport_ready(self) -> None:
        assert not self.inside
        self.room_again += 1

    def host_arrived(self, *, speaks_mcpl: bool) -> None:
        assert speaks_mcpl

    def flush(self) -> None: ...


class World(Protocol):
    """A transport and the host at its other end."""

    heard: Heard

    @property
    def transport(self) -> Transport: ...

    def arrived(self) -> list[str]:
        """The event ids that have reached the host, in order."""

    def answer(self, number: int, refused_with: str | None = None) -> None:
        """Have the host answer the wake of that number, so that the core has heard of it."""

    def fill(self) -> None:
        """Take the room away; in process, where there always is room, by closing it for good."""


class RoomyWorld(World, Protocol):
    """One in which room that was taken can come back."""

    def drain(self) -> None:
        """Give the room back, and tell the core as the adapter does."""


class Recording:
    def __init__(self) -> None:
        self.heard = Heard()
        self.transport = RecordingTransport()

    def arrived(self) -> list[str]:
        return [wake.event_id for wake in self.transport.wakes]

    def answer(self, number: int, refused_with: str | None = None) -> None:
        (sent,) = [wake for wake in self.transport.wakes if wake.number == number]
        self.heard.answered(sent, Taken() if refused_with is None else Refused(refused_with))

    def fill(self) -> None:
        self.transport.has_room = False

    def drain(self) -> None:
        self.transport.has_room = True
        self.heard.transport_ready()


class InProcess:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.heard = Heard()
        self.loop = loop
        self.transport = InProcessTransport(
            self.handle, self.heard.answered, loop, SystemClock(loop), timedelta(hours=1)
        )
        self.calls: dict[str, asyncio.Future[Verdict]] = {}

    def handle(self, arrived: Wake) -> asyncio.Future[Verdict]:
        return self.calls.setdefault(arrived.event_id, self.loop.create_future())

    def arrived(self) -> list[str]:
        self.turn()
        return list(self.calls)

    def answer(self, number: int, refused_with: str | None = None) -> None:
        self.turn()
        self.calls[f"event_{number}"].set_result(None if refused_with is None else Refused(refused_with))
        self.turn()

    def fill(self) -> None:
        self.transport.close(lambda: None)

    def turn(self) -> None:
        async def a_few_rounds() -> None:
            for _ in range(5):
                await asyncio.sleep(0)

        self.loop.run_until_complete(a_few_rounds())


class OverMcp:
    def __init__(self) -> None:
        self.heard = Heard()
        self.lines: list[dict[str, Any]] = []
        self.has_room = True
        core = type("_Core", (), {"heartbeat": self.heard, "toolbox": None})()
        self.transport = McpServer(self, WireLog(RecordingLog(), FakeClock()), lambda: cast(Core, core))
        self.say(
            id=0, method="initialize", params={"capabilities": {"experimental": {"mcpl": {"version": "0.5"}}}}
        )
        self.transport.core  # noqa: B018 - it is opened when it is first needed

    def write_line(self, line: str) -> None:
        self.lines.append(json.loads(line))

    def room(self) -> bool:
        return self.has_room

    def say(self, **message: object) -> None:
        self.transport.peer.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def arrived(self) -> list[str]:
        return [line["params"]["eventId"] for line in self.lines]

    def answer(self, number: int, refused_with: str | None = None) -> None:
        (request,) = [line for line in self.lines if line["params"]["eventId"] == f"event_{number}"]
        said = {"accepted": True} if refused_with is None else {"accepted": False, "reason": refused_with}
        self.say(id=request["id"], result=said)

    def fill(self) -> None:
        self.has_room = False

    def drain(self) -> None:
        self.has_room = True
        self.transport.transport_ready()


@pytest.fixture(params=["recording", "in process", "mcp"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    match request.param:
        case "recording":
            yield Recording()
        case "mcp":
            yield OverMcp()
        case _:
            loop = asyncio.new_event_loop()
            world = InProcess(loop)
            yield world
            world.transport.close(lambda: None)
            world.turn()
            loop.close()


@pytest.fixture(params=[Recording, OverMcp], ids=["recording", "mcp"])
def roomy_world(request: pytest.FixtureRequest) -> RoomyWorld:
    world: RoomyWorld = request.param()
    return world


def push(world: World, *numbers: int) -> None:
    world.heard.inside = True
    for number in numbers:
        world.transport.push(wake(number))
    world.heard.inside = False


def test_wakes_reach_the_host_in_the_order_in_which_they_were_pushed(world: World) -> None:
    """5.2"""
    push(world, 1, 2, 3)
    assert world.arrived() == ["event_1", "event_2", "event_3"]


def test_nothing_is_answered_before_the_host_has_answered(world: World) -> None:
    """7.2"""
    push(world, 1)
    assert world.arrived() == ["event_1"]
    assert world.heard.answers == []


def test_what_the_host_says_comes_back_as_the_answer_to_the_wake_that_it_is_about(world: World) -> None:
    """4.11"""
    push(world, 1, 2)
    world.answer(1)
    world.answer(2, refused_with="asleep")
    assert world.heard.answers == [(1, Taken()), (2, Refused("asleep"))]


def test_answers_may_come_in_any_order_and_after_further_wakes(world: World) -> None:
    """4.11"""
    push(world, 1, 2)
    world.answer(2)
    push(world, 3)
    world.answer(3)
    world.answer(1)
    assert world.heard.answers == [(2, Taken()), (3, Taken()), (1, Taken())]


def test_there_is_room_at_the_start_and_for_as_many_as_the_core_has_out(world: World) -> None:
    """7.4"""
    for number in range(1, 33):
        assert world.transport.ready()
        push(world, number)
    assert len(world.arrived()) == 32


def test_a_transport_without_room_says_so(world: World) -> None:
    """2.7"""
    world.fill()
    assert not world.transport.ready()
    assert world.heard.room_again == 0


def test_the_core_is_told_when_there_is_room_again(roomy_world: RoomyWorld) -> None:
    """2.7"""
    roomy_world.fill()
    assert not roomy_world.transport.ready()
    roomy_world.drain()
    assert roomy_world.transport.ready()
    assert roomy_world.heard.room_again == 1
