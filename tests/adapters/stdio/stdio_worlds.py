"""What the tests of this folder share."""

from __future__ import annotations

import os
import pty
import select
import socket
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from heartbeat_adapters.stdio.descriptors import Streams, output
from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.stdio.stdio_server import StdioServer

AT_MOST = 10.0


Input = tuple[int, int]
"""The server's end and the host's."""


def echo(line: bytes) -> str | None:
    return None if line == b"note" else line.decode("ascii", "backslashreplace")


class Served:
    """A server in a thread, and what it was told."""

    def __init__(self, reading: int, writing: int | None) -> None:
        self.log: list[str] = []
        self.loop = PollLoop(self.log.append)
        self.output = None if writing is None else output(writing)
        self.server = StdioServer(Streams(reading, self.output), self.loop)
        self.lines: list[bytes] = []
        self.rooms = 0
        self.on_line: Callable[[bytes], str | None] = echo
        self.on_room: Callable[[], None] = lambda: None
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> Served:
        self.thread.start()
        return self

    def ended(self, within: float = AT_MOST, log: int = 0) -> bool:
        """Whether it ends by itself, with so many entries in its log."""
        self.thread.join(within)
        return not self.thread.is_alive() and len(self.log) == log

    def _serve(self) -> None:
        self.server.serve(self._line, lambda: "too long", self._room)

    def _line(self, line: bytes) -> str | None:
        self.lines.append(line)
        return self.on_line(line)

    def _room(self) -> None:
        self.rooms += 1
        self.on_room()


def read_some(fd: int) -> bytes:
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    assert waiting.poll(AT_MOST * 1000), "nothing came"
    try:
        return os.read(fd, 65536)
    except OSError:  # a terminal whose other end was closed
        return b""


def read_lines(fd: int, count: int) -> list[bytes]:
    chunks, ends = list[bytes](), 0
    while ends < count:
        chunk = read_some(fd)
        assert chunk, f"the end came after {b''.join(chunks)[-100:]!r}"
        chunks.append(chunk)
        ends += chunk.count(b"\n")
    return b"".join(chunks).splitlines()


def pipe_out(_tmp: Path) -> Input:
    reading, writing = os.pipe()
    return writing, reading


def non_blocking_pipe_out(tmp: Path) -> Input:
    writing, reading = pipe_out(tmp)
    os.set_blocking(writing, False)
    return writing, reading


def socket_out(_tmp: Path) -> Input:
    host, server = socket.socketpair()
    return server.detach(), host.detach()


def terminal_out(_tmp: Path) -> Input:
    master, terminal = pty.openpty()
    tty.setraw(terminal)
    return terminal, master


def close(*fds: int) -> None:
    for fd in fds:
        if fd >= 0:
            os.close(fd)


class Host:
    """The host's ends of a server that runs."""

    def __init__(self, served: Served, writing: int, reading: int, hang_up: Callable[[], None]) -> None:
        self.served, self.writing, self.reading, self.hang_up = served, writing, reading, hang_up

    def say(self, *lines: str) -> None:
        os.write(self.writing, "".join(f"{line}\n" for line in lines).encode())

    def hear(self, count: int = 1) -> list[str]:
        return [line.decode() for line in read_lines(self.reading, count)]

    def ask(self, line: str) -> str:
        self.say(line)
        return self.hear()[0]


def over_pipes() -> Iterator[Host]:
    (server_in, writing), (reading, server_out) = os.pipe(), os.pipe()
    host = Host(Served(server_in, server_out), writing, reading, lambda: os.close(writing))
    yield host
    close(server_in, server_out, reading)


def over_one_socket() -> Iterator[Host]:
    ours, theirs = socket.socketpair()
    served = Served(os.dup(theirs.fileno()), os.dup(theirs.fileno()))
    theirs.close()
    yield Host(served, ours.fileno(), ours.fileno(), lambda: ours.shutdown(socket.SHUT_WR))
    ours.close()
