"""How late wakes come: the real server over its pipes, beside nothing but timers on the same loop.

Both are children of this process, which notes when their lines arrive; a timer of the floor is due
between two wakes, so that neither disturbs the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

from measuring.child import Child
from measuring.contestant import Contestant, contestant, far_away
from measuring.floors import timers, wake_command
from measuring.host import Host
from measuring.plan import Plan
from measuring.row import Row, at_most
from measuring.samples import Samples
from measuring.stopwatch import epoch_seconds

BAR, AND_MORE = 3.0, 1.0
"""Times the floor, and milliseconds on top."""
BAR_OF_WAKES = 2.0
"""Times as many bare wakes."""

_GAP = 0.03
"""Seconds between a wake and a timer of the floor."""
_AHEAD = 0.7
"""Seconds until as many are due at once, where a child has nothing to load first."""
_PATIENCE = 20.0


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of lateness, with few pending and with many, and with many due at once."""
    for pending in (1, 100) if plan.quick else (1, 1_000, 100_000):
        yield _one_by_one(plan, pending)
    yield from _all_at_once(plan, plan.pick(1_000, 50))


def _row(kind: str, what: str, size: int, taken: list[Samples], floor: Samples, share: float) -> Row:
    ours, least = taken[0].quantile(share), floor.quantile(share)
    return Row(
        kind,
        what,
        "ms",
        taken[0],
        floor=floor,
        other=taken[1] if len(taken) > 1 else None,
        size=size,
        ratio=ours / max(least, 1e-9),
        bar=f"p99 ≤ {BAR:g}× floor + {AND_MORE:g} ms",
        met=ours <= BAR * least + AND_MORE,
        share=share,
    )


# One after the other


def _one_by_one(plan: Plan, pending: int) -> Row:
    floor, taken = Samples(), [Samples() for _ in plan.contestants]
    with ExitStack() as children:
        ticking = children.enter_context(timers(plan.folder))
        hosts = []
        for each in plan.contestants:
            each.starts_with(far_away(pending - 1))
            hosts.append(children.enter_context(Host(each)))
            hosts[-1].handshake()
        for number in range(-2, plan.pick(100, 5)):
            late, ticked = [_wake(host) for host in hosts], _tick(ticking)
            if number >= 0:
                floor.add(ticked * 1e3)
                for samples, seconds in zip(taken, late, strict=True):
                    samples.add(seconds * 1e3)
    return _row("lateness", f"lateness of a fire, {pending:,} pending", pending, taken, floor, 0.99)


def _wake(host: Host) -> float:
    """Set a reminder a moment ahead and wait for its wake; gives by how many seconds it was late."""
    arrived: list[float] = []
    host.on_wake = lambda _params, at: arrived.append(at)
    due = _in_a_moment(host.contestant)
    at = datetime.fromtimestamp(due, UTC).isoformat(timespec="milliseconds")
    host.call("reminder_add", message="Look.", atIso=at)
    until = epoch_seconds() + _PATIENCE
    while not arrived and epoch_seconds() < until:
        host.listen(until - epoch_seconds())
    return arrived[0] - due


def _in_a_moment(each: Contestant) -> float:
    """A due time that comes after the add is saved, however long that takes with so many reminders."""
    megabytes = each.reminders_file.stat().st_size / 1e6
    return round(epoch_seconds() + _GAP + megabytes * 0.03, 3)


def _tick(ticking: Child) -> float:
    due = round(epoch_seconds() + _GAP, 3)
    ticking.write(f"[{due:.3f}]\n".encode())
    ticking.read(_PATIENCE)
    return ticking.heard_at - due


# All at once


def _all_at_once(plan: Plan, many: int) -> Iterator[Row]:
    ticks, bare, taken = Samples(), Samples(), [Samples() for _ in plan.contestants]
    waker = contestant("waker", wake_command(), plan.folder)
    for _ in range(plan.pick(8, 1)):
        for samples, late in ((ticks, _ticks(plan, many)), (bare, _bare_wakes(waker, many))):
            for seconds in late:
                samples.add(seconds * 1e3)
        for samples, each in zip(taken, plan.contestants, strict=True):
            for seconds in _wakes(each, many, plan.pick(3, 2)):
                samples.add(seconds * 1e3)
    what = f"lateness of each of {many:,} due at once"
    yield _row("at once", f"{what}; as many timers", many, taken, ticks, 0.99)
    yield _beside_wakes(_row("at once, asked", f"{what}; bare wakes", many, taken, bare, 0.99))


def _beside_wakes(row: Row) -> Row:
    assert row.ratio is not None
    return replace(row, bar=f"p99 {at_most(BAR_OF_WAKES)}", met=row.ratio <= BAR_OF_WAKES)


def _ticks(plan: Plan, many: int) -> list[float]:
    with timers(plan.folder) as ticking:
        due = round(epoch_seconds() + _AHEAD, 3)
        ticking.write(f"[{','.join([f'{due:.3f}'] * many)}]\n".encode())
        late = []
        for _ in range(many):
            ticking.read(_PATIENCE)
            late.append(ticking.heard_at - due)
    return late


def _bare_wakes(waker: Contestant, many: int) -> list[float]:
    """Have a child that does nothing else send so many wakes, and answer them."""
    with Host(waker) as host:
        due = round(epoch_seconds() + _AHEAD, 3)
        host.write(f"[{due:.3f}, {many}]\n".encode())
        return _hear(host, due, many)


def _wakes(each: Contestant, many: int, ahead: float) -> list[float]:
    """Start a server on reminders that are all due a few seconds ahead."""
    due = round(epoch_seconds() + ahead, 3)
    each.starts_with([due] * many)
    with Host(each) as host:
        late = _noted(host, due)
        host.handshake()
        return _hear(host, due, many, late)


def _noted(host: Host, due: float) -> list[float]:
    """Give a list that grows with each wake by the seconds that it was late."""
    late: list[float] = []
    host.on_wake = lambda _params, at: late.append(at - due)
    return late


def _hear(host: Host, due: float, many: int, late: list[float] | None = None) -> list[float]:
    late = _noted(host, due) if late is None else late
    while len(late) < many and epoch_seconds() < due + _PATIENCE:
        host.listen(due + _PATIENCE - epoch_seconds())
    return late
