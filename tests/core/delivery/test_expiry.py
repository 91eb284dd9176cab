"""Firings that are given up instead of coming late (10.5)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, add, lines_about, only, only_due
from test_ends import DAILY, HOURLY, NINE, quiet

from heartbeat_adapters.testing import Bench

TEN: dict[str, object] = {"expiresAfterMinutes": 10}


def at(moment: datetime) -> str:
    return f"{moment.isoformat()} [UTC]"


def told(bench: Bench, tool: str = "reminder_list", **arguments: object) -> list[str]:
    """What a reply says of reminders that were given up."""
    lines = bench.call(tool, **arguments).text.splitlines()
    return [line.removeprefix("Note: ") for line in lines if "not heard" in line]


def denied(**arguments: object) -> Bench:
    """A bench with one reminder, to which no wake may be sent."""
    bench = quiet()
    bench.deny()
    add(bench, **arguments)
    return bench


# What is given up, and when


def test_a_one_shot_that_expired_is_gone() -> None:
    """10.5"""
    bench = denied(inHours=1, **TEN)
    bench.pass_time(hours=1, minutes=10, seconds=-1)
    assert len(bench.heartbeat.reminders) == 1
    bench.pass_time(seconds=1)
    assert len(bench.heartbeat.reminders) == 0
    bench.pass_time(seconds=1)
    assert bench.reminder_store.saved == {}
    bench.allow()
    assert bench.sent() == []


def test_parts_of_an_expiry_are_added_up() -> None:
    """10.5"""
    bench = quiet()
    add(bench, inHours=1, expiresAfterSeconds=1.5, expiresAfterMinutes=1, expiresAfterHours=1)
    (reminder,) = bench.reminder_store.saved.values()
    assert reminder.expires_after == timedelta(hours=1, minutes=1, seconds=1.5)


@pytest.mark.parametrize("sent", [{"expiresAfterHours": 0}, {"expiresAfterSeconds": 0.0004}], ids=str)
def test_an_expiry_is_more_than_nothing(sent: dict[str, object]) -> None:
    """10.5, 6.8: a 0 beside something else counts as not sent"""
    reply = Bench().call("reminder_add", message="tea", inHours=1, **sent)
    assert reply.is_error is ("expiresAfterSeconds" in sent)
    assert ("an expiry must be more than 0 s" in reply.text) is reply.is_error


@pytest.mark.parametrize(
    ("series", "due"),
    [(HOURLY, NOW + 6 * HOUR), (DAILY, NINE + 24 * HOUR)],
    ids=str,
)
def test_a_recurring_one_moves_on_to_the_first_of_its_times_that_has_not_expired(
    series: dict[str, object], due: datetime
) -> None:
    """10.5: the machine slept over several"""
    bench = denied(**series, **TEN)
    bench.clock.suspend(timedelta(hours=9, minutes=10) if series is DAILY else timedelta(hours=5, minutes=30))
    bench.pass_time(seconds=10)
    assert only_due(bench) == due


def test_one_of_its_times_that_is_past_and_has_not_expired_is_still_heard() -> None:
    """10.5"""
    bench = denied(everyHours=1, expiresAfterMinutes=90)
    bench.pass_time(hours=2, minutes=45)
    assert only_due(bench) == NOW + 2 * HOUR
    bench.allow()
    assert "due 2026-01-01T02:00:00+00:00 [UTC] · current time" in (only(bench.sent()).text or "")


def test_it_is_not_given_up_while_its_wake_is_out() -> None:
    """10.5"""
    bench = quiet()
    add(bench, inHours=1, expiresAfterSeconds=5)
    bench.pass_time(hours=1)
    wake = only(bench.sent())
    bench.pass_time(seconds=20)
    assert len(bench.heartbeat.reminders) == 1
    bench.take(wake)
    assert told(bench) == []
    assert len(bench.heartbeat.reminders) == 0


def test_nor_is_it_after_the_clock_was_set_back_meanwhile() -> None:
    """10.5, 5.2"""
    bench = quiet()
    add(bench, inHours=1, expiresAfterSeconds=5)
    bench.pass_time(hours=1, seconds=3)
    wake = only(bench.sent())
    bench.clock.set(NOW + HOUR)
    bench.pass_time(seconds=20)
    assert len(bench.heartbeat.reminders) == 1
    bench.take(wake)
    assert told(bench) == []


def test_it_is_given_up_as_soon_as_its_wake_was_refused_too_late() -> None:
    """10.5"""
    bench = quiet()
    reminder_id = add(bench, inHours=1, expiresAfterSeconds=5)
    bench.pass_time(hours=1)
    wake = only(bench.sent())
    bench.pass_time(seconds=20)
    bench.refuse(wake, "busy")
    times = f"due {at(NOW + HOUR)}, given up {at(NOW + HOUR + timedelta(seconds=20))}"
    assert told(bench) == [f"{reminder_id} was not heard: {times}: busy."]


def test_a_taken_that_comes_after_it_was_given_up_changes_nothing() -> None:
    """10.5"""
    bench = quiet()
    add(bench, everyHours=1, expiresAfterSeconds=5)
    bench.pass_time(hours=1)
    wake = only(bench.sent())
    bench.pass_time(seconds=31)
    assert only_due(bench) == NOW + 2 * HOUR
    bench.take(wake)
    assert only_due(bench) == NOW + 2 * HOUR
    assert len(told(bench)) == 1
    bench.pass_time(hours=1)
    assert only(bench.sent()).due == NOW + 2 * HOUR


def test_what_expired_while_no_server_ran_is_given_up_before_anything_is_sent() -> None:
    """10.5"""
    bench = quiet()
    reminder_id = add(bench, inHours=1, **TEN)
    bench.heartbeat.stop()
    bench.pass_time(hours=2)
    bench.start()
    bench.clock.settle()
    assert bench.sent() == []
    assert told(bench) == [
        f"{reminder_id} was not heard: due {at(NOW + HOUR)}, given up {at(NOW + 2 * HOUR)}: no server ran."
    ]


def test_a_firing_that_was_taken_in_time_is_never_given_up() -> None:
    """10.5"""
    bench = quiet()
    add(bench, everyHours=1, **TEN)
    for _ in range(3):
        bench.pass_time(hours=1)
        bench.take(only(bench.sent()))
    assert told(bench) == []


# What is said of it


@pytest.mark.parametrize(
    ("tried", "reason"),
    [(True, "not now"), (False, "capability not granted: tools, pushEvents")],
    ids=["tried", "not tried"],
)
def test_the_reason_is_that_of_the_last_try_else_why_no_wake_could_be_sent(tried: bool, reason: str) -> None:
    """10.5"""
    bench = quiet()
    add(bench, inHours=1, **TEN)
    if tried:
        bench.pass_time(hours=1)
        bench.refuse(only(bench.sent()))
    bench.deny()
    bench.pass_time(hours=2)
    (line,) = told(bench)
    assert line.endswith(f": {reason}.")


def test_the_log_says_it_too() -> None:
    """10.5"""
    bench = denied(inHours=1, **TEN)
    bench.pass_time(hours=2)
    (line,) = lines_about(bench, "rem_1", "capability not granted")
    assert at(NOW + HOUR) in line


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("reminder_list", {}),
        ("reminder_add", {"message": "soup", "inHours": 1}),
        ("reminder_update", {"id": "rem_2", "message": "soup"}),
        ("reminder_cancel", {"id": "rem_2"}),
    ],
)
def test_the_next_reply_of_a_tool_of_reminders_tells_it_once(tool: str, arguments: dict[str, object]) -> None:
    """10.5"""
    bench = denied(inHours=1, **TEN)
    assert add(bench, inHours=9) == "rem_2"
    bench.pass_time(hours=2)
    assert len(told(bench, tool, **arguments)) == 1
    assert told(bench) == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("heartbeat_status", {}),
        ("reminder_add", {"message": "soup"}),
        ("reminder_update", {"id": "rem_9", "message": "soup"}),
        ("reminder_cancel", {"id": "rem_9"}),
    ],
)
def test_a_refusal_or_another_tool_does_not_tell_it(tool: str, arguments: dict[str, object]) -> None:
    """10.5"""
    bench = denied(inHours=1, **TEN)
    bench.pass_time(hours=2)
    assert told(bench, tool, **arguments) == []
    assert len(told(bench)) == 1


def test_a_reminder_that_was_given_up_often_is_one_line_with_its_latest_and_how_many_more() -> None:
    """10.5"""
    bench = denied(everyHours=1, **TEN)
    bench.pass_time(hours=4, minutes=30)
    (line,) = told(bench)
    assert line.startswith(f"rem_1 was not heard: due {at(NOW + 4 * HOUR)}, given up ")
    assert line.endswith(", and 3 more.")


def test_a_firing_that_stood_for_several_times_is_told_as_one() -> None:
    """10.5, 7.1: the machine slept over all of them"""
    bench = denied(everyHours=1, **TEN)
    bench.clock.suspend(timedelta(hours=4, minutes=30))
    bench.pass_time(seconds=10)
    (line,) = told(bench)
    assert line.startswith(f"rem_1 was not heard: due {at(NOW + HOUR)}, given up ")


def test_twenty_reminders_are_told_and_the_others_counted() -> None:
    """10.5"""
    bench = denied(inMinutes=1, **TEN)
    for minute in range(2, 26):
        add(bench, inMinutes=minute, **TEN)
    bench.pass_time(hours=2)
    lines = told(bench)
    assert len(lines) == 20
    assert lines[-1] == "6 more reminders were not heard."
    assert [line.split()[0] for line in lines[:-1]] == [f"rem_{number}" for number in range(7, 26)]


def test_it_is_kept_in_memory_only() -> None:
    """10.5"""
    bench = denied(inHours=1, **TEN)
    bench.pass_time(hours=2)
    bench.restart()
    assert told(bench) == []
