"""Files that others change, hold or break, as the agent sees it (8.2, 8.4 to 8.8), on stores in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.testing import Bench, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, DeliveryMode, Schedule
from heartbeat_core.wakes import Taken

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
FULL = "the disk is full"


def row(reminder_id: str, due: datetime = NOW + HOUR, every: timedelta | None = None) -> Reminder:
    return Reminder(reminder_id, f"message of {reminder_id}", NOW, due, every)


def saved_schedule(bench: Bench) -> Schedule:
    saved = bench.schedule_store.saved
    assert saved is not None
    return saved


def listed(bench: Bench) -> str:
    return bench.call("reminder_list").text


# The countdown


def test_the_first_start_saves_the_countdown() -> None:
    """8.2"""
    bench = Bench()
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=4)


def test_a_file_without_a_countdown_gets_one() -> None:
    """8.2: as files of older servers have it"""
    bench = Bench(schedule_store=MemoryScheduleStore(DEFAULT_SCHEDULE))
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=4)


def test_each_beat_and_each_change_of_the_countdown_is_saved() -> None:
    """8.2"""
    bench = Bench(host=lambda _: Taken())
    bench.pass_time(hours=4)
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=8)
    bench.call("heartbeat_configure", intervalHours=1)
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=5)
    bench.call("heartbeat_configure", paused=True)
    assert saved_schedule(bench).next_beat is None


def test_other_changes_leave_the_countdown() -> None:
    """6.2"""
    bench = Bench()
    bench.pass_time(hours=1)
    bench.call("heartbeat_configure", message="look around", deliveryMode="silent", intervalHours=4)
    assert saved_schedule(bench).next_beat == NOW + timedelta(hours=4)


def test_a_paused_file_stays_paused_over_a_restart() -> None:
    """8.2"""
    bench = Bench()
    bench.call("heartbeat_configure", paused=True)
    bench.restart()
    bench.pass_time(hours=100)
    assert bench.sent() == []


# Saves that fail


def test_a_reminder_that_is_not_saved_says_so_and_is_in_force() -> None:
    """8.7"""
    bench = Bench(host=lambda _: Taken())
    bench.reminder_store.fail_with = FULL
    reply = bench.call("reminder_add", message="tea", inMinutes=1)
    assert not reply.is_error
    assert FULL in reply.text
    bench.pass_time(minutes=1)
    assert [wake.reminder_id for wake in bench.heard] == ["rem_1"]


def test_a_cancel_that_is_not_saved_says_so() -> None:
    """8.7"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a")]))
    bench.reminder_store.fail_with = FULL
    assert FULL in bench.call("reminder_cancel", id="a").text
    assert "a" in bench.reminder_store.saved


def test_a_configure_that_is_not_saved_says_so_and_is_in_force() -> None:
    """8.7"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    assert FULL in bench.call("heartbeat_configure", paused=True).text
    assert bench.call("heartbeat_status").text.startswith("Heartbeat PAUSED")


def test_the_next_save_that_works_writes_what_was_not_saved() -> None:
    """8.7"""
    bench = Bench()
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_add", message="tea", inMinutes=1)
    bench.reminder_store.fail_with = None
    assert FULL not in bench.call("reminder_add", message="cake", inMinutes=1).text
    assert set(bench.reminder_store.saved) == {"rem_1", "rem_2"}


def test_a_change_of_the_schedule_that_was_not_saved_is_written_with_the_next() -> None:
    """8.7"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", message="look around")
    bench.schedule_store.fail_with = None
    bench.call("heartbeat_configure", deliveryMode="silent")
    assert saved_schedule(bench).message == "look around"


def test_what_was_not_saved_is_tried_again_without_anybody_asking() -> None:
    """8.7: the disk has room again, and nobody calls a tool"""
    bench = Bench()
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_add", message="tea", inHours=9)
    bench.reminder_store.fail_with = None
    bench.pass_time(minutes=1)
    assert set(bench.reminder_store.saved) == {"rem_1"}


