"""What the tools of the ambient schedule do and say (6.1 to 6.3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from heartbeat_adapters.testing import Bench, MemoryScheduleStore
from heartbeat_core.policy import Policy
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule

PLAIN = Schedule(timedelta(hours=4), paused=False, message="look around", mode=DeliveryMode.MESSAGE)


def bench_with(schedule: Schedule = PLAIN, policy: Policy | None = None) -> Bench:
    return Bench(schedule_store=MemoryScheduleStore(schedule), policy=policy)


# heartbeat_status


def test_the_status_is_one_line_of_this_shape() -> None:
    """6.1"""
    assert bench_with().call("heartbeat_status").text == (
        "Heartbeat ACTIVE | mode=message | interval=14400s (4.00h) | next in ~14400s | reminders=0 | "
        'delivery=ok | message="look around"'
    )


def test_while_paused_no_beat_is_coming() -> None:
    """6.1"""
    bench = bench_with()
    bench.call("heartbeat_configure", paused=True, deliveryMode="silent", intervalMinutes=90)
    assert bench.call("heartbeat_status").text == (
        "Heartbeat PAUSED | mode=silent | interval=5400s (1.50h) | reminders=0 | delivery=ok | "
        'message="look around"'
    )


def test_while_no_wake_is_deliverable_the_status_says_why_and_gives_no_time() -> None:
    """6.1, 4.8"""
    text = bench_with(policy=Policy()).call("heartbeat_status").text
    reason = "no valid featureSets/update Request in force (none yet, or the last was malformed)"
    assert f"| delivery=BLOCKED ({reason}) |" in text
    assert "next in" not in text


def test_a_beat_that_a_slow_host_has_no_room_for_is_coming_at_once() -> None:
    """6.1, 2.7"""
    bench = bench_with()
    bench.transport.has_room = False
    bench.pass_time(hours=5)
    assert "| next in ~0s |" in bench.call("heartbeat_status").text


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("a\nb\r\nc", r'"a\nb\r\nc"'),
        ("a\u2028b\u2029c\x85d\x0be\x0cf", r'"a\u2028b\u2029c\x85d\x0be\x0cf"'),
        ('say "hi"', '"say "hi""'),
        ("q" * 500, f'"{"q" * 500}"'),
        ("q" * 501, f'"{"q" * 500}…" (the first 500 of 501 characters)'),
        ("\n" * 600 + "q", '"' + r"\n" * 500 + '…" (the first 500 of 601 characters)'),
        ("q" * 100_000, f'"{"q" * 500}…" (the first 500 of 100000 characters)'),
    ],
)
def test_a_message_is_shown_on_one_line_and_cut_after_500_characters(message: str, shown: str) -> None:
    """6.1"""
    bench = bench_with()
    bench.call("heartbeat_configure", message=message)
    text = bench.call("heartbeat_status").text
    assert text.endswith(f"| message={shown}")
    assert len(text.splitlines()) == 1


def test_a_part_of_a_second_is_shown_and_the_countdown_rounded_up() -> None:
    """6.1, 5.3"""
    bench = bench_with()
    bench.call("heartbeat_configure", intervalSeconds=90.25)
    bench.pass_time(seconds=1)
    assert "interval=90.25s (0.03h) | next in ~90s" in bench.call("heartbeat_status").text


def test_a_host_that_refused_a_silent_beat_is_shown_until_one_is_taken() -> None:
    """6.1, 6.11"""
    bench = bench_with()
    bench.call("heartbeat_configure", deliveryMode="silent")
    bench.call("heartbeat_trigger")
    bench.refuse(bench.sent()[0], "content is empty", code=-32602)
    said = " | mode=silent (the host refused a silent wake, so beats are sent as messages) | interval="
    assert said in bench.call("heartbeat_status").text
    bench.sent()
    bench.call("heartbeat_trigger")
    bench.take(bench.sent()[0])
    assert " | mode=silent | interval=" in bench.call("heartbeat_status").text


@pytest.mark.parametrize("tool", ["heartbeat_status", "heartbeat_configure", "heartbeat_trigger"])
def test_a_file_that_could_not_be_used_is_said_with_the_status(tool: str) -> None:
    """8.7"""
    store = MemoryScheduleStore(PLAIN)
    store.damage("the file is no JSON")
    assert "\nNote: the file is no JSON." in Bench(schedule_store=store).call(tool).text


# heartbeat_configure


def test_units_add_up_and_a_new_interval_counts_from_now() -> None:
    """6.2"""
    bench = bench_with()
    bench.pass_time(hours=3)
    text = bench.call("heartbeat_configure", intervalHours=1, intervalMinutes=1.5, intervalSeconds=0.5).text
    assert text.startswith(
        "Updated. Heartbeat ACTIVE | mode=message | interval=3690.5s (1.03h) | next in ~3691s"
    )


def test_a_resume_counts_from_now() -> None:
    """6.2"""
    bench = bench_with()
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=3)
    text = bench.call("heartbeat_configure", paused=False).text
    assert text.startswith(
        "Updated. Heartbeat ACTIVE | mode=message | interval=14400s (4.00h) | next in ~14400s"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"intervalHours": 4},
        {"intervalSeconds": 14400},
        {"intervalSeconds": 14399.9999},
        {"paused": False},
        {"message": "look around"},
        {"deliveryMode": "message"},
        {"paused": None, "message": None},
        {"intervalMinutes": 240, "paused": False, "message": "look around", "deliveryMode": "message"},
    ],
)
def test_what_is_set_already_changes_nothing_and_keeps_the_countdown(arguments: dict[str, object]) -> None:
    """6.2"""
    bench = bench_with()
    bench.pass_time(hours=1)
    saves = bench.schedule_store.saves
    text = bench.call("heartbeat_configure", **arguments).text
    assert text.startswith("No changes. Heartbeat ACTIVE | ")
    assert "next in ~10800s" in text
    assert bench.schedule_store.saves == saves


@pytest.mark.parametrize("arguments", [{"message": "new"}, {"deliveryMode": "silent"}])
def test_another_message_or_mode_keeps_the_countdown(arguments: dict[str, object]) -> None:
    """6.2"""
    bench = bench_with()
    bench.pass_time(hours=1)
    text = bench.call("heartbeat_configure", **arguments).text
    assert text.startswith("Updated. ")
    assert "next in ~10800s" in text


def test_a_change_that_is_not_saved_is_said() -> None:
    """8.7"""
    bench = bench_with()
    bench.schedule_store.fail_with = "the disk is full"
    text = bench.call("heartbeat_configure", paused=True).text
    assert text.startswith("Updated. Heartbeat PAUSED | ")
    assert "\nNote: this change is not saved: the disk is full. " in text


# heartbeat_trigger


def test_a_triggered_beat_is_sent_now_and_leaves_the_countdown() -> None:
    """6.3"""
    bench = bench_with()
    bench.pass_time(hours=1)
    reply = bench.call("heartbeat_trigger")
    assert reply.text.startswith("Heartbeat fired. Heartbeat ACTIVE | ")
    assert "next in ~10800s" in reply.text
    assert [wake.text for wake in bench.sent()] == [
        "[current time: 2026-01-01T01:00:00+00:00 [UTC]] look around"
    ]


def test_a_beat_is_triggered_while_paused_too() -> None:
    """6.3"""
    bench = bench_with()
    bench.call("heartbeat_configure", paused=True)
    assert bench.call("heartbeat_trigger").text.startswith("Heartbeat fired. Heartbeat PAUSED | ")
    assert len(bench.sent()) == 1


@pytest.mark.parametrize("policy", [Policy(), Policy(mcp_only=True), Policy(notified=True)])
def test_a_beat_that_cannot_be_sent_is_an_error_that_says_why_and_what_to_do(policy: Policy) -> None:
    """6.3, 4.8"""
    bench = bench_with(policy=policy)
    reply = bench.call("heartbeat_trigger")
    blocked = policy.blocked
    assert blocked is not None
    assert reply.is_error
    assert reply.text == (
        f"No heartbeat was sent: {blocked}. What would help: {blocked.remedy}. Nothing was changed."
    )
    assert not bench.sent()
