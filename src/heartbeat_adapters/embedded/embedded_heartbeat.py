"""A heartbeat in the same process, on an asyncio loop: its life, its tools, and the same typed (9.2, 9.7)."""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

from heartbeat_adapters.container import Container
from heartbeat_adapters.embedded.in_process_transport import Handler
from heartbeat_adapters.embedded.running_heartbeat import RunningHeartbeat
from heartbeat_adapters.given_parts import check_parts
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import ALL_TOOLS, Reply, Tool, UnknownToolError, typed
from heartbeat_core.tools.typed import Snapshot

if TYPE_CHECKING:
    pass


HANDLER_TIMEOUT = timedelta(hours=1)
"""How long a handler may take, unless told otherwise (9.5)."""


class EmbeddedHeartbeat:
    """A heartbeat on the asyncio loop that it is started on; `embed` builds one.

    It lives once: started, stopped, gone. Any number of them run side by side, on loops in any thread,
    and know nothing of each other. All calls belong on the thread of the loop. Built by hand, it takes
    a container in which all but `transport` is settled, and `clock`, where that is not the machine's.
    """

    def __init__(
        self, handler: Handler, container: Container, handler_timeout: timedelta = HANDLER_TIMEOUT
    ) -> None:
        check_parts(handler=handler, handler_timeout=handler_timeout)
        self._handler = handler
        self._container = container
        self._handler_timeout = handler_timeout
        self._running: RunningHeartbeat | None = None
        self._thread = 0

    # What the model sees

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        """The seven tools, each with `name`, `description` and `schema`, the JSON schema of its arguments."""
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
        rrule: str | None = None,
        timezone: str | None = None,
        count: int | None = None,
        until: datetime | None = None,
        expires_after: timedelta | None = None,
    ) -> Reminder:
        """Set a reminder, and give it: first `after` a delay or `at` an aware time, or as it recurs.

            heartbeat.add("Water the plants.", after=timedelta(hours=2), every=timedelta(days=1)).id
            heartbeat.add("Stand-up.", rrule="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9")

        It recurs by `every`, or by `rrule` in the zone of the IANA name `timezone`, until `count` or
        `until`. A firing that was not taken so long after its time as `expires_after` is given up.
        """
        return typed.add(
            self._saved(),
            message,
            after=after,
            at=at,
            every=every,
            rrule=rrule,
            timezone=timezone,
            count=count,
            until=until,
            expires_after=expires_after,
        )

    def update(
        self,
        reminder_id: str,
        *,
        message: str | None = None,
        after: timedelta | None = None,
        at: datetime | None = None,
        every: timedelta | None = None,
        rrule: str | None = None,
        timezone: str | None = None,
        count: int | None = None,
        until: datetime | None = None,
        expires_after: timedelta | None = None,
    ) -> Reminder:
        """Change a reminder, and give it as it is then; what is left out stays.

        `after` or `at` alone moves its next firing only; `every` or `rrule` begins a new series.
        """
        return typed.update(
            self._saved(),
            reminder_id,
            message=message,
            after=after,
            at=at,
            every=every,
            rrule=rrule,
            timezone=timezone,
            count=count,
            until=until,
            expires_after=expires_after,
        )

    def cancel(self, reminder_id: str) -> Reminder:
        """Remove a reminder, and give what it was. Raises ValueError where none has that id."""
        return typed.cancel(self._saved(), reminder_id)

    def configure(
        self,
        *,
        interval: timedelta | None = None,
        paused: bool | None = None,
        mode: DeliveryMode | None = None,
        message: str | None = None,
        active_hours: str | None = None,
        active_days: list[str] | tuple[str, ...] | None = None,
        next_in: timedelta | None = None,
        next_at: datetime | None = None,
    ) -> Schedule:
        """Change the schedule, and give it as it is then; what is left out stays.

            heartbeat.configure(interval=timedelta(hours=1), active_hours="08:00-22:00", active_days=["MO"])

        `active_hours` and `active_days` are as heartbeat_configure takes them, `"always"` and all seven days
        for no limit. `next_in`, or `next_at`, an aware time, says when the next beat comes, once. Raises as
        `add` does.
        """
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
        """Send one beat now. Raises RuntimeError, in the tool's words, where it cannot be sent."""
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
