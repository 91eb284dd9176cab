"""`ScriptedHost`: plays an MCPL host for a real server process, step by step.

Pipes are in `server_process`, JSON-RPC in `host_wire`, ways to answer a wake in `push_answers`. All is
synchronous, in one thread. Every wait is bounded, and an error shows the end of the server's log.

    with ScriptedHost(["heartbeat-mcpl", "--stdio"], on_push=CarefulHost()) as host:
        host.handshake()
        host.call("reminder_add", message="tea", inSeconds=1)
        assert "tea" in host.next_wake().text
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from heartbeat_adapters.testing.host_wire import (
    PATIENCE,
    Crossing,
    Direction,
    HostError,
    HostWire,
    NotJsonRpcError,
)
from heartbeat_adapters.testing.push_answers import (
    Accept,
    Error,
    NoAnswer,
    OnPush,
    ReceivedWake,
    Refuse,
    accept,
    answer_members,
)
from heartbeat_adapters.testing.server_process import NotInTimeError, ScriptedHostError, ServerEndedError

__all__ = [
    "USUAL_POLICY",
    "Crossing",
    "Direction",
    "HostError",
    "NotInTimeError",
    "NotJsonRpcError",
    "ScriptedHost",
    "ScriptedHostError",
    "ServerEndedError",
    "ToolResult",
    "UnexpectedWakeError",
]

USUAL_POLICY: Mapping[str, Sequence[str]] = {
    "enabled": ["heartbeat"],
    "effectiveCapabilities": ["pushEvents", "tools"],
}
"""What a host sends whose operator has enabled the server's feature set."""


class UnexpectedWakeError(ScriptedHostError):
    """A wake came where none may."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call gave the agent to read."""

    text: str
    is_error: bool


class ScriptedHost(HostWire):
    """A host that does what its script says. Use it in a `with`: the server never outlives it.

    `env` is added to the little that hosts hand on. `on_push` answers each wake, in the order in which
    they come, while the host waits for anything.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        on_push: OnPush = accept,
        on_message: Callable[[Crossing], None] | None = None,
        timeout: float = PATIENCE,
    ) -> None:
        self.on_push = on_push
        self.wakes: list[ReceivedWake] = []
        """Every wake that was received, also those that `next_wake` has not given yet."""
        self._given_wakes = 0
        super().__init__(command, env=env, cwd=cwd, on_message=on_message, timeout=timeout)

    def __enter__(self) -> ScriptedHost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.close()

    # Hello, and the policy

    def handshake(self) -> dict[str, Any]:
        """Do all that comes before work: initialize, initialized, the usual policy. Gives the receipt."""
        self.initialize()
        self.initialized()
        return self.update_policy()

    def initialize(
        self, *, protocol: str = "2024-11-05", mcpl: str | None = "0.5", client: str = "agent-framework"
    ) -> dict[str, Any]:
        """Say hello; `mcpl` is the version of MCPL that the host speaks, None where it speaks MCP only."""
        spoken = {} if mcpl is None else {"experimental": {"mcpl": {"version": mcpl, "pushEvents": True}}}
        hello = {
            "protocolVersion": protocol,
            "capabilities": spoken,
            "clientInfo": {"name": client, "version": "1.0.0"},
        }
        return self.request("initialize", hello)  # type: ignore[no-any-return]

    def initialized(self) -> None:
        """Say that the hello was understood, without params, as hosts do."""
        self.notify("notifications/initialized")

    def update_policy(self, **lists: object) -> dict[str, Any]:
        """Send the policy as a Request and give the receipt; without arguments, the usual one."""
        return self.request("featureSets/update", lists or USUAL_POLICY)  # type: ignore[no-any-return]

    def notify_policy(self, **lists: object) -> None:
        """Send the policy as a Notification, as hosts before 0.5 did; without arguments, the usual one."""
        self.notify("featureSets/update", lists or USUAL_POLICY)

    # Tools

    def list_tools(self) -> list[dict[str, Any]]:
        """Ask for the tools."""
        return self.request("tools/list")["tools"]  # type: ignore[no-any-return]

    def call(self, tool: str, /, **arguments: object) -> ToolResult:
        """Call a tool as the agent would. Raises HostError where the server refuses the request as such."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(block["text"] for block in result["content"])
        return ToolResult(text, result.get("isError", False))

    # Wakes

    def next_wake(self, timeout: float | None = None) -> ReceivedWake:
        """Give the next wake, in the order in which they came, waiting for it where none is there."""
        deadline = self._deadline(timeout)
        while self._given_wakes == len(self.wakes):
            self._hear(deadline, "a wake")
        self._given_wakes += 1
        return self.wakes[self._given_wakes - 1]

    def no_wake_for(self, seconds: float) -> None:
        """Listen for so long; raises UnexpectedWakeError if a wake comes, or one is there already."""
        self.listen(seconds)
        if self._given_wakes < len(self.wakes):
            wake = self.wakes[self._given_wakes]
            self.fail(UnexpectedWakeError, f"a wake came where none may: {wake.params}")

    def listen(self, seconds: float) -> None:
        """Let so much time pass, hearing and answering what comes. Raises where the server ends meanwhile."""
        deadline = self._deadline(seconds)
        try:
            while True:
                self._hear(deadline, "anything")
        except NotInTimeError:
            return

    def answer(self, wake: ReceivedWake, answer: Accept | Refuse | Error) -> None:
        """Answer a wake that was left unanswered, or once more one that was not."""
        self.send({"jsonrpc": "2.0", "id": wake.request_id, **answer_members(answer)})

    def hear_request(self, request: Mapping[str, Any]) -> bool:
        """Take a wake, and have `on_push` answer it."""
        if request["method"] != "push/event":
            return False
        try:
            wake = ReceivedWake.from_request(request)
        except (KeyError, TypeError):
            self.fail(NotJsonRpcError, f"a push/event lacks something: {request}")
        self.wakes.append(wake)
        answer = self.on_push(wake)
        if not isinstance(answer, NoAnswer):
            self.answer(wake, answer)
        return True

    # The log, and the end

    @property
    def log_lines(self) -> list[str]:
        """What the server has written to stderr, so far as it was read."""
        return self.server.log_lines

    def wait_for_log(self, part: str, timeout: float | None = None) -> str:
        """Wait for a line of the server's log that holds `part`; gives the first one."""
        return self.server.log_line_with(part, self._deadline(timeout))

    def close_stdin(self) -> None:
        """Close the server's stdin. What it still answers can be read."""
        self.server.close_stdin()

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.server.signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.server.signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the server to end; gives its exit code, negative for the signal that killed it."""
        return self.server.wait(self._deadline(timeout))
