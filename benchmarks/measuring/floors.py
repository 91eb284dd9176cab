"""The floors: what the machine and the language take for the same job when nothing else is done."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from measuring.child import Child
from measuring.contestant import INHERITED
from measuring.stopwatch import timed

PACKAGES_USED = """\
import asyncio, click
from dateutil import tz
from dependency_injector import containers, providers
from pydantic import BaseModel, Field
"""
"""The four packages and asyncio, as whoever uses them imports them: pydantic loads itself by halves."""

PACKAGES_NAMED = "import asyncio, click, dateutil, dependency_injector, pydantic\n"
"""The same by their bare names, which loads half of pydantic and next to nothing of two others."""

_THEN_WAIT = "import sys; print('here', flush=True); sys.stdin.read()"

_ECHO = """\
import sys
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""

_JSON_ECHO = """\
import json, sys
for line in sys.stdin.buffer:
    message = json.loads(line)
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


def interpreter(imports: str, folder: Path) -> Child:
    """Start an interpreter that imports, says so with a line, and waits for the end of its stdin."""
    return _python(folder, "-c", imports + _THEN_WAIT)


def echo(folder: Path) -> Child:
    """Start a process that gives each line back."""
    return _python(folder, "-c", _ECHO)


def json_echo(folder: Path) -> Child:
    """Start a process that reads each line as JSON and gives it back as JSON."""
    return _python(folder, "-c", _JSON_ECHO)


def timers(folder: Path) -> Child:
    """Start our loop with nothing on it but timers; see `timer_floor`."""
    return _python(folder, "-c", _start("timer_floor"))


def wake_command() -> tuple[str, ...]:
    """The command of a server that sends wakes and does nothing else; see `wake_floor`."""
    return (sys.executable, "-c", _start("wake_floor"))


def _start(module: str) -> str:
    here = str(Path(__file__).parents[1])
    return f"import sys; sys.path.insert(0, {here!r}); from measuring.{module} import main; main()"


def durable_write(path: Path, size: int) -> float:
    """Write so many bytes over a file and have them flushed to disk; gives the seconds."""
    data = b"x" * size
    return timed(lambda: _write(path, data))


def durable_replacement(path: Path, size: int) -> float:
    """Put so many bytes in a file's place as a careful server does, and nothing else; gives the seconds."""
    data = b"x" * size
    return timed(lambda: _replace(path, data))


def _write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)


def _replace(path: Path, data: bytes) -> None:
    fresh = path.with_suffix(".fresh")
    _write(fresh, data)
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def _python(folder: Path, *arguments: str) -> Child:
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return Child([sys.executable, *arguments], environment, folder)
