"""Memory at rest, and what 10,000 reminders add to it, beside an interpreter with the four packages."""

from __future__ import annotations

from collections.abc import Iterator

from measuring.contestant import Contestant, far_away
from measuring.floors import PACKAGES_NAMED, PACKAGES_USED, interpreter
from measuring.host import Host
from measuring.plan import Plan
from measuring.processes import resident_mib
from measuring.row import Row, at_most, over
from measuring.samples import Samples

BAR = 1.25
MOST_MORE = 15.0
"""MiB."""
_SETTLED = 0.5


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of memory."""
    many = plan.pick(10_000, 1_000)
    runs = range(plan.pick(7, 1))
    used, named, empty, full, other, other_full = (Samples() for _ in range(6))
    for _ in runs:
        used.add(_interpreter(plan, PACKAGES_USED))
        named.add(_interpreter(plan, PACKAGES_NAMED))
        empty.add(_server(plan.ours, 0))
        full.add(_server(plan.ours, many))
        if plan.other:
            other.add(_server(plan.other, 0))
            other_full.add(_server(plan.other, many))
    for floor, which, bar in ((used, "imports as used", BAR), (named, "bare imports", None)):
        ratio = over(empty, floor)
        yield Row(
            "memory",
            f"memory at rest; {which}",
            "MiB",
            empty,
            floor=floor,
            other=other if plan.other else None,
            ratio=ratio,
            bar="-" if bar is None else at_most(bar),
            met=None if bar is None else ratio <= bar,
        )
    more = full.median - empty.median
    yield Row(
        "memory, full",
        f"memory with {many:,} reminders",
        "MiB",
        full,
        floor=empty,
        other=other_full if plan.other else None,
        size=many,
        ratio=more,
        bar=f"≤ {MOST_MORE:g} MiB more",
        met=more <= MOST_MORE,
    )


def _interpreter(plan: Plan, imports: str) -> float:
    with interpreter(imports, plan.folder) as child:
        child.read()
        return resident_mib(child.pid)


def _server(contestant: Contestant, reminders: int) -> float:
    contestant.starts_with(far_away(reminders))
    with Host(contestant) as host:
        host.handshake()
        host.call("heartbeat_status")
        host.listen(_SETTLED)
        return resident_mib(host.pid)
