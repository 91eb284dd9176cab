"""What list, cancel and one fire cost in process as reminders grow in number, the save left out.

The core runs on the shipped fakes, with a store that saves nothing: what is left is the core's own work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore
from heartbeat_core.ports import Trouble
from heartbeat_core.reminders.asked import Asked
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Taken
from measuring.plan import Plan
from measuring.row import Row
from measuring.samples import Samples
from measuring.stopwatch import timed

_SOON = timedelta(seconds=1)
_SETTLED = timedelta(milliseconds=60)
"""So soon after an answer the save has come, which is not measured."""
_NOISE = 1.1


class _NothingSaved(MemoryReminderStore):
    """A store whose save costs nothing."""

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:  # noqa: ARG002
        return None


def rows(plan: Plan) -> Iterator[Row]:
    """One row for each job and size; a bar from the second size on that has reminders."""
    benches = {size: _bench(size) for size in plan.sizes}
    jobs: dict[str, Callable[[Bench], float]] = {"list": _list, "cancel": _cancel, "fire": _fire}
    for job, measure in jobs.items():
        taken = {size: Samples() for size in plan.sizes}
        for bench in benches.values():
            measure(bench)
        for _ in range(plan.pick(400, 20)):
            for size, bench in benches.items():
                taken[size].add(measure(bench) * 1e6)
        yield from _judged(job, taken)


def _judged(job: str, taken: dict[int, Samples]) -> Iterator[Row]:
    base = next(size for size in taken if size > 1)
    for size, samples in taken.items():
        growth = samples.median / taken[base].median
        allowed = math.log(size) / math.log(base) if size > base else None
        yield Row(
            job,
            f"{job}, in process without the save, with {size:,}",
            "µs",
            samples,
            size=size,
            ratio=growth,
            bar="-" if allowed is None else f"≤ {allowed:.2f}× the {base:,}",
            met=None if allowed is None else growth <= allowed * _NOISE,
        )


def _bench(size: int) -> Bench:
    clock = FakeClock()
    now = clock.now()
    far = now + timedelta(days=1000)
    rows = (
        Reminder(f"rem_{n:016x}", f"Reminder {n}: look.", now, far + timedelta(seconds=n), None)
        for n in range(size)
    )
    return Bench(clock=clock, reminder_store=_NothingSaved(rows), host=lambda _wake: Taken())


def _list(bench: Bench) -> float:
    return timed(lambda: bench.call("reminder_list"))


def _cancel(bench: Bench) -> float:
    """Cancel one that stands in the middle of all, or the only one."""
    due = bench.clock.now() + timedelta(days=1000, seconds=len(bench.heartbeat.reminders) / 2)
    reminder, _ = bench.heartbeat.add(Asked("in the middle", due))
    return timed(lambda: bench.call("reminder_cancel", id=reminder.id))


def _fire(bench: Bench) -> float:
    """Wake for one, from its due time until its answer is dealt with."""
    bench.heartbeat.add(Asked("soon", _SOON))
    bench.clock.advance(_SOON - timedelta(milliseconds=1))
    taken = timed(lambda: bench.clock.advance(timedelta(milliseconds=1)))
    bench.clock.advance(_SETTLED)
    return taken
