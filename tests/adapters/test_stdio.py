"""The host's line in one process: descriptors of every kind, framing, back-pressure, either stream's end.

The server runs in a thread and the test plays the host; signals and descriptors 0 to 2 are in
`test_stdio_process.py`.
"""

from __future__ import annotations

import os
import pty
import select
import socket
import threading
import tty
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_adapters.stdio import stdio_server
from heartbeat_adapters.stdio.descriptors import Streams, output
from heartbeat_adapters.stdio.line_splitter import LONGEST_LINE, TOO_LONG, LineSplitter
from heartbeat_adapters.stdio.line_writer import LineWriter
from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.stdio.stdio_server import LINES_IN_A_TURN, ROOM_FOR_ANSWERS, StdioServer

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


# Kinds of descriptors


def pipe_in(data: bytes, _tmp: Path) -> Input:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return reading, -1


def non_blocking_pipe_in(data: bytes, tmp: Path) -> Input:
    reading, _ = pipe_in(data, tmp)
    os.set_blocking(reading, False)
    return reading, -1


def socket_in(data: bytes, _tmp: Path) -> Input:
    host, server = socket.socketpair()
    host.sendall(data)
    host.close()
    return server.detach(), -1


def half_closed_socket_in(data: bytes, _tmp: Path) -> Input:
    host, server = socket.socketpair()
    host.sendall(data)
    host.shutdown(socket.SHUT_WR)
    return server.detach(), host.detach()


def file_in(data: bytes, tmp: Path) -> Input:
    (tmp / "requests").write_bytes(data)
    return os.open(tmp / "requests", os.O_RDONLY), -1


def terminal_in(data: bytes, _tmp: Path) -> Input:
    master, terminal = pty.openpty()
    os.write(master, data + (b"\x04" if data.endswith(b"\n") else b"\x04\x04"))
    return terminal, master


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


def non_blocking_socket_out(tmp: Path) -> Input:
    writing, reading = socket_out(tmp)
    os.set_blocking(writing, False)
    return writing, reading


def file_out(tmp: Path) -> Input:
    writing = os.open(tmp / "answers", os.O_CREAT | os.O_WRONLY)
    return writing, os.open(tmp / "answers", os.O_RDONLY)


def terminal_out(_tmp: Path) -> Input:
    master, terminal = pty.openpty()
    tty.setraw(terminal)
    return terminal, master


INPUTS = [pipe_in, non_blocking_pipe_in, socket_in, half_closed_socket_in, file_in, terminal_in]
OUTPUTS = [pipe_out, non_blocking_pipe_out, socket_out, non_blocking_socket_out, file_out, terminal_out]


def close(*fds: int) -> None:
    for fd in fds:
        if fd >= 0:
            os.close(fd)


@pytest.mark.parametrize("make_input", INPUTS)
@pytest.mark.parametrize("make_output", OUTPUTS)
def test_every_line_is_answered_whatever_stdin_and_stdout_are(
    make_input: Callable[[bytes, Path], Input], make_output: Callable[[Path], Input], tmp_path: Path
) -> None:
    """1.7"""
    reading, host_in = make_input(b"first\nnote\nlast", tmp_path)
    writing, host_out = make_output(tmp_path)
    blocking = os.get_blocking(reading), os.get_blocking(writing)
    served = Served(reading, writing).start()
    assert served.ended()
    assert read_lines(host_out, 2) == [b"first", b"last"]
    assert (os.get_blocking(reading), os.get_blocking(writing)) == blocking
    close(reading, host_in, writing, host_out)


@pytest.mark.parametrize("make_output", OUTPUTS)
def test_much_is_written_whole_and_in_order_whatever_stdout_is(
    make_output: Callable[[Path], Input], tmp_path: Path
) -> None:
    """2.7"""
    lines = [f"{n} {'x' * (n % 7_000)}" for n in range(600)]
    reading, host_in = file_in("\n".join(lines).encode(), tmp_path)
    writing, host_out = make_output(tmp_path)
    served = Served(reading, writing).start()
    if make_output is file_out:  # whose end can be read before it is written
        assert served.ended()
    assert read_lines(host_out, len(lines)) == [line.encode() for line in lines]
    assert served.ended()
    close(reading, host_in, writing, host_out)


