"""The real server on every kind of stdin, stdout and stderr, and every way to stop it at every moment."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from heartbeat_adapters.testing.push_answers import leave_unanswered
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from server_folder import SERVER, ServerFolder

AT_MOST = 20.0
STOPS_WITHIN = 5.0
"""A second (1.4), and what a busy test machine adds; a server that hangs takes longer."""

MESSAGE = "Grüße, 🫀\u2028"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("initialize", HELLO),
    ("tools/list", {}),
    ("tools/call", {"name": "reminder_add", "arguments": {"message": MESSAGE, "inHours": 1}}),
    ("ping", {}),
]
REQUESTS = "".join(
    json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, ensure_ascii=False)
    + "\n"
    for number, (method, params) in enumerate(CALLS)
).encode()


@contextlib.contextmanager
def server(
    folder: ServerFolder,
    stdin: int | None = subprocess.PIPE,
    stdout: int | None = subprocess.PIPE,
    stderr: int | None = subprocess.PIPE,
    command: tuple[str, ...] = (*SERVER, "--stdio"),
) -> Iterator[subprocess.Popen[bytes]]:
    """A server with nothing in its environment at all (1.6)."""
    with subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder.path, env={}, bufsize=0
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=AT_MOST)


def check_answers(written: bytes) -> None:
    """Every request was answered, in order, in ASCII, and there is nothing else."""
    assert written.isascii()
    assert written.endswith(b"\n")
    answers = [json.loads(line) for line in written.splitlines()]
    assert [answer["id"] for answer in answers] == [*range(len(CALLS))]
    assert all("result" in answer for answer in answers)


def check_folder(folder: ServerFolder) -> None:
    """What was asked for is in the files, and nothing else is in the folder."""
    assert [reminder["message"] for reminder in folder.reminders] == [MESSAGE]
    assert folder.config["paused"] is False
    assert folder.names == {folder.config_file.name, folder.reminders_file.name}


def read_until_end(fd: int) -> bytes:
    """All that comes until the other end closes."""
    waiting, read = select.poll(), b""
    waiting.register(fd, select.POLLIN)
    while True:
        assert waiting.poll(AT_MOST * 1000), f"nothing came after {read!r}"
        try:
            some = os.read(fd, 65536)
        except OSError:  # a terminal whose other end was closed
            some = b""
        if not some:
            return read
        read += some


# Kinds of stdin: each gives what the server reads, with the requests and an end in it


def pipe_in(stack: contextlib.ExitStack, _tmp: Path) -> int:
    reading, writing = os.pipe()
    os.write(writing, REQUESTS)
    os.close(writing)
    stack.callback(os.close, reading)
    return reading


def non_blocking_pipe_in(stack: contextlib.ExitStack, tmp: Path) -> int:
    reading = pipe_in(stack, tmp)
    os.set_blocking(reading, False)
    return reading


def socket_in(stack: contextlib.ExitStack, _tmp: Path) -> int:
    ours, theirs = socket.socketpair()
    stack.enter_context(theirs)
    ours.sendall(REQUESTS)
    ours.close()
    return theirs.fileno()


def file_in(stack: contextlib.ExitStack, tmp: Path) -> int:
    (tmp / "requests.jsonl").write_bytes(REQUESTS.removesuffix(b"\n"))
    return stack.enter_context((tmp / "requests.jsonl").open("rb")).fileno()


def terminal_in(stack: contextlib.ExitStack, _tmp: Path) -> int:
    master, terminal = pty.openpty()
    stack.callback(os.close, master)
    stack.callback(os.close, terminal)
    os.write(master, REQUESTS + b"\x04")  # the terminal's end of input
    return terminal


# Kinds of stdout: each gives where the server writes, and a way to have all of that


def pipe_out(stack: contextlib.ExitStack, _tmp: Path) -> tuple[int, Callable[[], bytes]]:
    reading, writing = os.pipe()
    stack.callback(os.close, reading)
    return writing, lambda: read_until_end(reading)


def non_blocking_pipe_out(stack: contextlib.ExitStack, tmp: Path) -> tuple[int, Callable[[], bytes]]:
    writing, read = pipe_out(stack, tmp)
    os.set_blocking(writing, False)
    return writing, read


def socket_out(stack: contextlib.ExitStack, _tmp: Path) -> tuple[int, Callable[[], bytes]]:
    ours, theirs = socket.socketpair()
    stack.enter_context(ours)
    return theirs.detach(), lambda: read_until_end(ours.fileno())


def file_out(_stack: contextlib.ExitStack, tmp: Path) -> tuple[int, Callable[[], bytes]]:
    answers = tmp / "answers.jsonl"
    return os.open(answers, os.O_WRONLY | os.O_CREAT), answers.read_bytes


def terminal_out(stack: contextlib.ExitStack, _tmp: Path) -> tuple[int, Callable[[], bytes]]:
    master, terminal = pty.openpty()
    stack.callback(os.close, master)
    tty.setraw(terminal)  # as it would be without the terminal's own "\r"
    return terminal, lambda: read_until_end(master)


INPUTS = [pipe_in, non_blocking_pipe_in, socket_in, file_in, terminal_in]
OUTPUTS = [pipe_out, non_blocking_pipe_out, socket_out, file_out, terminal_out]


@pytest.mark.parametrize(
    ("stdin", "stdout"),
    [*((stdin, pipe_out) for stdin in INPUTS), *((file_in, stdout) for stdout in OUTPUTS[1:])],
)
def test_every_line_is_answered_whatever_stdin_and_stdout_are(
    tmp_path: Path, stdin: Any, stdout: Any
) -> None:
    """1.4, 1.6, 1.7, 2.1: what came before the end is answered, then the server stops; no word in its env."""
    folder = ServerFolder(tmp_path / "home")
    folder.path.mkdir()
    with contextlib.ExitStack() as stack:
        writing, answers = stdout(stack, tmp_path)
        with server(folder, stdin(stack, tmp_path), writing) as process:
            os.close(writing)
            if stdout is not file_out:
                check_answers(answers())
            _, log = process.communicate(timeout=AT_MOST)
            assert process.returncode == 0
        if stdout is file_out:
            check_answers(answers())
    check_folder(folder)
    assert str(folder.config_file).encode() in log
    assert str(folder.reminders_file).encode() in log
    assert all(line.startswith(b"[heartbeat-mcpl] ") for line in log.splitlines())


@pytest.mark.parametrize("blocking", [True, False])
def test_one_socket_is_stdin_and_stdout(folder: ServerFolder, blocking: bool) -> None:
    """1.7: as some hosts give it, also one that does not block."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(blocking)
    with ours, server(folder, theirs.fileno(), theirs.fileno()) as process:
        theirs.close()
        ours.sendall(REQUESTS)
        ours.shutdown(socket.SHUT_WR)
        check_answers(read_until_end(ours.fileno()))
        assert process.wait(STOPS_WITHIN) == 0
    check_folder(folder)


