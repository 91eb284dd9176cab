"""An idle server: how often it wakes up in a minute, and what processor time it takes.

It idles while everything else is measured, which changes neither figure, and spares a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType

from measuring.contestant import Contestant, far_away
from measuring.host import Host
from measuring.plan import Plan
from measuring.processes import processor_seconds, wake_ups
from measuring.row import Row
from measuring.samples import Samples
from measuring.stopwatch import seconds

BAR = 10
_REMINDERS = 10
_SETTLED = 1.0


class IdleServers:
    """Servers that are left alone from the start of the benchmark on. Use it in a `with`."""

    def __init__(self, plan: Plan, contestants: list[Contestant]) -> None:
        self._least = plan.pick(60, 2)
        self._children = ExitStack()
        self._hosts = [self._children.enter_context(_settled(contestant)) for contestant in contestants]
        self._since = seconds()
        self._before = [(wake_ups(host.pid), processor_seconds(host.pid)) for host in self._hosts]

    def __enter__(self) -> IdleServers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._children.close()

    def rows(self) -> Iterator[Row]:
        """The rows of idling; waits until it has lasted long enough."""
        while (left := self._since + self._least - seconds()) > 0:
            self._hosts[0].listen(left)
        minutes = (seconds() - self._since) / 60
        woken, busy = [], []
        for host, (wakes, processor) in zip(self._hosts, self._before, strict=True):
            woken.append(Samples([(wake_ups(host.pid) - wakes) / minutes]))
            busy.append(Samples([(processor_seconds(host.pid) - processor) / minutes * 1e3]))
        met = woken[0].median <= BAR
        yield _row("wake-ups", "", woken, f"≤ {BAR}", met)
        yield _row("processor time", "ms", busy)


def _row(what: str, unit: str, each: list[Samples], bar: str = "-", met: bool | None = None) -> Row:
    ours, *others = each
    other = others[0] if others else None
    return Row(f"idle, {what}", f"idle: {what} a minute", unit, ours, other=other, bar=bar, met=met)


def _settled(contestant: Contestant) -> Host:
    contestant.starts_with(far_away(_REMINDERS))
    host = Host(contestant)
    host.handshake()
    host.call("heartbeat_status")
    host.listen(_SETTLED)
    return host
