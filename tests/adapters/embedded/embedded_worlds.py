"""What the tests of this folder share."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from heartbeat_core import Wake

AT_MOST = 10.0


AT_ONCE = {"message": "tea", "inSeconds": 0.001}


A_MINUTE = timedelta(minutes=1)


def in_a_loop(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that is a coroutine, in bounded time."""

    async def run() -> None:
        await asyncio.wait_for(test(), AT_MOST)

    asyncio.run(run())


def reminders_in(folder: Path) -> list[str]:
    return [row["message"] for row in json.loads((folder / "heartbeat-reminders.json").read_bytes())]


class Agent:
    """Hears wakes, and can be waited for."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._woken = asyncio.Event()

    def __call__(self, wake: Wake) -> None:
        self.heard.append((wake.text or "").rpartition("] ")[2])
        self._woken.set()

    async def woken(self) -> None:
        await self._woken.wait()


async def hangs(_: Wake) -> None:
    await asyncio.Event().wait()
