"""A child that sends as many wakes as it is told to, 32 out at a time, and does nothing else.

The floor of many due at once: JSON written and read, one pipe each way, and no reminder kept anywhere.
"""

from __future__ import annotations

import json
import os
import select
import sys

from heartbeat_adapters.stdio.poll_loop import PollLoop
from measuring.stopwatch import epoch_seconds

_MOST_OUT = 32


def main() -> None:
    """Read `[due, count]`, then send so many wakes from then on, one more for each answer; end with stdin."""
    loop = PollLoop(lambda text: print(text, file=sys.stderr))
    due, count = json.loads(sys.stdin.buffer.readline())
    sent = 0

    def send(most: int) -> None:
        nonlocal sent
        for _ in range(min(most, count - sent)):
            sent += 1
            os.write(1, _line(sent))

    def hear(_events: int) -> None:
        data = os.read(0, 65536)
        if not data:
            loop.stop()
        for line in data.splitlines():
            json.loads(line)
            send(1)

    loop.watch(0, select.POLLIN, hear)
    loop.call_later(due - epoch_seconds(), lambda: send(_MOST_OUT))
    loop.run()


def _line(number: int) -> bytes:
    text = f"[reminder rem_{number:016x}, set 2026-01-01T00:00:00+00:00 [UTC]] Reminder {number}: look."
    params = {
        "featureSet": "heartbeat",
        "eventId": f"rem_{number:016x}_1750000000000",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "origin": {"source": "reminder", "reminderId": f"rem_{number:016x}", "recurring": False},
        "payload": {"content": [{"type": "text", "text": text}]},
    }
    message = {"jsonrpc": "2.0", "id": number, "method": "push/event", "params": params}
    return json.dumps(message).encode() + b"\n"
