"""A whole heartbeat on fakes, for tests: a month of wakes in a few lines and milliseconds (9.3).

`Bench` puts the fakes together and lets a test play agent, host, time and crash.

    bench = Bench()
    bench.call("reminder_add", message="water the plants", everyHours=24)
    bench.clock.advance(timedelta(days=30))
    assert len(bench.heard) == ...
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta
from typing import TypeVar

from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_adapters.testing.counting_ids import CountingIds
from heartbeat_adapters.testing.fake_clock import FakeClock
from heartbeat_adapters.testing.memory_history import MemoryHistory
from heartbeat_adapters.testing.memory_stores import MemoryReminderStore, MemoryScheduleStore
from heartbeat_adapters.testing.recording_log import RecordingLog
from heartbeat_adapters.testing.recording_transport import RecordingTransport
from heartbeat_core.policy import Policy
from heartbeat_core.ports import History, ReminderStore, ScheduleStore
from heartbeat_core.schedule.limits import NO_LIMITS, Limits
from heartbeat_core.service import ANSWER_WITHIN, Heartbeat
from heartbeat_core.times.moments import AgentZone
from heartbeat_core.tools import Reply, Toolbox
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

M = TypeVar("M", MemoryScheduleStore, MemoryReminderStore, MemoryHistory)

UTC_ZONE = AgentZone("UTC", UTC)

ALLOWED = {"effectiveCapabilities": ["tools", "pushEvents"], "enabled": ["heartbeat"]}
"""The params of a `featureSets/update` that lets every wake through."""


class Bench:
    """A started `Heartbeat` with everything about it that a test wants to drive or to read.

    With `host`, each wake is answered as soon as it was sent with what `host(wake)` gives, and not
    answered where that is None; without, the test answers with `take`, `refuse` or `answer`. With
    `policy` left out every wake may be sent; `Policy()` waits for the host's, see `allow`. Stores of your own
    take the place of those in memory; `restart` closes them and loads them again.
    """

    def __init__(
        self,
        *,
        host: Callable[[Wake], Answer | None] | None = None,
        policy: Policy | None = None,
        zone: AgentZone = UTC_ZONE,
        clock: FakeClock | None = None,
        schedule_store: ScheduleStore | None = None,
        reminder_store: ReminderStore | None = None,
        history: History | None = None,
        limits: Limits = NO_LIMITS,
        answer_within: timedelta = ANSWER_WITHIN,
    ) -> None:
        self.clock = clock or FakeClock()
        self._schedules = MemoryScheduleStore() if schedule_store is None else schedule_store
        self._reminders = MemoryReminderStore() if reminder_store is None else reminder_store
        for store in (self._schedules, self._reminders):
            if isinstance(store, MemoryScheduleStore | MemoryReminderStore):
                store.now = self.clock.now
        self.transport = RecordingTransport()
        self.log = RecordingLog()
        self.ids = CountingIds()
        self.heard: list[Wake] = []
        """The wakes that `host` took."""
        self._host = host
        self._policy = Policy.open() if policy is None else policy
        self._zone = zone
        self._history = MemoryHistory() if history is None else history
        self._limits = limits
        self._answer_within = answer_within
        self.start()

    @property
    def schedule_store(self) -> MemoryScheduleStore:
        """What keeps the schedule in memory. Raises LookupError where you gave a store of your own."""
        return _in_memory(self._schedules, MemoryScheduleStore)

    @property
    def reminder_store(self) -> MemoryReminderStore:
        """What keeps the reminders in memory. Raises LookupError where you gave a store of your own."""
        return _in_memory(self._reminders, MemoryReminderStore)

    @property
    def history(self) -> MemoryHistory:
        """What keeps the history in memory. Raises LookupError where you gave one of your own."""
        return _in_memory(self._history, MemoryHistory)

    def start(self) -> None:
        """Start a server on what is stored."""
        self.transport = RecordingTransport() if self._host is None else _Answered(self, self._host)
        self.heartbeat = Heartbeat(
            clock=self.clock,
            transport=self.transport,
            schedule_store=self._schedules,
            reminder_store=self._reminders,
            new_id=self.ids,
            log=self.log,
            zone=self._zone,
            find_zone=find_zone,
            policy=self._policy,
            history=self._history,
            limits=self._limits,
            answer_within=self._answer_within,
        )
        self.toolbox = Toolbox(self.heartbeat)
        self.heartbeat.start()

    def crash(self) -> None:
        """End the server as a power cut would: nothing is saved any more, no timer comes."""
        self.clock.forget_all()

    def restart(self) -> None:
        """Stop the server in order, and start the next."""
        self.heartbeat.stop()
        self.start()

    def call(self, tool: str, **arguments: object) -> Reply:
        """Call a tool as a model would, then let what is due now happen."""
        reply = self.toolbox.call(tool, arguments)
        self.clock.settle()
        return reply

    def allow(self, **params: object) -> object:
        """Send a `featureSets/update` Request, by default one that lets every wake through."""
        receipt = self.heartbeat.policy_requested(params or ALLOWED)
        self.clock.settle()
        return receipt

    def deny(self) -> object:
        """Send a `featureSets/update` Request that grants nothing."""
        return self.allow(effectiveCapabilities=[])

    def sent(self) -> list[Wake]:
        """The wakes that were sent since the last time this was asked."""
        return self.transport.take()

    def answer(self, wake: Wake, answer: Answer) -> None:
        """Answer a wake, then let what is due now happen."""
        self.heartbeat.answered(wake, answer)
        self.clock.settle()

    def take(self, wake: Wake) -> None:
        """Answer that the host took the wake."""
        self.answer(wake, Taken())

    def refuse(self, wake: Wake, reason: str = "not now", code: int | None = None) -> None:
        """Answer that the host refused the wake."""
        self.answer(wake, Refused(reason, code))

    def pass_time(self, **length: float) -> None:
        """Let time pass: `bench.pass_time(hours=4)`."""
        self.clock.advance(timedelta(**length))


def _in_memory(store: object, kind: type[M]) -> M:
    if not isinstance(store, kind):
        raise LookupError(
            f"this bench runs on a {type(store).__name__}, which you gave it: look into that one"
        )
    return store


class _Answered(RecordingTransport):
    """Answers by itself, in the moment after a wake was sent, as a host that answers at once."""

    def __init__(self, bench: Bench, host: Callable[[Wake], Answer | None]) -> None:
        super().__init__()
        self._bench = bench
        self._answer_of = host

    def push(self, wake: Wake) -> None:
        """Keep the wake, and have it answered."""
        super().push(wake)
        self._bench.clock.call_at(wake.sent_at, lambda: self._answer(wake))

    def _answer(self, wake: Wake) -> None:
        answer = self._answer_of(wake)
        if answer is None:
            return
        if isinstance(answer, Taken):
            self._bench.heard.append(wake)
        self._bench.heartbeat.answered(wake, answer)
