"""The host's end of the wire: JSON-RPC messages to and from a server process, for `ScriptedHost`.

It gives out ids, finds responses among all that comes, and keeps the transcript. It knows no method by
name: `hear_request` is asked first about what the server requests.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, TypeGuard

from heartbeat_adapters.testing.server_process import (
    ScriptedHostError,
    ServerEndedError,
    ServerProcess,
    seconds_now,
)

PATIENCE = 10.0
"""Seconds that a wait may take where nothing else is said."""

_ABSENT: Any = object()


class HostError(Exception):
    """The server answered a request with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class NotJsonRpcError(ScriptedHostError):
    """The server wrote something to stdout that is no JSON-RPC message (1.3)."""


class Direction(Enum):
    """Which way a message went."""

    TO_SERVER = "host -> server"
    TO_HOST = "server -> host"


@dataclass(frozen=True, slots=True)
class Crossing:
    """One line that crossed the wire: `message` is parsed JSON, `line` the bytes, without the line's end.

    `message` is None for bytes that are no JSON, and `at` is seconds since the host began.
    """

    direction: Direction
    message: Any
    line: bytes
    at: float


class HostWire:
    """Sends, receives, and remembers all of it in `transcript`. Use it in a `with`.

    `on_message` is called with all that crosses, as it does. `timeout` is for the waits that name none.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        on_message: Callable[[Crossing], None] | None = None,
        timeout: float = PATIENCE,
    ) -> None:
        self.timeout = timeout
        self.transcript: list[Crossing] = []
        self._on_message = on_message
        self._inbox: deque[Any] = deque()
        self._next_id = 0
        self._began = seconds_now()
        self.server = ServerProcess(command, env, cwd)

    @property
    def elapsed(self) -> float:
        """Seconds since the host began."""
        return seconds_now() - self._began

    # Saying

    def request(self, method: str, params: object = _ABSENT, *, timeout: float | None = None) -> Any:
        """Send a request and wait for its result. Raises HostError where an error comes instead."""
        return self.response_to(self.send_request(method, params), timeout)

    def send_request(self, method: str, params: object = _ABSENT) -> int:
        """Send a request without waiting; gives its id, which count up from 0."""
        message_id, self._next_id = self._next_id, self._next_id + 1
        self.send({"jsonrpc": "2.0", "id": message_id, **_call(method, params)})
        return message_id

    def notify(self, method: str, params: object = _ABSENT) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", **_call(method, params)})

    def send(self, message: object) -> None:
        """Send any JSON value as one line; characters beyond ASCII go raw, as several hosts send them."""
        self.send_bytes(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def send_bytes(self, data: bytes, timeout: float | None = None) -> None:
        """Write anything at all to the server's stdin; line ends are yours."""
        for line in data.removesuffix(b"\n").split(b"\n"):
            self._record(Direction.TO_SERVER, line)
        self.server.write(data, self._deadline(timeout))

    # Hearing

    def response_to(self, message_id: int, timeout: float | None = None) -> Any:
        """Wait for the result of a request that was sent. Raises HostError where an error comes instead."""
        response = self._wait_for(lambda message: _is_response(message, message_id), timeout)
        if (error := response.get("error")) is not None:
            raise HostError(error["code"], error["message"], error.get("data"))
        return response["result"]

    def read_message(self, timeout: float | None = None) -> Any:
        """Give the next message that nobody has waited for, as parsed JSON; a wake is none."""
        return self._wait_for(lambda _: True, timeout)

    def hear_request(self, request: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Take what the server requests, or leave it (False) to `read_message`."""
        return False

    def fail(self, kind: type[ScriptedHostError], what: str) -> NoReturn:
        """Raise an error that says what happened, how the server is, and what it last logged."""
        raise self.server.failure(kind, what)

    def _hear(self, deadline: float, what: str) -> None:
        line = self.server.read_line(deadline, what)
        if line is None:
            self.fail(ServerEndedError, f"stdout ended while the host waited for {what}")
        message = self._record(Direction.TO_HOST, line)
        if not isinstance(message, dict | list):  # a list is what answers a batch
            self.fail(NotJsonRpcError, f"stdout carried {line[:200]!r}")
        if not (_is_request(message) and self.hear_request(message)):
            self._inbox.append(message)

    def _wait_for(self, wanted: Callable[[Any], bool], timeout: float | None) -> Any:
        deadline = self._deadline(timeout)
        seen = 0
        while True:
            for place in range(seen, len(self._inbox)):
                if wanted(message := self._inbox[place]):
                    del self._inbox[place]
                    return message
            seen = len(self._inbox)
            self._hear(deadline, "a message")

    def _deadline(self, timeout: float | None) -> float:
        return seconds_now() + (self.timeout if timeout is None else timeout)

    def _record(self, direction: Direction, line: bytes) -> Any:
        crossing = Crossing(direction, _parse(line), line, self.elapsed)
        self.transcript.append(crossing)
        if self._on_message is not None:
            self._on_message(crossing)
        return crossing.message


def _call(method: str, params: object) -> dict[str, Any]:
    return {"method": method} if params is _ABSENT else {"method": method, "params": params}


def _is_request(message: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(message, dict) and "method" in message and "id" in message


def _is_response(message: object, message_id: int) -> bool:
    """Whether this is the response; `True` and `1.0` are other ids than `1`."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and type(message.get("id")) is int
        and message["id"] == message_id
    )


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except ValueError:
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
