"""Calls of the seven tools as tests make them: what was refused, and that nothing was changed by it."""

from __future__ import annotations

from heartbeat_adapters.testing import Bench
from heartbeat_core.tools import ALL_TOOLS

TAKES = {tool.name: tuple(tool.arguments.model_fields) for tool in ALL_TOOLS}
WITH_ARGUMENTS = [tool.name for tool in ALL_TOOLS if tool.arguments.needs_some]
REFUSED = "Refused, and nothing was changed:"

RIGHT: dict[str, dict[str, object]] = {
    "heartbeat_status": {},
    "heartbeat_configure": {"deliveryMode": "silent"},
    "heartbeat_trigger": {},
    "reminder_add": {"message": "tea", "everyHours": 24},
    "reminder_update": {"id": "rem_kept", "message": "tea"},
    "reminder_list": {},
    "reminder_cancel": {"id": "rem_kept"},
}
"""For each tool a call that has nothing wrong; the id has to be filled in."""


def problems(bench: Bench, tool: str, arguments: object) -> list[str]:
    """The problems of a call, one a line; none where it was not refused."""
    reply = bench.toolbox.call(tool, arguments)
    first, *others = reply.text.split("\n")
    return [line for line in others if not line.startswith("Note: ")] if first == REFUSED else []


def notes(bench: Bench, tool: str, arguments: object) -> list[str]:
    """The notes at the end of a reply."""
    lines = bench.toolbox.call(tool, arguments).text.split("\n")
    return [line.removeprefix("Note: ") for line in lines if line.startswith("Note: ")]


def picture(bench: Bench) -> object:
    """Everything that a call could change: memory, stores, timers, ids, wakes, log."""
    heartbeat = bench.heartbeat
    return (
        heartbeat.schedule,
        repr(list(heartbeat.reminders)),
        heartbeat.policy,
        (bench.schedule_store.saved, bench.schedule_store.saves),
        (bench.reminder_store.saved, bench.reminder_store.saves),
        bench.clock.next_due(),
        bench.ids.given,
        list(bench.transport.wakes),
        list(bench.log.lines),
    )
