"""A tiny echo server as a process of its own: signals at any moment, and descriptors 0, 1 and 2."""

from __future__ import annotations

import os
import pty
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

AT_MOST = 10.0

START = """
from heartbeat_adapters.stdio.stop_signals import install_stop_signals, leave
signals = install_stop_signals()
"""

SERVE = """
import os
from heartbeat_adapters.stdio.descriptors import claim_stdio
streams = claim_stdio()
from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.stdio.stderr_log import StderrLog
from heartbeat_adapters.stdio.stdio_server import StdioServer
log = StderrLog()
loop = PollLoop(log.warning)
server = StdioServer(streams, loop)
signals.hand_over(server.stop)

def on_line(line):
    words = line.decode().split()
    if words[:1] == ["long"]:
        return "x" * int(words[1])
    if words[:1] == ["stray"]:
        print("stray print", flush=True)
        os.system("echo stray child")
        os.write(1, b"stray write")
        return "done " + repr(os.read(0, 10))
    if words[:1] == ["print"]:
        print("x" * int(words[1]))
        return "printed"
    if words[:1] == ["open"]:
        return str(os.open(words[1], os.O_CREAT | os.O_WRONLY))
    if words[:1] == ["hang"]:
        os.write(streams.output.fd, b"hanging\\n")
        os.read(os.pipe()[0], 1)
    return line.decode()

server.serve(on_line, lambda: "too long", lambda: None)
log.info("bye")
leave()
"""

STOPPING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


@contextmanager
def server(
    script: str = START + SERVE, stdin: int = subprocess.PIPE, stdout: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, bufsize=0
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=AT_MOST)


def line_from(stream: object) -> bytes:
    """One line, waited for and no longer than that."""
    fd: int = stream.fileno()  # type: ignore[attr-defined]
    waiting, read = select.poll(), b""
    waiting.register(fd, select.POLLIN)
    while not read.endswith(b"\n"):
        assert waiting.poll(AT_MOST * 1000), "nothing came"
        byte = os.read(fd, 1)
        assert byte, f"the end came after {read!r}"
        read += byte
    return read


def ask(process: subprocess.Popen[bytes], line: str) -> bytes:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    return line_from(process.stdout)


def ended_well(process: subprocess.Popen[bytes], log: bytes = b"[heartbeat-mcpl] bye\n") -> bool:
    """Whether it ends by itself, says nothing but its farewell, and gives 0."""
    _, stderr = process.communicate(timeout=AT_MOST)
    return (process.returncode, stderr) == (0, log)


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_stops_an_idle_server(number: signal.Signals) -> None:
    """1.4"""
    with server() as process:
        assert ask(process, "a") == b"a\n"
        process.send_signal(number)
        assert ended_well(process)


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_stops_a_server_that_is_still_starting(number: signal.Signals) -> None:
    """1.4: from the first log line on, long before there is a loop."""
    starting = 'import os\nos.write(1, b"starting\\n")\nos.read(os.pipe()[0], 1)\n'
    with server(START + starting) as process:
        assert line_from(process.stdout) == b"starting\n"
        process.send_signal(number)
        assert ended_well(process, log=b"")


def test_a_signal_stops_a_server_in_the_middle_of_a_line() -> None:
    """1.4"""
    with server() as process:
        ask(process, "a")
        assert process.stdin is not None
        process.stdin.write(b"half a li")
        process.send_signal(signal.SIGTERM)
        assert ended_well(process)


@pytest.mark.parametrize("number", STOPPING)
def test_a_signal_stops_a_server_whose_host_does_not_read(number: signal.Signals) -> None:
    """1.4"""
    with server() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask(process, "a")
        process.stdin.write(b"long 3000000\n")
        os.read(process.stdout.fileno(), 1)
        process.send_signal(number)
        process.wait(AT_MOST)
        assert process.returncode == 0


def test_a_host_that_reads_gets_the_answer_that_a_signal_finds_half_written() -> None:
    """1.4: nothing half-written."""
    with server() as process:
        assert process.stdin is not None
        ask(process, "a")
        process.stdin.write(b"long 3000000\n")
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 1)
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=AT_MOST)
        assert first + rest == b"x" * 3_000_000 + b"\n"


def test_a_signal_stops_a_server_that_hangs_in_a_call() -> None:
    """1.4: asked first, and ended after a moment."""
    with server() as process:
        assert ask(process, "hang") == b"hanging\n"
        process.send_signal(signal.SIGTERM)
        assert ended_well(process, log=b"")


def test_signals_that_come_in_heaps_are_one() -> None:
    """1.4: hosts close stdin and send a signal, or several, at once."""
    with server() as process:
        ask(process, "a")
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        for number in STOPPING * 3:
            process.send_signal(number)
        assert ended_well(process)


