"""A child process and the two pipes to it: lines out, lines in, every wait bounded, stopped by its id."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from measuring.stopwatch import epoch_seconds, seconds

PATIENCE = 60.0
"""Seconds that an answer may take before the benchmark gives up."""

_BEFORE_KILL = 3.0
_CHUNK = 1 << 16


class ChildError(Exception):
    """A child did not answer, or ended; says which, and what it last wrote to stderr."""


class Child:
    """One process. Use it in a `with`: it never outlives that. Its stderr goes to a file in `folder`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._log = folder / "stderr.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                cwd=folder,
                bufsize=0,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self.stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self.stdout, select.POLLIN)
        self._writable.register(self._stdin, select.POLLOUT)
        self._half = b""
        self._lines: deque[bytes] = deque()
        self.heard_at = 0.0
        """When the last line was read, in epoch seconds."""

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def write(self, line: bytes) -> None:
        """Write a line, newline included."""
        while line:
            try:
                line = line[os.write(self._stdin, line) :]
            except BlockingIOError:
                if not self._writable.poll(PATIENCE * 1000):
                    raise self._failed("did not read its stdin") from None
            except BrokenPipeError:
                raise self._failed("closed its stdin") from None

    def read(self, patience: float = PATIENCE) -> bytes:
        """Give the next line without its end. Raises ChildError if none comes in time."""
        until = seconds() + patience
        while not self._lines:
            if not self.hear(until - seconds()):
                raise self._failed("did not answer in time")
        return self._lines.popleft()

    def hear(self, patience: float) -> bool:
        """Read what comes within so many seconds; whether anything came."""
        if not self._readable.poll(max(patience, 0.0) * 1000):
            return False
        data = os.read(self.stdout, _CHUNK)
        self.heard_at = epoch_seconds()
        if not data:
            raise self._failed("closed its stdout")
        *lines, self._half = (self._half + data).split(b"\n")
        self._lines.extend(lines)
        return True

    def has_heard(self) -> bool:
        """Whether there are lines that were read and not taken yet."""
        return bool(self._lines)

    def heard(self) -> Iterable[bytes]:
        """Take the lines that were read and not taken yet."""
        while self._lines:
            yield self._lines.popleft()

    def close(self) -> None:
        """End the child: by the end of its stdin, else by SIGTERM, else by SIGKILL."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        for insist in (process.terminate, process.kill, lambda: None):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_BEFORE_KILL)
                return
            insist()

    def _failed(self, what: str) -> ChildError:
        said = self._log.read_text(errors="replace")[-2000:]
        return ChildError(f"{self._process.args!r} {what}; the end of its stderr:\n{said}")
