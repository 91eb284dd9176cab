"""Reminders that were not taken, and wakes that are out: 7.3, 7.4."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, SECOND, add, held, only, with_one_out

from heartbeat_adapters.settings import Settings
from heartbeat_adapters.testing import Bench, MemoryReminderStore
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.service import ANSWER_WITHIN
from heartbeat_core.wakes import Refused
from recurring import recurring


def test_no_answer_within_30_seconds_holds_a_reminder() -> None:
    """7.3"""
    bench, _ = with_one_out()
    bench.pass_time(seconds=29.999)
    assert "held since" not in bench.call("reminder_list").text
    bench.pass_time(milliseconds=1)
    assert "held since 2026-01-01T00:00:30" in bench.call("reminder_list").text


def test_a_held_one_shot_is_tried_again_after_1_5_15_60_minutes_and_then_hourly() -> None:
    """7.3"""
    bench = Bench(
        host=lambda _: Refused("no"), reminder_store=MemoryReminderStore([Reminder("a", "tea", NOW, NOW)])
    )
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=4)
    minutes = [(wake.sent_at - NOW) / timedelta(minutes=1) for wake in bench.sent()]
    assert minutes == [0, 1, 5, 15, 60, 120, 180, 240]


def tries(bench: Bench, since: datetime) -> list[float]:
    """When the wakes that were sent left, in minutes since then."""
    return [(wake.sent_at - since) / timedelta(minutes=1) for wake in bench.sent()]


def refusing_bench(row: Reminder) -> Bench:
    """A paused bench with one reminder that the host refuses again and again."""
    bench = Bench(host=lambda _: Refused("busy"), reminder_store=MemoryReminderStore([row]))
    bench.call("heartbeat_configure", paused=True)
    return bench


def test_a_held_recurring_one_is_tried_again_as_often_as_a_one_shot() -> None:
    """7.3: a daily one that a busy host refuses once is not silent for a day"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, Interval(24 * HOUR)))
    bench.pass_time(hours=4)
    assert tries(bench, NOW) == [0, 1, 5, 15, 60, 120, 180, 240]


def test_a_held_recurring_one_waits_no_longer_than_its_interval_from_try_to_try() -> None:
    """7.3"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, Interval(timedelta(minutes=7))))
    bench.pass_time(minutes=61)
    assert tries(bench, NOW) == [0, 1, 5, 12, 15, 22, 29, 36, 43, 50, 57, 60]


@pytest.mark.parametrize("every", [None, HOUR, 24 * HOUR], ids=str)
@pytest.mark.parametrize("suspend", [True, False], ids=["suspended", "set forward"])
def test_a_try_that_came_due_in_suspend_or_by_a_clock_set_forward_is_made_at_once(
    every: timedelta | None, suspend: bool
) -> None:
    """5.2, 7.3: and the tries after it count on from when it was first held"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, recurring(every)))
    bench.pass_time(minutes=2)
    bench.sent()
    if suspend:
        bench.clock.suspend(8 * HOUR)
    else:
        bench.clock.set(bench.clock.now() + 8 * HOUR)
    bench.pass_time(minutes=60)
    assert tries(bench, NOW + 8 * HOUR) == [2, 60]


@pytest.mark.parametrize("back", [timedelta(minutes=3), 5 * HOUR, 30 * 24 * HOUR], ids=str)
def test_a_clock_set_back_puts_no_try_of_a_recurring_one_off(back: timedelta) -> None:
    """7.3: each wait is as long as it was"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, Interval(24 * HOUR)))
    bench.pass_time(minutes=2)
    bench.sent()
    bench.clock.set(bench.clock.now() - back)
    bench.pass_time(minutes=60)
    assert tries(bench, NOW - back) == [5, 15, 60]


def test_a_clock_set_back_while_a_wake_is_out_puts_no_try_of_a_recurring_one_off() -> None:
    """7.3: no later than one interval after the last try"""
    bench = Bench(
        reminder_store=MemoryReminderStore([Reminder("a", "tea", NOW, NOW, Interval(timedelta(seconds=5)))])
    )
    bench.pass_time(seconds=0)
    (out,) = bench.sent()
    bench.clock.set(NOW - HOUR)
    bench.heartbeat.answered(out, Refused("busy"))
    bench.pass_time(seconds=5)
    assert tries(bench, NOW - HOUR) == [5 / 60]


def test_a_clock_set_back_behind_no_instant_puts_no_try_of_a_one_shot_off() -> None:
    """7.3"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW - 2 * HOUR))
    bench.pass_time(minutes=2)
    bench.sent()
    bench.clock.set(bench.clock.now() - HOUR)
    bench.pass_time(minutes=20)
    assert tries(bench, NOW - HOUR) == [5, 15]


def test_a_list_says_since_when_this_firing_is_held_and_why_its_last_try_failed() -> None:
    """6.6: first held at 00:00, refused for 30 hours"""
    answers = iter([Refused("busy"), *[Refused("still busy")] * 100])
    bench = Bench(
        host=lambda _: next(answers), reminder_store=MemoryReminderStore([Reminder("a", "tea", NOW, NOW)])
    )
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=30)
    assert "held since 2026-01-01T00:00:00+00:00 [UTC]: still busy" in bench.call("reminder_list").text


