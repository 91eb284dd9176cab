"""`heartbeat-mcpl demo`: the main job to watch, with nothing else installed.

It starts the real server on temporary files, and plays both the host and the agent.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click

from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.paths import HISTORY_NAME
from heartbeat_adapters.system_time.zones import agent_zone
from heartbeat_adapters.testing.push_answers import CarefulHost, ReceivedWake
from heartbeat_adapters.testing.scripted_host import (
    HostError,
    NotInTimeError,
    ScriptedHost,
    ScriptedHostError,
    ToolResult,
)
from heartbeat_cli.history import table
from heartbeat_cli.interrupts import EXIT_INTERRUPTED, signals_interrupt
from heartbeat_cli.narration import Narration

EXIT_ALL_CAME = 0
EXIT_NOT_ALL_CAME = 1

SERVER = (sys.executable, "-m", "heartbeat_cli", "--stdio")

_ONCE = 3
_EVERY = 5
"""Seconds, as the agent says them; 5 is the shortest recurrence there is (6.4)."""

_LATE = 5.0
"""Seconds after its time when a wake counts as missing."""

_TICK = 0.1


class DemoFailedError(Exception):
    """Something that the demo has to show did not happen; says what."""


@click.command(name="demo", short_help="Watch an agent being woken.")
def demo() -> None:
    """Watch an agent being woken: the real server, with host and agent played for you.

    Takes about 11 seconds. Exit code: 0 if every wake came, 1 if one did not, 130 if Ctrl-C ended it.
    """
    click.get_current_context().exit(run_demo())


def run_demo(stream: TextIO | None = None, server: Sequence[str] = SERVER) -> int:
    """Play the demo to `stream`, stdout if none is given, and give the exit code.

    Takes over the signals that stop a process, for as long as it runs: child and files go with it.
    """
    narration = Narration(stream or sys.stdout)
    try:
        with signals_interrupt(), tempfile.TemporaryDirectory(prefix="heartbeat-demo-") as folder:
            _play(narration, _command(server, Path(folder)))
            _tell_history(narration, Path(folder))
    except KeyboardInterrupt:
        narration.paragraph("Stopped. The server has ended and its files are gone.")
        return EXIT_INTERRUPTED
    except (DemoFailedError, HostError, ScriptedHostError, OSError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ENOSPC):
            raise  # what is told reaches nobody any more, which is not the server's fault
        click.echo(f"\nThe demo failed: {error}", err=True)
        return EXIT_NOT_ALL_CAME
    return EXIT_ALL_CAME


def _command(server: Sequence[str], folder: Path) -> list[str]:
    files = (
        ("--config-file", "heartbeat-config.json"),
        ("--reminders-file", "heartbeat-reminders.json"),
        ("--history-file", HISTORY_NAME),
    )
    return [*server, *(part for option, name in files for part in (option, str(folder / name)))]


def _tell_history(narration: Narration, folder: Path) -> None:
    """What became of each wake, as the command `history` tells it (14.4)."""
    lines = list(JsonLinesHistory(str(folder / HISTORY_NAME)).newest_first())
    zone, _ = agent_zone(os.environ.get("AGENT_TIMEZONE"))
    narration.paragraph("What became of each wake, as heartbeat-mcpl history shows it:")
    narration.as_it_is(table(lines, zone) if lines else ["nothing, which should not be: please report it"])


def _play(narration: Narration, command: Sequence[str]) -> None:
    host = ScriptedHost(command, env=os.environ, on_push=CarefulHost(), on_message=narration.crossing)
    with host:
        narration.title(
            "How an agent is woken, in about 11 seconds. Ctrl-C ends it at any time.",
            agent="a language model that can call tools (played here)",
            host="the program that runs the agent and starts the server (played here)",
            server=f"heartbeat-mcpl, the real one, running as process {host.server.pid}",
        )
        narration.paragraph("The host says what the server may do:")
        if (receipt := host.handshake()).get("mode") != "full":
            raise DemoFailedError(f"the server does not work in full under the usual policy: {receipt}")
        _Scenes(host, narration).play()


@dataclass(frozen=True, slots=True)
class _Expected:
    """A wake that has to come: what it is, whose, and when, in seconds since the host began."""

    what: str
    reminder_id: str | None
    at: float


class _Scenes:
    """What the agent does, and the wakes that come of it."""

    def __init__(self, host: ScriptedHost, narration: Narration) -> None:
        self._host = host
        self._narration = narration

    def play(self) -> None:
        """Play all of it. Raises DemoFailedError where a wake does not come as it should."""
        self._narration.paragraph("The agent looks how it is woken, and has it its own way:")
        self._call("heartbeat_status")
        self._call("heartbeat_configure", intervalMinutes=90, message="See what you left open.")
        self._narration.paragraph("It leaves itself two reminders:")
        once = self._remind("the reminder", _ONCE, message="Take the tea out.", inSeconds=_ONCE)
        again = self._remind("the recurring reminder", _EVERY, message="Stretch.", everySeconds=_EVERY)
        self._narration.paragraph("The next heartbeat is far away; the agent asks for one now:")
        self._call("heartbeat_trigger")
        self._expect(_Expected("the heartbeat", None, self._host.elapsed))
        self._call("reminder_list")
        self._narration.paragraph("Nothing to do now but wait. The agent sleeps until it is woken:")
        self._expect(once)
        self._expect(again)
        self._expect(_Expected(again.what, again.reminder_id, again.at + _EVERY))
        self._narration.paragraph("The agent has had enough of that one:")
        self._call("reminder_cancel", id=again.reminder_id)
        self._narration.paragraph(
            f"All {len(self._host.wakes)} wakes came. That was the whole of it: the README says how your "
            "own host starts the server."
        )

    def _call(self, tool: str, **arguments: object) -> ToolResult:
        result = self._host.call(tool, **arguments)
        if result.is_error:
            raise DemoFailedError(f"{tool} answered with an error: {result.text}")
        return result

    def _remind(self, what: str, seconds: float, **arguments: object) -> _Expected:
        reply = self._call("reminder_add", **arguments).text
        found = re.search(r"\brem_\w+", reply)
        if found is None:
            raise DemoFailedError(f"reminder_add gave no id: {reply}")
        return _Expected(what, found[0], self._host.elapsed + seconds)

    def _expect(self, expected: _Expected) -> None:
        """Count down to a wake, and take it."""
        wake = self._wait_for_wake(expected)
        if wake.reminder_id != expected.reminder_id:
            raise DemoFailedError(f"{expected.what} was to come, but this came: {wake.text}")

    def _wait_for_wake(self, expected: _Expected) -> ReceivedWake:
        while (left := expected.at - self._host.elapsed) > -_LATE:
            if left > 0:
                self._narration.countdown(left, f"next wake, {expected.what},")
            with contextlib.suppress(NotInTimeError):
                return self._host.next_wake(_TICK)
        log = "".join(f"\n    {line}" for line in self._host.log_lines)
        raise DemoFailedError(
            f"{expected.what} was due at {expected.at:.1f} s and had not come {_LATE:g} s later. "
            f"The server's log:{log}"
        )
