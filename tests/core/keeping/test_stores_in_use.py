"""What another server holds, and takes over from: 8.6."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from kept_worlds import HOUR, NOW, listed, row, saved_schedule

from heartbeat_adapters.testing import Bench, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.policy import Policy
from heartbeat_core.schedule.active_hours import ActiveHours
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, DeliveryMode, Schedule
from heartbeat_core.wakes import Taken


def in_use() -> MemoryReminderStore:
    store = MemoryReminderStore([row("a", NOW + 2 * HOUR)])
    store.in_use = True
    return store


def test_a_list_in_use_is_not_read_and_replies_say_so() -> None:
    """8.6, 8.7"""
    bench = Bench(reminder_store=in_use())
    assert "in use" in listed(bench)
    assert "a |" not in listed(bench)


def test_a_list_is_taken_over_from_a_server_that_is_just_stopping() -> None:
    """8.6"""
    bench = Bench(reminder_store=in_use())
    bench.pass_time(seconds=2)
    bench.reminder_store.in_use = False
    bench.pass_time(milliseconds=100)
    assert "a |" in listed(bench)
    assert "in use" not in listed(bench)


def test_a_list_is_taken_over_later_too() -> None:
    """8.6"""
    bench = Bench(host=lambda _: Taken(), reminder_store=in_use())
    bench.pass_time(hours=1)
    bench.reminder_store.in_use = False
    bench.pass_time(hours=1)
    assert [wake.reminder_id for wake in bench.heard] == ["a"]


def test_an_idle_server_looks_for_a_free_file_no_faster_than_once_in_ten_seconds() -> None:
    """5.4, 8.6"""
    bench = Bench(reminder_store=in_use())
    bench.pass_time(seconds=6)
    due = bench.clock.next_due()
    assert due is not None
    bench.clock.advance(due - bench.clock.now())
    after = bench.clock.next_due()
    assert after is not None
    assert after - due >= timedelta(seconds=10)


def test_a_list_in_use_is_taken_over_with_what_was_added_here_meanwhile_on_top() -> None:
    """8.6: within 10 s of its being free, and saved at once"""
    bench = Bench(reminder_store=in_use())
    bench.pass_time(seconds=1)
    assert "in use" in bench.call("reminder_add", message="tea", inHours=9).text
    bench.pass_time(minutes=10)
    bench.reminder_store.in_use = False
    bench.pass_time(seconds=10)
    assert set(bench.reminder_store.saved) == {"a", "rem_1"}
    assert "2 reminder(s):" in listed(bench)
    assert "in use" not in listed(bench)


def test_a_list_is_taken_over_soon_from_a_server_that_is_just_stopping_also_after_an_add() -> None:
    """8.6: a host that restarts its server calls a tool at once"""
    bench = Bench(host=lambda _: Taken(), reminder_store=in_use())
    bench.call("reminder_add", message="tea", inHours=9)
    bench.pass_time(seconds=2)
    bench.reminder_store.in_use = False
    bench.pass_time(milliseconds=100)
    assert set(bench.reminder_store.saved) == {"a", "rem_1"}
    bench.pass_time(hours=3)
    assert [wake.reminder_id for wake in bench.heard] == ["a"]


def test_what_was_added_and_went_its_way_while_a_list_was_in_use_does_not_come_back() -> None:
    """8.6: cancelled here, or heard"""
    bench = Bench(host=lambda _: Taken(), reminder_store=in_use())
    bench.call("reminder_add", message="heard", inSeconds=5)
    bench.call("reminder_add", message="cancelled", inHours=9)
    bench.call("reminder_cancel", id="rem_2")
    bench.pass_time(minutes=1)
    bench.reminder_store.in_use = False
    bench.pass_time(minutes=1)
    assert [wake.reminder_id for wake in bench.heard] == ["rem_1"]
    assert set(bench.reminder_store.saved) == {"a"}


def test_a_list_that_was_never_written_gets_what_was_added_as_soon_as_it_is_free() -> None:
    """8.6"""
    store = MemoryReminderStore()
    store.in_use = True
    bench = Bench(reminder_store=store)
    bench.call("reminder_add", message="tea", inHours=9)
    bench.pass_time(minutes=10)
    store.in_use = False
    bench.pass_time(seconds=10)
    assert set(store.saved) == {"rem_1"}


THEIRS = replace(DEFAULT_SCHEDULE, message="theirs", interval=2 * HOUR, next_beat=NOW + HOUR)


def config_in_use(theirs: Schedule = THEIRS) -> MemoryScheduleStore:
    store = MemoryScheduleStore(theirs)
    store.in_use = True
    return store


def freed(bench: Bench) -> Schedule:
    """What is in force, and stored, after the other server has let go of the config."""
    bench.schedule_store.in_use = False
    bench.pass_time(seconds=10)
    assert saved_schedule(bench) == bench.heartbeat.schedule
    return saved_schedule(bench)


def test_a_config_in_use_is_taken_over_with_the_members_that_were_set_here_on_top() -> None:
    """8.6"""
    bench = Bench(schedule_store=config_in_use())
    bench.call("heartbeat_configure", deliveryMode="silent")
    assert freed(bench) == replace(THEIRS, mode=DeliveryMode.SILENT)


def test_a_member_that_was_set_here_to_what_it_was_already_stays_on_top_too() -> None:
    """8.6: the agent was told that it is so"""
    bench = Bench(schedule_store=config_in_use())
    bench.call("heartbeat_configure", message=DEFAULT_SCHEDULE.message)
    assert freed(bench).message == DEFAULT_SCHEDULE.message


def test_an_interval_that_was_set_here_keeps_the_countdown_that_began_with_it() -> None:
    """8.6, 6.2"""
    bench = Bench(schedule_store=config_in_use())
    bench.pass_time(minutes=30)
    bench.call("heartbeat_configure", intervalHours=3)
    schedule = freed(bench)
    assert (schedule.interval, schedule.message) == (3 * HOUR, "theirs")
    assert schedule.next_beat == NOW + timedelta(hours=3, minutes=30)


def test_a_pause_that_was_set_here_stays_when_a_config_is_taken_over() -> None:
    """8.6"""
    bench = Bench(schedule_store=config_in_use())
    bench.call("heartbeat_configure", paused=True)
    assert freed(bench) == replace(THEIRS, paused=True, next_beat=None)


def test_a_list_that_another_server_got_meanwhile_is_taken_over_again_with_what_was_added_on_top() -> None:
    """8.6, 8.7: somebody removed the lock"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a")]))
    bench.pass_time(minutes=5)
    bench.reminder_store.in_use = True
    bench.call("reminder_add", message="tea", inHours=9)
    assert "in use" in listed(bench)
    bench.reminder_store.edit([row("a"), row("theirs")])
    bench.reminder_store.in_use = False
    bench.pass_time(seconds=10)
    assert set(bench.reminder_store.saved) == {"a", "theirs", "rem_1"}
    assert "in use" not in listed(bench)


