"""A conversation, and the end of either stream: 1.4."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from stdio_worlds import (
    Host,
    Input,
    Served,
    close,
    non_blocking_pipe_out,
    pipe_out,
    read_lines,
    read_some,
    socket_out,
    terminal_out,
)

from heartbeat_adapters.stdio import stdio_server
from heartbeat_adapters.stdio.line_splitter import LONGEST_LINE, LineSplitter


def test_an_answer_comes_before_the_next_question(host: Host) -> None:
    """2.1"""
    host.served.start()
    assert [host.ask(line) for line in ("a", "b")] == ["a", "b"]
    host.hang_up()
    assert host.served.ended()


def test_what_one_turn_answers_is_written_in_one_piece(host: Host) -> None:
    """2.7: each piece wakes the host up once."""
    host.say(*"abcdefgh")
    host.served.start()
    assert read_some(host.reading) == b"a\nb\nc\nd\ne\nf\ng\nh\n"
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
