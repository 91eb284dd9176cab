"""An agent on an asyncio loop wakes itself: by its schedule, and by reminders that it sets.

Keeps its two files in ./data. Run it again, and it goes on where it was.
"""

import asyncio

from heartbeat_adapters import embed
from heartbeat_core import Wake


async def main() -> None:
    """Set a reminder, and live until it has come."""
    woken = asyncio.Event()

    async def wake(wake: Wake) -> None:
        print(wake.text)  # this is where the agent would think; to return is to say: taken
        woken.set()

    async with embed(wake, folder="data", timezone="Europe/Berlin") as heartbeat:
        print(heartbeat.call("reminder_add", {"message": "Take the tea out.", "inSeconds": 1}).text)
        await woken.wait()


asyncio.run(main())
