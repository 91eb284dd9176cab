"""The countdown as it is saved, saves that fail, and files that cannot be used: 8.2 to 8.7."""

from __future__ import annotations

from datetime import timedelta

from kept_worlds import FULL, NOW, listed, row, saved_schedule

from heartbeat_adapters.testing import Bench, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE
from heartbeat_core.wakes import Taken


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
