"""Time that passes for an embedded heartbeat on a fake clock, its handler keeping up with it.

Lives here: `pass_time`. `FakeClock.advance` alone would let a month go by before the handler, which runs on
a real loop, has heard of its first wake.

    clock = FakeClock()
    async with embed(agent.wake, clock=clock) as heartbeat:
        await pass_time(heartbeat, clock, timedelta(days=30))
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from heartbeat_adapters.embedded.embedded_heartbeat import EmbeddedHeartbeat
from heartbeat_adapters.testing.fake_clock import FakeClock

AT_MOST = 10.0
"""Real seconds that the handlers of one moment may take."""


async def pass_time(heartbeat: EmbeddedHeartbeat, clock: FakeClock, length: timedelta) -> None:
    """Let time pass as `FakeClock.advance` does, waiting at each moment for the handlers to end.

    Raises TimeoutError where one does not end within `AT_MOST` real seconds: a handler that hangs, or that
    waits for more fake time to pass, is tested with `clock.advance` instead.
    """
    end = clock.monotonic() + length
    while (due := clock.next_due()) is not None and due - clock.now() <= end - clock.monotonic():
        clock.advance(max(due - clock.now(), timedelta(0)))
        try:
            await asyncio.wait_for(heartbeat.drain(), AT_MOST)
        except TimeoutError:
            raise TimeoutError("a handler does not end; to test one that hangs, use clock.advance") from None
    clock.advance(end - clock.monotonic())
