"""The core, built by the container and started, with what the operator is told at the start.

`serve` loads this only once the host has its first answer: importing it takes longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from heartbeat_adapters.container import Container
from heartbeat_adapters.paths import DEFAULT_AGENT
from heartbeat_adapters.settings import Settings
from heartbeat_cli.preload import preload
from heartbeat_cli.server_options import CannotStart, ServerOptions
from heartbeat_core.ports import Clock, Log, Transport
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox


@dataclass(frozen=True, slots=True)
class StartedCore:
    """A heartbeat that runs, and its tools."""

    heartbeat: Heartbeat
    toolbox: Toolbox


def start_core(options: ServerOptions, clock: Clock, transport: Transport, log: Log) -> StartedCore:
    """Build and start, and say in the log what runs."""
    settings = Settings(
        config_file=options.config_file,
        reminders_file=options.reminders_file,
        history_file=options.history_file,
        database=None if options.database is None else options.database.url,
        agent=DEFAULT_AGENT if options.database is None else options.database.agent,
        timezone=options.timezone,
        answer_within=timedelta(seconds=options.answer_within),
    )
    container = Container(settings=settings, clock=clock, transport=transport, log=log)
    if options.limits is not None:
        container.limits.override(options.limits)
        log.info(f"limits of the operator: {options.limits}")
    if (served := container.served_agent()) is not None and (why := served.newer_tables()) is not None:
        raise CannotStart(why)
    core = StartedCore(container.heartbeat(), container.toolbox())
    preload(core.toolbox)
    core.heartbeat.start()
    count = len(core.heartbeat.reminders)
    log.info(f"ready: {count} reminder{'' if count == 1 else 's'} set, times in {core.heartbeat.zone.title}")
    return core
