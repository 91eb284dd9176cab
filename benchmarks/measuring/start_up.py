"""Start-up: from spawning the server to its first answers, beside an interpreter that imports the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from measuring.contestant import Contestant
from measuring.floors import PACKAGES_NAMED, PACKAGES_USED, interpreter
from measuring.host import Host
from measuring.plan import Plan, rotated
from measuring.row import Row, at_most, over
from measuring.samples import Samples
from measuring.stopwatch import seconds

BAR = 1.2


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of starting."""
    steps = _steps(plan)
    taken = {name: Samples() for name in steps}
    for step in () if plan.quick else steps.values():
        step()  # once unmeasured: bytecode is cached, and the disk's pages are in memory
    for order in rotated(plan.pick(25, 1), list(steps)):
        for name in order:
            taken[name].add(steps[name]() * 1e3)
    yield _hello(taken)
    yield _first_call(taken, "used", "imports as used", BAR)
    yield _first_call(taken, "named", "bare imports", None)


def _hello(taken: dict[str, Samples]) -> Row:
    ours, other = taken["hello"], taken.get("hello, other")
    return Row(
        "initialize",
        "spawn to the answer of initialize",
        "ms",
        ours,
        floor=taken["used"],
        other=other,
        ratio=over(ours, other or taken["used"]),
        bar="≤ the other's" if other else "≤ the other's (--vs)",
        met=ours.median <= other.median if other else None,
    )


def _first_call(taken: dict[str, Samples], floor: str, which: str, bar: float | None) -> Row:
    ratio = over(taken["call"], taken[floor])
    return Row(
        f"first call, {floor}",
        f"spawn to the first tools/call; {which}",
        "ms",
        taken["call"],
        floor=taken[floor],
        other=taken.get("call, other"),
        ratio=ratio,
        bar="-" if bar is None else at_most(bar),
        met=None if bar is None else ratio <= bar,
    )


def _steps(plan: Plan) -> dict[str, Callable[[], float]]:
    """Everything that is timed, by name; each gives the seconds to the answer, and ends what it started."""
    steps: dict[str, Callable[[], float]] = {
        "used": lambda: _import(plan, PACKAGES_USED),
        "named": lambda: _import(plan, PACKAGES_NAMED),
    }
    for name, contestant in zip(("", ", other"), plan.contestants, strict=False):
        contestant.starts_with([])
        steps[f"hello{name}"] = partial(_start, contestant, Host.initialize)
        steps[f"call{name}"] = partial(_start, contestant, _first_words)
    return steps


def _import(plan: Plan, imports: str) -> float:
    start = seconds()
    with interpreter(imports, plan.folder) as child:
        child.read()
        return seconds() - start


def _start(contestant: Contestant, until: Callable[[Host], object]) -> float:
    start = seconds()
    with Host(contestant) as host:
        until(host)
        return seconds() - start


def _first_words(host: Host) -> None:
    host.handshake()
    host.call("heartbeat_status")
