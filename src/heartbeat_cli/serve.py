"""`heartbeat-mcpl --stdio`: the parts that serve one host on stdin and stdout, put together.

Nothing here takes long before `initialize` can be answered: the core and the container are loaded after it.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, NoReturn

from heartbeat_adapters.stdio.descriptors import claim_stdio
from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.stdio.stderr_log import StderrLog
from heartbeat_adapters.stdio.stdio_server import StdioServer
from heartbeat_adapters.stdio.stop_signals import StopSignals, leave
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_adapters.wire.mcp import McpServer
from heartbeat_adapters.wire.wire_log import WireLog
from heartbeat_cli.printing import EXIT_STOPPED, last_words
from heartbeat_cli.server_options import EXIT_UNUSABLE, CannotStart, ServerOptions
from heartbeat_core.version import __version__

if TYPE_CHECKING:
    from heartbeat_cli.started_core import StartedCore

_WARM_UP = 0.02
"""Seconds that the host's first line is waited for before the core is loaded without it."""


def serve(signals: StopSignals, options: ServerOptions) -> NoReturn:
    """Serve until stdin ends or a signal comes; then end the process, with exit code 0 (1.4).

    Where it cannot start, or finds no memory to read with, the exit code is 1, and a line says why; it is 2
    where something else has to be given or installed first (16.1).
    """
    streams = claim_stdio()
    log = StderrLog(verbose=options.verbose)
    _say_where(options, log)
    loop = PollLoop(log.warning)
    clock = SystemClock(loop)
    stdio = StdioServer(streams, loop)
    signals.hand_over(stdio.stop)
    server: McpServer

    def open_core() -> StartedCore:
        gc.disable()  # importing makes much that stays and nothing to collect
        try:
            from heartbeat_cli.started_core import start_core

            return start_core(options, clock, server, log)
        except (OSError, MemoryError, ImportError) as why:
            # A server that cannot start would refuse every call; one that ends is seen, and started anew.
            last_words(why)
            leave(EXIT_STOPPED)
        except CannotStart as why:
            log.warning(str(why))
            leave(EXIT_UNUSABLE)
        finally:
            gc.freeze()
            gc.enable()

    server = McpServer(_Spoken(stdio, log), WireLog(log, clock), open_core, handshake=options.handshake)
    loop.call_later(_WARM_UP, server.open)

    def on_line(line: bytes) -> str | None:
        log.debug(f"host says: {line.decode('utf-8', 'replace')}")
        answer = server.receive(line)
        if answer is not None:
            log.debug(f"answered: {answer}")
        return answer

    stdio.serve(
        on_line if options.verbose else server.receive, server.peer.line_too_long, server.transport_ready
    )
    if not signals.asked:
        server.open()  # even a host that ends at once has the start that every other has
    server.stop()
    if stdio.out_of_memory:
        last_words(MemoryError())
    leave(EXIT_STOPPED if stdio.out_of_memory else 0)


def _say_where(options: ServerOptions, log: StderrLog) -> None:
    """The first line of the log: the version, and where all is kept (1.6, 16.1)."""
    if options.database is not None:
        log.info(f"version {__version__}; schedule, reminders and history in {options.database.title}")
        if options.files_given:
            log.info("the files that the options or the environment name are not used, since a database is")
        return
    log.info(
        f"version {__version__}; schedule in {options.config_file}, reminders in {options.reminders_file}, "
        + (f"history in {options.history_file}" if options.history_file else "no history is kept")
    )
    if options.config_file == options.reminders_file:
        log.warning("both files have the same path: give each its own, or reminders are not kept")


class _Spoken:
    """An `mcp.LineOutput` that also logs each line that is sent of our own accord, for `--verbose`."""

    def __init__(self, stdio: StdioServer, log: StderrLog) -> None:
        self._stdio = stdio
        self._log = log
        self.room = stdio.room

    def write_line(self, line: str) -> None:
        """Log and write."""
        self._log.debug(f"sent: {line}")
        self._stdio.write_line(line)
