"""What somebody else writes is taken over: 8.8."""

from __future__ import annotations

from dataclasses import replace

from kept_worlds import FULL, HOUR, NOW, listed, row, saved_schedule

from heartbeat_adapters.testing import Bench, MemoryReminderStore
from heartbeat_core.policy import Policy
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE
from heartbeat_core.wakes import Taken


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
