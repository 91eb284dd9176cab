"""Lines on their way out: written as far as the host takes them, without ever waiting (2.7)."""

from __future__ import annotations

import os
import select

from heartbeat_adapters.stdio.descriptors import OutputDescriptor


class LineWriter:
    """Keeps what the host has not taken yet, in order. `gone` once the host takes nothing any more."""

    def __init__(self, output: OutputDescriptor | None) -> None:
        self._output = output
        self._queue = bytearray()
        self.gone = output is None
        self._poll = select.poll()
        if output is not None:
            self._poll.register(output.fd, select.POLLOUT)

    def put(self, line: str) -> None:
        """Queue one line of ASCII without its newline."""
        if not self.gone:
            self._queue += line.encode("ascii")
            self._queue += b"\n"

    def __len__(self) -> int:
        """Count the bytes that wait."""
        return len(self._queue)

    def flush(self) -> bool:
        """Write what can be written now; whether anything could."""
        progress = False
        while self._queue and self._write_some():
            progress = True
        return progress

    def wait(self, seconds: float) -> None:
        """Wait until more can be written, for a server that has nothing else to do any more."""
        self._poll.poll(seconds * 1000)

    def give_up(self) -> None:
        """Forget what waits: nobody takes it."""
        self.gone = True
        self._queue.clear()

    def _write_some(self) -> bool:
        if self._output is None or (self._output.ask and not self._poll.poll(0)):
            return False
        try:
            with memoryview(self._queue) as waiting:  # which takes no memory for a copy
                written = os.write(self._output.fd, waiting[: self._output.at_once])
        except BlockingIOError:
            return False
        except OSError:  # closed by the host, or a full disk: nothing that we say arrives
            self.give_up()
            return False
        del self._queue[:written]
        return True
