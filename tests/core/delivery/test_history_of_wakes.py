"""What a line of history is left for, and what it says: every way in which a due moment can end (14.1)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, SECOND, add, only, takes, waiting_bench, with_one_out

from heartbeat_adapters.testing import Bench, FakeClock, MemoryHistory, MemoryReminderStore
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Failed, Refused, Taken


def endings(bench: Bench) -> list[str]:
    return [line.ending.value for line in bench.history.lines]


def line_of(bench: Bench) -> HistoryLine:
    (line,) = bench.history.lines
    return line


def test_a_wake_that_is_out_has_no_line_yet() -> None:
    """14.1"""
    bench, _ = with_one_out()
    assert bench.history.lines == []


def test_a_reminder_that_was_taken_leaves_a_line_with_all_that_is_known_of_it() -> None:
    """14.1"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=2)
    bench.answer(wake, Taken("inf_7"))
    assert line_of(bench) == HistoryLine(
        at=NOW + 2 * SECOND,
        due=NOW,
        kind=WakeKind.REMINDER,
        ending=Ending.TAKEN,
        reminder_id="a",
        sent=NOW,
        event_id=wake.event_id,
        attempt=1,
        inference_id="inf_7",
    )


def test_a_beat_that_was_taken_leaves_a_line_of_the_schedule() -> None:
    """14.1"""
    bench = Bench(host=takes)
    due = bench.heartbeat.schedule.next_beat
    bench.pass_time(hours=4)
    line = line_of(bench)
    assert (line.kind, line.due, line.ending) == (WakeKind.BEAT, due, Ending.TAKEN)


def test_a_triggered_beat_is_told_from_one_of_the_schedule() -> None:
    """14.1"""
    bench = Bench(host=takes)
    bench.call("heartbeat_trigger")
    assert line_of(bench).kind is WakeKind.TRIGGERED


