"""The core, built by the container and started, with what the operator is told at the start.

Lives here: what `serve` loads only once the host has its first answer, since importing it takes longest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from heartbeat_adapters.container import Container
from heartbeat_adapters.poll_loop import PollLoop
from heartbeat_adapters.settings import Settings
from heartbeat_adapters.system_clock import SystemClock
from heartbeat_core.ports import Log, Transport
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.version import __version__


@dataclass(frozen=True, slots=True)
class OpenedCore:
    """A heartbeat that runs, and its tools."""

    heartbeat: Heartbeat
    toolbox: Toolbox


def open_core(
    given: Mapping[str, str], answer_within: float, loop: PollLoop, transport: Transport, log: Log
) -> OpenedCore:
    """Build, start, and say in the log what runs on which files."""
    settings = Settings(**given, answer_within=timedelta(seconds=answer_within))
    container = Container(settings=settings, clock=SystemClock(loop), transport=transport, log=log)
    zone = container.zone()
    log.info(f"heartbeat-mcpl {__version__}, times in {zone.name}")
    log.info(f"schedule in {settings.config_file}, reminders in {settings.reminders_file}")
    core = OpenedCore(container.heartbeat(), container.toolbox())
    core.heartbeat.start()
    count = len(core.heartbeat.reminders)
    log.info(f"ready, with {count} reminder{'' if count == 1 else 's'} set")
    return core
