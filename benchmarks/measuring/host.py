"""The host of one server, as lean as can be, so that what is measured is the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from measuring.child import PATIENCE, Child, ChildError
from measuring.contestant import Contestant
from measuring.stopwatch import seconds

HELLO = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"experimental": {"mcpl": {"version": "0.5", "pushEvents": True}}},
    "clientInfo": {"name": "agent-framework", "version": "1.0.0"},
}
POLICY = {
    "enabled": ["heartbeat"],
    "disabled": [],
    "effectiveCapabilities": ["pushEvents", "tools"],
    "deniedCapabilities": [],
}


class Host(Child):
    """Starts a server and talks to it. It takes every wake, and tells `on_wake` of it and of its time."""

    def __init__(self, contestant: Contestant) -> None:
        super().__init__(contestant.command, contestant.environment, contestant.folder)
        self.contestant = contestant
        self.on_wake: Callable[[dict[str, Any], float], None] = lambda _params, _at: None
        self._last_id = 0

    def __enter__(self) -> Host:
        return self

    def initialize(self) -> None:
        """Say hello, and wait for the answer."""
        self.request("initialize", HELLO)

    def handshake(self) -> None:
        """Do all that comes before work."""
        self.initialize()
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.request("featureSets/update", POLICY)

    def request(self, method: str, params: object) -> Any:
        """Ask, and wait for the result; wakes that come meanwhile are taken."""
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        until = seconds() + PATIENCE
        while True:
            message = json.loads(self.read(until - seconds()))
            if message.get("id") == self._last_id and "method" not in message:
                if "result" not in message:
                    raise ChildError(f"{method} was answered with an error: {message}")
                return message["result"]
            self._take(message)

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool and give what the agent reads. Raises ChildError where the call is refused."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = str(result["content"][0]["text"])
        if result.get("isError"):
            raise ChildError(f"{tool} was refused: {text}")
        return text

    def listen(self, patience: float) -> None:
        """Take the wakes that were read already, or else what comes within so many seconds."""
        if self.has_heard() or self.hear(patience):
            for line in self.heard():
                self._take(json.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "push/event":
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": {"accepted": True}})
            self.on_wake(message["params"], self.heard_at)

    def _send(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")


def reminder_id(reply: str) -> str:
    """Find the id in what reminder_add answered."""
    start = reply.index("rem_")
    return reply[start:].split()[0].rstrip(":.,")
