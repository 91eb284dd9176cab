"""The core, built by the container and started, with what the operator is told at the start.

Lives here: what `serve` loads only once the host has its first answer, since importing it takes longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from heartbeat_adapters.container import Container
from heartbeat_adapters.settings import Settings
from heartbeat_cli.loaded import load_the_rest
from heartbeat_core.ports import Clock, Log, Transport
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox

if TYPE_CHECKING:
    from heartbeat_cli.serve import Chosen


@dataclass(frozen=True, slots=True)
class OpenedCore:
    """A heartbeat that runs, and its tools."""

    heartbeat: Heartbeat
    toolbox: Toolbox


def open_core(chosen: Chosen, clock: Clock, transport: Transport, log: Log) -> OpenedCore:
    """Build and start, and say in the log what runs."""
    settings = Settings(
        config_file=chosen.config_file,
        reminders_file=chosen.reminders_file,
        timezone=chosen.timezone,
        answer_within=timedelta(seconds=chosen.answer_within),
    )
    container = Container(settings=settings, clock=clock, transport=transport, log=log)
    core = OpenedCore(container.heartbeat(), container.toolbox())
    load_the_rest(core.toolbox)
    core.heartbeat.start()
    count = len(core.heartbeat.reminders)
    log.info(f"ready: {count} reminder{'' if count == 1 else 's'} set, times in {core.heartbeat.zone.title}")
    return core