def test_signals_that_were_blocked_or_ignored_stop_it_all_the_same() -> None:
    """1.4: hosts of all kinds start servers, some from a shell's background."""
    inherited = (
        "import signal\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    )
    with server(inherited + START + SERVE) as process:
        ask(process, "a")
        process.send_signal(signal.SIGTERM)
        assert ended_well(process)


def test_the_end_of_stdin_stops_it() -> None:
    """1.4"""
    with server() as process:
        stdout, stderr = process.communicate(b"a\nb", timeout=AT_MOST)
        assert (stdout, stderr, process.returncode) == (b"a\nb\n", b"[heartbeat-mcpl] bye\n", 0)


def test_stray_prints_reach_stderr_and_stray_reads_reach_nothing() -> None:
    """1.3"""
    with server() as process:
        assert ask(process, "stray") == b"done b''\n"
        assert ask(process, "after") == b"after\n"
        _, stderr = process.communicate(timeout=AT_MOST)
        assert stderr == b"stray print\nstray child\nstray write[heartbeat-mcpl] bye\n"


def test_a_stderr_that_nobody_reads_holds_up_nothing_that_prints() -> None:
    """1.3: what stderr does not take is lost, and whoever prints neither waits nor fails."""
    with server() as process:
        for _ in range(3):
            assert ask(process, "print 100000") == b"printed\n"
        assert process.stderr is not None
        assert os.read(process.stderr.fileno(), 10) == b"xxxxxxxxxx"
        process.send_signal(signal.SIGTERM)
        assert process.wait(AT_MOST) == 0


@pytest.mark.parametrize("closed", ["0", "1", "2", "01", "02", "12", "012"])
def test_closed_descriptors_are_never_a_data_file(closed: str, tmp_path: Path) -> None:
    """1.7, 1.4: what is opened later would get the number otherwise, and all that is written there."""
    requests, data = tmp_path / "requests", tmp_path / "data"
    requests.write_text(f"open {data}\n")
    redirect = " ".join(f"{fd}{'<' if fd == '0' else '>'}&-" for fd in closed)
    command = f'"$0" -c "$1" <"$2" >{tmp_path}/out 2>{tmp_path}/err {redirect}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, START + SERVE, requests], timeout=AT_MOST, check=False
    )
    assert done.returncode == 0
    assert (not data.exists()) == ("0" in closed)
    if data.exists():
        assert data.read_bytes() == b""
    answered = (tmp_path / "out").read_bytes() != b""
    logged = (tmp_path / "err").read_bytes() != b""
    assert answered == ("0" not in closed and "1" not in closed)
    assert logged == ("2" not in closed)


def test_a_file_of_requests_becomes_a_file_of_answers(tmp_path: Path) -> None:
    """1.7"""
    lines = "".join(f"{n}\n" for n in range(20_000))
    (tmp_path / "requests").write_text(lines)
    with (tmp_path / "requests").open() as stdin, (tmp_path / "answers").open("w") as stdout:
        subprocess.run(
            [sys.executable, "-c", START + SERVE], stdin=stdin, stdout=stdout, check=True, timeout=60
        )
    assert (tmp_path / "answers").read_text() == lines


def test_one_socket_as_stdin_and_stdout() -> None:
    """1.7"""
    ours, theirs = socket.socketpair()
    with ours, theirs, server(stdin=theirs.fileno(), stdout=theirs.fileno()) as process:
        theirs.close()
        ours.sendall(b"a\n")
        assert line_from(ours) == b"a\n"
        ours.close()
        assert ended_well(process)


def test_a_terminal_that_is_closed_stops_it() -> None:
    """1.4, 1.7"""
    master, terminal = pty.openpty()
    with server(stdin=terminal, stdout=terminal) as process:
        os.close(terminal)
        os.write(master, b"a\n")
        with os.fdopen(master, "rb", buffering=0) as host:
            assert line_from(host) == b"a\r\n"  # the terminal's own echo
            assert line_from(host) == b"a\r\n"
        assert ended_well(process)


def test_a_stderr_that_nobody_reads_and_that_then_goes_stops_nothing() -> None:
    """1.3"""
    chatty = SERVE.replace("def on_line(line):", "def on_line(line):\n    log.info('x' * 500)")
    with server(START + chatty) as process:
        for n in range(500):
            assert ask(process, str(n)) == f"{n}\n".encode()
        assert process.stderr is not None
        process.stderr.close()
        process.stderr = None
        assert ask(process, "still there") == b"still there\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(AT_MOST) == 0


def test_nothing_of_it_is_slow_to_import() -> None:
    """The modules that every start loads, before the first answer: nothing that takes longer than they."""
    heavy = {"asyncio", "socket", "logging", "traceback", "inspect", "dataclasses", "pydantic", "click"}
    loaded = "import sys, heartbeat_adapters.wire.jsonrpc, heartbeat_adapters.system_time.system_clock\n"
    told = f"os.write(2, repr({heavy} & set(sys.modules)).encode())\n"
    script = START + SERVE.split("log = ")[0] + loaded + told
    with server(script) as process:
        _, stderr = process.communicate(timeout=AT_MOST)
        assert stderr == b"set()"
