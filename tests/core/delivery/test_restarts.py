"""What a restart keeps, and a beat that is owed: 8.2, 5.2."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from on_the_bench import HOUR, NOW, SECOND, add, lines_about, only, only_due, takes, waiting_bench

from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE
from heartbeat_core.wakes import Taken


def test_a_restart_keeps_the_countdown() -> None:
    """8.2"""
    bench = Bench(host=takes)
    for _ in range(3):
        bench.pass_time(hours=1)
        bench.restart()
    bench.pass_time(hours=2)
    assert only(bench.heard).sent_at == NOW + 4 * HOUR


def test_a_beat_due_while_the_server_was_down_is_sent_once() -> None:
    """8.2: and the next is the first of its times after now"""
    bench = Bench()
    bench.heartbeat.stop()
    bench.pass_time(hours=13)
    bench.start()
    bench.clock.settle()
    assert len(bench.sent()) == 1
    assert bench.heartbeat.schedule.next_beat == NOW + 16 * HOUR


def owed_bench() -> Bench:
    """Down when its beat came due, and up again, with no policy yet."""
    store = MemoryScheduleStore(replace(DEFAULT_SCHEDULE, next_beat=NOW - HOUR))
    return waiting_bench(schedule_store=store)


def test_a_beat_that_is_owed_waits_for_the_first_policy_and_is_saved_as_due_until_then() -> None:
    """8.2"""
    bench = owed_bench()
    bench.pass_time(hours=9)
    saved = bench.schedule_store.saved
    assert saved is not None
    assert saved.next_beat == NOW - HOUR
    bench.allow()
    assert len(bench.sent()) == 1
    assert bench.heartbeat.schedule.next_beat == NOW + 11 * HOUR


def test_a_beat_due_after_the_start_and_before_the_first_policy_is_owed_too() -> None:
    """8.2"""
    bench = waiting_bench()
    bench.pass_time(hours=5)
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_that_is_owed_outlives_a_policy_that_denies() -> None:
    """8.2: it is sent when a wake becomes deliverable"""
    bench = owed_bench()
    bench.deny()
    bench.pass_time(hours=1)
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_from_the_downtime_is_owed_though_the_denial_comes_in_the_first_moment() -> None:
    """8.2: before any timer had its turn"""
    bench = waiting_bench(schedule_store=MemoryScheduleStore(replace(DEFAULT_SCHEDULE, next_beat=NOW - HOUR)))
    bench.heartbeat.policy_requested({"effectiveCapabilities": []})
    bench.clock.settle()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_that_is_owed_is_owed_over_a_restart_too() -> None:
    """8.2"""
    bench = owed_bench()
    bench.clock.settle()
    bench.crash()
    bench.start()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_is_dropped_again_once_the_owed_one_was_sent() -> None:
    """8.2, 4.9: also one that a clock set back puts at the very time of the owed one"""
    bench = owed_bench()
    bench.allow()
    bench.sent()
    bench.deny()
    bench.clock.set(NOW - 5 * HOUR)
    bench.pass_time(hours=4)
    bench.allow()
    assert bench.sent() == []


def test_a_malformed_first_request_leaves_a_beat_owed() -> None:
    """8.2: the first policy is the first valid one"""
    bench = waiting_bench()
    bench.heartbeat.policy_requested([])
    bench.pass_time(hours=5)
    bench.allow()
    assert len(bench.sent()) == 1


def test_nothing_is_sent_after_a_stop() -> None:
    """7.4"""
    bench = Bench()
    add(bench, inSeconds=1)
    bench.heartbeat.stop()
    bench.pass_time(hours=9)
    assert bench.sent() == []


def test_a_clock_set_back_while_no_server_ran_is_known_by_what_was_added_later_than_now() -> None:
    """5.2"""
    bench = Bench(host=lambda _: Taken())
    bench.call("reminder_add", message="tea", everySeconds=600)
    bench.call("reminder_add", message="party", inHours=24 * 365, everyHours=1)
    bench.pass_time(minutes=25)
    bench.heartbeat.stop()
    bench.clock.set(bench.clock.now() - timedelta(days=30))
    bench.start()
    bench.pass_time(hours=1)
    assert [wake.reminder_id for wake in bench.heard if wake.reminder_id] == ["rem_1"] * 8
    assert "rem_2" in bench.call("reminder_list").text
    assert bench.reminder_store.saved["rem_1"].due - bench.clock.now() <= timedelta(minutes=10)


@pytest.mark.parametrize(
    ("row", "brought_near"),
    [
        (
            Reminder("a", "first time in 3 hours", NOW, NOW + 3 * HOUR, Interval(timedelta(seconds=600))),
            False,
        ),
        (
            Reminder(
                "a", "written by hand", NOW + 3 * HOUR, NOW + 3 * HOUR, Interval(timedelta(seconds=600))
            ),
            False,
        ),
        (
            Reminder("a", "9 s are no proof", NOW + 9 * SECOND, NOW + 609 * SECOND, Interval(600 * SECOND)),
            False,
        ),
        (Reminder("a", "10 s are", NOW + 10 * SECOND, NOW + 610 * SECOND, Interval(600 * SECOND)), True),
    ],
    ids=lambda value: value.message if isinstance(value, Reminder) else "",
)
def test_only_what_a_server_wrote_as_the_present_proves_that_the_clock_was_set_back(
    row: Reminder, brought_near: bool
) -> None:
    """5.2: not a countdown, an interval, or a row that a person wrote"""
    schedule = replace(DEFAULT_SCHEDULE, interval=timedelta(seconds=300), next_beat=NOW + 4 * HOUR)
    bench = Bench(
        clock=FakeClock(NOW),
        schedule_store=MemoryScheduleStore(schedule),
        reminder_store=MemoryReminderStore([row]),
    )
    assert only_due(bench) == (NOW + 600 * SECOND if brought_near else row.due)


@pytest.mark.parametrize("which", ["schedule_store", "reminder_store"])
def test_a_file_that_was_written_later_than_now_proves_that_the_clock_was_set_back(which: str) -> None:
    """5.2: the file's own time"""
    schedule = replace(DEFAULT_SCHEDULE, next_beat=NOW + HOUR)
    row = Reminder(
        "a", "tea", NOW - HOUR, NOW + 30 * 24 * HOUR + 300 * SECOND, Interval(timedelta(seconds=600))
    )
    schedule_store, reminder_store = MemoryScheduleStore(schedule), MemoryReminderStore([row])
    store = schedule_store if which == "schedule_store" else reminder_store
    store.saved_at = NOW + 30 * 24 * HOUR
    bench = Bench(clock=FakeClock(NOW), schedule_store=schedule_store, reminder_store=reminder_store)
    assert only_due(bench) == NOW + 600 * SECOND


