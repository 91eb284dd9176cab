"""The DI container: typed factories, and who gets what. This is the only importer of dependency_injector."""

from __future__ import annotations

import secrets  # noqa: TID251 - this is where chance comes in
from collections.abc import Callable
from typing import TYPE_CHECKING

from dependency_injector import providers

from heartbeat_adapters.given_parts import check_parts
from heartbeat_adapters.settings import Settings
from heartbeat_adapters.system_time.zones import agent_zone, find_zone
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Clock, History, Log, NewId, ReminderStore, ScheduleStore, Transport
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.service import Heartbeat
from heartbeat_core.telling.parties import IN_PROCESS, OVER_A_WIRE, Parties
from heartbeat_core.times.moments import AgentZone
from heartbeat_core.tools import Toolbox

if TYPE_CHECKING:
    from heartbeat_adapters.database.served_agent import ServedAgent


def random_id() -> str:
    """64 random bits as letters and digits, short enough for a model to repeat."""
    return secrets.token_hex(8)


def _zone(settings: Settings, log: Log) -> AgentZone:
    zone, warning = agent_zone(settings.timezone)
    if warning is not None:
        log.warning(warning)
    return zone


def _served_agent(settings: Settings) -> ServedAgent | None:
    if settings.database is None:
        return None
    # Here, as below: locking files needs `fcntl`, which not every system has that can embed the core.
    from heartbeat_adapters.database.database import Database

    return Database(settings.database).agent(settings.agent)


def _schedule_store(
    settings: Settings, served: ServedAgent | None, defaults: Schedule, zone: AgentZone, log: Log
) -> ScheduleStore:
    if served is not None:
        from heartbeat_adapters.database.agent_stores import DatabaseScheduleStore

        return DatabaseScheduleStore(served, defaults, zone)
    from heartbeat_adapters.files.json_stores import JsonScheduleStore

    return JsonScheduleStore(settings.config_file, defaults, zone, log)


def _reminder_store(
    settings: Settings, served: ServedAgent | None, zone: AgentZone, log: Log
) -> ReminderStore:
    if served is not None:
        from heartbeat_adapters.database.agent_stores import DatabaseReminderStore

        return DatabaseReminderStore(served, zone, find_zone)
    from heartbeat_adapters.files.json_stores import JsonReminderStore

    return JsonReminderStore(settings.reminders_file, zone, log)


def _history(settings: Settings, served: ServedAgent | None) -> History | None:
    if served is not None:
        from heartbeat_adapters.database.database_history import DatabaseHistory

        return DatabaseHistory(served)
    if settings.history_file is None:
        return None
    from heartbeat_adapters.files.history_file import JsonLinesHistory

    return JsonLinesHistory(settings.history_file)


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
    limits: Limits,
    in_beat: Callable[[], bool] | None,
    history: History | None,
    parties: Parties,
    served: ServedAgent | None,
) -> Heartbeat:
    return Heartbeat(
        clock=clock,
        transport=transport,
        schedule_store=schedule_store,
        reminder_store=reminder_store,
        new_id=new_id,
        log=log,
        zone=zone,
        find_zone=find_zone,
        defaults=defaults,
        policy=policy,
        limits=limits,
        answer_within=settings.answer_within,
        in_beat=in_beat,
        history=history,
        parties=parties,
        ownership=served,
    )


class Container:
    """Give it `settings`, `clock`, `transport` and `log`; take `heartbeat` and `toolbox`, then start it.

    Every other part can be given too, in place of the usual one: `zone`, `policy` (without one, wakes wait
    for the host's), `limits` (15), `defaults` (what a fresh start runs on), stores or a `history` of your
    own, `new_id`, `parties` (with `IN_PROCESS`, logs and replies speak of no host). A part can also be
    replaced later, until it is first used: `container.new_id.override(...)`. Raises TypeError for an unknown
    part, and for one that is not what it has to be.
    """

    # Not a `DeclarativeContainer`: importing that loads FastAPI wherever it is installed (decision 12).

    parent_name = "Container"

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        transport: Transport | None = None,
        log: Log | None = None,
        zone: AgentZone | None = None,
        policy: Policy | None = None,
        limits: Limits | None = None,
        defaults: Schedule | None = None,
        schedule_store: ScheduleStore | None = None,
        reminder_store: ReminderStore | None = None,
        history: History | None = None,
        served_agent: ServedAgent | None = None,
        new_id: NewId | None = None,
        parties: Parties | None = None,
    ) -> None:
        given = {name: part for name, part in locals().items() if name != "self"}
        check_parts(**given)
        self.settings = providers.Dependency(instance_of=Settings)
        self.clock: providers.Dependency[Clock] = providers.Dependency()
        self.transport: providers.Dependency[Transport] = providers.Dependency()
        self.log: providers.Dependency[Log] = providers.Dependency()
        self.policy = providers.Dependency(instance_of=Policy, default=Policy())
        self.limits = providers.Dependency(instance_of=Limits, default=NO_LIMITS)
        self.defaults = providers.Dependency(instance_of=Schedule, default=DEFAULT_SCHEDULE)
        self.new_id: providers.Dependency[NewId] = providers.Dependency(default=providers.Object(random_id))
        self.in_beat: providers.Dependency[Callable[[], bool] | None] = providers.Dependency(
            default=providers.Object(None)
        )
        self.parties = providers.Dependency(instance_of=Parties, default=OVER_A_WIRE)
        self.zone = providers.Singleton(_zone, self.settings, self.log)
        self.served_agent = providers.Singleton(_served_agent, self.settings)
        """The agent of the database, None on files; both stores are of it."""
        self.schedule_store = providers.Singleton(
            _schedule_store, self.settings, self.served_agent, self.defaults, self.zone, self.log
        )
        self.reminder_store = providers.Singleton(
            _reminder_store, self.settings, self.served_agent, self.zone, self.log
        )
        self.history: providers.Singleton[History | None] = providers.Singleton(
            _history, self.settings, self.served_agent
        )
        self.heartbeat = providers.Singleton(
            _heartbeat,
            self.settings,
            self.clock,
            self.transport,
            self.schedule_store,
            self.reminder_store,
            self.new_id,
            self.log,
            self.zone,
            self.defaults,
            self.policy,
            self.limits,
            self.in_beat,
            self.history,
            self.parties,
            self.served_agent,
        )
        self.toolbox = providers.Singleton(Toolbox, self.heartbeat)
        for needed in (self.settings, self.clock, self.transport, self.log):
            needed.assign_parent(self)
        for name, part in given.items():
            if part is not None:
                getattr(self, name).override(part)

    def handlers_run_here(self, in_beat: Callable[[], bool]) -> None:
        """Handlers run in this process: `in_beat` says whether its caller is in that of a beat (9.5, 9.6)."""
        self.in_beat.override(providers.Object(in_beat))
        self.parties.override(IN_PROCESS)

    def resolve_provider_name(self, provider: providers.Provider[object]) -> str:
        """Name a part, for the error that says which one is missing."""
        return next(name for name, part in vars(self).items() if part is provider)
