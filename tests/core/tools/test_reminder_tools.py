"""What the tools of reminders do and say (6.4 to 6.7)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from heartbeat_adapters.system_time.zones import agent_zone
from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import from_epoch_ms

START = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN, _ = agent_zone("Europe/Berlin")
WAIT = "reminders wait, since no wake can be delivered now: "


# reminder_add


@pytest.mark.parametrize(
    ("arguments", "described"),
    [
        ({"inSeconds": 90}, "next 2026-01-01T00:01:30+00:00 [UTC] (~90s) | one-shot"),
        ({"inSeconds": 0.001}, "next 2026-01-01T00:00:00+00:00 [UTC] (~1s) | one-shot"),
        ({"inHours": 1, "inSeconds": 1}, "next 2026-01-01T01:00:01+00:00 [UTC] (~3601s) | one-shot"),
        ({"inHours": 48}, "next 2026-01-03T00:00:00+00:00 [UTC] (~172800s) | one-shot"),
        ({"atIso": "2026-01-02"}, "next 2026-01-02T00:00:00+00:00 [UTC] (~86400s) | one-shot"),
        ({"atIso": "2026-01-01T08+02"}, "next 2026-01-01T06:00:00+00:00 [UTC] (~21600s) | one-shot"),
        ({"inHours": 876600}, "next 2126-01-02T00:00:00+00:00 [UTC] (~3155760000s) | one-shot"),
    ],
)  # fmt: skip
def test_a_reminder_is_set_and_described(arguments: dict[str, object], described: str) -> None:
    """6.4"""
    bench = Bench()
    reply = bench.call("reminder_add", message="tea\nfor two", **arguments)
    assert reply.text == rf'Reminder rem_1 set: {described} | "tea\nfor two"'
    assert not reply.is_error
    assert bench.reminder_store.saved["rem_1"].message == "tea\nfor two"


@pytest.mark.parametrize(
    ("arguments", "described", "then"),
    [
        (
            {"everyHours": 24},
            "next 2026-01-02T00:00:00+00:00 [UTC] (~86400s) | repeats every 86400s",
            "2026-01-03T00:00:00+00:00 [UTC], 2026-01-04T00:00:00+00:00 [UTC]",
        ),
        (
            {"everySeconds": 5.5},
            "next 2026-01-01T00:00:05+00:00 [UTC] (~6s) | repeats every 5.5s",
            "2026-01-01T00:00:11+00:00 [UTC], 2026-01-01T00:00:16+00:00 [UTC]",
        ),
        (
            {"everySeconds": 9, "inHours": 1},
            "next 2026-01-01T01:00:00+00:00 [UTC] (~3600s) | repeats every 9s",
            "2026-01-01T01:00:09+00:00 [UTC], 2026-01-01T01:00:18+00:00 [UTC]",
        ),
        (
            {"everyHours": 24, "atIso": "2026-01-01T08:00"},
            "next 2026-01-01T08:00:00+00:00 [UTC] (~28800s) | repeats every 86400s",
            "2026-01-02T08:00:00+00:00 [UTC], 2026-01-03T08:00:00+00:00 [UTC]",
        ),
    ],
)
def test_a_recurring_reminder_is_described_with_its_next_times(
    arguments: dict[str, object], described: str, then: str
) -> None:
    """6.4, 10.6"""
    text = Bench().call("reminder_add", message="tea", **arguments).text
    assert text == f'Reminder rem_1 set: {described} | "tea" | then {then}'


def test_a_past_time_fires_at_once_and_the_reply_says_that_it_was_past() -> None:
    """6.5"""
    bench = Bench(zone=BERLIN)
    text = bench.call("reminder_add", message="tea", atIso="2025-12-31", everyHours=24).text
    assert text == (
        "Reminder rem_1 set: next 2025-12-31T00:00:00+01:00 [Europe/Berlin] (overdue) | repeats every "
        '86400s | "tea" | then 2026-01-02T00:00:00+01:00 [Europe/Berlin], 2026-01-03T00:00:00+01:00 '
        "[Europe/Berlin]\nNote: that time is past, since it is now 2026-01-01T01:00:00+01:00 "
        "[Europe/Berlin], so it is due at once."
    )
    assert len(bench.sent()) == 1


def test_the_first_moment_of_now_is_not_past() -> None:
    """6.5"""
    assert "past" not in Bench().call("reminder_add", message="tea", atIso="2026-01-01T00:00:00Z").text


@pytest.mark.parametrize(
    ("at", "due"),
    [
        ("2026-03-29T02:30", "2026-03-29T03:30:00+02:00"),
        ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25 02:30:00.9999+01:00", "2026-10-25T02:30:00+01:00"),
        ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ("9999-12-31", "9999-12-31T00:00:00+01:00"),
        ("20260701T0800Z", "2026-07-01T10:00:00+02:00"),
    ],
)
def test_at_iso_is_read_in_the_agent_zone_where_clocks_change(at: str, due: str) -> None:
    """6.5"""
    bench = Bench(zone=BERLIN)
    assert f"next {due} [Europe/Berlin] (" in bench.call("reminder_add", message="tea", atIso=at).text


def test_an_add_says_why_reminders_wait_and_that_it_is_not_saved() -> None:
    """7.5, 8.7"""
    bench = Bench(policy=Policy())
    bench.reminder_store.fail_with = "the disk is full"
    lines = bench.call("reminder_add", message="tea", inHours=1).text.split("\n")
    assert lines[1].startswith("Note: this change is not saved: the disk is full. ")
    assert lines[2].startswith(f"Note: {WAIT}")


@pytest.mark.parametrize("policy", [Policy(mcp_only=True), Policy(notified=True)])
def test_on_a_host_that_delivers_nothing_an_add_says_that_none_will_fire(policy: Policy) -> None:
    """7.5"""
    bench = Bench(policy=policy)
    assert (
        "Note: no reminder will fire on this host: "
        in bench.call("reminder_add", message="x", inHours=1).text
    )
    assert "Note: no reminder will fire on this host: " in bench.call("reminder_list").text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("reminder_add", {"message": "tea", "inHours": 1}),
        ("reminder_list", {}),
        ("reminder_cancel", {"id": "rem_0"}),
        ("reminder_cancel", {"id": "none"}),
        ("heartbeat_status", {}),
        ("heartbeat_configure", {"paused": True}),
        ("heartbeat_trigger", {}),
    ],
)
def test_a_file_that_could_be_used_only_in_part_is_said_where_reminders_are_shown_or_counted(
    tool: str, arguments: dict[str, object]
) -> None:
    """8.7"""
    store = many(2, "tea")
    store.damage("one row was lost", tuple(store.saved.values()))
    assert "\nNote: one row was lost." in Bench(reminder_store=store).call(tool, **arguments).text


def test_a_cancel_that_is_not_saved_is_said() -> None:
    """8.7"""
    bench = Bench(reminder_store=many(2, "tea"))
    bench.reminder_store.fail_with = "the disk is full"
    text = bench.call("reminder_cancel", id="rem_0").text
    assert text.startswith(
        "Cancelled rem_0. 1 reminder(s) remain.\nNote: this change is not saved: the disk is full"
    )


# reminder_list


def test_a_list_of_nothing() -> None:
    """6.6"""
    assert Bench().call("reminder_list").text == "No reminders set."
    assert Bench(policy=Policy()).call("reminder_list").text == "No reminders set."


def test_a_list_is_in_order_of_due_time_with_a_line_each() -> None:
    """6.6"""
    bench = Bench()
    bench.call("reminder_add", message="plants", everyHours=24)
    bench.call("reminder_add", message="tea", inMinutes=5)
    assert bench.call("reminder_list").text.split("\n") == [
        "2 reminder(s):",
        'rem_2 | next 2026-01-01T00:05:00+00:00 [UTC] (~300s) | one-shot | "tea"',
        'rem_1 | next 2026-01-02T00:00:00+00:00 [UTC] (~86400s) | repeats every 86400s | "plants"',
    ]


def test_a_list_shows_what_is_out_held_and_overdue_and_ends_with_why_they_wait() -> None:
    """6.6, 7.3, 7.5"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.call("reminder_add", message="plants", inSeconds=1)
    bench.pass_time(seconds=1)
    bench.refuse(bench.sent()[0], "not\nnow")
    bench.pass_time(seconds=9)
    bench.deny()
    lines = bench.call("reminder_list").text.split("\n")
    at = "2026-01-01T00:00:01+00:00 [UTC]"
    assert lines == [
        "2 reminder(s):",
        rf'rem_1 | next {at} (overdue) | one-shot | "tea" | held since {at}: not\nnow',
        f'rem_2 | next {at} (overdue) | one-shot | "plants" | wake sent {at}, not answered yet',
        f"Note: {WAIT}capability not granted: tools, pushEvents. They come, once each, when one can.",
    ]


