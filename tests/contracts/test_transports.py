"""What every transport owes the core: the shipped fake, the one in process, and MCP's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest

from heartbeat_adapters.embedded.in_process_transport import InProcessTransport, Verdict
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_adapters.testing import CoreSide, FakeClock, RecordingLog, RecordingTransport, TransportSuite
from heartbeat_adapters.wire.mcp import Core, McpServer
from heartbeat_adapters.wire.wire_log import WireLog
from heartbeat_core.ports import Transport
from heartbeat_core.wakes import Refused, Taken, Wake


class TestRecordingTransport(TransportSuite):
    def make_transport(self, core: CoreSide) -> Transport:
        self.core, self.transport = core, RecordingTransport()
        return self.transport

    def arrived(self) -> list[str]:
        return [wake.event_id for wake in self.transport.wakes]

    def answer(self, number: int, refused_with: str | None = None) -> None:
        (sent,) = [wake for wake in self.transport.wakes if wake.number == number]
        self.core.answered(sent, Taken() if refused_with is None else Refused(refused_with))

    def fill(self) -> None:
        self.transport.has_room = False

    def drain(self) -> None:
        self.transport.has_room = True
        self.core.transport_ready()


class TestInProcessTransport(TransportSuite):
    """There always is room, until it is closed for good: so nothing is drained."""

    @pytest.fixture(autouse=True)
    def on_a_loop(self) -> Iterator[None]:
        self.loop = asyncio.new_event_loop()
        self.calls: dict[str, asyncio.Future[Verdict]] = {}
        yield
        self.transport.close(lambda: None)
        self.turn()
        self.loop.close()

    def make_transport(self, core: CoreSide) -> Transport:
        hour, clock = timedelta(hours=1), SystemClock(self.loop)
        self.transport = InProcessTransport(self.handle, core.answered, self.loop, clock, hour)
        return self.transport

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


class CoreOfAServer(CoreSide):
    """What more a server tells it."""

    def __init__(self, core: CoreSide) -> None:
        super().__init__()
        self.__dict__ = core.__dict__  # it is the same one

    def host_arrived(self, *, speaks_mcpl: bool) -> None:
        assert speaks_mcpl

    def flush(self) -> None: ...


class TestMcpServer(TransportSuite):
    def make_transport(self, core: CoreSide) -> Transport:
        self.lines: list[dict[str, Any]] = []
        self.has_room = True
        opened = type("_Core", (), {"heartbeat": CoreOfAServer(core), "toolbox": None})()
        self.transport = McpServer(self, WireLog(RecordingLog(), FakeClock()), lambda: cast(Core, opened))
        hello = {"capabilities": {"experimental": {"mcpl": {"version": "0.5"}}}}
        self.say(id=0, method="initialize", params=hello)
        self.transport.core  # noqa: B018 - it is opened when it is first needed
        return self.transport

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
