"""A `heartbeat_status` call over the pipe, warmed up, beside an echo of the same line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from measuring.child import Child
from measuring.floors import echo, json_echo
from measuring.host import Host
from measuring.plan import Plan, rotated
from measuring.row import Row, at_most, over
from measuring.samples import Samples
from measuring.stopwatch import timed

BAR = 1.5

_CALL = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "heartbeat_status", "arguments": {}},
}
_LINE = json.dumps(_CALL).encode() + b"\n"


def rows(plan: Plan) -> Iterator[Row]:
    """The rows of a call that changes nothing."""
    with ExitStack() as children:
        asked: dict[str, Child] = {
            "echo": children.enter_context(echo(plan.folder)),
            "json echo": children.enter_context(json_echo(plan.folder)),
        }
        for name, contestant in zip(("ours", "other"), plan.contestants, strict=False):
            contestant.starts_with([])
            host = children.enter_context(Host(contestant))
            host.handshake()
            asked[name] = host
        taken = _measure({name: _asking(child) for name, child in asked.items()}, plan.pick(3_000, 100))
    for floor, which in (("echo", "an echo"), ("json echo", "an echo that reads and writes JSON")):
        ratio = over(taken["ours"], taken[floor])
        yield Row(
            f"status, {floor}",
            f"heartbeat_status over the pipe; {which}",
            "µs",
            taken["ours"],
            floor=taken[floor],
            other=taken.get("other"),
            ratio=ratio,
            bar=at_most(BAR) if floor == "json echo" else "-",
            met=ratio <= BAR if floor == "json echo" else None,
        )


def _asking(child: Child) -> Callable[[], object]:
    def ask() -> None:
        child.write(_LINE)
        child.read()

    return ask


def _measure(asks: dict[str, Callable[[], object]], runs: int) -> dict[str, Samples]:
    """Ask all in turns, so that a busy moment of the machine meets each of them."""
    for ask in asks.values():
        for _ in range(min(runs, 200)):
            ask()
    taken = {name: Samples() for name in asks}
    for order in rotated(runs, list(asks)):
        for name in order:
            taken[name].add(timed(asks[name]) * 1e6)
    return taken
