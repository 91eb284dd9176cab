"""Stdin and stdout of every kind: 1.7."""

from __future__ import annotations

import os
import pty
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from stdio_worlds import (
    Input,
    Served,
    close,
    non_blocking_pipe_out,
    pipe_out,
    read_lines,
    socket_out,
    terminal_out,
)


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


def non_blocking_socket_out(tmp: Path) -> Input:
    writing, reading = socket_out(tmp)
    os.set_blocking(writing, False)
    return writing, reading


def file_out(tmp: Path) -> Input:
    writing = os.open(tmp / "answers", os.O_CREAT | os.O_WRONLY)
    return writing, os.open(tmp / "answers", os.O_RDONLY)


INPUTS = [pipe_in, non_blocking_pipe_in, socket_in, half_closed_socket_in, file_in, terminal_in]


OUTPUTS = [pipe_out, non_blocking_pipe_out, socket_out, non_blocking_socket_out, file_out, terminal_out]


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