def test_an_answer_after_a_failed_save_is_saved_within_100_ms() -> None:
    """7.2"""
    bench = Bench(host=lambda _: Taken(), reminder_store=MemoryReminderStore([row("a"), row("b")]))
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_cancel", id="b")
    bench.pass_time(minutes=59.99)
    bench.reminder_store.fail_with = None
    bench.pass_time(minutes=0.01)
    bench.pass_time(milliseconds=100)
    assert bench.reminder_store.saved == {}


def test_a_stop_saves_what_was_not_saved() -> None:
    """8.7"""
    bench = Bench()
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_add", message="tea", inHours=9)
    bench.reminder_store.fail_with = None
    bench.heartbeat.stop()
    assert set(bench.reminder_store.saved) == {"rem_1"}


def test_a_stop_saves_a_schedule_that_was_not_saved() -> None:
    """8.7"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", paused=True)
    bench.schedule_store.fail_with = None
    bench.heartbeat.stop()
    assert saved_schedule(bench).paused


def test_a_save_that_fails_again_and_again_is_one_line_in_the_log() -> None:
    """8.7"""
    bench = Bench(host=lambda _: Taken())
    bench.reminder_store.fail_with = FULL
    for _ in range(5):
        bench.call("reminder_add", message="tea", inHours=9)
    bench.pass_time(minutes=10)
    assert len([line for line in bench.log.lines if FULL in line]) == 1


def test_what_the_host_took_and_could_not_be_saved_is_sent_again_with_the_same_id() -> None:
    """4.12, 7.2: a host that drops duplicates lets the agent hear it once"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a", NOW)]))
    bench.clock.settle()
    (first,) = bench.sent()
    bench.reminder_store.fail_with = FULL
    bench.take(first)
    bench.pass_time(seconds=1)
    bench.crash()
    bench.reminder_store.fail_with = None
    bench.start()
    bench.clock.settle()
    (again,) = bench.sent()
    assert again.event_id == first.event_id
    bench.refuse(again, "duplicate")
    assert len(bench.heartbeat.reminders) == 0


# Strangers


def test_rows_that_a_stranger_changed_are_taken_over_before_a_change() -> None:
    """8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a"), row("b")]))
    bench.reminder_store.edit([row("b", NOW + 2 * HOUR), row("c")])
    reply = bench.call("reminder_add", message="tea", inHours=9)
    assert "changed by something else" in reply.text
    assert set(bench.reminder_store.saved) == {"b", "c", "rem_1"}
    assert bench.reminder_store.saved["b"].due == NOW + 2 * HOUR


def test_a_reply_says_only_once_that_a_stranger_was_there() -> None:
    """8.8"""
    bench = Bench()
    bench.reminder_store.edit([row("b")])
    bench.call("reminder_add", message="tea", inHours=9)
    assert "changed by something else" not in listed(bench)


def test_a_row_that_a_stranger_added_can_be_cancelled_at_once() -> None:
    """8.8"""
    bench = Bench()
    bench.reminder_store.edit([row("b")])
    assert bench.call("reminder_cancel", id="b").text.startswith("Cancelled b. 0 reminder(s) remain.")
    assert bench.reminder_store.saved == {}


def test_a_row_that_a_stranger_removed_cannot_be_cancelled() -> None:
    """8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a")]))
    bench.reminder_store.edit([])
    assert bench.call("reminder_cancel", id="a").is_error


def test_a_stranger_s_row_that_is_overdue_fires() -> None:
    """8.8, 7.1"""
    bench = Bench(host=lambda _: Taken())
    bench.reminder_store.edit([row("b", NOW - HOUR)])
    bench.call("reminder_add", message="tea", inHours=9)
    assert [wake.reminder_id for wake in bench.heard] == ["b"]


def test_a_wake_that_is_out_stays_out_when_a_stranger_edits_another_row() -> None:
    """8.8, 7.4"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a", NOW), row("b")]))
    bench.clock.settle()
    (wake,) = bench.sent()
    bench.reminder_store.edit([row("a", NOW), row("b", NOW + 2 * HOUR)])
    bench.call("reminder_add", message="tea", inHours=9)
    assert bench.sent() == []
    bench.take(wake)
    assert "a" not in bench.heartbeat.reminders


def test_a_held_reminder_stays_held_when_a_stranger_edits_another_row() -> None:
    """8.8, 7.3"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a", NOW), row("b", NOW)]))
    bench.clock.settle()
    first, second = bench.sent()
    bench.refuse(first)
    bench.reminder_store.edit([row("a", NOW), row("b", NOW), row("c")])
    bench.take(second)
    bench.pass_time(seconds=1)
    assert "c |" in listed(bench)
    assert "held since" in listed(bench)
    assert bench.sent() == []


