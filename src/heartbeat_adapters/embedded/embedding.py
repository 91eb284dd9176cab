"""The entrance for an agent in the same process: `embed`, on an asyncio loop.

    async with embed(handler, folder="data", timezone="Europe/Berlin") as heartbeat:
        ...  # offer `heartbeat.tools` to the model, pass its calls to `heartbeat.call`

It reads no environment, sets up no logging, handles no signal and prints nothing. A program without a loop
builds from `container` itself.
"""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from typing import TYPE_CHECKING

from heartbeat_adapters.container import Container
from heartbeat_adapters.embedded.embedded_heartbeat import HANDLER_TIMEOUT, EmbeddedHeartbeat
from heartbeat_adapters.embedded.in_process_transport import Handler
from heartbeat_adapters.embedded.volatile_history import VolatileHistory
from heartbeat_adapters.embedded.volatile_stores import VolatileReminderStore, VolatileScheduleStore
from heartbeat_adapters.given_parts import check_parts
from heartbeat_adapters.paths import DEFAULT_AGENT, DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, HISTORY_NAME
from heartbeat_adapters.settings import Settings
from heartbeat_adapters.system_time import zones
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Clock, History, Log, ReminderStore, ScheduleStore
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.service import ANSWER_WITHIN

if TYPE_CHECKING:
    from heartbeat_adapters.database.database import Database
    from heartbeat_adapters.database.served_agent import ServedAgent


def embed(
    handler: Handler,
    *,
    folder: str | os.PathLike[str] | None = None,
    database: Database | None = None,
    agent: str | None = None,
    timezone: str = "UTC",
    defaults: Schedule = DEFAULT_SCHEDULE,
    policy: Policy | None = None,
    answer_within: timedelta = ANSWER_WITHIN,
    handler_timeout: timedelta = HANDLER_TIMEOUT,
    schedule_store: ScheduleStore | None = None,
    reminder_store: ReminderStore | None = None,
    history: History | None = None,
    log: Log | None = None,
    clock: Clock | None = None,
    limits: Limits | None = None,
) -> EmbeddedHeartbeat:
    """Build a heartbeat that calls `handler` with each wake. It runs from `start`, or in an `async with`.

    `folder` is where the files of the schedule, the reminders and the history are kept; it is made if it is
    missing. `database` keeps them in its place, as those of `agent` (`default` unless you say it). Without
    either all is gone when it stops. `timezone` is the IANA name of the zone in which the agent reads
    times. `defaults` is what a fresh start runs on. Without a `policy` every wake is sent; with `Policy()`
    none is before `core.policy_requested` has said so. A reminder whose handler takes longer than
    `answer_within` counts as not taken so far. A handler that takes longer than `handler_timeout` is
    cancelled, and has failed (9.5). A store of your own replaces the one of `folder`, of `database`, or of
    memory; a `history` of your own keeps what became of each wake (14.5). `log` is
    `logging.getLogger("heartbeat")` where none is given; no handler is added to it. `limits` are what the
    agent may not exceed, whatever it calls (15). `clock` is for tests.

    Raises ValueError for a zone that is not known here, for times that are not more than 0, for defaults that
    no schedule can have, for a folder beside a database, for an agent without one, and for what is no agent's
    name; TypeError for a part that is not what it has to be.
    """
    check_parts(
        handler=handler,
        folder=folder,
        database=database,
        agent=agent,
        timezone=timezone,
        policy=policy,
        answer_within=answer_within,
        handler_timeout=handler_timeout,
        clock=clock,
        limits=limits,
    )
    zone = zones.known_zone(timezone)
    if zone is None:
        raise ValueError(f"unknown time zone {timezone!r}; give an IANA name, such as Europe/Berlin")
    served = _served(database, agent, folder)
    if folder is None and served is None:
        schedule_store = VolatileScheduleStore() if schedule_store is None else schedule_store
        reminder_store = VolatileReminderStore() if reminder_store is None else reminder_store
        history = VolatileHistory() if history is None else history
    container = Container(
        settings=_settings(folder, answer_within),
        zone=zone,
        defaults=defaults,
        limits=limits,
        policy=Policy.open() if policy is None else policy,
        schedule_store=schedule_store,
        reminder_store=reminder_store,
        history=history,
        served_agent=served,
        log=logging.getLogger("heartbeat") if log is None else log,
        clock=clock,
    )
    return EmbeddedHeartbeat(handler, container, handler_timeout)


def _served(
    database: Database | None, agent: str | None, folder: str | os.PathLike[str] | None
) -> ServedAgent | None:
    if database is None:
        if agent is not None:
            raise ValueError("agent says whose rows of a database are meant: give database too")
        return None
    if folder is not None:
        raise ValueError("give a folder or a database, not both")
    return database.agent(DEFAULT_AGENT if agent is None else agent)


def _settings(folder: str | os.PathLike[str] | None, answer_within: timedelta) -> Settings:
    home = "." if folder is None else os.fspath(folder)
    return Settings(
        config_file=os.path.join(home, DEFAULT_CONFIG_FILE),
        reminders_file=os.path.join(home, DEFAULT_REMINDERS_FILE),
        history_file=os.path.join(home, HISTORY_NAME),
        answer_within=answer_within,
    )
