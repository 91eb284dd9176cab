"""The entrance for an agent in the same process: `embed`, on an asyncio loop.

    async with embed(handler, folder="data", timezone="Europe/Berlin") as heartbeat:
        ...  # offer `heartbeat.tools` to the model, pass its calls to `heartbeat.call`

It reads no environment, sets up no logging, handles no signal and prints nothing. A program without a loop
builds from `container` itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any

from heartbeat_adapters.container import Container
from heartbeat_adapters.embedded.given_parts import check_parts
from heartbeat_adapters.embedded.in_process_transport import Handler
from heartbeat_adapters.embedded.running_heartbeat import RunningHeartbeat
from heartbeat_adapters.embedded.volatile_history import VolatileHistory
from heartbeat_adapters.embedded.volatile_stores import VolatileReminderStore, VolatileScheduleStore
from heartbeat_adapters.paths import DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, HISTORY_NAME
from heartbeat_adapters.settings import Settings
from heartbeat_adapters.system_time import zones
from heartbeat_core.policy import Policy
from heartbeat_core.ports import Clock, History, Log, ReminderStore, ScheduleStore
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, DeliveryMode, Schedule
from heartbeat_core.service import ANSWER_WITHIN, Heartbeat
from heartbeat_core.tools import ALL_TOOLS, Reply, Tool, UnknownToolError, typed
from heartbeat_core.tools.typed import Snapshot

HANDLER_TIMEOUT = timedelta(hours=1)
"""So long a handler may take, unless told otherwise (9.5)."""


def embed(
    handler: Handler,
    *,
    folder: str | os.PathLike[str] | None = None,
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
) -> EmbeddedHeartbeat:
    """Build a heartbeat that calls `handler` with each wake. It runs from `start`, or in an `async with`.

    `folder` is where the files of the schedule, the reminders and the history are kept; it is made if it is
    missing, and without one all is gone when it stops. `timezone` is the IANA name of the zone in which
    the agent reads times. `defaults` is what a fresh start runs on. Without a `policy` every wake is
    sent; with `Policy()` none is before `core.policy_requested` has said so. A reminder whose handler takes
    longer than `answer_within` counts as not taken so far. A handler that takes longer than
    `handler_timeout` is cancelled, and has failed (9.5). A store of your own replaces the one of `folder`, or
    of memory; a `history` of your own keeps what became of each wake (14.5). `log` is
    `logging.getLogger("heartbeat")` where none is given; no handler is added to it. `clock` is for tests.

    Raises ValueError for a zone that is not known here, and for times that are not more than 0; TypeError for
    a part that is not what it has to be.
    """
    check_parts(
        handler=handler,
        timezone=timezone,
        defaults=defaults,
        policy=policy,
        schedule_store=schedule_store,
        reminder_store=reminder_store,
        history=history,
        log=log,
        clock=clock,
    )
    zone = zones.known_zone(timezone)
    if zone is None:
        raise ValueError(f"unknown time zone {timezone!r}; give an IANA name, such as Europe/Berlin")
    parts: dict[str, object] = {
        "settings": _settings(folder, answer_within),
        "zone": zone,
        "defaults": defaults,
        "policy": Policy.open() if policy is None else policy,
        "log": logging.getLogger("heartbeat") if log is None else log,
    }
    if folder is None:
        parts |= {
            "schedule_store": VolatileScheduleStore(),
            "reminder_store": VolatileReminderStore(),
            "history": VolatileHistory(),
        }
    own = {
        "schedule_store": schedule_store,
        "reminder_store": reminder_store,
        "history": history,
        "clock": clock,
    }
    parts |= {name: part for name, part in own.items() if part is not None}
    return EmbeddedHeartbeat(handler, Container(**parts), handler_timeout)


def _settings(folder: str | os.PathLike[str] | None, answer_within: timedelta) -> Settings:
    home = "." if folder is None else os.fspath(folder)
    return Settings(
        config_file=os.path.join(home, DEFAULT_CONFIG_FILE),
        reminders_file=os.path.join(home, DEFAULT_REMINDERS_FILE),
        history_file=os.path.join(home, HISTORY_NAME),
        answer_within=answer_within,
    )


class EmbeddedHeartbeat:
    """A heartbeat on the asyncio loop that it is started on; `embed` builds one.

    It lives once: started, stopped, gone. Any number of them run side by side, on loops in any thread,
    and know nothing of each other. All calls belong on the thread of the loop. Built by hand, it takes
    a container in which all but `transport` is settled, and `clock`, where that is not the machine's.
    """

    def __init__(
        self, handler: Handler, container: Container, handler_timeout: timedelta = HANDLER_TIMEOUT
    ) -> None:
        if handler_timeout <= timedelta(0):
            raise ValueError(f"handler_timeout must be more than 0, and is {handler_timeout}")
        self._handler = handler
        self._container = container
        self._handler_timeout = handler_timeout
        self._running: RunningHeartbeat | None = None
        self._thread = 0

    # What the model sees

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """The six tools, each with `name`, `description` and `schema`, the JSON schema of its arguments."""
        return ALL_TOOLS

    def call(self, name: str, arguments: object = None) -> Reply:
        """Call a tool with what the model sent for it, an object as `json.loads` gives it.

        Whatever is wrong with the call is in the `Reply`, for the model to read; so is an unknown tool. What
        was changed is saved when this returns. Raises RuntimeError while it does not run, or in another
        thread than the loop's.
        """
        self._saved()  # the file must not follow a reply (7.2)
        try:
            return self._run().toolbox.call(name, arguments)
        except UnknownToolError as error:
            return Reply(str(error), is_error=True)

    # The same, typed (9.7): `ValueError` for what the tool would refuse, `TypeError` for a wrong type

    def add(
        self,
        message: str,
        *,
        after: timedelta | None = None,
        at: datetime | None = None,
        every: timedelta | None = None,
    ) -> Reminder:
        """Set a reminder, and give it: first `after` a delay, `at` an aware time, or else as `every` says."""
        return typed.add(self._saved(), message, after=after, at=at, every=every)

    def cancel(self, reminder_id: str) -> Reminder:
        """Remove a reminder, and give what it was."""
        return typed.cancel(self._saved(), reminder_id)

    def configure(
        self,
        *,
        interval: timedelta | None = None,
        paused: bool | None = None,
        mode: DeliveryMode | None = None,
        message: str | None = None,
        active_hours: str | None = None,
        active_days: tuple[str, ...] | None = None,
        next_in: timedelta | None = None,
        next_at: datetime | None = None,
    ) -> Schedule:
        """Change the schedule, and give it as it is then; what is left out stays."""
        return typed.configure(
            self._saved(),
            interval=interval,
            paused=paused,
            mode=mode,
            message=message,
            active_hours=active_hours,
            active_days=active_days,
            next_in=next_in,
            next_at=next_at,
        )

    def trigger(self) -> None:
        """Send one beat now. Raises RuntimeError where it cannot be sent."""
        typed.trigger(self._saved())

    def snapshot(self) -> Snapshot:
        """The schedule and the reminders as they stand, as values."""
        return typed.snapshot(self._saved())

    def _saved(self) -> Heartbeat:
        running = self._run()
        if running.stopped.done():
            raise RuntimeError("this heartbeat has stopped; embed another one")
        running.core.flush()
        return running.core

    @property
    def core(self) -> Heartbeat:
        """The core that runs, for what the tools do not offer: the policy, the schedule as a value."""
        return self._run().core

    # Life

    def start(self) -> None:
        """Load what was saved, and send wakes from now on, on the loop that runs. Once in its life.

        Raises RuntimeError the second time, and where no loop runs.
        """
        loop = asyncio.get_running_loop()
        if self._running is not None:
            raise RuntimeError("this heartbeat was started before; embed another one")
        self._thread = threading.get_ident()
        self._running = RunningHeartbeat(self._handler, self._container, loop, self._handler_timeout)
        try:
            self._running.core.start()
        except BaseException:  # a store of your own that raises: whatever was taken is let go of
            self.stop()
            raise

    def stop(self) -> None:
        """Send nothing more, save, and let go of the files. May be called twice, and from inside a handler.

        Handlers that still run are cancelled, and all is let go of once they have ended, or do not end
        within `GRACE` seconds: `wait_stopped` waits for that. A wake that was not taken by then comes again
        after the next start. The handler that this is called from goes on, and its answer counts.
        """
        if self._running is not None:
            self._run().stop()

    async def wait_stopped(self) -> None:
        """Wait until it has stopped, whoever stops it. Called from a handler, it does not wait."""
        if self._running is not None:
            await self._run().wait_stopped()

    async def drain(self) -> None:
        """Wait until each handler that runs now has ended, for a stop that cancels none, or in tests."""
        await self._run().transport.drain()

    async def __aenter__(self) -> EmbeddedHeartbeat:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        await self.wait_stopped()

    def _run(self) -> RunningHeartbeat:
        if self._running is None:
            raise RuntimeError("this heartbeat does not run yet: start it first")
        if threading.get_ident() != self._thread:
            raise RuntimeError(
                "call this on the thread of the heartbeat's loop: from an `async def`, or from another "
                "thread by asyncio.run_coroutine_threadsafe, which gives the result"
            )
        return self._running
