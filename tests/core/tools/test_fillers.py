"""Clients that must send every argument: what asks for nothing counts as not sent (6.8)."""

from __future__ import annotations

from typing import Any

import pytest
from calling import problems
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from heartbeat_adapters.testing import Bench
from heartbeat_core.tools import ALL_TOOLS

NOTHING: dict[str, object] = {"number": 0, "integer": 0, "string": "", "array": []}
SENSIBLE: list[tuple[str, dict[str, object]]] = [
    ("reminder_add", {"message": "m", "inHours": 1}),
    ("reminder_add", {"message": "m", "inSeconds": 30, "inMinutes": 2}),
    ("reminder_add", {"message": "m", "everyHours": 24}),
    ("reminder_add", {"message": "m", "atIso": "2030-01-01"}),
    ("reminder_add", {"message": "m", "atIso": "2030-01-01", "everyMinutes": 5}),
    ("reminder_add", {"message": "m", "inHours": 1, "everyHours": 24}),
    ("reminder_add", {"message": "m", "rrule": "FREQ=DAILY;BYHOUR=9", "count": 3}),
    ("reminder_add", {"message": "m", "inHours": 1, "expiresAfterHours": 1}),
    ("reminder_add", {"message": "m", "everySeconds": 90, "until": "2030-01-01", "expiresAfterMinutes": 1}),
    ("reminder_add", {"message": "m", "rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "Asia/Tokyo"}),
    ("reminder_add", {"message": "m", "inHours": 1, "expiresAfterSeconds": 90}),
    ("reminder_update", {"id": "rem_1", "inMinutes": 10}),
    ("reminder_update", {"id": "rem_1", "inSeconds": 90}),
    ("reminder_update", {"id": "rem_1", "inHours": 2}),
    ("reminder_update", {"id": "rem_1", "atIso": "2030-01-01"}),
    ("reminder_update", {"id": "rem_1", "everySeconds": 90}),
    ("reminder_update", {"id": "rem_1", "everyMinutes": 90, "expiresAfterSeconds": 1}),
    ("reminder_update", {"id": "rem_1", "everyHours": 2, "expiresAfterMinutes": 1}),
    ("reminder_update", {"id": "rem_1", "rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "Asia/Tokyo"}),
    ("reminder_update", {"id": "rem_1", "until": "2030-01-01"}),
    ("reminder_update", {"id": "rem_1", "expiresAfterHours": 2}),
    ("reminder_update", {"id": "rem_1", "message": "coffee"}),
    ("reminder_update", {"id": "rem_1", "count": 3}),
    ("heartbeat_configure", {"paused": True}),
    ("heartbeat_configure", {"paused": False}),
    ("heartbeat_configure", {"intervalMinutes": 90}),
    ("heartbeat_configure", {"message": "look around"}),
    ("heartbeat_configure", {"deliveryMode": "silent"}),
    (
        "heartbeat_configure",
        {"intervalHours": 2, "paused": False, "message": "look", "deliveryMode": "message"},
    ),
    ("heartbeat_configure", {"activeHours": "08:00-22:00"}),
    ("heartbeat_configure", {"activeDays": ["MO", "TU"]}),
    ("heartbeat_configure", {"nextInMinutes": 20}),
    ("heartbeat_configure", {"nextAtIso": "2030-01-01T08:00"}),
    ("heartbeat_configure", {"intervalSeconds": 90}),
    ("heartbeat_configure", {"nextInSeconds": 90}),
    ("heartbeat_configure", {"nextInHours": 2}),
    ("heartbeat_status", {}),
    ("heartbeat_status", {"history": 5}),
    ("heartbeat_trigger", {}),
    ("reminder_list", {}),
    ("reminder_cancel", {"id": "rem_1"}),
]
"""For each tool, what it is called for."""

NEITHER_CHANGED: dict[str, object] = {"paused": False, "deliveryMode": "message"}
"""As `heartbeat_status` shows them here: no value of these two asks for nothing where null is not allowed."""


def schema_of(tool: str) -> dict[str, Any]:
    (schema,) = [each.schema for each in ALL_TOOLS if each.name == tool]
    return schema


def with_every_member(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    """The call as such a client sends it; booleans have no value that asks for nothing, so null."""
    properties: dict[str, Any] = schema_of(tool)["properties"]
    fillers = {
        name: None if "enum" not in it and it["type"] == "boolean" else NOTHING[it["type"]]
        for name, it in properties.items()
    }
    return fillers | arguments


def with_tea() -> Bench:
    """A bench with one reminder, `rem_1`."""
    bench = Bench()
    told(bench, "reminder_add", {"message": "tea", "everyHours": 24})
    return bench


def told(bench: Bench, tool: str, arguments: dict[str, object]) -> str:
    reply = bench.toolbox.call(tool, arguments)
    assert not reply.is_error, reply.text
    return reply.text


@pytest.mark.parametrize("tool", [tool.name for tool in ALL_TOOLS])
def test_every_tool_and_every_argument_is_called_for_something(tool: str) -> None:
    """6.8: for every tool and argument"""
    calls = [arguments for name, arguments in SENSIBLE if name == tool]
    assert calls
    assert set().union(*calls) == set(schema_of(tool)["properties"])


@pytest.mark.parametrize(("tool", "arguments"), SENSIBLE, ids=str)
def test_a_call_with_every_member_does_what_the_call_with_its_own_does(
    tool: str, arguments: dict[str, object]
) -> None:
    assert told(with_tea(), tool, with_every_member(tool, arguments)) == told(with_tea(), tool, arguments)


@pytest.mark.parametrize(("tool", "arguments"), SENSIBLE, ids=str)
def test_so_it_does_where_no_member_can_be_null(tool: str, arguments: dict[str, object]) -> None:
    """6.2, 6.8: strict function calling keeps to the schema, which allows no null."""
    unchanged = NEITHER_CHANGED if tool == "heartbeat_configure" else {}
    sent = with_every_member(tool, unchanged | arguments)
    Draft202012Validator({**schema_of(tool), "required": [*sent]}).validate(sent)
    assert told(with_tea(), tool, sent) == told(with_tea(), tool, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("reminder_add", {"message": "m", "inHours": 0}),
        ("reminder_add", {"message": "m", "everyHours": 0, "everyMinutes": 0}),
        ("reminder_add", {"message": "m", "atIso": ""}),
        ("reminder_add", {"message": "m", "inHours": 0, "atIso": " ", "everyHours": 0}),
        ("reminder_add", {"message": "", "inHours": 1}),
        ("reminder_add", {"message": "m", "inHours": False, "everyHours": 1}),
        ("reminder_add", {"message": "m", "inHours": 1, "inMinutes": -1}),
        ("heartbeat_configure", {"intervalHours": 0}),
        ("heartbeat_configure", {"message": " "}),
        ("heartbeat_configure", {"intervalHours": 0, "message": "", "deliveryMode": ""}),
        ("heartbeat_configure", {"paused": "", "intervalHours": "0"}),
        ("reminder_add", {"message": "m", "rrule": "", "count": 0}),
        ("reminder_update", {"id": "rem_1", "message": "", "inHours": 0}),
        ("reminder_update", {"id": "", "message": "m"}),
        ("reminder_cancel", {"id": ""}),
    ],
    ids=str,
)
def test_a_call_that_would_be_left_with_nothing_is_judged_as_it_was_sent(
    tool: str, arguments: dict[str, object]
) -> None:
    bench = with_tea()
    assert problems(bench, tool, arguments) or bench.toolbox.call(tool, arguments).is_error


def test_one_zero_among_lengths_of_a_kind_is_a_part_of_their_sum() -> None:
    assert "(~60s)" in told(Bench(), "reminder_add", {"message": "m", "inHours": 0, "inMinutes": 1})


@pytest.mark.parametrize("nothing", ["", " ", []], ids=str)
def test_what_is_blank_or_empty_counts_as_not_sent_beside_a_length_of_its_kind(nothing: object) -> None:
    """6.8"""
    sent = {"message": "m", "inHours": nothing, "inMinutes": 1}
    assert "(~60s)" in told(Bench(), "reminder_add", sent)
    told(Bench(), "heartbeat_configure", {"intervalMinutes": 90, "intervalHours": nothing})


def test_a_slip_stays_one_whatever_its_value() -> None:
    assert problems(Bench(), "reminder_add", {"message": "m", "inHours": 1, "inMinutess": 0})
    assert problems(Bench(), "heartbeat_configure", {"paused": True, "mode": ""})


def test_an_argument_that_counts_as_not_sent_is_a_name_that_another_may_be_meant_for() -> None:
    """6.9 (d): `pausedMessage` beside a message that is blank"""
    sent = {"paused": True, "message": "", "pausedMessage": "back soon"}
    assert "did you mean message?" in problems(Bench(), "heartbeat_configure", sent)[0]
