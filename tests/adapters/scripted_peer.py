"""A peer to speak to in bytes: handlers that do what a method's name says, and a log to read."""

from __future__ import annotations

import json
from typing import cast

from heartbeat_adapters.testing import FakeClock, RecordingLog
from heartbeat_adapters.wire.jsonrpc import METHOD_NOT_FOUND, Params, Peer, RpcError, object_params
from heartbeat_adapters.wire.wire_log import WireLog

Message = dict[str, object]


class Scripted:
    """Handlers that note what came, and do what their method's name says."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Params]] = []
        self.notifications: list[tuple[str, Params]] = []
        self.refused: list[str] = []

    def request(self, method: str, params: Params) -> object:
        self.requests.append((method, params))
        match method:
            case "echo":
                return params
            case "object":
                return object_params(params)
            case "break":
                raise KeyError("boom\nboom")
            case "circle":
                circle: list[object] = []
                circle.append(circle)
                return circle
            case "infinite":
                return float("inf")
            case "refuse":
                raise RpcError(-32099, "no", {"why": "busy"})
            case "refuse badly":
                raise RpcError(-32099, "no", object())
            case _:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def notification(self, method: str, params: Params) -> None:
        self.notifications.append((method, params))
        if method == "break":
            raise KeyError("boom")

    def unreadable(self, method: str) -> None:
        self.refused.append(method)


class Side:
    """A peer with its handlers and its log."""

    def __init__(self) -> None:
        self.handlers = Scripted()
        self.clock = FakeClock()
        log = RecordingLog()
        self.log = log.lines
        self.peer = Peer(self.handlers, WireLog(log, self.clock))

    def line(self, line: bytes | str) -> str | None:
        return self.peer.receive(line.encode() if isinstance(line, str) else line)

    def send(self, line: bytes | str) -> object:
        answer = self.line(line)
        return None if answer is None else parsed(answer)

    def code(self, line: bytes | str) -> tuple[object, object]:
        """The code that a line is answered with, and the id."""
        answer = cast("Message", self.send(line))
        return cast("Message", answer["error"])["code"], answer["id"]


def parsed(line: str) -> object:
    """An answer as a host reads it, after a look at whether any host could."""
    assert line.isascii()
    assert line.isprintable()
    value: object = json.loads(line)
    for message in cast("list[Message]", value if isinstance(value, list) else [value]):
        assert message["jsonrpc"] == "2.0"
        assert set(message) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"})
    return value


def call(id: str = "1", method: str = "echo", params: str = "{}") -> str:  # noqa: A002 - as the wire has it
    return f'{{"jsonrpc":"2.0","id":{id},"method":{json.dumps(method)},"params":{params}}}'
