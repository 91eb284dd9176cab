"""MCP without a handshake, revision 2026-07-28: each request is judged by itself (section 17)."""

from __future__ import annotations

from datetime import timedelta
from importlib.metadata import version
from typing import Any

import pytest
from conversation import Conversation, Message, request

from heartbeat_adapters.testing import ALLOWED

REVISION = "2026-07-28"
OLDER = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
MCPL = {"experimental": {"mcpl": {"version": "0.5"}}}
SERVED = ["server/discover", "tools/list", "tools/call"]


def meta(asked: object = REVISION, capabilities: object = None) -> dict[str, object]:
    return {VERSION: asked, CAPABILITIES: {} if capabilities is None else capabilities}


def params(method: str, **said: object) -> dict[str, object]:
    """The params of a request of this revision."""
    call = {"name": "heartbeat_status"} if method == "tools/call" else {}
    return {**call, "_meta": meta(**said)}


def result(host: Conversation, method: str, **said: object) -> Message:
    return host.result(method, params(method, **said))  # type: ignore[no-any-return]


def error(host: Conversation, method: str, envelope: object) -> Message:
    answer = host.ask(method, {"name": "heartbeat_status", "_meta": envelope})
    return answer["error"]  # type: ignore[no-any-return]


@pytest.fixture
def host() -> Conversation:
    """That has not said a word, and will not say hello."""
    return Conversation()


@pytest.fixture
def mcpl() -> Conversation:
    """That speaks MCPL, and has allowed wakes."""
    conversation = Conversation()
    conversation.hello({"version": "0.5"})
    conversation.result("featureSets/update", ALLOWED)
    return conversation


# Which requests it judges


def test_a_request_with_a_version_is_served_without_initialize(host: Conversation) -> None:
    """17.1"""
    assert len(result(host, "tools/list")["tools"]) == 7
    assert result(host, "tools/call")["content"][0]["text"].startswith("Heartbeat ACTIVE")


def test_a_request_with_a_version_is_served_by_this_revision_after_initialize_too(mcpl: Conversation) -> None:
    """17.1"""
    assert result(mcpl, "tools/list")["resultType"] == "complete"


@pytest.mark.parametrize(
    "given", [None, {}, [], {"_meta": None}, {"_meta": []}, {"_meta": {"progressToken": 1}}]
)
def test_a_request_without_a_version_still_has_to_send_initialize_first(
    host: Conversation, given: object
) -> None:
    """3.2, 17.1"""
    result(host, "tools/list")
    assert host.code("tools/list", given) == -32600


def test_a_probe_without_a_version_is_not_found(host: Conversation) -> None:
    """3.2, 17.1"""
    assert host.code("server/discover", {"_meta": {CAPABILITIES: {}}}) == -32601


def test_initialize_is_served_after_requests_that_did_without_it(host: Conversation) -> None:
    """17.1"""
    assert "host is MCP-only" in result(host, "tools/call")["content"][0]["text"]
    host.hello({"version": "0.5"})
    host.result("featureSets/update", ALLOWED)
    assert "delivery=ok" in host.status


def test_until_initialize_came_no_wake_is_sent_and_the_reply_says_why(host: Conversation) -> None:
    """17.1"""
    call = {"name": "reminder_add", "arguments": {"message": "tea", "inSeconds": 1}, "_meta": meta()}
    assert "host is MCP-only" in host.result("tools/call", call)["content"][0]["text"]
    before = len(host.written)
    host.clock.advance(timedelta(days=1))
    assert host.written[before:] == []


def test_the_log_says_once_that_no_wake_can_leave(host: Conversation) -> None:
    """4.8, 17.1"""
    for _ in range(3):
        result(host, "tools/list")
        host.clock.advance(timedelta(seconds=20))
    assert sum("MCP-only" in line for line in host.log.lines) == 1


def test_a_host_that_may_be_woken_stays_so_when_it_sends_such_a_request(mcpl: Conversation) -> None:
    """17.1"""
    result(mcpl, "tools/list")
    assert "delivery=ok" in mcpl.status


# What it refuses


@pytest.mark.parametrize("method", [*SERVED, "ping", "nope"])
@pytest.mark.parametrize(
    ("envelope", "named"),
    [
        ({VERSION: REVISION}, CAPABILITIES),
        ({VERSION: "1999-01-01"}, CAPABILITIES),
        (meta(capabilities=[]), CAPABILITIES),
        (meta(capabilities="x"), CAPABILITIES),
        ({VERSION: REVISION, CAPABILITIES: None}, CAPABILITIES),
        (meta(None), VERSION),
        (meta(20260728), VERSION),
        (meta([REVISION]), VERSION),
    ],
)
def test_what_is_missing_or_of_a_wrong_type_is_named(
    host: Conversation, method: str, envelope: object, named: str
) -> None:
    """17.2"""
    refused = error(host, method, envelope)
    assert refused["code"] == -32602
    assert named in refused["message"]