def test_dev_null_on_both_sides_ends_at_once() -> None:
    """1.7"""
    null = os.open(os.devnull, os.O_RDWR)
    assert Served(null, null).start().ended()
    os.close(null)


@pytest.mark.parametrize("unreadable", ["folder", "write-only", "closed"])
def test_a_stdin_that_cannot_be_read_has_ended(unreadable: str, tmp_path: Path) -> None:
    """1.7"""
    reading, writing = os.pipe()
    match unreadable:
        case "folder":
            stdin = os.open(tmp_path, os.O_RDONLY)
        case "write-only":
            stdin = os.open(tmp_path / "x", os.O_WRONLY | os.O_CREAT)
        case _:
            stdin = 9_999  # one that nothing else gets meanwhile
    assert Served(stdin, writing).start().ended()
    close(reading, writing)


# A conversation, over one socket or over two pipes


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


@pytest.fixture(params=[over_pipes, over_one_socket], ids=lambda make: make.__name__)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    yield from request.param()


def test_an_answer_comes_before_the_next_question(host: Host) -> None:
    """2.1"""
    host.served.start()
    assert [host.ask(line) for line in ("a", "b")] == ["a", "b"]
    host.hang_up()
    assert host.served.ended()


def test_half_a_line_waits_for_its_other_half(host: Host) -> None:
    """2.1"""
    host.served.start()
    os.write(host.writing, b"fir")
    assert host.served.lines == []
    os.write(host.writing, b"st\nsec")
    assert host.hear() == ["first"]
    os.write(host.writing, b"ond")
    host.hang_up()
    assert host.hear() == ["second"]
    assert host.served.ended()


def test_what_came_before_the_end_is_answered_before_the_server_stops(host: Host) -> None:
    """1.4"""
    host.say(*(str(n) for n in range(1_000)))
    host.hang_up()
    host.served.start()
    assert host.hear(1_000) == [str(n) for n in range(1_000)]
    assert host.served.ended()