def test_a_firing_that_a_stranger_moved_while_its_wake_is_out_comes_at_its_new_time() -> None:
    """8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a", NOW)]))
    bench.clock.settle()
    (wake,) = bench.sent()
    bench.reminder_store.edit([row("a", NOW + HOUR)])
    bench.call("reminder_add", message="tea", inHours=9)
    bench.take(wake)
    bench.pass_time(hours=1)
    (again,) = bench.sent()
    assert again.event_id != wake.event_id


def test_a_schedule_that_a_stranger_changed_is_taken_over_before_a_change() -> None:
    """8.8"""
    bench = Bench()
    bench.schedule_store.edit(replace(saved_schedule(bench), message="by hand", interval=2 * HOUR))
    reply = bench.call("heartbeat_configure", deliveryMode="silent")
    assert "changed by something else" in reply.text
    assert saved_schedule(bench).message == "by hand"
    assert saved_schedule(bench).interval == 2 * HOUR


def test_a_schedule_that_a_stranger_changed_is_taken_over_before_a_beat() -> None:
    """8.8"""
    bench = Bench()
    bench.schedule_store.edit(replace(saved_schedule(bench), message="by hand"))
    bench.pass_time(hours=4)
    (wake,) = bench.sent()
    assert str(wake.text).endswith("] by hand")


def test_a_stranger_s_pause_stops_the_beat_that_is_due() -> None:
    """8.8"""
    bench = Bench()
    bench.schedule_store.edit(replace(saved_schedule(bench), paused=True, next_beat=None))
    bench.pass_time(hours=4)
    assert bench.sent() == []
    assert saved_schedule(bench).next_beat is None


def test_a_stranger_s_message_is_in_a_triggered_beat() -> None:
    """8.8"""
    bench = Bench()
    bench.schedule_store.edit(replace(saved_schedule(bench), message="by hand"))
    bench.call("heartbeat_trigger")
    (wake,) = bench.sent()
    assert str(wake.text).endswith("] by hand")


def test_an_own_change_that_was_not_saved_stays_on_top_of_a_stranger_s() -> None:
    """8.7, 8.8"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", message="mine")
    bench.schedule_store.fail_with = None
    bench.schedule_store.edit(replace(saved_schedule(bench), interval=2 * HOUR))
    bench.call("heartbeat_configure", deliveryMode="silent")
    assert (saved_schedule(bench).message, saved_schedule(bench).interval) == ("mine", 2 * HOUR)


def test_an_add_and_a_cancel_that_were_not_saved_stay_on_top_of_a_stranger_s_rows() -> None:
    """8.7, 8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a"), row("b")]))
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_add", message="tea", inHours=9)
    bench.call("reminder_cancel", id="a")
    bench.reminder_store.fail_with = None
    bench.reminder_store.edit([row("a"), row("b"), row("c")])
    bench.call("reminder_add", message="cake", inHours=9)
    assert set(bench.reminder_store.saved) == {"b", "c", "rem_1", "rem_2"}


def test_a_list_that_is_gone_is_written_anew_and_the_reply_says_so_once() -> None:
    """8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a")]))
    bench.reminder_store.lose()
    reply = bench.call("reminder_add", message="tea", inHours=9).text
    assert "the list of reminders was gone from where it is stored" in reply
    assert "not saved" not in reply
    assert set(bench.reminder_store.saved) == {"a", "rem_1"}
    assert "was gone" not in listed(bench)


def test_a_list_that_is_gone_at_a_beat_is_written_anew_and_the_next_list_says_so() -> None:
    """8.8"""
    bench = Bench(host=lambda _: Taken(), reminder_store=MemoryReminderStore([row("a", NOW + 9 * HOUR)]))
    saves = bench.reminder_store.saves
    bench.reminder_store.lose()
    bench.pass_time(hours=5)
    assert bench.reminder_store.saves == saves + 1
    assert "was gone" in listed(bench)


