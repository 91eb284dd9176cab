"""`heartbeat-mcpl --stdio`: the parts that serve one host on stdin and stdout, put together.

Lives here: the order of starting and stopping. May not: anything that takes long before `initialize`
can be answered; the core and the container are loaded right after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from heartbeat_adapters.descriptors import claim_stdio
from heartbeat_adapters.mcp import McpServer
from heartbeat_adapters.poll_loop import PollLoop
from heartbeat_adapters.stderr_log import StderrLog
from heartbeat_adapters.stdio import StdioServer
from heartbeat_adapters.stop_signals import StopSignals, leave

if TYPE_CHECKING:
    from heartbeat_cli.opened import OpenedCore

_WARM_UP = 0.02
"""Seconds that the host's first line is waited for before the core is loaded without it."""


def serve(
    signals: StopSignals, settings: Mapping[str, str], *, verbose: bool, answer_within: float
) -> NoReturn:
    """Serve until stdin ends or a signal comes; then end the process with exit code 0 (1.4)."""
    streams = claim_stdio()
    log = StderrLog(verbose=verbose)
    loop = PollLoop(log.warning)
    stdio = StdioServer(streams, loop)
    signals.hand_over(stdio.stop)
    server: McpServer

    def open_core() -> OpenedCore:
        from heartbeat_cli.opened import open_core

        return open_core(settings, answer_within, loop, server, log)

    server = McpServer(stdio, log.info, open_core)
    loop.call_later(_WARM_UP, lambda: server.core)
    stdio.serve(server.peer.receive, server.peer.line_too_long, server.transport_ready)
    server.stop()
    leave()
