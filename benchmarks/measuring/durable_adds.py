"""`reminder_add`, durable, at growing numbers of reminders, beside one fsync'd write of as many bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from measuring.contestant import FAR_AWAY, far_away
from measuring.floors import durable_replacement, durable_write
from measuring.host import Host, reminder_id
from measuring.plan import Plan
from measuring.row import Row, at_most, over
from measuring.samples import Samples
from measuring.stopwatch import timed

BAR = 2.0
BAR_WITH_NONE = 1.5
"""Times a bare replacement, where it is no bytes but the call itself that costs."""
_MESSAGE = "Look whether what was left open yesterday is done, and say so to whoever asked for it."
_WARM_UP = 3


def rows(plan: Plan) -> Iterator[Row]:
    """Two rows for each size: beside one write, and beside the same steps with nothing around them."""
    for size in plan.sizes:
        yield from _rows(plan, size)


def _rows(plan: Plan, size: int) -> Iterator[Row]:
    write, replacement, taken = Samples(), Samples(), [Samples() for _ in plan.contestants]
    runs = plan.pick(25 if size >= 100_000 else 60, 3)
    with ExitStack() as children:
        hosts = []
        for contestant in plan.contestants:
            contestant.starts_with(far_away(size))
            hosts.append(children.enter_context(Host(contestant)))
            hosts[-1].handshake()
        for number in range(-_WARM_UP, runs):
            many_bytes = _bytes_after_an_add(hosts[0])
            written = durable_write(plan.folder / "floor", many_bytes)
            added = [_add(host) for host in hosts]
            replaced = durable_replacement(plan.folder / "floor", many_bytes)
            if number >= 0:
                write.add(written * 1e3)
                replacement.add(replaced * 1e3)
                for samples, seconds in zip(taken, added, strict=True):
                    samples.add(seconds * 1e3)
    for kind, floor, which in (
        ("add", write, "one write"),
        ("add, replaced", replacement, "a bare replacement"),
    ):
        ratio, bar = over(taken[0], floor), _bar(kind, size)
        yield Row(
            kind,
            f"reminder_add, durable, with {size:,}; {which}",
            "ms",
            taken[0],
            floor=floor,
            other=taken[1] if plan.other else None,
            size=size,
            ratio=ratio,
            bar="-" if bar is None else at_most(bar),
            met=None if bar is None else ratio <= bar,
        )


def _bar(kind: str, size: int) -> float | None:
    if size == 0:
        return BAR_WITH_NONE if kind == "add, replaced" else None
    return BAR if kind == "add" else None


def _bytes_after_an_add(host: Host) -> int:
    return host.contestant.reminders_file.stat().st_size + 220  # so much one row takes


def _add(host: Host) -> float:
    """Add one reminder, measured, and cancel it, so that there are as many again."""
    replies: list[str] = []
    add: Callable[[], object] = lambda: replies.append(  # noqa: E731
        host.call("reminder_add", message=_MESSAGE, inSeconds=FAR_AWAY / 4)
    )
    taken = timed(add)
    host.call("reminder_cancel", id=reminder_id(replies[0]))
    return taken
