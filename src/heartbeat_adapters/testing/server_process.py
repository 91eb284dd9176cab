"""A server as a child process, and its three pipes, for `ScriptedHost`.

It stops the child by its process id, and every wait is bounded. It has one thread and never sleeps:
whatever it waits for, it reads stdout and stderr meanwhile, so that no full pipe stops the server.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

INHERITED = ("PATH", "HOME", "LANG", "USER")
"""What a host hands on of its own environment; the rest is what it was told for this server."""

_SHOWN_LOG_LINES = 15
_BEFORE_KILL = 2.0  # so long hosts wait between SIGTERM and SIGKILL
_EXIT_LOOKED_FOR = 0.01
_CHUNK = 65536


class ScriptedHostError(Exception):
    """The server did something else than the script has it; shows the end of the server's log."""


class NotInTimeError(ScriptedHostError, TimeoutError):
    """What was waited for did not come in time."""


class ServerEndedError(ScriptedHostError):
    """The server closed its stdout, or ended, while something was waited for."""


def seconds_now() -> float:
    """The monotonic clock that deadlines are counted on."""
    return time.monotonic()  # noqa: TID251 - an adapter's own deadlines; there is no Clock on this side


class ServerProcess:
    """One child, from start to end. `log_lines` is what it has written to stderr so far.

    `env` is added to `INHERITED`. The child has a session of its own, so that a Ctrl-C at the terminal
    reaches whoever plays the host, who then stops it. Raises OSError where it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> None:
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self._process = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**inherited, **(env or {})},
            cwd=cwd,
            bufsize=0,
            start_new_session=True,
        )
        self._name = Path(command[0]).name
        self._unwritten = bytearray()
        self._lines: deque[bytes] = deque()
        self.log_lines: list[str] = []
        self._stdin = _fd(self._process.stdin)
        self._stdin_closed = False
        self._readers: dict[int, _LineReader] = {
            (stdout := _fd(self._process.stdout)): _LineReader(stdout, self._lines.append),
            (stderr := _fd(self._process.stderr)): _LineReader(stderr, self._hear_log),
        }
        self._out = self._readers[stdout]
        self.reading = True
        """Whether stdout is read; a host that is busy does not. stderr always is."""

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def half_line(self) -> bytes:
        """What the server has written to stdout of a line that has no end yet."""
        return bytes(self._out.half)

    # Lines

    def write(self, data: bytes, deadline: float) -> None:
        """Write to the child's stdin, reading meanwhile. What it can no longer read is dropped."""
        if not self._stdin_closed:
            self._unwritten += data
        while self._unwritten:
            self._turn_before(deadline, "the server did not read its stdin")

    def read_line(self, deadline: float, awaited: str) -> bytes | None:
        """Give the next line of stdout without its end, or None once there will be no more.

        `awaited` is for the error: what the line was to bring.
        """
        while not self._lines:
            if self._out.ended:
                return None
            self._turn_before(deadline, f"{awaited} did not come")
        return self._lines.popleft()

    def log_line_with(self, part: str, deadline: float) -> str:
        """Give the first line of the log that holds `part`, waiting for it."""
        while not (found := [line for line in self.log_lines if part in line]):
            self._turn_before(deadline, f"no line of the log says {part!r}")
        return found[0]

    # The end

    def close_stdin(self) -> None:
        """Let the child see the end of its stdin. May be called twice."""
        self._unwritten.clear()
        self._stdin_closed = True
        assert self._process.stdin is not None
        self._process.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the child, if it still runs."""
        self._process.send_signal(number)

    def wait(self, deadline: float) -> int:
        """Wait for the child to end, reading what it still writes; gives its exit code."""
        while self._process.poll() is None:
            if seconds_now() >= deadline:
                raise self.failure(NotInTimeError, "the server did not end in time")
            self._turn(min(deadline, seconds_now() + _EXIT_LOOKED_FOR))  # an exit is no event of poll
        while self._turn(seconds_now()):
            pass
        return self._process.returncode

    def close(self) -> int:
        """Stop the child as hosts do, with SIGTERM and then SIGKILL; gives its exit code."""
        try:
            return self._stop()
        finally:
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()

    def _stop(self) -> int:
        self.reading = True
        self.signal(signal.SIGTERM)
        with contextlib.suppress(NotInTimeError):
            return self.wait(seconds_now() + _BEFORE_KILL)
        self.signal(signal.SIGKILL)
        return self.wait(seconds_now() + _BEFORE_KILL)

    # Pipes

    def _turn_before(self, deadline: float, otherwise: str) -> None:
        if not self._turn(deadline):
            raise self.failure(NotInTimeError, f"{otherwise} in time")

    def _turn(self, deadline: float) -> bool:
        """Wait until a pipe can be read or written, and do so; False once the deadline has come."""
        poll = select.poll()
        for fd, reader in self._readers.items():
            if not reader.ended and (self.reading or reader is not self._out):
                poll.register(fd, select.POLLIN)
        if self._unwritten:
            poll.register(self._stdin, select.POLLOUT)
        ready = poll.poll(max(0, math.ceil((deadline - seconds_now()) * 1000)))
        for fd, _ in ready:
            self._readers[fd].read() if fd in self._readers else self._write_some()
        return bool(ready)

    def _write_some(self) -> None:
        try:
            del self._unwritten[: os.write(self._stdin, self._unwritten[: select.PIPE_BUF])]
        except BrokenPipeError:  # it has ended, which whoever reads next is told
            self._unwritten.clear()

    def _hear_log(self, line: bytes) -> None:
        self.log_lines.append(line.decode(errors="replace"))

    # Errors

    def failure(self, kind: type[ScriptedHostError], what: str) -> ScriptedHostError:
        """Make an error that says what happened, how the server is, and what it last logged."""
        code = self._process.poll()
        state = "still runs" if code is None else f"has ended with exit code {code}"
        last = self.log_lines[-_SHOWN_LOG_LINES:]
        log = "".join(f"\n    {line}" for line in last) or " nothing"
        return kind(f"{what}; {self._name} (pid {self.pid}) {state}. The end of its stderr:{log}")


class _LineReader:
    """Cuts what one pipe brings into lines."""

    def __init__(self, fd: int, hear: Callable[[bytes], None]) -> None:
        self._fd = fd
        self._hear = hear
        self.half = bytearray()
        self.ended = False

    def read(self) -> None:
        """Read what is there, and pass on every line that is whole."""
        data = os.read(self._fd, _CHUNK)
        self.ended = not data
        *lines, rest = (self.half + data).split(b"\n") if b"\n" in data else [self.half + data]
        self.half = rest
        for line in lines:
            self._hear(bytes(line))


def _fd(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()
