"""What there is of an embedded heartbeat between its start and its stop."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from heartbeat_adapters.container import Container
from heartbeat_adapters.embedded.in_process_transport import Handler, InProcessTransport
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.wakes import Answer, Wake

GRACE = 5.0
"""Seconds that handlers which were cancelled may take to end, before all is let go of without them."""


class RunningHeartbeat:
    """What there is between a start and a stop."""

    def __init__(
        self,
        handler: Handler,
        container: Container,
        loop: asyncio.AbstractEventLoop,
        handler_timeout: timedelta,
    ) -> None:
        self._loop = loop
        self._log = container.log()
        self.stopped: asyncio.Future[None] = loop.create_future()
        self._grace: asyncio.TimerHandle | None = None
        if not container.clock.is_defined:
            container.clock.override(SystemClock(loop))
        clock = container.clock()
        self.transport = InProcessTransport(handler, self._answered, loop, clock, handler_timeout)
        container.transport.override(self.transport)
        container.handlers_run_here(self.transport.in_beat)
        self.core: Heartbeat = container.heartbeat()
        self.toolbox: Toolbox = container.toolbox()

    def stop(self) -> None:
        """Take no more wakes, and end once the handlers have; see `EmbeddedHeartbeat.stop`."""
        if not self.transport.ready():
            return
        self._grace = self._loop.call_later(GRACE, self._give_up)
        self.transport.close(self._finish)

    async def wait_stopped(self) -> None:
        """Wait until all is let go of; not from inside a handler."""
        if not self.transport.is_inside():
            await asyncio.shield(self.stopped)

    def _answered(self, wake: Wake, answer: Answer) -> None:
        self.core.answered(wake, answer)

    def _give_up(self) -> None:
        if self.transport.give_up():
            self._log.warning("a cancelled handler does not end: the heartbeat stops without its answer")

    def _finish(self) -> None:
        if self._grace is not None:
            self._grace.cancel()
        try:
            self.core.stop()
        finally:
            if not self.stopped.done():
                self.stopped.set_result(None)
