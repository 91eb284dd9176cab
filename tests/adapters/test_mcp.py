"""MCP and MCPL on the core with fakes all around: every line that the host would read, in its order.

Sections 3 and 4 as far as they are a matter of the wire.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from conversation import Conversation, Message, request

from heartbeat_adapters.testing import (
    ALLOWED,
)
from heartbeat_adapters.wire.jsonrpc import RpcError
from heartbeat_adapters.wire.push_events import read_answer
from heartbeat_core.telling.throttled_log import BURST
from heartbeat_core.tools import ALL_TOOLS
from heartbeat_core.wakes import Answer, Refused, Taken

UPDATE = "featureSets/update"


def pushes(written: list[Any]) -> list[Message]:
    return [line for line in written if isinstance(line, dict) and line.get("method") == "push/event"]


@pytest.fixture
def fresh() -> Conversation:
    """Before anything was said."""
    return Conversation()


@pytest.fixture
def mcp() -> Conversation:
    """With a host that speaks MCP only."""
    conversation = Conversation()
    conversation.hello()
    return conversation


@pytest.fixture
def mcpl() -> Conversation:
    """With a host that speaks MCPL and has not sent its policy."""
    conversation = Conversation()
    conversation.hello({"version": "0.5"})
    return conversation


# Who may speak when


KNOWN = ["tools/list", "tools/call", UPDATE]
UNKNOWN = [
    "server/discover",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "logging/setLevel",
    "completion/complete",
    "channels/list",
    "Ping",
    "",
    "\ud800" * 300,
]


def test_ping_is_answered_at_any_time(fresh: Conversation) -> None:
    """3.2"""
    assert fresh.result("ping") == {}
    fresh.hello()
    assert fresh.result("ping") == {}
    assert fresh.result("ping", [1, 2]) == {}


@pytest.mark.parametrize("method", KNOWN)
@pytest.mark.parametrize("params", [None, {}, [], {"name": "heartbeat_status"}])
def test_what_is_known_is_refused_before_initialize(fresh: Conversation, method: str, params: object) -> None:
    """3.2"""
    error = fresh.ask(method, params)["error"]
    assert error["code"] == -32600
    assert "initialize comes first" in error["message"]


@pytest.mark.parametrize("method", UNKNOWN)
def test_what_is_not_known_is_not_found_before_and_after_initialize(fresh: Conversation, method: str) -> None:
    """2.5, 3.2, 3.5: whatever its params are."""
    assert [fresh.code(method), fresh.code(method, []), fresh.code(method, {})] == [-32601] * 3
    assert fresh.opened == 0
    fresh.hello()
    assert fresh.code(method) == -32601


def test_requests_between_initialize_and_initialized_are_served(mcp: Conversation) -> None:
    """3.2"""
    assert mcp.result("tools/list")
    assert mcp.status.startswith("Heartbeat ACTIVE")
    mcp.notify("notifications/initialized")
    assert mcp.result("tools/list")


def test_a_second_initialize_is_refused_and_changes_nothing(mcpl: Conversation) -> None:
    """3.1"""
    mcpl.result(UPDATE, ALLOWED)
    assert mcpl.code("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}}) == -32600
    assert "delivery=ok" in mcpl.status


@pytest.mark.parametrize(("params", "code"), [([], -32602), ("x", -32600), (5, -32600)])
def test_an_initialize_that_cannot_be_read_can_be_sent_again(
    fresh: Conversation, params: object, code: int
) -> None:
    """2.2, 3.1"""
    assert fresh.code("initialize", params) == code
    assert fresh.code("tools/list") == -32600
    assert fresh.hello()["protocolVersion"] == "2024-11-05"


def test_initialize_without_params_is_answered(fresh: Conversation) -> None:
    """2.2, 3.1"""
    assert fresh.result("initialize")["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "method",
    ["notifications/initialized", "notifications/cancelled", "notifications/progress", "x", "tools/call", ""],
)
@pytest.mark.parametrize("params", [None, {}, [], {"requestId": 1, "reason": "bored"}])
def test_notifications_are_accepted_in_silence(mcp: Conversation, method: str, params: object) -> None:
    """2.5, 3.5"""
    before = list(mcp.log.lines)
    mcp.notify(method, params)
    assert mcp.log.lines == before


# Tools


def test_all_tools_are_listed_with_all_that_a_model_and_a_host_need(mcp: Conversation) -> None:
    """3.3"""
    listed = mcp.result("tools/list", {"cursor": "whatever", "_meta": {}})
    assert [*listed] == ["tools"]
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in ALL_TOOLS]
    for tool in listed["tools"]:
        assert {*tool} == {"name", "title", "description", "inputSchema", "annotations"}
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "$ref", "$defs"} & {*tool["inputSchema"]}
        hints = tool["annotations"]
        assert {*hints} == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert all(type(hint) is bool for hint in hints.values())
        assert hints["openWorldHint"] is False
        assert not (hints["readOnlyHint"] and hints["destructiveHint"])


def test_the_list_that_every_agent_pays_for_in_every_turn_is_short(mcp: Conversation) -> None:
    """3.3"""
    assert len(json.dumps(mcp.result("tools/list"))) < 9_000


def test_what_only_reads_is_said_to_only_read(mcp: Conversation) -> None:
    """3.3"""
    tools = mcp.result("tools/list")["tools"]
    reading = {tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]}
    assert reading == {"heartbeat_status", "reminder_list"}
    destructive = {tool["name"] for tool in tools if tool["annotations"]["destructiveHint"]}
    assert "reminder_cancel" in destructive
    assert "reminder_add" not in destructive


def test_schemas_describe_every_property_and_what_is_required(mcp: Conversation) -> None:
    """3.3"""
    schemas = {tool["name"]: tool["inputSchema"] for tool in mcp.result("tools/list")["tools"]}
    for schema in schemas.values():
        assert all(member["description"] for member in schema.get("properties", {}).values())
    assert schemas["reminder_add"]["required"] == ["message"]
    assert schemas["reminder_cancel"]["required"] == ["id"]
    assert schemas["heartbeat_configure"]["required"] == []
    configure = schemas["heartbeat_configure"]["properties"]
    assert configure["intervalSeconds"]["minimum"] == 0
    assert configure["deliveryMode"]["enum"] == ["message", "silent"]
    assert mcp.result("tools/list") == mcp.result("tools/list")


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"name": None},
        {"name": 5},
        {"name": ["heartbeat_status"]},
        {"name": "nope"},
        {"name": ""},
        [],
    ],
)
def test_a_call_without_a_known_name_is_invalid_params(mcp: Conversation, params: object) -> None:
    """3.4"""
    assert mcp.code("tools/call", params) == -32602


@pytest.mark.parametrize("arguments", ["{}", 5, [], ["x"], True, {"inSeconds": "5"}, {"message": ""}, {}])
def test_any_other_problem_with_a_call_is_for_the_agent_to_read(mcp: Conversation, arguments: object) -> None:
    """3.4, 6.8"""
    reply = mcp.result("tools/call", {"name": "reminder_add", "arguments": arguments})
    assert reply["isError"] is True
    (block,) = reply["content"]
    assert block["type"] == "text"
    assert block["text"]


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": {}}])
def test_a_call_that_needs_no_arguments_may_leave_them_out(
    mcp: Conversation, arguments: dict[str, object]
) -> None:
    """3.4, 6.8"""
    reply = mcp.result("tools/call", {"name": "heartbeat_status", "_meta": {"progressToken": 1}, **arguments})
    assert reply["isError"] is False
    assert [block["type"] for block in reply["content"]] == ["text"]


# The policy


def test_from_an_mcp_only_host_a_policy_is_not_found_and_a_notification_ignored(mcp: Conversation) -> None:
    """4.2, 4.8"""
    assert mcp.code(UPDATE, ALLOWED) == -32601
    mcp.notify(UPDATE, ALLOWED)
    assert f"ignored a {UPDATE} Notification" in mcp.log.lines[-1]
    assert "delivery=BLOCKED (host is MCP-only)" in mcp.status


def test_policy_notifications_of_an_mcp_only_host_are_a_few_lines_and_a_count(mcp: Conversation) -> None:
    """4.2, and the log is to be read"""
    for _ in range(100):
        mcp.notify(UPDATE, ALLOWED)
    ignored = f"ignored a {UPDATE} Notification"
    assert len([line for line in mcp.log.lines if ignored in line]) == BURST
    mcp.clock.advance(timedelta(seconds=10))
    assert mcp.log.lines[-1].startswith(f"{100 - BURST} more of this kind, the last: {ignored}")


def test_what_is_held_back_is_in_the_log_when_the_conversation_is_over(mcp: Conversation) -> None:
    """2.5"""
    for number in range(BURST + 2):
        mcp.send({"jsonrpc": "2.0", "id": number, "result": {}})
    mcp.server.stop()
    mcp.server.stop()
    assert len([line for line in mcp.log.lines if line.startswith("2 more of this kind, the last: ")]) == 1
    assert mcp.clock.next_due() is None


def test_a_policy_notification_before_initialize_is_ignored_with_a_log_line(fresh: Conversation) -> None:
    """4.2, 4.7"""
    fresh.notify(UPDATE, ALLOWED)
    assert len(fresh.log.lines) == 1
    fresh.hello({"version": "0.5"})
    assert "none yet" in fresh.status


def test_a_valid_policy_is_answered_with_the_receipt(mcpl: Conversation) -> None:
    """4.5"""
    receipt = mcpl.result(UPDATE, {**ALLOWED, "deniedCapabilities": ["x"], "somethingElse": 5})
    assert receipt == {"accepted": True, "mode": "full", "unavailableFeatures": [], "notes": []}


def test_absent_params_grant_nothing_and_get_a_degraded_receipt(mcpl: Conversation) -> None:
    """4.2, 4.5"""
    receipt = mcpl.result(UPDATE)
    assert (receipt["accepted"], receipt["mode"]) == (True, "degraded")
    missing = {
        "featureSet": "heartbeat",
        "missingCapabilities": ["tools", "pushEvents"],
        "effect": "disabled",
    }
    assert receipt["unavailableFeatures"] == [missing]
    assert len(receipt["notes"]) == 1
    assert "capability not granted" in mcpl.status


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ([], "object"),
        ({"enabled": "heartbeat"}, "enabled"),
        ({"disabled": [1]}, "disabled"),
        ({"effectiveCapabilities": {"tools": True}}, "effectiveCapabilities"),
        ({"effectiveCapabilities": ["tools"], "deniedCapabilities": ["tools"]}, "tools"),
    ],
)
def test_a_malformed_policy_says_what_is_wrong_and_clears_the_grant(
    mcpl: Conversation, params: object, named: str
) -> None:
    """4.2"""
    mcpl.result(UPDATE, ALLOWED)
    error = mcpl.ask(UPDATE, params)["error"]
    assert error["code"] == -32602
    assert named in error["message"]
    assert "no valid featureSets/update Request in force" in mcpl.status
    mcpl.result(UPDATE, ALLOWED)
    assert "delivery=ok" in mcpl.status


@pytest.mark.parametrize("params", ["x", 5, True])
def test_a_policy_of_a_scalar_is_no_request_and_clears_the_grant_all_the_same(
    mcpl: Conversation, params: object
) -> None:
    """2.2, 4.2"""
    mcpl.result(UPDATE, ALLOWED)
    assert mcpl.code(UPDATE, params) == -32600
    assert "no valid featureSets/update Request in force" in mcpl.status


def test_a_policy_notification_takes_away_and_never_gives(mcpl: Conversation) -> None:
    """4.7"""
    mcpl.notify(UPDATE, ALLOWED)
    assert "only as a Notification" in mcpl.status
    mcpl.result(UPDATE, ALLOWED)
    mcpl.notify(UPDATE, {"disabled": ["heartbeat"]})
    assert "feature set disabled by the host" in mcpl.status


# Wakes


def test_a_wake_is_a_request_with_exactly_these_members(mcpl: Conversation) -> None:
    """4.10"""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="tea ☕", everySeconds=60)
    before = len(mcpl.written)
    mcpl.clock.advance(timedelta(seconds=60))
    (push,) = mcpl.written[before:]
    params = push.pop("params")
    assert push == {"jsonrpc": "2.0", "id": push["id"], "method": "push/event"}
    (reminder,) = mcpl.heartbeat.reminders
    assert params.pop("eventId").startswith(reminder.reminder.id)
    assert params.pop("timestamp") == mcpl.clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z")
    (block,) = params.pop("payload")["content"]
    assert {*block} == {"type", "text"}
    assert block["text"].endswith("] tea ☕")
    origin = {"source": "reminder", "reminderId": reminder.reminder.id, "recurring": True}
    assert params == {"featureSet": "heartbeat", "origin": origin}


def test_a_triggered_beat_follows_its_reply(mcpl: Conversation) -> None:
    """4.10, 6.3"""
    mcpl.result(UPDATE, ALLOWED)
    reply, push = mcpl.send(request("tools/call", {"name": "heartbeat_trigger"}))
    assert reply["result"]["content"][0]["text"].startswith("Heartbeat fired. ")
    assert push["params"]["origin"] == {"source": "heartbeat", "reason": "manual"}


def test_a_silent_beat_has_no_content_and_its_fallback_has(mcpl: Conversation) -> None:
    """6.11"""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("heartbeat_configure", deliveryMode="silent")
    _, push = mcpl.send(request("tools/call", {"name": "heartbeat_trigger"}))
    assert push["params"]["payload"] == {"content": []}
    assert push["params"]["origin"]["silent"] is True
    (again,) = mcpl.send({"jsonrpc": "2.0", "id": push["id"], "error": {"code": -32602, "message": "empty"}})
    assert again["params"]["origin"]["silentFallback"] is True
    assert again["params"]["payload"]["content"]
    assert again["params"]["eventId"] != push["params"]["eventId"]


def test_the_receipt_is_on_the_wire_before_what_it_lets_through(mcpl: Conversation) -> None:
    """4.6"""
    for name in ("a", "b"):
        mcpl.call("reminder_add", message=name, inSeconds=1)
    mcpl.clock.advance(timedelta(minutes=5))
    receipt, *wakes = mcpl.send(request(UPDATE, ALLOWED))
    assert receipt["result"]["mode"] == "full"
    assert len(wakes) == len(pushes(wakes)) == 2


def test_a_reduction_is_in_force_before_its_receipt(mcpl: Conversation) -> None:
    """4.6: what falls due in the same moment is not sent any more."""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="tea", inSeconds=1)
    mcpl.server.peer.receive(json.dumps(request(UPDATE, {})).encode())
    before = len(mcpl.written)
    mcpl.clock.advance(timedelta(days=1))
    assert mcpl.written[before:] == []


TRIGGER = request("tools/call", {"name": "heartbeat_trigger"})


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (request(UPDATE, {}), "capability not granted: tools, pushEvents"),
        (request(UPDATE, {**ALLOWED, "enabled": []}), "feature set not among those enabled"),
        (request(UPDATE, {"enabled": 5}), "no valid featureSets/update Request in force"),
        (request(UPDATE, {"disabled": ["*"]}, notification=True), "feature set disabled by the host"),
        (
            request(UPDATE, {"disabled": ["heartbeat"], "enabled": 5}, notification=True),
            "feature set disabled by the host",
        ),
    ],
    ids=["no grant", "not enabled", "malformed", "Notification", "malformed Notification"],
)
def test_a_trigger_that_the_last_policy_of_its_batch_forbids_is_dropped_and_logged(
    mcpl: Conversation, last: Message, reason: str
) -> None:
    """2.6, 4.9"""
    mcpl.result(UPDATE, ALLOWED)
    (answers,) = mcpl.send([TRIGGER, request(UPDATE, ALLOWED), last])
    assert "Heartbeat fired." in answers[0]["result"]["content"][0]["text"]
    dropped = [line for line in mcpl.log.lines if "suppressed heartbeat push/event" in line]
    assert len(dropped) == 1
    assert reason in dropped[0]
    assert pushes(mcpl.send(request(UPDATE, ALLOWED))) == []  # dropped, not put off


def test_a_trigger_that_a_batch_forbids_and_allows_again_is_sent(mcpl: Conversation) -> None:
    """2.6: the last policy decides"""
    mcpl.result(UPDATE, ALLOWED)
    answers, *wakes = mcpl.send([TRIGGER, request(UPDATE, {}), request(UPDATE, ALLOWED)])
    assert [answer["result"].get("mode") for answer in answers] == [None, "degraded", "full"]
    assert len(pushes(wakes)) == 1
    assert not [line for line in mcpl.log.lines if "suppressed" in line]


def test_a_trigger_after_the_policy_of_its_batch_that_forbids_it_is_refused(mcpl: Conversation) -> None:
    """2.6, 6.3"""
    mcpl.result(UPDATE, ALLOWED)
    (answers,) = mcpl.send([request(UPDATE, {}), TRIGGER])
    assert answers[1]["result"]["isError"] is True


def test_what_a_batch_lets_through_follows_its_line(mcpl: Conversation) -> None:
    """2.6, 4.6"""
    trigger = request("tools/call", {"name": "heartbeat_trigger"})
    answers, *wakes = mcpl.send(
        [request(UPDATE, ALLOWED), trigger, request("ping", notification=True), trigger]
    )
    assert len(answers) == 3
    assert len(pushes(wakes)) == len(wakes) == 2


def test_the_file_has_what_the_host_took_before_the_next_reply(mcpl: Conversation) -> None:
    """7.2"""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="tea", inSeconds=1)
    mcpl.clock.advance(timedelta(seconds=1))
    push = mcpl.written[-1]
    taken = {"jsonrpc": "2.0", "id": push["id"], "result": {"accepted": True}}
    mcpl.server.peer.receive(json.dumps(taken).encode())
    assert len(mcpl.reminder_store.load().content or ()) == 1
    mcpl.server.peer.receive(json.dumps(request("ping")).encode())
    assert not mcpl.reminder_store.load().content


def test_a_wake_waits_for_room_and_comes_when_there_is_some(mcpl: Conversation) -> None:
    """2.7"""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="tea", inSeconds=1)
    mcpl.has_room = False
    before = len(mcpl.written)
    mcpl.clock.advance(timedelta(minutes=1))
    assert mcpl.written[before:] == []
    mcpl.has_room = True
    mcpl.server.transport_ready()
    mcpl.clock.settle()
    assert len(pushes(mcpl.written[before:])) == 1


def test_wakes_that_are_never_answered_are_remembered_without_their_texts(mcpl: Conversation) -> None:
    """2.7: their answers may still come, and there may be thousands of them."""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="x" * 100_000, everySeconds=60)
    tracemalloc.start()
    for _ in range(60):
        mcpl.clock.advance(timedelta(seconds=90))
        assert pushes(mcpl.written)
        mcpl.written.clear()
    in_memory, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert in_memory < 2_000_000


ANSWERS: list[tuple[object, Answer]] = [
    ({"accepted": True, "inferenceId": "i"}, Taken("i")),
    ({}, Taken()),
    (None, Taken()),
    ("ok", Taken()),
    ([False], Taken()),
    ({"accepted": None}, Taken()),
    ({"accepted": 0}, Taken()),
    ({"accepted": False, "reason": "asleep"}, Refused("asleep")),
    ({"accepted": False}, Refused("no reason given")),
    ({"accepted": False, "reason": ""}, Refused("no reason given")),
    ({"accepted": False, "reason": {"a": 1}}, Refused("no reason given")),
    (RpcError(-32002, "not granted", {"capability": "pushEvents"}), Refused("not granted", -32002)),
    ({"accepted": False, "reason": "x" * 1_000_000}, Refused("x" * 500)),
    (RpcError(-32603, "x" * 1_000_000), Refused("x" * 500, -32603)),
]


@pytest.mark.parametrize(("result", "answer"), ANSWERS)
def test_only_accepted_false_and_errors_refuse(result: object, answer: Answer) -> None:
    """4.11"""
    assert read_answer(result) == answer


# The core, opened late


def test_the_core_is_opened_once_and_by_the_first_word_that_needs_it(fresh: Conversation) -> None:
    """3.2: `initialize` is answered before anything slow is loaded."""
    fresh.hello({"version": "0.5"})
    fresh.result("ping")
    fresh.notify("notifications/initialized")
    assert fresh.opened == 0
    fresh.server.transport_ready()
    fresh.result(UPDATE, ALLOWED)
    fresh.result("tools/list")
    fresh.server.open()
    assert fresh.opened == 1


@pytest.mark.parametrize("said", [lambda it: it.hello(), lambda it: it.hello({"version": "0.5"})])
def test_it_does_not_matter_whether_the_core_was_there_before_the_host(
    said: Callable[[Conversation], object],
) -> None:
    """4.1"""
    early, late = Conversation(), Conversation()
    early.server.open()
    said(early)
    said(late)
    assert early.status == late.status


def test_a_core_that_cannot_be_opened_is_an_internal_error_and_tried_again(mcp: Conversation) -> None:
    """2.8"""
    mcp.fail_to_open = OSError("no luck")
    assert mcp.code("tools/list") == -32603
    assert "no luck" in mcp.log.lines[-1]
    assert mcp.result("ping") == {}
    mcp.fail_to_open = None
    assert mcp.result("tools/list")


def test_after_the_end_nothing_is_sent_any_more(mcpl: Conversation) -> None:
    """1.4"""
    mcpl.result(UPDATE, ALLOWED)
    mcpl.call("reminder_add", message="tea", inSeconds=1)
    mcpl.server.stop()
    before = len(mcpl.written)
    mcpl.clock.advance(timedelta(days=1))
    assert mcpl.written[before:] == []


def test_a_conversation_that_never_began_ends_too(fresh: Conversation) -> None:
    """1.4"""
    fresh.server.stop()
    assert fresh.opened == 0