def test_what_was_set_and_saved_is_not_on_top_of_what_another_server_kept_since() -> None:
    """8.6: somebody removed the lock, and the other server has had the file since then"""
    bench = Bench()
    bench.call("heartbeat_configure", message="mine")
    bench.call("heartbeat_configure", message="mine")
    bench.schedule_store.in_use = True
    bench.call("heartbeat_configure", deliveryMode="silent")
    bench.schedule_store.edit(THEIRS)
    assert freed(bench) == replace(THEIRS, mode=DeliveryMode.SILENT)


def test_a_config_is_taken_over_with_its_countdown() -> None:
    """8.6, 8.2"""
    theirs = replace(DEFAULT_SCHEDULE, message="theirs", next_beat=NOW + HOUR)
    store = MemoryScheduleStore(theirs)
    store.in_use = True
    bench = Bench(schedule_store=store)
    bench.pass_time(seconds=1)
    store.in_use = False
    bench.pass_time(seconds=1)
    assert bench.heartbeat.schedule == theirs


def test_a_config_is_taken_over_also_after_a_beat_that_could_not_be_saved() -> None:
    """8.6: a beat is no change of the agent's"""
    theirs = replace(DEFAULT_SCHEDULE, message="theirs", next_beat=NOW + timedelta(hours=7))
    store = MemoryScheduleStore(theirs)
    store.in_use = True
    bench = Bench(schedule_store=store)
    bench.pass_time(hours=5)
    store.in_use = False
    bench.pass_time(seconds=10)
    assert bench.heartbeat.schedule == theirs


def test_the_countdown_is_saved_as_soon_as_a_config_that_was_never_written_is_free() -> None:
    """8.6, 8.2"""
    store = MemoryScheduleStore()
    store.in_use = True
    bench = Bench(schedule_store=store)
    store.in_use = False
    bench.pass_time(seconds=1)
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=4)


@pytest.mark.parametrize("policy", [None, Policy()])
def test_the_end_of_a_server_gives_its_files_free(policy: Policy | None) -> None:
    """8.6"""
    bench = Bench(policy=policy)
    bench.heartbeat.stop()
    assert bench.schedule_store.closed
    assert bench.reminder_store.closed


@pytest.mark.parametrize(
    ("sent", "hours", "days"),
    [
        ({"activeDays": ["TU"]}, (480, 1320), ("TU",)),
        ({"activeHours": "always"}, None, ("MO",)),
        ({"activeHours": "09:00-10:00", "activeDays": ["TU"]}, (540, 600), ("TU",)),
    ],
    ids=str,
)
def test_hours_and_days_that_one_server_each_was_told_are_both_kept(
    sent: dict[str, object], hours: object, days: object
) -> None:
    """8.6, 12.1"""
    theirs = replace(THEIRS, active=ActiveHours((480, 1320), ("MO",)))
    bench = Bench(schedule_store=config_in_use(theirs))
    bench.call("heartbeat_configure", **sent)
    assert freed(bench).active == ActiveHours(hours, days)  # type: ignore[arg-type]


def test_days_that_are_not_saved_yet_leave_the_hours_that_somebody_wrote() -> None:
    """8.7, 8.8"""
    bench = Bench()
    bench.schedule_store.fail_with = "no room"
    bench.call("heartbeat_configure", activeDays=["MO"])
    bench.schedule_store.fail_with = None
    bench.schedule_store.edit(replace(bench.heartbeat.schedule, active=ActiveHours((480, 1320))))
    bench.pass_time(minutes=2)
    assert bench.heartbeat.schedule.active == ActiveHours((480, 1320), ("MO",))