@pytest.mark.parametrize("method", [*SERVED, "initialize", "nope"])
@pytest.mark.parametrize("asked", ["1999-01-01", "2025-11-25", "", "2026-07-28 "])
def test_another_version_is_told_which_there_are(host: Conversation, method: str, asked: str) -> None:
    """17.2"""
    refused = error(host, method, meta(asked))
    assert refused["code"] == -32022
    assert refused["data"] == {"supported": [REVISION, *OLDER], "requested": asked}
    assert host.opened == 0


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "featureSets/update", "subscriptions/listen", "logging/setLevel", "nope"]
)
def test_what_this_revision_does_not_have_is_not_found(mcpl: Conversation, method: str) -> None:
    """17.2"""
    assert error(mcpl, method, meta())["code"] == -32601
    assert "delivery=ok" in mcpl.status


@pytest.mark.parametrize("name", ["nope", None, 5])
def test_a_call_of_no_tool_is_invalid_params_here_too(host: Conversation, name: object) -> None:
    """3.4, 17.1"""
    assert host.code("tools/call", {"name": name, "_meta": meta()}) == -32602


# What it answers


@pytest.mark.parametrize("method", SERVED)
def test_each_result_is_complete_and_says_who_answers(host: Conversation, method: str) -> None:
    """17.3"""
    answer = result(host, method)
    assert answer["resultType"] == "complete"
    assert answer["_meta"] == {
        SERVER_INFO: {"name": "heartbeat-mcpl", "title": "Heartbeat", "version": version("heartbeat-mcpl")}
    }


def test_a_refused_call_is_complete_too(host: Conversation) -> None:
    """17.3"""
    answer = host.result("tools/call", {"name": "reminder_add", "arguments": {}, "_meta": meta()})
    assert (answer["isError"], answer["resultType"]) == (True, "complete")


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
def test_what_may_be_kept_says_how_long(host: Conversation, method: str) -> None:
    """17.3"""
    answer = result(host, method)
    assert (answer["ttlMs"], answer["cacheScope"]) == (3_600_000, "public")


def test_a_call_is_not_to_be_kept(host: Conversation) -> None:
    """17.3"""
    assert not {"ttlMs", "cacheScope"} & {*result(host, "tools/call")}


def test_discover_tells_the_revision_the_tools_and_that_no_wake_comes(host: Conversation) -> None:
    """17.3"""
    answer = result(host, "server/discover")
    assert answer["supportedVersions"] == [REVISION]
    assert answer["capabilities"] == {"tools": {}}
    assert "cannot be sent wakes" in answer["instructions"]


def test_discover_is_answered_before_the_core_is_loaded(host: Conversation) -> None:
    """17.2"""
    result(host, "server/discover")
    assert host.opened == 0


def test_the_list_of_tools_is_the_same_for_every_conversation(host: Conversation, mcpl: Conversation) -> None:
    """17.3"""
    assert result(host, "tools/list") == result(mcpl, "tools/list")


def test_answers_by_an_older_revision_have_none_of_it(mcpl: Conversation) -> None:
    """17.3"""
    result(mcpl, "tools/list")
    listed, called = (mcpl.result(method, {"name": "heartbeat_status"}) for method in SERVED[1:])
    assert [*listed] == ["tools"]
    assert [*called] == ["content", "isError"]


def test_requests_of_both_kinds_in_one_batch_are_each_judged_by_themselves(host: Conversation) -> None:
    """2.6, 17.1"""
    (answers,) = host.send([request("tools/list", params("tools/list")), request("tools/list")])
    assert answers[0]["result"]["resultType"] == "complete"
    assert answers[1]["error"]["code"] == -32600


# Clients that could be woken


@pytest.mark.parametrize("mcpl_said", [True, {}, 0, "0.5"])
@pytest.mark.parametrize("asked", [REVISION, "1999-01-01"])
def test_a_probe_that_advertises_mcpl_is_not_found_so_that_initialize_comes(
    host: Conversation, mcpl_said: object, asked: str
) -> None:
    """17.4"""
    envelope = meta(asked, {"experimental": {"mcpl": mcpl_said}})
    assert error(host, "server/discover", envelope)["code"] == -32601


@pytest.mark.parametrize("mcpl_said", [None, False])
def test_a_probe_that_says_no_to_mcpl_is_answered(host: Conversation, mcpl_said: object) -> None:
    """4.1, 17.4"""
    assert result(host, "server/discover", capabilities={"experimental": {"mcpl": mcpl_said}})


def test_other_requests_that_advertise_mcpl_are_served(host: Conversation) -> None:
    """17.4: only a probe decides whether `initialize` comes."""
    assert result(host, "tools/list", capabilities=MCPL)["tools"]


@pytest.mark.parametrize("envelope", [meta(), meta("1999-01-01"), {VERSION: REVISION}, meta(5)])
def test_where_a_handshake_is_wanted_every_probe_is_not_found(envelope: Any) -> None:
    """17.4"""
    assert error(Conversation(handshake=True), "server/discover", envelope)["code"] == -32601


def test_where_a_handshake_is_wanted_other_requests_are_served() -> None:
    """17.1, 17.4"""
    assert result(Conversation(handshake=True), "tools/list")["tools"]