def test_a_line_too_long_is_answered_as_such_and_the_next_is_served(host: Host) -> None:
    """2.3"""
    host.served.start()
    for _ in range(LONGEST_LINE // 4096 + 1):
        os.write(host.writing, b"x" * 4096)
    assert host.hear() == ["too long"]
    host.say("the rest of it", "next")
    assert host.hear() == ["next"]
    host.hang_up()
    assert host.served.ended()


def test_a_stop_ends_it_after_what_the_host_had_said_before(host: Host) -> None:
    """1.4: among that may be that it took a wake, which would be heard again if nobody listened."""

    def answer_and_stop(line: bytes) -> str:
        host.served.server.stop()
        return f"last {line.decode()}"

    host.served.on_line = answer_and_stop
    host.say("a", "b", "c")
    host.served.start()
    assert host.served.ended()
    assert host.hear(3) == ["last a", "last b", "last c"]


def test_a_line_whose_answer_fails_is_logged_and_those_after_it_are_served(host: Host) -> None:
    """2.8"""

    def break_at_b(line: bytes) -> str:
        if line == b"b":
            raise MemoryError(line)
        return line.decode()

    host.served.on_line = break_at_b
    host.say("a", "b", "c")
    host.served.start()
    assert host.hear(2) == ["a", "c"]
    host.hang_up()
    assert host.served.ended(log=1)
    assert "MemoryError" in host.served.log[0]


NO_MEMORY_HOLDS = 1 << 61
"""Bytes to read at once, so that reading is a `MemoryError`."""


def test_reading_without_memory_is_tried_again_and_nothing_is_lost(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: nothing was read, so whoever waits a moment misses nothing."""
    usual = stdio_server.READ_AT_ONCE
    monkeypatch.setattr(stdio_server, "READ_AT_ONCE", NO_MEMORY_HOLDS)
    monkeypatch.setattr(stdio_server, "REST_WITHOUT_MEMORY", 0.01)
    host.say("a", "b")
    host.served.loop.call_later(0.05, lambda: monkeypatch.setattr(stdio_server, "READ_AT_ONCE", usual))
    host.served.start()
    assert host.hear(2) == ["a", "b"]
    host.hang_up()
    assert host.served.ended()
    assert not host.served.server.out_of_memory


def test_a_server_that_finds_no_memory_to_read_with_rests_and_in_the_end_stops(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.3: one that only seems to run would never be started anew."""
    monkeypatch.setattr(stdio_server, "READ_AT_ONCE", NO_MEMORY_HOLDS)
    monkeypatch.setattr(stdio_server, "REST_WITHOUT_MEMORY", 0.01)
    monkeypatch.setattr(stdio_server, "PATIENCE_WITHOUT_MEMORY", 0.05)
    host.say("a")
    host.served.start()
    assert host.served.ended()
    assert host.served.server.out_of_memory
    assert host.served.lines == []


class NoMemoryForLines(LineSplitter):
    """Breaks in the middle of what it is fed."""

    def feed(self, chunk: bytes) -> None:
        super().feed(chunk[:3])
        raise MemoryError


def test_half_a_line_that_found_no_memory_is_never_taken_for_a_line(host: Host) -> None:
    """2.1"""
    host.served.server._lines = NoMemoryForLines()
    host.say("ab", "cd")
    host.served.start()
    assert host.served.ended()
    assert host.served.server.out_of_memory
    assert host.served.lines == []


# Back-pressure


def stand_still(host: Host, length: int, count: int) -> threading.Thread:
    """A host that asks and asks and reads nothing, until the server has stopped reading too."""
    host.served.on_line = lambda line: f"{line.decode()} {'x' * length}"
    host.served.start()

    def ask() -> None:
        for n in range(count):
            host.say(str(n))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    wait_until(lambda: len(host.served.lines) * length > ROOM_FOR_ANSWERS)
    return asking


def asked_all(asking: threading.Thread) -> None:
    """Wait until the host has asked all that it has to ask, since it must not hang up in between."""
    asking.join(AT_MOST)
    assert not asking.is_alive()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something in the server's thread, looking in every 10 ms."""
    never, looks = threading.Event(), 0
    while not condition():
        never.wait(0.01)
        looks += 1
        assert looks < AT_MOST * 100


def test_a_host_that_stops_reading_waits_and_loses_nothing(host: Host) -> None:
    """2.7"""
    asking = stand_still(host, length=1_000, count=50_000)
    assert not host.served.ended(within=0.2)
    assert asking.is_alive()
    held = len(host.served.lines) * 1_000
    assert held < ROOM_FOR_ANSWERS + 1_000_000, "what the kernel holds comes on top"
    answers = host.hear(50_000)
    assert [int(answer.split()[0]) for answer in answers] == list(range(50_000))
    host.hang_up()
    assert host.served.ended()


def test_the_end_of_stdin_is_noticed_while_it_is_not_read(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: a host that does not read its answers gets a moment, and no more."""
    monkeypatch.setattr(stdio_server, "GRACE", 0.02)
    asked_all(stand_still(host, length=100_000, count=100))
    host.hang_up()
    assert host.served.ended()
    assert len(host.served.lines) < 100


def test_a_host_that_reads_slowly_after_the_end_gets_all_of_it(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4"""
    monkeypatch.setattr(stdio_server, "GRACE", 2.0)
    asked_all(stand_still(host, length=100_000, count=100))
    host.hang_up()
    assert len(host.hear(100)) == 100
    assert host.served.ended()


def push_while_room(host: Host, wakes: int, refused: threading.Event) -> Callable[[], None]:
    """A sender of wakes that does as the core does: push while there is room, go on when told."""
    left = list(range(wakes))

    def push() -> None:
        while left:
            if not host.served.server.room():
                refused.set()
                return
            host.served.server.write_line(f"wake {left.pop(0)} {'x' * 1_000}")

    return push


def and_then(host: Host, push: Callable[[], None]) -> Callable[[bytes], str]:
    """Answer, and let wakes follow from a timer, as the core does."""

    def on_line(line: bytes) -> str:
        host.served.loop.call_later(0.0, push)
        return line.decode()

    return on_line


def test_wakes_stop_long_before_requests_do_and_go_on_later(host: Host) -> None:
    """2.7"""
    refused = threading.Event()
    push = push_while_room(host, 2_000, refused)
    host.served.on_room = push
    host.served.on_line = and_then(host, push)
    host.served.start()
    host.say("go")
    assert refused.wait(AT_MOST)
    host.say(*(str(n) for n in range(1_000)))
    wait_until(lambda: len(host.served.lines) == 1_001)
    heard = host.hear(1_001 + 2_000)
    wakes = [line.split()[1] for line in heard if line.startswith("wake")]
    assert heard[0] == "go"
    assert wakes == [str(n) for n in range(2_000)]
    assert [line for line in heard[1:] if not line.startswith("wake")] == [str(n) for n in range(1_000)]
    assert host.served.rooms > 0
    host.hang_up()
    assert host.served.ended()


def test_no_wake_has_room_once_stdin_has_ended(host: Host) -> None:
    """1.4"""
    host.say("a")
    host.hang_up()
    host.served.start()
    assert host.hear() == ["a"]
    assert host.served.ended()
    assert not host.served.server.room()
    assert host.served.rooms == 0


def test_a_flood_of_lines_leaves_timers_their_turn(host: Host) -> None:
    """5.2"""
    lines_at_timer = list[int]()

    def arm_once(line: bytes) -> str:
        if len(host.served.lines) == 1:
            host.served.loop.call_later(0.0, lambda: lines_at_timer.append(len(host.served.lines)))
        return line.decode()

    host.served.on_line = arm_once
    host.say(*("x" for _ in range(1_000)))
    host.served.start()
    host.hear(1_000)
    host.hang_up()
    assert host.served.ended()
    assert lines_at_timer[0] <= LINES_IN_A_TURN


# The end of stdout


@pytest.mark.parametrize("make_output", [pipe_out, non_blocking_pipe_out, socket_out, terminal_out])
def test_a_stdout_that_the_host_closes_is_noticed_while_idle(
    make_output: Callable[[Path], Input], tmp_path: Path
) -> None:
    """1.4"""
    reading, asking = os.pipe()
    writing, host_out = make_output(tmp_path)
    served = Served(reading, writing).start()
    os.write(asking, b"a\n")
    assert read_lines(host_out, 1) == [b"a"]
    os.close(host_out)
    assert served.ended()
    close(reading, asking, writing)


@pytest.mark.parametrize("make_output", [pipe_out, socket_out])
def test_a_stdout_that_closes_while_answers_wait_ends_it(
    make_output: Callable[[Path], Input], tmp_path: Path
) -> None:
    """1.4"""
    reading, asking = os.pipe()
    writing, host_out = make_output(tmp_path)
    served = Served(reading, writing)
    served.on_line = lambda _line: "x" * 900_000
    served.start()
    os.write(asking, b"a\n")
    read_some(host_out)
    os.close(host_out)
    assert served.ended()
    close(reading, asking, writing)


def test_what_was_sent_before_stdout_closed_is_still_done(tmp_path: Path) -> None:
    """1.4: the same as stdin's end."""
    reading, asking = os.pipe()
    writing, host_out = pipe_out(tmp_path)
    os.close(host_out)
    os.write(asking, b"x\n" * 500)
    served = Served(reading, writing).start()
    assert served.ended()
    assert len(served.lines) == 500
    close(reading, asking, writing)


def test_what_was_sent_is_done_though_no_time_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: loading the core may take all of it on a slow machine."""
    monkeypatch.setattr(stdio_server, "LAST_WORDS", 0.0)
    (tmp_path / "requests").write_text("".join(f"{n}\n" for n in range(20)))
    with (tmp_path / "requests").open() as requests:
        served = Served(requests.fileno(), None).start()
        assert served.ended()
    assert served.lines == [f"{n}".encode() for n in range(20)]


def test_a_stdout_that_was_closed_from_the_start_is_the_same() -> None:
    """1.4"""
    reading, asking = os.pipe()
    os.write(asking, b"x\n" * 500)
    served = Served(reading, None).start()
    assert served.ended()
    assert len(served.lines) == 500
    close(reading, asking)


@pytest.mark.parametrize("sign_of_life", ["sends", "stops sending"])
def test_a_stdout_socket_that_can_be_read_is_not_closed(sign_of_life: str) -> None:
    """1.7: some hosts give sockets, and shut the direction that they do not need."""
    reading, asking = os.pipe()
    ours, theirs = socket.socketpair()
    served = Served(reading, theirs.fileno()).start()
    if sign_of_life == "sends":
        ours.sendall(b"noise\n")
    else:
        ours.shutdown(socket.SHUT_WR)
    for _ in range(3):
        os.write(asking, b"a\n")
        assert read_lines(ours.fileno(), 1) == [b"a"]
    os.close(asking)
    assert served.ended()
    ours.close()
    theirs.close()
    os.close(reading)


def test_a_full_disk_under_stdout_ends_it() -> None:
    """1.4: nothing that is said arrives any more."""
    full = os.open("/dev/full", os.O_WRONLY)
    reading, asking = os.pipe()
    os.write(asking, b"a\n")
    assert Served(reading, full).start().ended()
    close(reading, asking, full)


# Framing alone


def split(chunks: list[bytes], longest: int = LONGEST_LINE) -> list[bytes | None]:
    splitter = LineSplitter(longest)
    for chunk in chunks:
        splitter.feed(chunk)
    splitter.end()
    return [splitter.next_line() for _ in range(len(splitter))]


def test_lines_end_at_newlines_alone() -> None:
    """2.1"""
    raw = "a\u2028b\u0085c\rd\x0be\r\n\r\n\n".encode()
    assert split([raw, b"f\r"]) == ["a\u2028b\u0085c\rd\x0be".encode(), b"", b"", b"f"]


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"12345\n12345\r\nx", [b"12345", b"12345", b"x"]),
        (b"123456\nx\n", [TOO_LONG, b"x"]),
        (b"12345\r\r\nx\n", [TOO_LONG, b"x"]),
        (b"123456", [TOO_LONG]),
        (b"12345\r", [b"12345"]),
        (b"123456789" * 50 + b"\n\n", [TOO_LONG, b""]),
    ],
)
def test_a_line_may_be_as_long_as_the_limit(raw: bytes, lines: list[bytes | None]) -> None:
    """2.3"""
    assert split([raw], longest=5) == lines
    assert split([raw[n : n + 1] for n in range(len(raw))], longest=5) == lines


def test_a_line_too_long_is_told_at_once_and_not_kept() -> None:
    """2.3"""
    splitter = LineSplitter(longest=100)
    for _ in range(1_000):
        splitter.feed(b"x" * 100)
    assert len(splitter) == 1
    assert len(splitter._tail) == 0


@given(st.text("ab\r\n").map(str.encode), st.lists(st.integers(0, 50)))
def test_the_same_bytes_are_the_same_lines_however_they_come(raw: bytes, cuts: list[int]) -> None:
    """2.1, 2.3"""
    bounds = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    chunks = [raw[a:b] for a, b in pairwise(bounds)]
    assert split(chunks, longest=4) == split([raw], longest=4)


@given(st.lists(st.text("abc\r", max_size=8)))
def test_lines_are_what_was_joined(lines: list[str]) -> None:
    """2.1"""
    raw = "".join(f"{line}\n" for line in lines).encode()
    assert split([raw]) == [line.removesuffix("\r").encode() for line in lines]


def test_a_writer_without_a_way_out_keeps_nothing() -> None:
    """2.7"""
    writer = LineWriter(None)
    writer.put("x")
    assert writer.gone
    assert len(writer) == 0