def test_a_config_that_is_gone_is_written_anew_and_the_next_status_says_so() -> None:
    """8.8"""
    bench = Bench()
    saves = bench.schedule_store.saves
    bench.schedule_store.lose()
    bench.call("reminder_add", message="tea", inHours=9)
    assert bench.schedule_store.saves == saves + 1
    assert "the schedule was gone from where it is stored" in bench.call("heartbeat_status").text
    assert "was gone" not in bench.call("heartbeat_status").text


def test_what_is_gone_is_in_the_log_for_the_operator() -> None:
    """8.8"""
    bench = Bench()
    bench.schedule_store.lose()
    bench.pass_time(hours=5)
    assert len([line for line in bench.log.lines if "the schedule was gone" in line]) == 1


def test_a_damaged_list_that_was_replaced_is_not_replaced_again() -> None:
    """8.8: one save, not one every 50 ms"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a", NOW + 9 * HOUR)]))
    bench.reminder_store.damage("the list was no JSON")
    bench.call("reminder_add", message="tea", inHours=9)
    saves = bench.reminder_store.saves
    bench.pass_time(minutes=10)
    assert bench.reminder_store.saves == saves


def test_a_file_damaged_while_the_server_runs_is_replaced_by_what_memory_holds() -> None:
    """8.8, 8.5"""
    bench = Bench(reminder_store=MemoryReminderStore([row("a")]))
    bench.reminder_store.damage("the list was no JSON and is kept as list.unreadable-1")
    reply = bench.call("reminder_add", message="tea", inHours=9)
    assert "list.unreadable-1" in reply.text
    assert set(bench.reminder_store.saved) == {"a", "rem_1"}


def test_a_config_damaged_while_the_server_runs_is_replaced_by_what_memory_holds() -> None:
    """8.8, 8.5"""
    bench = Bench()
    bench.call("heartbeat_configure", message="mine")
    saves = bench.schedule_store.saves
    bench.schedule_store.damage("the config was no JSON and is kept as config.unreadable-1")
    assert "config.unreadable-1" in bench.call("heartbeat_configure", message="mine").text
    assert bench.schedule_store.saves > saves


# Files that cannot be used at start


def test_while_the_list_could_be_used_only_in_part_each_reply_that_shows_it_says_so() -> None:
    """8.7"""
    store = MemoryReminderStore()
    store.damage("2 rows of the list do not load", [row("a")])
    bench = Bench(reminder_store=store)
    for reply in (
        listed(bench),
        bench.call("heartbeat_status").text,
        bench.call("reminder_add", message="tea", inHours=1).text,
        bench.call("reminder_cancel", id="a").text,
        bench.call("reminder_cancel", id="nobody").text,
    ):
        assert "2 rows of the list do not load" in reply


def test_while_the_config_could_not_be_used_status_and_configure_say_so() -> None:
    """8.7"""
    store = MemoryScheduleStore()
    store.damage("the config is no JSON")
    bench = Bench(schedule_store=store)
    for reply in (bench.call("heartbeat_status"), bench.call("heartbeat_configure", intervalHours=2)):
        assert "the config is no JSON" in reply.text


def test_a_file_that_cannot_be_read_is_not_saved_over_and_the_server_runs_on() -> None:
    """8.4"""
    store = MemoryReminderStore([row("a")])
    store.damage("the list cannot be read: permission denied", refuse=True)
    bench = Bench(host=lambda _: Taken(), reminder_store=store)
    assert "permission denied" in bench.call("reminder_add", message="tea", inMinutes=1).text
    bench.pass_time(minutes=10)
    assert [wake.reminder_id for wake in bench.heard] == ["rem_1"]
    assert store.saves == 0


# Two servers


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


# Several of these at once


def test_a_row_edited_by_hand_stays_so_when_the_host_takes_its_wake() -> None:
    """8.8: the answer is a change too, and comes on top of what a stranger wrote"""
    bench = Bench(reminder_store=MemoryReminderStore([row("daily", NOW, 24 * HOUR), row("once", NOW)]))
    bench.pass_time(seconds=1)
    daily, once = bench.sent()
    bench.reminder_store.edit(
        [replace(row("daily", NOW, 24 * HOUR), message="by hand"), row("once", NOW + HOUR)]
    )
    bench.take(daily)
    bench.take(once)
    bench.pass_time(seconds=1)
    assert bench.reminder_store.saved["daily"].message == "by hand"
    assert bench.reminder_store.saved["once"].due == NOW + HOUR


def test_a_row_removed_by_hand_stays_away_when_the_host_takes_its_wake() -> None:
    """8.8"""
    bench = Bench(reminder_store=MemoryReminderStore([row("daily", NOW, 24 * HOUR)]))
    bench.pass_time(seconds=1)
    wake = bench.sent()[0]
    bench.reminder_store.edit([])
    bench.take(wake)
    bench.pass_time(seconds=1)
    assert bench.reminder_store.saved == {}


def test_a_row_added_by_hand_is_seen_at_the_next_beat() -> None:
    """8.8"""
    bench = Bench(host=lambda _: Taken())
    bench.reminder_store.edit([row("mine", NOW + 5 * HOUR)])
    bench.pass_time(hours=6)
    assert [wake.reminder_id for wake in bench.heard] == [None, "mine"]


def test_a_pause_by_hand_stops_beats_also_while_an_own_change_is_not_saved() -> None:
    """8.8, 6.2"""
    bench = Bench(host=lambda _: Taken())
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", intervalHours=2)
    bench.schedule_store.fail_with = None
    bench.schedule_store.edit(replace(DEFAULT_SCHEDULE, paused=True, next_beat=None))
    bench.pass_time(hours=24)
    assert bench.heard == []
    assert bench.heartbeat.schedule.next_beat is None
    assert bench.heartbeat.schedule.interval == 2 * HOUR


def test_an_add_takes_over_a_file_that_has_just_come_free() -> None:
    """8.6"""
    store = MemoryReminderStore([row("theirs")])
    store.in_use = True
    bench = Bench(reminder_store=store)
    bench.pass_time(seconds=8)
    store.in_use = False
    bench.call("reminder_add", message="mine", inHours=1)
    assert set(store.saved) == {"theirs", "rem_1"}


def test_a_schedule_that_was_not_saved_is_tried_again_without_anybody_asking() -> None:
    """8.7"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", paused=True)
    bench.schedule_store.fail_with = None
    bench.pass_time(minutes=2)
    assert saved_schedule(bench).paused