def test_one_terminal_is_stdin_stdout_and_stderr_until_it_hangs_up(folder: ServerFolder) -> None:
    """1.4, 1.7"""
    master, terminal = pty.openpty()
    with server(folder, terminal, terminal, terminal) as process:
        os.close(terminal)
        os.write(master, b'{"jsonrpc":"2.0","id":"it is","method":"ping"}\n')
        seen = b""
        while b'"id":"it is","result":{}}' not in seen:
            assert select.select([master], [], [], AT_MOST)[0], seen
            seen += os.read(master, 4096)
        os.close(master)
        assert process.wait(STOPS_WITHIN) == 0


def test_dev_null_on_every_side_is_a_start_and_an_end(folder: ServerFolder) -> None:
    """1.7"""
    with server(folder, subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL) as process:
        assert process.wait(AT_MOST) == 0
    assert folder.names == {folder.config_file.name}


# Descriptors that are closed, full or broken


@pytest.mark.parametrize("closed", ["0", "1", "2", "12", "012"])
def test_closed_descriptors_never_become_a_data_file(tmp_path: Path, closed: str) -> None:
    """1.3, 1.4, 1.7: and what can be read is still done."""
    folder = ServerFolder(tmp_path / "home")
    folder.path.mkdir()
    (tmp_path / "requests").write_bytes(REQUESTS)
    redirect = " ".join(f"{fd}{'<' if fd == '0' else '>'}&-" for fd in closed)
    script = f'exec "$@" <{tmp_path}/requests >{tmp_path}/out 2>{tmp_path}/err {redirect}'
    with server(folder, command=("/bin/sh", "-c", script, "sh", *SERVER, "--stdio")) as process:
        assert process.wait(AT_MOST) == 0
    if "0" not in closed:
        check_folder(folder)
    if not set("01") & set(closed):
        check_answers((tmp_path / "out").read_bytes())
    assert ((tmp_path / "out").read_bytes() != b"") == (not set("01") & set(closed))
    assert b"Traceback" not in (tmp_path / "err").read_bytes()


def full_stderr() -> int:
    return os.open("/dev/full", os.O_WRONLY)


def stderr_whose_reader_is_gone() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("broken", [full_stderr, stderr_whose_reader_is_gone])
def test_a_full_or_broken_stderr_is_survived(folder: ServerFolder, broken: Callable[[], int]) -> None:
    """1.3"""
    stderr = broken()
    with server(folder, stderr=stderr) as process:
        os.close(stderr)
        answers, _ = process.communicate(REQUESTS, timeout=AT_MOST)
        check_answers(answers)
        assert process.returncode == 0
    check_folder(folder)


def test_a_stderr_that_nobody_reads_is_survived_by_a_log_that_fills_it(folder: ServerFolder) -> None:
    """1.3: at --verbose, every message is a line."""
    many = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 50
    reading, writing = os.pipe()
    with server(folder, stderr=writing, command=(*SERVER, "--stdio", "--verbose")) as process:
        os.close(writing)
        answers, _ = process.communicate(REQUESTS + many, timeout=AT_MOST)
        assert process.returncode == 0
    os.close(reading)
    check_answers(b"".join(answers.splitlines(keepends=True)[: len(CALLS)]))
    assert answers.count(b"\n") == len(CALLS) + 50


