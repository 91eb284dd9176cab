"""A host, the server, and every line between them, with fakes all around. May not: assert what is right."""

from __future__ import annotations

import json
from typing import Any

from heartbeat_adapters.testing import (
    UTC_ZONE,
    CountingIds,
    FakeClock,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingLog,
)
from heartbeat_adapters.wire.mcp import McpServer
from heartbeat_adapters.wire.wire_log import WireLog
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox

Message = dict[str, Any]


class Conversation:
    """A host, the server, and all that the server wrote. Is the server's `LineOutput` and its `Core`."""

    def __init__(self, *, handshake: bool = False) -> None:
        self.log = RecordingLog()
        self.clock = FakeClock()
        self.reminder_store = MemoryReminderStore()
        self.written: list[Any] = []
        self.has_room = True
        self.opened = 0
        self.fail_to_open: Exception | None = None
        self.server = McpServer(self, WireLog(self.log, self.clock), self.open, handshake=handshake)
        self.heartbeat = Heartbeat(
            clock=self.clock,
            transport=self.server,
            schedule_store=MemoryScheduleStore(),
            reminder_store=self.reminder_store,
            new_id=CountingIds(),
            log=self.log,
            zone=UTC_ZONE,
        )
        self.toolbox = Toolbox(self.heartbeat)

    def open(self) -> Conversation:
        if self.fail_to_open is not None:
            raise self.fail_to_open
        self.opened += 1
        self.heartbeat.start()
        return self

    # The server's output

    def write_line(self, line: str) -> None:
        assert line.isascii()
        assert "\n" not in line
        self.written.append(json.loads(line))

    def room(self) -> bool:
        return self.has_room

    # The host

    def send(self, message: object) -> list[Any]:
        """Send one message, let what is due happen; gives what the server wrote meanwhile."""
        before = len(self.written)
        answer = self.server.receive(json.dumps(message).encode())
        if answer is not None:
            self.write_line(answer)
        self.clock.settle()
        return self.written[before:]

    def ask(self, method: str, params: object = None) -> Message:
        """Send a request; gives the response, which comes first."""
        response: Message = self.send(request(method, params))[0]
        assert response["id"] == "r"
        return response

    def result(self, method: str, params: object = None) -> Any:
        return self.ask(method, params)["result"]

    def code(self, method: str, params: object = None) -> int:
        return self.ask(method, params)["error"]["code"]  # type: ignore[no-any-return]

    def notify(self, method: str, params: object = None) -> None:
        assert self.send(request(method, params, notification=True)) == []

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool that works."""
        reply = self.result("tools/call", {"name": tool, "arguments": arguments})
        assert reply["isError"] is False, reply
        return reply["content"][0]["text"]  # type: ignore[no-any-return]

    def hello(self, mcpl: object = None) -> Message:
        experimental = {} if mcpl is None else {"experimental": {"mcpl": mcpl}}
        return self.result(  # type: ignore[no-any-return]
            "initialize", {"protocolVersion": "2024-11-05", "capabilities": experimental}
        )

    @property
    def status(self) -> str:
        return self.call("heartbeat_status")


def request(method: str, params: object = None, *, notification: bool = False) -> Message:
    message: Message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return message if notification else {**message, "id": "r"}