def test_a_host_that_sends_no_policy_is_worth_a_warning_after_a_while() -> None:
    """4.8: before a beat is due nobody else would tell the operator"""
    bench = Bench(policy=Policy())
    bench.heartbeat.host_arrived(speaks_mcpl=True)
    bench.pass_time(seconds=9)
    assert lines_about(bench, "no wake reaches") == []
    bench.pass_time(seconds=1)
    assert "no valid featureSets/update Request" in lines_about(bench, "no wake reaches")[0]


def test_a_host_that_speaks_no_mcpl_is_worth_a_warning_at_once() -> None:
    """4.1, 4.8"""
    bench = Bench(policy=Policy())
    bench.heartbeat.host_arrived(speaks_mcpl=False)
    bench.clock.settle()
    assert "host is MCP-only" in lines_about(bench, "no wake reaches")[0]


def test_a_host_that_sends_its_policy_in_time_is_no_cause_for_alarm() -> None:
    """7.5"""
    rows = [Reminder("a", "tea", NOW, NOW + HOUR)]
    bench = Bench(policy=Policy(), reminder_store=MemoryReminderStore(rows))
    bench.heartbeat.host_arrived(speaks_mcpl=True)
    bench.allow()
    bench.pass_time(minutes=1)
    assert not [line for line in bench.log.lines if line.startswith("WARNING")]
    assert lines_about(bench, "1 reminder will not fire before the host's policy allows it")