def test_a_one_shot_that_was_held_stays_so_where_the_clock_is_set_back_behind_its_instant() -> None:
    """5.2: until then it is not tried, whatever else lets held reminders be tried"""
    bench, _ = held()
    bench.clock.set(NOW - HOUR)
    assert "held since" in bench.call("reminder_list").text
    bench.allow()
    add(bench, inHours=9)
    bench.pass_time(minutes=59)
    assert bench.sent() == []
    bench.pass_time(minutes=1)
    assert only(bench.sent()).reminder_id == "a"


def test_a_host_has_30_seconds_where_nobody_says_otherwise() -> None:
    """7.3: the default of the core, and of what is built of settings"""
    assert ANSWER_WITHIN == 30 * SECOND
    assert Settings().answer_within == 30 * SECOND


def test_a_valid_request_that_lets_wakes_through_releases_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_request_that_lets_nothing_through_releases_nothing() -> None:
    """7.3"""
    bench, _ = held()
    bench.deny()
    bench.heartbeat.policy_requested("malformed")
    bench.pass_time(seconds=50)
    assert bench.sent() == []


def test_an_add_and_a_cancel_release_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    reminder_id = add(bench, inHours=9)
    bench.refuse(only(bench.sent()))
    bench.call("reminder_cancel", id=reminder_id)
    assert len(bench.sent()) == 1


def test_a_refused_call_releases_nothing() -> None:
    """7.3: only a successful add or cancel does"""
    bench, _ = held()
    bench.call("reminder_add", message="tea")
    bench.call("reminder_cancel", id="nobody")
    bench.call("heartbeat_configure", intervalHours=9)
    bench.call("reminder_list")
    bench.heartbeat.policy_notified({"enabled": ["heartbeat"]})
    bench.heartbeat.transport_ready()
    bench.pass_time(seconds=59)
    assert bench.sent() == []


def test_a_release_is_one_try() -> None:
    """7.3"""
    bench, _ = held()
    bench.allow()
    bench.refuse(only(bench.sent()))
    bench.pass_time(seconds=30)
    assert bench.sent() == []


def test_a_restart_tries_again_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    bench.restart()
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_late_taken_counts_while_held() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=40)
    bench.take(wake)
    assert len(bench.heartbeat.reminders) == 0


def test_a_late_taken_counts_while_it_is_being_tried_again() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=95)
    again = only(bench.sent())
    bench.take(wake)
    assert len(bench.heartbeat.reminders) == 0
    bench.refuse(again)
    bench.pass_time(hours=3)
    assert bench.sent() == []


def test_a_late_taken_moves_a_recurring_one_once_though_the_second_try_is_taken_too() -> None:
    """7.3"""
    bench, wake = with_one_out(HOUR)
    bench.pass_time(seconds=31)
    bench.allow()
    again = only(bench.sent())
    bench.take(wake)
    bench.take(again)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_late_taken_of_an_earlier_firing_does_not_count_for_the_next() -> None:
    """7.3"""
    bench, first = with_one_out(HOUR)
    bench.pass_time(seconds=31)
    bench.allow()
    bench.take(only(bench.sent()))
    bench.pass_time(hours=1)
    second = only(bench.sent())
    bench.refuse(second)
    bench.take(first)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_late_refusal_changes_nothing() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=31)
    before = bench.call("reminder_list").text
    bench.refuse(wake, "too late")
    assert bench.call("reminder_list").text == before


def test_a_reminder_is_not_sent_a_second_time_while_its_wake_is_out() -> None:
    """7.4"""
    bench, _ = with_one_out(5 * SECOND)
    bench.allow()
    add(bench, inHours=9)
    bench.pass_time(seconds=29)
    assert bench.sent() == []


def test_a_wake_still_out_at_a_stop_or_a_crash_is_sent_again_at_the_next_start() -> None:
    """7.4"""
    bench, first = with_one_out()
    bench.restart()
    bench.clock.settle()
    second = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    third = only(bench.sent())
    assert first.event_id == second.event_id == third.event_id


def test_64_unanswered_recurring_ones_do_not_starve_a_one_shot() -> None:
    """7.4: it goes before all that were tried already"""
    rows = [Reminder(f"r{n}", "again", NOW, NOW, Interval(5 * SECOND)) for n in range(64)]
    bench = Bench(reminder_store=MemoryReminderStore(rows))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(minutes=10)
    bench.sent()
    due = bench.clock.now() + SECOND
    reminder_id = add(bench, inSeconds=1)
    bench.pass_time(seconds=31)
    (wake,) = [wake for wake in bench.sent() if wake.reminder_id == reminder_id]
    assert wake.sent_at - due <= 30 * SECOND


def test_64_unanswered_recurring_ones_do_not_starve_a_one_shot_that_was_refused() -> None:
    """7.3, 7.4: it is tried again when its waits are over, not an hour later"""
    rows = [Reminder(f"r{n}", "again", NOW, NOW, Interval(5 * SECOND)) for n in range(64)]
    bench = Bench(reminder_store=MemoryReminderStore(rows))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(minutes=10)
    reminder_id = add(bench, inSeconds=1)
    bench.pass_time(minutes=10)
    tries = [wake.sent_at for wake in bench.sent() if wake.reminder_id == reminder_id]
    assert len(tries) == 3
    assert tries[1] - tries[0] <= timedelta(minutes=2)
