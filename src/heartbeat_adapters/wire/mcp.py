"""MCP and MCPL over a JSON-RPC peer: method names, handshake order, tool shapes, wakes as requests.

It does section 3, and the part of section 4 that is a matter of the wire; the rules are the core's. To
the core this is the `Transport`; to the peer it is the `Handlers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from heartbeat_adapters.wire import stateless
from heartbeat_adapters.wire.handshake import hello_back, read_hello
from heartbeat_adapters.wire.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Params,
    Peer,
    RpcError,
    object_params,
)
from heartbeat_adapters.wire.wire_log import WireLog

if TYPE_CHECKING:
    from heartbeat_core.service import Heartbeat
    from heartbeat_core.tools import Tool, Toolbox
    from heartbeat_core.wakes import Wake

UPDATE = "featureSets/update"


class LineOutput(Protocol):
    """Where lines for the host go."""

    def write_line(self, line: str) -> None:
        """Write a line after those written before."""

    def room(self) -> bool:
        """Whether a wake may be written; after a no, `transport_ready` is called when it may again."""


class Core(Protocol):
    """What is served, loaded and started."""

    @property
    def heartbeat(self) -> Heartbeat:
        """The heartbeat."""

    @property
    def toolbox(self) -> Toolbox:
        """Its tools."""


class McpServer:
    """One conversation with one host.

    `open_core` gives the core, started: it is called once, with the first word that needs it, since
    loading it takes longer than a host should wait for the answer to `initialize`. With `handshake`
    nothing is said to a client that asks whether it can do without one (17.4).
    """

    def __init__(
        self, output: LineOutput, log: WireLog, open_core: Callable[[], Core], *, handshake: bool = False
    ) -> None:
        self.peer = Peer(self, log)
        self._output = output
        self._log = log
        self._open_core = open_core
        self._handshake = handshake
        self._core: Core | None = None
        self._speaks_mcpl: bool | None = None
        """None before `initialize`."""
        self._does_without = False
        """Whether it has been served without `initialize`."""
        self._methods: dict[str, Callable[[Params], object]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            UPDATE: self._update_policy,
        }

    def receive(self, line: bytes) -> str | None:
        """Take one line of the host's; give the line to write back, or None. Never raises.

        What an earlier line triggered leaves first, with that line's answer before it (6.3).
        """
        if self._core is not None:
            self._core.heartbeat.send_triggered()
        return self.peer.receive(line)

    # What the host asks (`jsonrpc.Handlers`)

    def request(self, method: str, params: Params) -> object:
        """Answer a request. Raises RpcError for what is refused."""
        if self._core is not None:
            self._core.heartbeat.flush()
        envelope = stateless.read_envelope(params)
        if envelope is not None:
            stateless.check(method, envelope, handshake=self._handshake)
            return stateless.as_answer(method, self._without_handshake(method, params))
        if method == "ping":
            return {}
        if method == "initialize":
            return self._initialize(params)
        answer = self._methods.get(method)
        if answer is None or (method == UPDATE and self._speaks_mcpl is False):
            hint = (
                " (initialize did not advertise capabilities.experimental.mcpl)" if method == UPDATE else ""
            )
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method[:200]}{hint}")
        if self._speaks_mcpl is None:
            raise RpcError(INVALID_REQUEST, f"Invalid Request: initialize comes first, before {method}")
        return answer(params)

    def _without_handshake(self, method: str, params: Params) -> dict[str, object]:
        """Answer by a revision that has none (17)."""
        if method == stateless.DISCOVER:
            return stateless.discovered()
        if self._speaks_mcpl is None and not self._does_without:
            self._does_without = True
            # Until `initialize` comes, which says otherwise, no wake can leave, and replies say why (17.1).
            self.core.heartbeat.host_arrived(speaks_mcpl=False)
        return self._list_tools(params) if method == "tools/list" else self._call_tool(params)

    def notification(self, method: str, params: Params) -> None:
        """Take note of a notification; unknown ones are ignored (2.5)."""
        if method != UPDATE:
            return
        if self._speaks_mcpl:
            self.core.heartbeat.policy_notified(params)
        else:
            text = f"ignored a {UPDATE} Notification from a host that has not said that it speaks MCPL"
            self._log.say("policy of an MCP-only host", text)

    def unreadable(self, method: str) -> None:
        """A request's params were a scalar: to a policy that is as malformed as any (4.2)."""
        if method == UPDATE and self._speaks_mcpl:
            self.core.heartbeat.policy_requested(False)

    def _initialize(self, params: Params) -> dict[str, object]:
        if self._speaks_mcpl is not None:
            raise RpcError(INVALID_REQUEST, "Invalid Request: this conversation is initialized already")
        host = read_hello(object_params(params))
        self._speaks_mcpl = host.speaks_mcpl
        if self._core is not None:
            self._core.heartbeat.host_arrived(speaks_mcpl=host.speaks_mcpl)
        return hello_back(host)

    def _list_tools(self, params: Params) -> dict[str, object]:
        object_params(params)
        return {"tools": [_tool_shape(tool) for tool in self.core.toolbox]}

    def _call_tool(self, params: Params) -> dict[str, object]:
        from heartbeat_core.tools import UnknownToolError

        call = object_params(params)
        name = call.get("name")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: name must be the name of a tool")
        try:
            reply = self.core.toolbox.call(name, call.get("arguments"))
        except UnknownToolError as error:
            raise RpcError(INVALID_PARAMS, f"Invalid params: {error}") from None
        return {"content": [{"type": "text", "text": reply.text}], "isError": reply.is_error}

    def _update_policy(self, params: Params) -> object:
        from heartbeat_core.policy import Malformed

        receipt = self.core.heartbeat.policy_requested(params)
        if isinstance(receipt, Malformed):
            raise RpcError(INVALID_PARAMS, f"Invalid params: {receipt.problem}; no wake is allowed any more")
        return receipt

    # The core, and what it sends (`heartbeat_core.ports.Transport`)

    def open(self) -> None:
        """Load and start the core, if it is not yet."""
        if self._core is not None:
            return
        self._core = self._open_core()
        if self._speaks_mcpl is not None:
            self._core.heartbeat.host_arrived(speaks_mcpl=self._speaks_mcpl)

    @property
    def core(self) -> Core:
        """What is served; opened here, if it is not yet."""
        self.open()
        assert self._core is not None
        return self._core

    def stop(self) -> None:
        """The conversation is over: stop the core, and say what the log still holds back."""
        self._log.close()
        if self._core is not None:
            self._core.heartbeat.stop()

    def push(self, wake: Wake) -> None:
        """Send a wake; see `Transport.push`."""
        from heartbeat_adapters.wire.push_events import push_event_params, read_answer, without_long_text

        sent = without_long_text(wake)

        def on_answer(result: object) -> None:
            self.core.heartbeat.answered(sent, read_answer(result))

        self._output.write_line(self.peer.request("push/event", push_event_params(wake), on_answer))

    def ready(self) -> bool:
        """Whether there is room for a wake; see `Transport.ready`."""
        return self._output.room()

    def transport_ready(self) -> None:
        """There is room again; for the output to call."""
        if self._core is not None:
            self._core.heartbeat.transport_ready()


def _tool_shape(tool: Tool[Any]) -> dict[str, object]:
    """A tool as `tools/list` has it (3.3)."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": {
            "readOnlyHint": tool.hints.read_only,
            "destructiveHint": tool.hints.destructive,
            "idempotentHint": tool.hints.idempotent,
            "openWorldHint": False,
        },
    }
