"""The DI container: how the parts become one heartbeat. The only importer of dependency_injector.

Lives here: typed factories and who gets what. May not: logic, `@inject`, reading the environment.
"""

from __future__ import annotations

import secrets  # noqa: TID251 - this is where chance comes in

from dependency_injector import containers, providers

from heartbeat_adapters.settings import Settings
from heartbeat_adapters.zones import agent_zone
from heartbeat_core.moments import AgentZone
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Clock, Log, NewId, ReminderStore, ScheduleStore, Transport
from heartbeat_core.schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox


def random_id() -> str:
    """64 random bits as letters and digits, short enough for a model to repeat."""
    return secrets.token_hex(8)


def _zone(settings: Settings, log: Log) -> AgentZone:
    zone, warning = agent_zone(settings.timezone)
    if warning is not None:
        log.warning(warning)
    return zone


def _schedule_store(settings: Settings, defaults: Schedule, zone: AgentZone, log: Log) -> ScheduleStore:
    # Here, as below: locking files needs `fcntl`, which not every system has that can embed the core.
    from heartbeat_adapters.json_files import JsonScheduleStore

    return JsonScheduleStore(settings.config_file, defaults, zone, log)


def _reminder_store(settings: Settings, zone: AgentZone, log: Log) -> ReminderStore:
    from heartbeat_adapters.json_files import JsonReminderStore

    return JsonReminderStore(settings.reminders_file, zone, log)


def _heartbeat(
    settings: Settings,
    clock: Clock,
    transport: Transport,
    schedule_store: ScheduleStore,
    reminder_store: ReminderStore,
    new_id: NewId,
    log: Log,
    zone: AgentZone,
    defaults: Schedule,
    policy: Policy,
) -> Heartbeat:
    return Heartbeat(
        clock=clock,
        transport=transport,
        schedule_store=schedule_store,
        reminder_store=reminder_store,
        new_id=new_id,
        log=log,
        zone=zone,
        defaults=defaults,
        policy=policy,
        answer_within=settings.answer_within,
    )


class Container(containers.DeclarativeContainer):
    """Give it `settings`, `clock`, `transport` and `log`; take `heartbeat` and `toolbox`, then start it.

    Whatever else is named here can be given too, in place of what it would be: `zone`, `policy` (left out,
    wakes wait for the host's), `defaults` (what a fresh start runs on), stores of your own, `new_id`.
    """

    settings = providers.Dependency(instance_of=Settings)
    clock: providers.Dependency[Clock] = providers.Dependency()
    transport: providers.Dependency[Transport] = providers.Dependency()
    log: providers.Dependency[Log] = providers.Dependency()
    policy = providers.Dependency(instance_of=Policy, default=Policy())
    defaults = providers.Dependency(instance_of=Schedule, default=DEFAULT_SCHEDULE)
    new_id: providers.Dependency[NewId] = providers.Dependency(default=providers.Object(random_id))

    zone = providers.Singleton(_zone, settings, log)
    schedule_store = providers.Singleton(_schedule_store, settings, defaults, zone, log)
    reminder_store = providers.Singleton(_reminder_store, settings, zone, log)
    heartbeat = providers.Singleton(
        _heartbeat,
        settings,
        clock,
        transport,
        schedule_store,
        reminder_store,
        new_id,
        log,
        zone,
        defaults,
        policy,
    )
    toolbox = providers.Singleton(Toolbox, heartbeat)
