"""What a policy lets through or takes away, and what leaves before what: 4.2 to 4.9."""

from __future__ import annotations

from on_the_bench import DISABLED, HOUR, NOW, add, held, lines_about, only, waiting_bench

from heartbeat_adapters.testing import Bench
from heartbeat_core.policy import Malformed


def test_nothing_leaves_before_the_receipt() -> None:
    """4.6: what an expansion lets through comes after it"""
    bench = waiting_bench()
    add(bench, atIso="2025-12-31T00:00Z")
    receipt = bench.heartbeat.policy_requested({"effectiveCapabilities": ["*"]})
    assert isinstance(receipt, dict)
    assert bench.sent() == []
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_reduction_is_in_force_before_the_receipt() -> None:
    """4.6: also for what was due at the same moment"""
    bench = Bench()
    bench.toolbox.call("reminder_add", {"message": "tea", "atIso": "2025-12-31T00:00Z"})
    bench.deny()
    assert bench.sent() == []


def test_nothing_leaves_before_the_reply_of_the_call_that_made_it_due() -> None:
    """4.6, 7.3"""
    bench, _ = held()
    bench.toolbox.call("reminder_add", {"message": "cake", "inHours": 1})
    assert bench.sent() == []
    bench.clock.settle()
    assert only(bench.sent()).reminder_id == "a"


def test_a_malformed_request_is_said_to_be_so_and_stops_wakes() -> None:
    """4.2"""
    bench = Bench()
    assert isinstance(bench.allow(effectiveCapabilities="*"), Malformed)
    bench.pass_time(hours=4)
    assert bench.sent() == []


def test_a_notification_while_no_policy_is_in_force_is_a_warning_that_says_what_to_do() -> None:
    """4.7"""
    bench = waiting_bench()
    bench.heartbeat.policy_notified({"effectiveCapabilities": ["*"]})
    warning = only_text(lines_about(bench, "WARNING: initial policy has still not arrived as a Request. "))
    assert "with an id" in warning


def only_text(lines: list[str]) -> str:
    (line,) = lines
    return line


def test_a_disabling_notification_stops_wakes_until_the_next_request() -> None:
    """4.7"""
    bench = Bench()
    bench.heartbeat.policy_notified({"disabled": ["heartbeat"]})
    add(bench, atIso="2025-12-31T00:00Z")
    assert bench.sent() == []
    bench.allow()
    assert len(bench.sent()) == 1


def test_one_wording_of_the_reason_is_in_status_replies_and_log() -> None:
    """4.8"""
    bench = Bench()
    bench.allow(effectiveCapabilities=["*"], disabled=["heartbeat"])
    add(bench, inHours=9)
    assert f"delivery=BLOCKED ({DISABLED})" in bench.call("heartbeat_status").text
    for tool in ("reminder_list", "heartbeat_trigger"):
        assert DISABLED in bench.call(tool).text
    bench.pass_time(hours=4)
    assert lines_about(bench, f"suppressed heartbeat push/event — {DISABLED}")


def test_a_beat_that_comes_due_while_no_wake_is_deliverable_is_dropped() -> None:
    """4.9"""
    bench = Bench()
    bench.deny()
    bench.pass_time(hours=4)
    bench.allow()
    assert bench.sent() == []
    bench.pass_time(hours=4)
    assert only(bench.sent()).sent_at == NOW + 8 * HOUR


def test_a_triggered_beat_that_cannot_be_sent_is_an_error_and_is_not_sent_later() -> None:
    """6.3"""
    bench = waiting_bench()
    reply = bench.call("heartbeat_trigger")
    assert reply.is_error
    bench.allow()
    assert bench.sent() == []