@pytest.mark.parametrize(
    ("answer", "ending", "reason"),
    [
        (Refused("not now"), Ending.REFUSED, "not now"),
        (Refused("Internal", -32603), Ending.REFUSED, "Internal (-32603)"),
        (Failed("the pipe broke"), Ending.FAILED, "the pipe broke"),
        (Refused("duplicate"), Ending.TAKEN, "duplicate"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["beat", "reminder"])
def test_each_answer_has_its_outcome_and_reason(
    kind: str, answer: Refused | Failed, ending: Ending, reason: str
) -> None:
    """14.1, 4.11"""
    bench, wake = with_one_out()
    if kind == "beat":
        bench.take(wake)
        bench.history.lines.clear()
        bench.call("heartbeat_trigger")
        wake = only(bench.sent())
        if reason == "duplicate":  # which counts unless each attempt was refused: none was answered before
            bench.pass_time(seconds=31)
            bench.history.lines.clear()
            bench.call("heartbeat_trigger")
            wake = only(bench.sent())
    bench.answer(wake, answer)
    assert (line_of(bench).ending, line_of(bench).reason) == (ending, reason)


def test_a_reason_is_cut_after_500_characters() -> None:
    """14.1"""
    bench, wake = with_one_out()
    bench.refuse(wake, "x" * 501)
    assert line_of(bench).reason == "x" * 500


def test_a_wake_without_an_answer_is_unanswered_after_30_s_and_a_late_refusal_adds_nothing() -> None:
    """14.1"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=30)
    assert line_of(bench).ending is Ending.UNANSWERED
    bench.refuse(wake)
    assert endings(bench) == ["unanswered"]


@pytest.mark.parametrize("kind", ["beat", "reminder"])
def test_a_late_answer_that_counts_leaves_a_second_line(kind: str) -> None:
    """14.1"""
    bench, wake = with_one_out()
    if kind == "beat":
        bench.take(wake)
        bench.history.lines.clear()
        bench.call("heartbeat_trigger")
        wake = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.take(wake)
    assert endings(bench) == ["unanswered", "taken"]
    assert len({line.event_id for line in bench.history.lines}) == 1


def test_attempts_count_from_1_for_each_due_moment() -> None:
    """14.1, 7.3"""
    bench, wake = with_one_out(every=HOUR)
    bench.refuse(wake)
    bench.pass_time(minutes=1)
    bench.take(only(bench.sent()))
    bench.pass_time(minutes=59)
    bench.take(only(bench.sent()))
    assert [(line.due, line.attempt) for line in bench.history.lines] == [
        (NOW, 1),
        (NOW, 2),
        (NOW + HOUR, 1),
    ]


def test_a_try_with_a_fresh_event_id_is_one_at_the_same_due_moment() -> None:
    """14.1, 4.11: the id moves `fireAt` by a millisecond, and not what was due"""
    bench, wake = with_one_out()
    bench.refuse(wake)
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=4)
    bench.take(only(bench.sent()))
    assert [(line.due, line.attempt) for line in bench.history.lines] == [(NOW, 1), (NOW, 2), (NOW, 3)]


def test_a_beat_tried_again_counts_its_attempts() -> None:
    """14.1, 4.14"""
    bench = Bench()
    bench.pass_time(hours=4)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    bench.take(only(bench.sent()))
    assert [(line.ending.value, line.attempt) for line in bench.history.lines] == [
        ("refused", 1),
        ("taken", 2),
    ]


def test_the_second_try_of_a_silent_beat_is_its_second_attempt() -> None:
    """14.1, 6.11"""
    bench = Bench()
    bench.call("heartbeat_configure", deliveryMode="silent")
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()), "empty content")
    bench.take(only(bench.sent()))
    assert [(line.ending.value, line.attempt) for line in bench.history.lines] == [
        ("refused", 1),
        ("taken", 2),
    ]


def test_a_beat_that_no_policy_lets_through_is_dropped_with_why() -> None:
    """14.1, 4.9"""
    bench = Bench()
    bench.deny()
    bench.pass_time(hours=4)
    assert (line_of(bench).ending, line_of(bench).event_id) == (Ending.DROPPED, None)
    assert "not granted" in str(line_of(bench).reason)


def test_a_triggered_beat_that_a_later_policy_forbids_is_dropped() -> None:
    """14.1, 2.6"""
    bench = Bench()
    bench.toolbox.call("heartbeat_trigger", {})
    bench.deny()
    assert (line_of(bench).ending, line_of(bench).kind) == (Ending.DROPPED, WakeKind.TRIGGERED)


def test_a_reminder_or_a_beat_that_waits_for_a_policy_leaves_no_line() -> None:
    """14.1"""
    bench = waiting_bench()
    add(bench, inSeconds=5)
    bench.pass_time(hours=5)
    assert bench.history.lines == []


@pytest.mark.parametrize("change", [{"paused": True}, {"intervalHours": 1}], ids=str)
def test_an_owed_beat_that_a_change_of_the_pace_ends_is_cancelled(change: dict[str, object]) -> None:
    """14.1, 8.2"""
    bench = waiting_bench()
    due = bench.heartbeat.schedule.next_beat
    bench.pass_time(hours=4)
    bench.call("heartbeat_configure", **change)
    assert (line_of(bench).ending, line_of(bench).due) == (Ending.CANCELLED, due)


def test_a_change_while_nothing_is_due_leaves_no_line() -> None:
    """14.1"""
    bench = Bench()
    bench.call("heartbeat_configure", paused=True)
    bench.call("reminder_cancel", id=add(bench, inHours=1))
    assert bench.history.lines == []


def test_an_overdue_reminder_that_is_cancelled_leaves_a_line() -> None:
    """14.1"""
    bench = waiting_bench()
    reminder_id = add(bench, inSeconds=5)
    bench.pass_time(minutes=1)
    bench.call("reminder_cancel", id=reminder_id)
    assert (line_of(bench).ending, line_of(bench).reminder_id) == (Ending.CANCELLED, reminder_id)


def test_a_reminder_cancelled_while_its_wake_is_out_leaves_a_line_and_so_does_the_wake() -> None:
    """14.1"""
    bench, wake = with_one_out()
    bench.call("reminder_cancel", id="a")
    bench.take(wake)
    assert endings(bench) == ["cancelled", "taken"]


def test_the_wake_of_a_reminder_that_is_gone_is_unanswered_as_any() -> None:
    """14.1"""
    bench, _ = with_one_out()
    bench.call("reminder_cancel", id="a")
    bench.pass_time(seconds=31)
    assert endings(bench) == ["cancelled", "unanswered"]


@pytest.mark.parametrize("left", [[], [Reminder("a", "tea", NOW - HOUR, NOW + HOUR)]], ids=["gone", "moved"])
def test_an_overdue_reminder_that_a_stranger_takes_away_or_moves_leaves_a_line(left: list[Reminder]) -> None:
    """14.1, 8.8"""
    store = MemoryReminderStore([Reminder("a", "tea", NOW - HOUR, NOW - SECOND)])
    bench = waiting_bench(reminder_store=store, clock=FakeClock(NOW))
    store.edit(left)
    add(bench, inHours=9)
    line = line_of(bench)
    assert (line.ending.value, line.to) == (("moved", NOW + HOUR) if left else ("cancelled", None))


def test_a_beat_that_comes_after_a_sleep_stands_for_those_slept_through() -> None:
    """14.1"""
    bench = Bench(host=takes)
    bench.clock.suspend(timedelta(hours=13))
    bench.pass_time(seconds=10)
    assert line_of(bench).missed == 2


def test_a_recurring_reminder_that_waited_stands_for_the_times_it_missed() -> None:
    """14.1, 7.1"""
    bench = waiting_bench(host=takes)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=1)
    bench.pass_time(hours=3, minutes=30)
    bench.allow()
    assert line_of(bench).missed == 2


def test_a_late_beat_outside_active_hours_is_moved_and_says_where_to() -> None:
    """14.1, 12.2"""
    clock = FakeClock(datetime.fromisoformat("2026-01-01T20:30:00+00:00"))
    bench = waiting_bench(clock=clock)
    bench.call("heartbeat_configure", intervalHours=1, activeHours="08:00-22:00")
    bench.pass_time(hours=2)
    bench.allow()
    line = line_of(bench)
    assert (line.ending, line.to) == (Ending.MOVED, bench.heartbeat.schedule.next_beat)


# Over the life of a server


def test_wakes_that_are_out_when_the_server_stops_are_unanswered() -> None:
    """14.1"""
    bench, _ = with_one_out()
    bench.call("heartbeat_trigger")
    bench.heartbeat.stop()
    assert sorted((line.kind.value, line.ending.value, line.reason) for line in bench.history.lines) == [
        ("reminder", "unanswered", "the server stopped"),
        ("triggered", "unanswered", "the server stopped"),
    ]


def test_a_triggered_beat_that_could_not_leave_before_the_stop_is_dropped() -> None:
    """14.1"""
    bench = Bench()
    bench.toolbox.call("heartbeat_trigger", {})
    bench.heartbeat.stop()
    assert (line_of(bench).ending, line_of(bench).kind) == (Ending.DROPPED, WakeKind.TRIGGERED)


def test_a_wake_that_was_out_at_a_crash_leaves_no_line_and_the_next_start_counts_from_1() -> None:
    """14.1"""
    bench, _ = with_one_out()
    bench.crash()
    bench.start()
    bench.clock.settle()
    bench.take(only(bench.sent()))
    assert [(line.ending, line.attempt) for line in bench.history.lines] == [(Ending.TAKEN, 1)]


def test_many_answers_leave_their_lines_in_one_go_each() -> None:
    """14.2: one write for all that a step settled"""
    bench = Bench()
    for _ in range(20):
        add(bench, inSeconds=5)
    bench.pass_time(seconds=40)
    assert endings(bench) == ["unanswered"] * 20
    assert bench.history.appends == 1


# A history that fails


def test_what_cannot_be_written_costs_one_line_in_the_log_and_no_wake() -> None:
    """14.2"""
    bench = Bench(host=takes)
    bench.history.fail_with = "the disk is full"
    bench.pass_time(hours=40)
    assert len(bench.heard) == 10
    assert len([line for line in bench.log.lines if "the disk is full" in line]) == 1


def test_the_log_says_when_the_history_is_written_again() -> None:
    """14.2"""
    bench = Bench(host=takes)
    bench.history.fail_with = "the disk is full"
    bench.pass_time(hours=4)
    bench.history.fail_with = None
    bench.pass_time(hours=4)
    assert [line for line in bench.log.lines if "written again" in line]
    assert len(bench.history.lines) == 1


def test_a_history_that_raises_loses_no_wake() -> None:
    """14.2"""
    bench = Bench(host=takes)
    bench.history.raises = RuntimeError("a bug of somebody else's")
    bench.pass_time(hours=40)
    assert len(bench.heard) == 10
    assert "Heartbeat ACTIVE" in bench.call("heartbeat_status", history=3).text


def test_policy_left_out_changes_nothing_of_the_lines() -> None:
    """14.1: without a host that answers, each beat is unanswered once and tried again"""
    bench = Bench(policy=Policy.open(), history=MemoryHistory())
    bench.pass_time(hours=4, seconds=31)
    assert endings(bench) == ["unanswered"]


def test_what_became_of_many_wakes_is_appended_together_while_others_are_due() -> None:
    """14.2: each append costs system calls that the others do without."""
    bench = Bench()
    for _ in range(60):
        add(bench, inSeconds=1)
    bench.pass_time(seconds=1)
    for wake in bench.sent():
        bench.heartbeat.answered(wake, Taken())
    bench.clock.settle()
    assert (len(bench.history.lines), bench.history.appends) == (32, 2)


def test_a_reader_finds_what_is_about_to_be_appended_too() -> None:
    """14.3"""
    bench = Bench()
    for _ in range(60):
        add(bench, inSeconds=1)
    bench.pass_time(seconds=1)
    for wake in bench.sent():
        bench.heartbeat.answered(wake, Taken())
    assert len(bench.history.lines) < 32
    assert len(list(bench.heartbeat.history.newest_first())) == 32