def test_a_reminder_is_overdue_from_the_moment_it_is_due() -> None:
    """6.6"""
    bench = Bench(policy=Policy())
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.pass_time(seconds=0.999)
    assert "(~1s)" in bench.call("reminder_list").text
    bench.pass_time(seconds=0.001)
    assert "(overdue)" in bench.call("reminder_list").text


def test_a_reason_as_long_as_a_page_is_cut() -> None:
    """6.6"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.pass_time(seconds=1)
    bench.refuse(bench.sent()[0], "q" * 5000)
    assert bench.call("reminder_list").text.endswith(f": {'q' * 500}…")


def many(count: int, message: str) -> MemoryReminderStore:
    start = from_epoch_ms(1_900_000_000_000)
    return MemoryReminderStore(
        Reminder(f"rem_{number}", message, START, start.replace(microsecond=number % 1000 * 1000), None)
        for number in range(count)
    )


@pytest.mark.parametrize("message", ["tea", "q" * 100_000, "\u2028" * 600])
@pytest.mark.parametrize("policy", [None, Policy()])
def test_a_long_list_stops_before_hosts_cut_it_and_says_how_many_more(
    message: str, policy: Policy | None
) -> None:
    """6.6"""
    bench = Bench(reminder_store=many(1000, message), policy=policy)
    text = bench.call("reminder_list").text
    lines = [line for line in text.split("\n") if not line.startswith("Note: ")]
    assert 20_000 - 4_000 < len(text) <= 20_000
    assert lines[0] == "1000 reminder(s):"
    shown = len(lines) - 2
    assert lines[-1] == f"… and {1000 - shown} more, until 2030-03-17T17:46:40+00:00 [UTC]."


def a_list_of(length: int, policy: Policy | None = None) -> Bench:
    """A bench whose list would be so long, were it shown whole."""
    short = Bench(reminder_store=many(150, "tea"), policy=policy).call("reminder_list").text
    each, rest = divmod(length - len(short), 150)
    rows = [replace(row, message="tea" + "q" * each) for row in many(150, "tea").saved.values()]
    rows[0] = replace(rows[0], message=rows[0].message + "q" * rest)
    return Bench(reminder_store=MemoryReminderStore(rows), policy=policy)


@pytest.mark.parametrize("policy", [None, Policy()], ids=["no notes", "with a note"])
@pytest.mark.parametrize("length", [19_900, 19_999, 20_000])
def test_a_list_of_up_to_20_000_characters_is_shown_whole(length: int, policy: Policy | None) -> None:
    """6.6"""
    text = a_list_of(length, policy).call("reminder_list").text
    assert len(text) == length
    assert len(re.findall(r"^rem_", text, re.MULTILINE)) == 150
    assert "more, until" not in text


@pytest.mark.parametrize("policy", [None, Policy()], ids=["no notes", "with a note"])
def test_a_list_of_one_character_more_stops_and_says_how_many_more(policy: Policy | None) -> None:
    """6.6"""
    text = a_list_of(20_001, policy).call("reminder_list").text
    assert 20_000 - 300 < len(text) <= 20_000
    listed = len(re.findall(r"^rem_", text, re.MULTILINE))
    assert listed < 150
    assert f"\n… and {150 - listed} more, until " in text


# reminder_cancel


def test_a_cancelled_reminder_is_gone_and_the_rest_counted() -> None:
    """6.7"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inHours=1)
    bench.call("reminder_add", message="plants", everyHours=24)
    assert bench.call("reminder_cancel", id="rem_1").text == "Cancelled rem_1. 1 reminder(s) remain."
    assert list(bench.reminder_store.saved) == ["rem_2"]


def test_a_cancel_says_that_the_wake_was_out_already() -> None:
    """6.7"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.pass_time(seconds=1)
    assert bench.call("reminder_cancel", id="rem_1").text == (
        "Cancelled rem_1. 0 reminder(s) remain. Its wake was sent already, at "
        "2026-01-01T00:00:01+00:00 [UTC], and may still be heard."
    )


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("rem_9", '"rem_9"'),
        ("", '""'),
        ("REM_1", '"REM_1"'),
        (" rem_1", '" rem_1"'),
        ("a\nb", r'"a\nb"'),
        ("q" * 99_999, f'"{"q" * 60}…" (the first 60 of 99999 characters)'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_an_id_that_no_reminder_has_is_an_error_that_points_to_the_list(sent: str, shown: str) -> None:
    """6.7"""
    bench = Bench(clock=FakeClock(START))
    bench.call("reminder_add", message="tea", inHours=1)
    reply = bench.call("reminder_cancel", id=sent)
    assert reply.is_error
    assert reply.text == f"No pending reminder has the id {shown}. See reminder_list for the ids."
    assert len(bench.heartbeat.reminders) == 1
