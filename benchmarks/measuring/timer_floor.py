"""A child with nothing but timers on the server's own loop: the floor of a wake's lateness.

It reads lines, each a JSON list of epoch seconds, and writes a line when each of these has come.
"""

from __future__ import annotations

import json
import os
import select
import sys

from heartbeat_adapters.stdio.poll_loop import PollLoop
from measuring.stopwatch import epoch_seconds


def main() -> None:
    """Run until stdin ends."""
    loop = PollLoop(lambda text: print(text, file=sys.stderr))

    def arm(_events: int) -> None:
        line = sys.stdin.buffer.readline()
        if not line:
            loop.stop()
            return
        for due in json.loads(line):
            loop.call_later(due - epoch_seconds(), lambda: os.write(1, b"due\n"))

    loop.watch(0, select.POLLIN, arm)
    loop.run()
