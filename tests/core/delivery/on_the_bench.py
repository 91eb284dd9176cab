"""A bench, a host and reminders for the tests of delivery; what several of their files need."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Answer, Refused, Taken, Wake
from recurring import recurring

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DISABLED = "feature set disabled by the host"


def takes(_: Wake) -> Answer:
    return Taken()


class SeenIds:
    """A host that drops an event that it has seen."""

    def __init__(self, *, uses_up_refused: bool = False) -> None:
        self.refuses = False
        self.uses_up_refused = uses_up_refused
        self.seen: set[str] = set()
        self.heard: list[Wake] = []

    def __call__(self, wake: Wake) -> Answer:
        if wake.event_id in self.seen:
            return Refused("duplicate")
        if not self.refuses or self.uses_up_refused:
            self.seen.add(wake.event_id)
        if self.refuses:
            return Refused("not now")
        self.heard.append(wake)
        return Taken()


def waiting_bench(**more: object) -> Bench:
    """A bench whose host has not sent its policy yet."""
    return Bench(policy=Policy(), **more)  # type: ignore[arg-type]


def with_one_out(every: timedelta | None = None) -> tuple[Bench, Wake]:
    """A bench with one reminder, due at `NOW`, whose wake is out."""
    store = MemoryReminderStore([Reminder("a", "tea", NOW - HOUR, NOW, recurring(every))])
    bench = Bench(reminder_store=store, clock=FakeClock(NOW - HOUR))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=1)
    (wake,) = bench.sent()
    return bench, wake


def held(every: timedelta | None = None) -> tuple[Bench, Wake]:
    """A bench with one reminder, due at `NOW`, that the host refused once."""
    bench, wake = with_one_out(every)
    bench.refuse(wake)
    return bench, wake


def only(wakes: list[Wake]) -> Wake:
    (wake,) = wakes
    return wake


def add(bench: Bench, **arguments: object) -> str:
    """Set a reminder; gives its id."""
    reply = bench.call("reminder_add", message="tea", **arguments)
    assert not reply.is_error, reply.text
    return reply.text.split()[1]


def only_due(bench: Bench) -> datetime:
    (entry,) = bench.heartbeat.reminders
    return entry.reminder.due


def lines_about(bench: Bench, *words: str) -> list[str]:
    return [line for line in bench.log.lines if all(word in line for word in words)]
