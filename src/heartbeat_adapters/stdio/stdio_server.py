"""The host's line: bytes on stdin and stdout, whatever these are.

Reading in turns, the end of either stream, and back-pressure (1.4, 1.7, 2.7). `main` ties it together:

    signals = install_stop_signals()                  # stop_signals.py; the first line of main
    streams = claim_stdio()                           # descriptors.py; before any file is opened
    loop = PollLoop(log.warning)                      # poll_loop.py
    stdio = StdioServer(streams, loop)
    signals.hand_over(stdio.stop)
    stdio.serve(mcp.receive, mcp.peer.line_too_long, mcp.transport_ready)   # until it is to stop
    leave()                                           # stop_signals.py, after the files are closed

`write_line` and `room` are for wakes: call them whenever, also before `serve`.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from heartbeat_adapters.stdio.descriptors import Streams
from heartbeat_adapters.stdio.line_splitter import TOO_LONG, LineSplitter
from heartbeat_adapters.stdio.line_writer import LineWriter
from heartbeat_adapters.stdio.poll_loop import Handle, PollLoop

READ_AT_ONCE = 64 * 1024
LINES_IN_A_TURN = 64

LONGEST_TURN = 0.002
"""Seconds after which what was answered is written and timers that are due have their turn."""

WRITTEN_AT_ONCE = 4 * 1024
"""Bytes that do not wait for the rest of a turn, so that a host can read them while it goes on."""

# Wakes stop long before reading does: their answers come by the same road as requests, and a host that
# is given nothing but wakes would otherwise stand still with us.
ROOM_FOR_WAKES = 64 * 1024
ROOM_FOR_ANSWERS = 1024 * 1024

GRACE = 0.9
"""Seconds that a host has to take more of its answers once stdin has ended (1.4)."""
LAST_WORDS = 0.5
"""The same once a signal has come, or once stdout is gone and only what was already sent is read."""

REST_WITHOUT_MEMORY = 1.0
PATIENCE_WITHOUT_MEMORY = 10.0
"""Seconds without memory to read with: then the server ends, which a host sees and can mend by a new one."""

_HANG_UP = getattr(select, "POLLRDHUP", 0)  # without it only a pipe's end shows while reading is paused


class StdioServer:
    """Reads lines, writes answers, and keeps room for wakes."""

    def __init__(self, streams: Streams, loop: PollLoop) -> None:
        self._loop = loop
        self._input = streams.input
        self._output = streams.output
        self._lines = LineSplitter()
        self._writer = LineWriter(streams.output)
        self._ended = False  # all of stdin was read
        self._hung_up = False  # stdin will end, once the rest of it is read
        self._turn: Handle | None = None
        self._grace: Handle | None = None
        self._last_turns = False  # stdout is gone, what was already sent is still read
        self._room_wanted = False
        self._short_since: float | None = None
        self._resting = False  # for want of memory nothing is read for a while
        self.out_of_memory = False
        """Whether `serve` returned because what the host says could not be read."""
        self._on_line: Callable[[bytes], str | None] = lambda _line: None
        self._on_long_line: Callable[[], str | None] = lambda: None
        self._on_room: Callable[[], None] = lambda: None

    def serve(
        self,
        on_line: Callable[[bytes], str | None],
        on_long_line: Callable[[], str],
        on_room: Callable[[], None],
    ) -> None:
        """Answer each line until stdin ends, stdout is closed, or `stop` is called.

        `on_line` gets a line without its newline and gives the line to write back, or None;
        `on_long_line` the same for a line longer than is read; `on_room` is called when there is room
        again after `room` said no.
        """
        self._on_line, self._on_long_line, self._on_room = on_line, on_long_line, on_room
        self._loop.run(before_waiting=self._write_and_arrange)
        if not self._writer.gone and not self.out_of_memory:
            self._do_what_was_sent()  # what the host said before the signal counts: a wake that it took, say
        self._say_last_words()

    def stop(self) -> None:
        """Make `serve` return after the line that is being answered. For signal handlers too."""
        self._loop.stop()

    def write_line(self, line: str) -> None:
        """Write a line of ASCII, soon or when the host takes it, after those written before.

        What is written in one turn of the loop goes out at its end, in as few pieces as can be.
        """
        self._writer.put(line)
        if len(self._writer) >= WRITTEN_AT_ONCE:
            self._flush()

    def room(self) -> bool:
        """Whether a wake may be written; after a no, `on_room` is called when it may again."""
        if not self._closing() and len(self._writer) < ROOM_FOR_WAKES:
            return True
        self._room_wanted = True
        return False

    def _closing(self) -> bool:
        return self._ended or self._hung_up or self._writer.gone

    def _on_input(self, _events: int) -> None:
        try:
            chunk = self._read()
        except MemoryError:
            self._wait_for_memory()
            return
        self._short_since = None
        if chunk is not None and self._cut(chunk):
            self._take_turn()

    def _cut(self, chunk: bytes) -> bool:
        """Cut what was read into lines; a line of which a part found no memory would be another line."""
        try:
            if chunk:
                self._lines.feed(chunk)
            else:
                self._lines.end()
                self._ended = True
        except MemoryError:
            self._stop_without_memory()
            return False
        return True

    def _wait_for_memory(self) -> None:
        """Look again in a while, since nothing was read and so nothing is lost; in the end, stop."""
        now = self._loop.time()
        self._short_since = now if self._short_since is None else self._short_since
        if now - self._short_since >= PATIENCE_WITHOUT_MEMORY:
            self._stop_without_memory()
        else:
            self._resting = True
            self._loop.call_later(REST_WITHOUT_MEMORY, self._look_again)

    def _look_again(self) -> None:
        self._resting = False

    def _stop_without_memory(self) -> None:
        self.out_of_memory = True
        self._loop.stop()

    def _read(self) -> bytes | None:
        """Read what is there, None where it was gone before we came, nothing at the end."""
        try:
            return os.read(self._input, READ_AT_ONCE)
        except BlockingIOError:
            return None
        except OSError:  # a terminal that hung up, a folder, a descriptor that cannot be read
            return b""

    def _take_turn(self) -> None:
        """Answer some of the lines that were read; what is due or written does not wait for the rest."""
        self._turn = None
        until = self._loop.time() + LONGEST_TURN
        for _ in range(LINES_IN_A_TURN):
            if not self._lines or self._full() or self._loop.stopped:
                break
            self._answer_next_line()
            if self._loop.time() > until:
                break

    def _answer_next_line(self) -> None:
        line = self._lines.next_line()
        answer = self._on_long_line() if line is TOO_LONG else self._on_line(line)
        if answer is not None:
            self.write_line(answer)

    def _flush(self) -> None:
        if self._writer.flush() and self._grace is not None and not self._writer.gone:
            self._give(GRACE)  # a host that reads, however slowly, gets all of it

    def _full(self) -> bool:
        return len(self._writer) > ROOM_FOR_ANSWERS

    def _write_and_arrange(self) -> None:
        """Write what the turn has left to be written, then wait for exactly that which can happen next."""
        self._flush()
        self._arrange_output()
        self._arrange_grace()
        if self._lines and not self._full():
            self._loop.unwatch(self._input)
            self._turn = self._turn or self._loop.call_later(0.0, self._take_turn)
        elif self._ended:
            self._loop.unwatch(self._input)
            if not self._writer:
                self._loop.stop()
        elif self._resting:
            self._loop.unwatch(self._input)
        elif self._full():
            self._watch_for_hang_up()
        elif self._writer.gone and not _readable(self._input):
            self._loop.stop()
        else:
            self._loop.watch(self._input, select.POLLIN, self._on_input)

    def _watch_for_hang_up(self) -> None:
        """See the end of stdin also while it is not read."""
        if self._hung_up:
            self._loop.unwatch(self._input)
        else:
            self._loop.watch(self._input, _HANG_UP, self._on_hang_up)

    def _on_hang_up(self, _events: int) -> None:
        self._hung_up = True

    def _arrange_output(self) -> None:
        if self._output is None:
            return
        if self._writer.gone:
            self._loop.unwatch(self._output.fd)
            return
        self._loop.watch(self._output.fd, select.POLLOUT if self._writer else 0, self._on_output)
        if self._room_wanted and not self._closing() and len(self._writer) <= ROOM_FOR_WAKES // 2:
            self._room_wanted = False
            self._loop.call_later(0.0, self._on_room)

    def _on_output(self, events: int) -> None:
        self._flush()
        if events & ~select.POLLOUT:  # nobody reads any more; a peer that only stopped sending is no such
            self._writer.give_up()

    def _arrange_grace(self) -> None:
        if self._writer.gone:
            if not self._last_turns:
                self._last_turns = True
                self._give(LAST_WORDS)
        elif not self._writer:
            self._take_back_grace()
        elif self._grace is None and self._closing():
            self._give(GRACE)

    def _give(self, seconds: float) -> None:
        self._take_back_grace()
        self._grace = self._loop.call_later(seconds, self._give_up)

    def _take_back_grace(self) -> None:
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None

    def _give_up(self) -> None:
        try:
            if self._last_turns:  # loading the core may have taken all of the time
                self._do_what_was_sent()
        finally:
            self._writer.give_up()
            self._loop.stop()

    def _do_what_was_sent(self) -> None:
        if not self._lines and not self._ended and _readable(self._input):
            self._lines.feed(self._read() or b"")
        for _ in range(min(len(self._lines), LINES_IN_A_TURN)):
            self._answer_next_line()

    def _say_last_words(self) -> None:
        """Write what is left after a signal, as far as the host takes it (1.4)."""
        until = self._loop.time() + LAST_WORDS
        while self._writer and (left := until - self._loop.time()) > 0:
            self._writer.wait(left)
            self._writer.flush()


def _readable(fd: int) -> bool:
    asked = select.poll()
    asked.register(fd, select.POLLIN)
    return bool(asked.poll(0))
