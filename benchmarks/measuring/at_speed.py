"""An hour at speed: a client that adds, cancels, configures and is woken, as fast as it goes.

By quarters: memory must stay flat, and an operation as fast as it was, which the floor of the same
quarter stands beside, since the machine has other things to do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial

from measuring.contestant import Contestant
from measuring.floors import durable_write
from measuring.host import Host, reminder_id
from measuring.plan import Plan
from measuring.processes import resident_mib
from measuring.row import Row
from measuring.samples import Samples
from measuring.stopwatch import timed

SLOWDOWN = 1.15
GROWTH = 1.05
_KEPT = 200
"""So many reminders there are all the time, besides those that are due soon."""
_WARM_UP = 500
"""Operations until as many are kept as will be."""
_FLOOR_EVERY = 20


class _Client:
    """An agent in a hurry: each step is one operation."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._kept: deque[str] = deque()
        self.wakes = 0
        host.on_wake = self._woken

    def step(self, number: int) -> None:
        """One operation; of ten, four add, four cancel, one configures, one lists."""
        match number % 10:
            case 0 | 2 | 5:
                self._keep(self._host.call("reminder_add", message=f"Later {number}.", inHours=1000))
            case 7:
                self._host.call("reminder_add", message=f"Now {number}.", inSeconds=0.05)
            case 8:
                self._host.call("heartbeat_configure", intervalMinutes=60 + number % 60)
            case 9:
                self._host.call("reminder_list")
            case _ if len(self._kept) > _KEPT:
                self._host.call("reminder_cancel", id=self._kept.popleft())
            case _:
                self._keep(self._host.call("reminder_add", message=f"Later {number}.", inHours=1000))

    def _keep(self, reply: str) -> None:
        self._kept.append(reminder_id(reply))

    def _woken(self, _params: object, _at: float) -> None:
        self.wakes += 1


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of an hour at speed; the two servers one after the other."""
    each = [_quarters(plan, contestant) for contestant in plan.contestants]
    (latencies, floors, memory, wakes), *others = each
    slowdown = _slowdown(latencies, floors)
    growth = memory[-1] / memory[0]
    many = plan.operations
    yield Row(
        "at speed, latency",
        f"{many:,} operations at speed, {wakes:,} wakes: last quarter's latency beside the first's",
        "ms",
        latencies[-1],
        floor=latencies[0],
        other=others[0][0][-1] if others else None,
        ratio=slowdown,
        bar=f"≤ {SLOWDOWN:g}× (disk allowed for)",
        met=slowdown <= SLOWDOWN,
    )
    yield Row(
        "at speed, memory",
        f"{many:,} operations at speed: memory after the last quarter beside the first's",
        "MiB",
        Samples(memory[-1:]),
        floor=Samples(memory[:1]),
        other=Samples(others[0][2][-1:]) if others else None,
        ratio=growth,
        bar=f"≤ {GROWTH:g}×",
        met=growth <= GROWTH,
    )


def _slowdown(latencies: list[Samples], floors: list[Samples]) -> float:
    """How much slower the last quarter was than the first, where the disk alone would have been as fast."""
    slower_disk = max(floors[-1].median / floors[0].median, 1.0)
    return latencies[-1].median / latencies[0].median / slower_disk


def _quarters(plan: Plan, contestant: Contestant) -> tuple[list[Samples], list[Samples], list[float], int]:
    contestant.starts_with([])
    latencies, floors, memory = [Samples() for _ in range(4)], [Samples() for _ in range(4)], []
    with Host(contestant) as host:
        host.handshake()
        client = _Client(host)
        for number in range(plan.pick(_WARM_UP, 0)):
            client.step(number)
        for quarter in range(4):
            for number in range(plan.operations // 4):
                latencies[quarter].add(timed(partial(client.step, number)) * 1e3)
                if number % _FLOOR_EVERY == 0:
                    size = contestant.reminders_file.stat().st_size
                    floors[quarter].add(durable_write(plan.folder / "floor", size) * 1e3)
            memory.append(resident_mib(host.pid))
    return latencies, floors, memory, client.wakes
