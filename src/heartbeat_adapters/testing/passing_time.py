"""Time that passes for embedded heartbeats on one fake clock, their handlers keeping up with it.

`FakeClock.advance` alone would let a month go by before a handler, which runs on a real loop, has heard of
its first wake.

    clock = FakeClock()
    async with embed(agent.wake, clock=clock) as heartbeat:
        await pass_time(heartbeat, clock, timedelta(days=30))
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta

from heartbeat_adapters.embedded.embedded_heartbeat import EmbeddedHeartbeat
from heartbeat_adapters.testing.fake_clock import FakeClock

AT_MOST = 10.0
"""Real seconds that the handlers of one moment may take."""


async def pass_time(
    heartbeats: EmbeddedHeartbeat | Iterable[EmbeddedHeartbeat], clock: FakeClock, length: timedelta
) -> None:
    """Let time pass as `FakeClock.advance` does, waiting at each moment for all handlers to end.

    `heartbeats` is one, or all that run on this clock: those that are left out are not waited for. Raises
    TimeoutError where a handler does not end within `AT_MOST` real seconds: one that hangs, or that waits for
    more fake time to pass, is tested with `clock.advance` instead.
    """
    all_of_them = [heartbeats] if isinstance(heartbeats, EmbeddedHeartbeat) else list(heartbeats)
    end = clock.monotonic() + length
    while (due := clock.next_due()) is not None and due - clock.now() <= end - clock.monotonic():
        clock.advance(max(due - clock.now(), timedelta(0)))
        try:
            async with asyncio.timeout(AT_MOST):
                for heartbeat in all_of_them:
                    await heartbeat.drain()
        except TimeoutError:
            raise TimeoutError("a handler does not end; to test one that hangs, use clock.advance") from None
    clock.advance(end - clock.monotonic())