CHATTY = """
import os, sys, warnings
from heartbeat_core.service import Heartbeat
start = Heartbeat.start
def chatty_start(self):
    print("stray print", flush=True)
    os.write(1, b"stray write\\n")
    print("x" * 200_000)
    sys.__stdout__.write("stray text, never flushed")
    os.system("echo stray child")
    warnings.warn("stray warning")
    sys.stdin.read()
    os.read(0, 1)
    start(self)
Heartbeat.start = chatty_start
sys.argv = ["heartbeat-mcpl", "--stdio"]
from heartbeat_cli.main import main
main()
"""


def test_stdout_stays_clean_whatever_a_library_prints(folder: ServerFolder) -> None:
    """1.3: also where nobody reads stderr, which takes only so much."""
    reading, writing = os.pipe()
    with server(folder, stderr=writing, command=(sys.executable, "-c", CHATTY)) as process:
        os.close(writing)
        answers, _ = process.communicate(REQUESTS, timeout=AT_MOST)
        check_answers(answers)
        assert process.returncode == 0
    log = os.read(reading, 65536)
    os.close(reading)
    assert b"stray print\n" in log
    check_folder(folder)


# Every way to stop, at every moment


def idle(_host: ScriptedHost) -> None:
    """Nothing to do."""


def wake_is_out(host: ScriptedHost) -> None:
    host.on_push = leave_unanswered
    host.call("reminder_add", message="tea", inSeconds=0.01)
    host.next_wake()


def host_does_not_read(host: ScriptedHost) -> None:
    """Until the server does not read either: what it may hold back is a mebibyte."""
    host.server.reading = False
    for _ in range(200):
        host.send_request("tools/list")


def in_the_middle_of_a_line(host: ScriptedHost) -> None:
    host.send_bytes(b'{"jsonrpc":"2.0","id":"half","met')


def stdin_ends(host: ScriptedHost) -> None:
    host.close_stdin()


def signalled(number: signal.Signals) -> Callable[[ScriptedHost], None]:
    return lambda host: host.server.signal(number)


STOPS = {"EOF": stdin_ends} | {
    number.name: signalled(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
}


@pytest.mark.parametrize("moment", [idle, wake_is_out, host_does_not_read, in_the_middle_of_a_line])
@pytest.mark.parametrize("stop", STOPS)
def test_whatever_stops_it_it_stops_at_once_and_leaves_nothing_half_done(
    folder: ServerFolder, moment: Callable[[ScriptedHost], None], stop: str
) -> None:
    """1.4, 7.4, 8.9"""
    with folder.host() as host:
        host.handshake()
        host.call("reminder_add", message="later", inHours=1)
        moment(host)
        STOPS[stop](host)
        assert host.wait(STOPS_WITHIN) == 0
        assert not any("Traceback" in line for line in host.log_lines)
        host.server.reading = True
        host.wait()
        if moment is not host_does_not_read:  # what a host does not take cannot be finished
            assert host.server.half_line == b""
    kept = {reminder["message"] for reminder in folder.reminders}
    assert kept == ({"later", "tea"} if moment is wake_is_out else {"later"})
    assert folder.names == {folder.config_file.name, folder.reminders_file.name}


def test_a_last_line_without_its_newline_is_answered_before_the_end(folder: ServerFolder) -> None:
    """1.4, 2.1, 2.2"""
    with server(folder) as process:
        half = b'{"jsonrpc":"2.0","id":"half","met'
        answers, _ = process.communicate(REQUESTS + half, timeout=AT_MOST)
        *whole, last = answers.splitlines(keepends=True)
        check_answers(b"".join(whole))
        assert json.loads(last)["error"]["code"] == -32700
        assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_right_after_the_first_log_line_stops_it_too(
    folder: ServerFolder, number: signal.Signals
) -> None:
    """1.4"""
    with server(folder) as process:
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], AT_MOST)[0]
        process.send_signal(number)
        _, log = process.communicate(timeout=AT_MOST)
        assert process.returncode == 0
        assert b"Traceback" not in log


def test_a_stdout_that_the_host_closes_is_noticed_while_idle(folder: ServerFolder) -> None:
    """1.4"""
    with server(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(REQUESTS)
        assert select.select([process.stdout], [], [], AT_MOST)[0]
        process.stdout.close()
        assert process.wait(STOPS_WITHIN) == 0
    check_folder(folder)


def test_a_file_of_requests_waits_for_whoever_reads_the_answers(tmp_path: Path) -> None:
    """1.7, 2.7: more answers than may be held back; a file has no end before it was read to there."""
    folder = ServerFolder(tmp_path / "home")
    folder.path.mkdir()
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'
    (tmp_path / "requests").write_bytes(REQUESTS + b"".join(ping % number for number in range(400)))
    with (tmp_path / "requests").open("rb") as stdin, server(folder, stdin.fileno()) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        answers, _ = process.communicate(timeout=AT_MOST)
        assert process.returncode == 0
    ids = [json.loads(line)["id"] for line in answers.splitlines()]
    assert ids == [*range(len(CALLS)), *range(400)]