def test_an_own_change_survives_a_damaged_file_and_the_stranger_s_next_one() -> None:
    """8.7, 8.8"""
    bench = Bench()
    bench.schedule_store.fail_with = FULL
    bench.call("heartbeat_configure", message="mine")
    bench.schedule_store.damage("the file was damaged")
    bench.pass_time(minutes=2)
    bench.schedule_store.edit(replace(DEFAULT_SCHEDULE, interval=2 * HOUR))
    bench.schedule_store.fail_with = None
    bench.pass_time(minutes=2)
    assert (saved_schedule(bench).message, saved_schedule(bench).interval) == ("mine", 2 * HOUR)


def test_a_full_disk_costs_no_try_at_each_reply() -> None:
    """8.7"""
    bench = Bench()
    bench.reminder_store.fail_with = FULL
    bench.call("reminder_add", message="tea", inHours=1)
    tries = list[int]()
    save = bench.reminder_store.save
    bench.reminder_store.save = lambda *rows: tries.append(1) or save(*rows)  # type: ignore[method-assign, func-returns-value]
    for _ in range(100):
        bench.heartbeat.flush()
    assert tries == []


def test_the_log_does_not_go_on_about_reminders_that_wait_no_more() -> None:
    """7.5"""
    bench = Bench(policy=Policy(), reminder_store=MemoryReminderStore([row("tea")]))
    for _ in range(10):
        bench.deny()
    bench.allow()
    bench.log.lines.clear()
    bench.pass_time(minutes=1)
    assert not [line for line in bench.log.lines if "will not fire" in line]
