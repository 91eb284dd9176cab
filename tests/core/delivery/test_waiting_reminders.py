"""Reminders that wait until they can be heard, and what is said of them: 7.1, 7.2, 7.5, 7.6."""

from __future__ import annotations

from datetime import timedelta

import pytest
from on_the_bench import (
    DISABLED,
    HOUR,
    NOW,
    SECOND,
    add,
    lines_about,
    takes,
    waiting_bench,
    with_one_out,
)

from heartbeat_adapters.testing import Bench, MemoryReminderStore
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.telling.throttled_log import BURST
from heartbeat_core.wakes import Refused, Taken


def test_an_overdue_one_shot_fires_once_when_it_can() -> None:
    """7.1"""
    bench = waiting_bench(host=takes)
    add(bench, inMinutes=1)
    bench.pass_time(hours=30)
    bench.allow()
    bench.pass_time(hours=1)
    assert len([wake for wake in bench.heard if wake.reminder_id]) == 1


def test_a_recurring_one_fires_once_for_all_the_periods_that_it_missed() -> None:
    """7.1, 7.2: and keeps its phase"""
    bench = waiting_bench(host=takes)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=1)
    bench.pass_time(hours=30, minutes=20)
    bench.allow()
    bench.pass_time(hours=1)
    assert [wake.sent_at - NOW for wake in bench.heard] == [30 * HOUR + timedelta(minutes=20), 31 * HOUR]


def test_a_restart_fires_what_came_due_meanwhile() -> None:
    """7.1"""
    bench = Bench(host=takes)
    add(bench, inMinutes=1)
    bench.heartbeat.stop()
    bench.pass_time(hours=1)
    bench.start()
    bench.clock.settle()
    assert [wake.reminder_id for wake in bench.heard] == ["rem_1"]


def test_a_one_shot_stays_in_the_file_until_the_host_took_it() -> None:
    """7.2"""
    bench, wake = with_one_out()
    assert "a" in bench.reminder_store.saved
    bench.take(wake)
    bench.pass_time(milliseconds=100)
    assert bench.reminder_store.saved == {}


def test_the_file_follows_an_answer_before_the_next_reply() -> None:
    """7.2"""
    bench, wake = with_one_out()
    bench.heartbeat.answered(wake, Taken())
    bench.call("heartbeat_status")
    bench.heartbeat.flush()
    assert bench.reminder_store.saved == {}


def test_a_recurring_one_moves_on_only_when_it_was_taken() -> None:
    """7.2"""
    bench, wake = with_one_out(HOUR)
    bench.pass_time(seconds=1)
    assert bench.reminder_store.saved["a"].due == NOW
    bench.take(wake)
    bench.pass_time(milliseconds=100)
    assert bench.reminder_store.saved["a"].due == NOW + HOUR


def test_an_answer_that_comes_after_several_periods_moves_to_the_next_of_its_times() -> None:
    """7.2"""
    bench, wake = with_one_out(5 * SECOND)
    bench.pass_time(seconds=17)
    bench.take(wake)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + 20 * SECOND


@pytest.mark.parametrize("tool", ["reminder_list", "reminder_add"])
def test_replies_say_why_reminders_wait(tool: str) -> None:
    """7.5"""
    bench = waiting_bench()
    add(bench, inHours=1)
    arguments = {"message": "cake", "inHours": 1} if tool == "reminder_add" else {}
    assert "reminders wait" in bench.call(tool, **arguments).text


def test_replies_say_that_none_will_fire_on_a_host_without_mcpl() -> None:
    """7.5, 4.1"""
    bench = waiting_bench()
    bench.heartbeat.host_arrived(speaks_mcpl=False)
    text = bench.call("reminder_add", message="tea", inHours=1).text
    assert "host is MCP-only" in text
    assert "no reminder will fire" in text


def test_replies_say_that_none_will_fire_where_the_policy_came_only_as_a_notification() -> None:
    """7.5"""
    bench = waiting_bench()
    bench.heartbeat.policy_notified({"effectiveCapabilities": ["*"]})
    add(bench, inHours=1)
    text = bench.call("reminder_list").text
    assert "only as a Notification" in text
    assert "no reminder will fire" in text


@pytest.mark.parametrize("when", ["start", "policy", "add", "cancel", "answer"])
def test_the_log_says_how_many_reminders_will_not_fire_and_why(when: str) -> None:
    """7.5"""
    bench, wake = with_one_out()
    add(bench, inHours=8)
    reminder_id = add(bench, inHours=9)
    if when == "start":
        bench = waiting_bench(reminder_store=bench.reminder_store)
        assert lines_about(bench, "3 reminders will not fire", "no valid featureSets/update Request")
        return
    bench.allow(effectiveCapabilities=["*"], disabled=["*"])
    assert lines_about(bench, "3 reminders will not fire", DISABLED)
    bench.pass_time(minutes=1)
    bench.log.lines.clear()
    match when:
        case "add":
            add(bench, inHours=1)
        case "cancel":
            bench.call("reminder_cancel", id=reminder_id)
        case "answer":
            bench.take(wake)
        case _:
            bench.deny()
    count = {"add": 4, "cancel": 2, "answer": 2, "policy": 3}[when]
    assert lines_about(bench, f"{count} reminders will not fire")


def test_a_flood_of_refusals_is_one_line_with_a_count() -> None:
    """7.5: the log is to be read"""
    rows = [Reminder(f"r{n}", "tea", NOW, NOW) for n in range(500)]
    bench = Bench(host=lambda _: Refused("no"), reminder_store=MemoryReminderStore(rows))
    bench.pass_time(seconds=20)
    assert len(lines_about(bench, "the host did not take")) == BURST + 1
    assert lines_about(bench, f"{500 - BURST} more")


def test_ids_of_reminders_are_never_used_twice() -> None:
    """7.6"""
    bench = Bench()
    first = add(bench, inHours=1)
    bench.call("reminder_cancel", id=first)
    assert add(bench, inHours=1) != first
    assert first.startswith("rem_")
