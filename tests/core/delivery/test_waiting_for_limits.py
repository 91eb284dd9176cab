"""Wakes over a budget, or in quiet hours, wait until the last of their limits is over (15.3)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from limited_benches import (
    A_MOMENT,
    HOUR,
    MINUTE,
    NOW,
    SECOND,
    WrittenHistory,
    limited,
    line,
    most_within,
    sent_at,
)

from heartbeat_adapters.testing import (
    Bench,
    FakeClock,
    MemoryHistory,
    MemoryReminderStore,
    MemoryScheduleStore,
)
from heartbeat_core.history import Ending
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

TWO_AN_HOUR = Limits(max_wakes_per_hour=2)


def at(time: str, day: int = 5) -> datetime:
    return datetime.fromisoformat(f"2026-01-{day:02}T{time}Z")


def remind(bench: Bench, *times: str) -> None:
    for time in times:
        assert not bench.call("reminder_add", message=time, atIso=f"2026-01-05T{time}Z").is_error


def words(wakes: list[Wake]) -> list[str]:
    return [(wake.text or "silent").rpartition("] ")[2] for wake in wakes]


# Budgets


def test_the_wake_over_a_budget_leaves_when_the_first_one_is_out_of_the_window() -> None:
    """15.3"""
    bench = limited(TWO_AN_HOUR)
    remind(bench, "12:10", "12:20", "12:30", "12:40")
    times: list[datetime] = []
    for _ in range(3 * 60):
        bench.pass_time(minutes=1)
        times += sent_at(bench)
    assert times == [at("12:10"), at("12:20"), at("13:10") + A_MOMENT, at("13:20") + A_MOMENT]


def test_a_day_has_a_budget_of_its_own_and_the_last_limit_counts() -> None:
    """15.3"""
    bench = limited(Limits(max_wakes_per_hour=2, max_wakes_per_day=3), host=lambda _: Taken())
    remind(bench, "12:01", "12:02", "12:03", "12:04")
    bench.pass_time(hours=30)
    assert [wake.sent_at for wake in bench.heard] == [
        at("12:01"),
        at("12:02"),
        at("13:01") + A_MOMENT,
        at("12:01", day=6) + A_MOMENT,
    ]


def test_waiting_costs_nothing() -> None:
    """15.3, 5.4: thousands that wait arm one timer."""
    store = MemoryReminderStore([Reminder(f"r{n}", "tea", NOW - HOUR, NOW + SECOND) for n in range(5000)])
    bench = limited(TWO_AN_HOUR, reminder_store=store, host=lambda _: Taken())
    bench.pass_time(seconds=2)
    assert len(bench.heard) == 2
    assert bench.clock.next_due() == NOW + SECOND + HOUR + A_MOMENT


def test_every_attempt_counts_refused_or_not() -> None:
    """15.3, 7.3: a host that refuses everything is not asked more often than the budget allows."""
    bench = limited(TWO_AN_HOUR, host=lambda _: Refused("not now"))
    remind(bench, "12:10", "12:11", "12:12")
    bench.pass_time(hours=48)
    sent = [wake.sent_at for wake in bench.sent()]
    assert len(sent) > 90
    assert most_within(HOUR, sent) == 2


def test_one_that_expires_while_it_waits_says_which_limit_kept_it() -> None:
    """10.5, 15.3"""
    bench = limited(Limits(max_wakes_per_hour=1), host=lambda _: Taken())
    remind(bench, "12:01")
    bench.call("reminder_add", message="tea", inMinutes=2, expiresAfterMinutes=5)
    bench.pass_time(minutes=10)
    reply = bench.call("reminder_list").text
    assert "given up 2026-01-05T12:07:00+00:00 [UTC]: max-wakes-per-hour 1, set by the operator" in reply


def test_a_reminder_that_waited_says_when_it_was_due_and_is_told_once_for_all_its_times() -> None:
    """15.3, 7.1, 6.10"""
    bench = limited(Limits(max_wakes_per_day=1), host=lambda _: Taken())
    bench.call("reminder_add", message="tea", everyHours=1)
    bench.pass_time(hours=49)
    texts = [wake.text or "" for wake in bench.heard]
    assert len(texts) == 2
    assert (
        ", due 2026-01-05T14:00:00+00:00 [UTC], 23 more missed · current time: 2026-01-06T13:00:00"
        in texts[1]
    )


# Beats


def test_of_beats_that_wait_one_comes_and_it_says_how_many_were_not_heard() -> None:
    """15.3, 8.2, 13.1"""
    bench = Bench(limits=Limits(max_wakes_per_day=1), clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalHours=5)
    bench.pass_time(hours=5 + 24 + 1)
    first, second = bench.heard
    assert (first.sent_at, second.sent_at) == (at("17:00"), at("17:00", day=6) + A_MOMENT)
    assert second.due == at("22:00")
    assert " · due 2026-01-05T22:00:00+00:00 [UTC] · 3 more not heard" in (second.text or "")


def test_a_beat_that_waits_is_one_that_is_owed_and_outlives_a_policy_that_forbids_it() -> None:
    """15.3, 8.2: it came due while wakes were deliverable."""
    bench = Bench(limits=TWO_AN_HOUR, clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalMinutes=10)
    bench.pass_time(minutes=35)
    bench.deny()
    bench.pass_time(minutes=60)
    assert len(bench.heard) == 2
    bench.allow()
    assert bench.heard[-1].due == at("12:30")
    assert bench.heard[-1].sent_at == at("13:35")


def test_a_beat_takes_its_turn_among_the_reminders_by_due_time() -> None:
    """15.3"""
    bench = Bench(limits=Limits(max_wakes_per_hour=1), clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalMinutes=30, message="beat")
    remind(bench, "12:05", "12:20", "12:25", "12:40", "12:45")
    bench.pass_time(hours=4, minutes=6)
    assert words(bench.heard) == ["12:05", "12:20", "12:25", "beat", "12:40"]


def test_beats_and_reminders_do_not_starve_each_other_whatever_the_host_refuses() -> None:
    """15.3, 7.4"""

    def refuses_beats(wake: Wake) -> Answer:
        return Refused("no") if wake.reminder_id is None else Taken()

    def refuses_reminders(wake: Wake) -> Answer:
        return Taken() if wake.reminder_id is None else Refused("no")

    for host, kind in ((refuses_beats, "reminder"), (refuses_reminders, "beat")):
        bench = Bench(limits=Limits(max_wakes_per_hour=1), clock=FakeClock(NOW), host=host)
        bench.call("heartbeat_configure", intervalHours=3, message="beat")
        for _ in range(5):
            bench.call("reminder_add", message="reminder", everyHours=2)
        bench.pass_time(hours=24 * 7)
        assert words(bench.heard).count(kind) > 20


def test_what_is_tried_again_takes_turns_by_how_often_it_was_tried() -> None:
    """15.3: of beats and reminders alike, so that all wakes are not spent on one that the host refuses."""
    bench = limited(Limits(max_wakes_per_hour=1), host=lambda _: Refused("no"))
    bench.call("heartbeat_configure", intervalHours=1000, message="beat", paused=False)
    bench.call("heartbeat_trigger")
    bench.call("reminder_add", message="tea", inMinutes=1)
    bench.pass_time(hours=6, minutes=5)
    assert words(bench.sent()) == ["beat", "tea", "beat", "tea", "beat", "tea", "beat"]


def test_tries_of_a_beat_that_was_not_taken_wait_too() -> None:
    """15.3, 4.14"""
    bench = limited(TWO_AN_HOUR, host=lambda _: Refused("not now"))
    bench.call("heartbeat_configure", paused=False, intervalHours=200)
    bench.call("heartbeat_trigger")
    bench.pass_time(hours=10)
    sent = [wake.sent_at for wake in bench.sent()]
    assert sent[:3] == [NOW, NOW + MINUTE, NOW + HOUR + A_MOMENT]
    assert most_within(HOUR, sent) == 2


def test_the_second_try_of_a_silent_beat_counts_and_waits() -> None:
    """15.3, 6.11"""
    bench = limited(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_configure", deliveryMode="silent", paused=False, intervalHours=5)
    bench.call("heartbeat_trigger")
    (silent,) = bench.sent()
    bench.refuse(silent, "no content", code=-32602)
    assert not bench.sent()
    bench.pass_time(hours=1, seconds=1)
    (again,) = bench.sent()
    assert again.origin["silentFallback"] is True
    assert again.sent_at == NOW + HOUR + A_MOMENT


def test_a_second_try_that_waited_until_the_next_beat_gives_way_to_it() -> None:
    """15.3: of beats that wait one comes."""
    bench = limited(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_configure", deliveryMode="silent", paused=False, intervalMinutes=40)
    bench.call("heartbeat_trigger")
    (silent,) = bench.sent()
    bench.refuse(silent, "no content", code=-32602)
    bench.pass_time(hours=2)
    wakes = bench.sent()
    assert [("silent" in wake.origin, wake.sent_at) for wake in wakes] == [(True, NOW + HOUR + A_MOMENT)]


def test_a_beat_that_was_owed_once_is_in_no_second_tries_way() -> None:
    """6.11, 8.2"""
    bench = Bench(clock=FakeClock(NOW), policy=Policy())
    bench.call("heartbeat_configure", intervalMinutes=10, deliveryMode="silent")
    bench.pass_time(minutes=15)
    bench.call("heartbeat_configure", intervalMinutes=20)  # what was owed is gone
    bench.allow()
    bench.call("heartbeat_trigger")
    (silent,) = bench.sent()
    bench.refuse(silent, "no content", code=-32602)
    (again,) = bench.sent()
    assert again.origin["silentFallback"] is True


# Quiet hours


def test_what_is_due_in_quiet_hours_waits_for_their_end() -> None:
    """15.3"""
    bench = limited(Limits(quiet_hours="13:00-15:00"), host=lambda _: Taken())
    remind(bench, "12:59", "13:00", "14:00", "15:00")
    bench.pass_time(hours=4)
    assert [wake.sent_at for wake in bench.heard] == [at("12:59"), at("15:00"), at("15:00"), at("15:00")]
    assert words(bench.heard) == ["12:59", "13:00", "14:00", "15:00"]


def test_a_beat_comes_at_the_next_time_that_is_active_and_not_quiet_and_its_times_count_from_there() -> None:
    """15.3, 12.2"""
    bench = Bench(limits=Limits(quiet_hours="22:00-09:00"), clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalHours=7, activeHours="08:00-23:00")
    bench.pass_time(hours=40)
    assert [wake.sent_at for wake in bench.heard] == [
        at("19:00"),
        at("09:00", day=6),
        at("16:00", day=6),
    ]
    assert all("due" not in (wake.text or "") for wake in bench.heard)
    saved = bench.schedule_store.saved
    assert saved is not None
    assert saved.next_beat == at("09:00", day=7)


@pytest.mark.parametrize("policy", [Policy.open(), Policy()])
def test_a_late_beat_whose_turn_comes_in_quiet_hours_is_moved_to_their_end(policy: Policy) -> None:
    """12.2, 15.3: also one that is owed until the host's policy comes."""
    store, limits = MemoryScheduleStore(), Limits(quiet_hours="22:00-07:00")
    bench = Bench(limits=limits, clock=FakeClock(NOW), schedule_store=store, policy=policy)
    bench.call("heartbeat_configure", intervalHours=9)
    bench.heartbeat.stop()
    bench.clock.advance(timedelta(hours=12))
    bench.start()
    bench.clock.settle()
    bench.allow()
    assert not bench.sent()
    assert store.saved is not None
    assert store.saved.next_beat == at("07:00", day=6)
    bench.pass_time(hours=7)
    (wake,) = bench.sent()
    assert "due" not in (wake.text or "")


def test_an_asked_for_beat_keeps_its_instant_and_waits_for_the_end_of_quiet_hours() -> None:
    """12.3, 15.3, 13.1"""
    bench = Bench(limits=Limits(quiet_hours="13:00-15:00"), clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", nextInHours=2)
    bench.pass_time(hours=2)
    assert bench.heartbeat.schedule.next_beat == at("14:00")
    bench.restart()
    bench.pass_time(hours=1)
    (wake,) = bench.heard
    assert (wake.due, wake.sent_at) == (at("14:00"), at("15:00"))
    assert "due 2026-01-05T14:00:00" in (wake.text or "")


def test_a_beat_that_waits_for_a_budget_into_inactive_hours_comes_at_the_next_opening() -> None:
    """12.2, 15.3"""
    bench = Bench(limits=Limits(max_wakes_per_hour=1), clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalMinutes=90, activeHours="08:00-14:00")
    remind(bench, "13:20")
    bench.pass_time(hours=24)
    beats = [wake.sent_at for wake in bench.heard if wake.reminder_id is None]
    assert beats[0] == at("08:00", day=6)


def test_both_kinds_of_limits_are_waited_for_one_after_the_other() -> None:
    """15.3: a budget that is free again in quiet hours lets nothing leave before their end."""
    bench = limited(Limits(max_wakes_per_hour=1, quiet_hours="13:00-15:00"), host=lambda _: Taken())
    remind(bench, "12:30", "12:40")
    bench.pass_time(minutes=35)
    assert "waiting until 2026-01-05T15:00:00+00:00 [UTC] (quiet-hours" in bench.call("heartbeat_status").text
    bench.pass_time(hours=4)
    assert [wake.sent_at for wake in bench.heard] == [at("12:30"), at("15:00")]


# Clocks


def test_a_time_later_than_now_counts_as_now() -> None:
    """15.3: a clock set back by days holds wakes for one window, and not for days."""
    bench = limited(TWO_AN_HOUR, host=lambda _: Taken())
    remind(bench, "12:10", "12:20")
    bench.pass_time(minutes=30)
    bench.clock.set(NOW - timedelta(days=3))
    bench.call("reminder_add", message="tea", inMinutes=1)
    bench.pass_time(hours=2)
    assert bench.heard[-1].sent_at == NOW - timedelta(days=3) + HOUR + A_MOMENT


def test_after_a_suspend_the_wakes_of_before_it_are_out_of_the_window() -> None:
    """15.3, 5.2"""
    bench = limited(TWO_AN_HOUR, host=lambda _: Taken())
    remind(bench, "12:10", "12:20", "12:30")
    bench.pass_time(minutes=31)
    bench.clock.suspend(2 * HOUR)
    assert len(bench.heard) == 3


# Restarts


def test_after_a_restart_the_wakes_in_the_history_count() -> None:
    """15.3"""
    history = WrittenHistory(NOW - 50 * MINUTE, NOW - 40 * MINUTE)
    bench = limited(TWO_AN_HOUR, history=history, host=lambda _: Taken())
    remind(bench, "12:01")
    bench.pass_time(hours=1)
    assert [wake.sent_at for wake in bench.heard] == [NOW + 10 * MINUTE + A_MOMENT]


def test_lines_without_a_wake_do_not_count_nor_those_out_of_the_window() -> None:
    """15.3, 14.1"""
    history = WrittenHistory(NOW - HOUR - A_MOMENT)
    history.lines += [line(None, at=NOW - MINUTE)] * 5
    bench = limited(Limits(max_wakes_per_hour=1), history=history, host=lambda _: Taken())
    remind(bench, "12:01")
    bench.pass_time(minutes=2)
    assert len(bench.heard) == 1


def test_a_wake_that_was_answered_late_counts_from_when_it_was_sent() -> None:
    """15.3"""
    history = WrittenHistory()
    history.lines.append(line(NOW - 70 * MINUTE, at=NOW - 10 * MINUTE))
    bench = limited(Limits(max_wakes_per_hour=1), history=history, host=lambda _: Taken())
    remind(bench, "12:01")
    bench.pass_time(minutes=2)
    assert len(bench.heard) == 1


def test_history_from_after_now_counts_as_now() -> None:
    """15.3: the clock was set back while no server ran."""
    history = WrittenHistory(NOW + timedelta(days=300))
    bench = limited(Limits(max_wakes_per_hour=1), history=history, host=lambda _: Taken())
    remind(bench, "12:01")
    bench.pass_time(hours=2)
    assert [wake.sent_at for wake in bench.heard] == [NOW + HOUR + A_MOMENT]


@pytest.mark.parametrize(
    ("limits", "read"),
    [(Limits(max_wakes_per_hour=2), 68), (Limits(max_wakes_per_day=20), 104), (Limits(), 0)],
)
def test_no_more_history_is_read_than_budgets_can_hold(limits: Limits, read: int) -> None:
    """15.3: with room for late answers and for lines in another order; none where there is no budget."""
    history = WrittenHistory(*(NOW - MINUTE * count for count in range(10_000, 0, -1)))
    limited(limits, history=history)
    assert history.read == read


def test_a_history_that_raises_is_said_and_costs_no_wake() -> None:
    """9.7, 15.3"""

    class Broken(WrittenHistory):
        def newest_first(self):  # type: ignore[no-untyped-def]
            raise RuntimeError("no table")

    bench = limited(TWO_AN_HOUR, history=Broken(), host=lambda _: Taken())
    remind(bench, "12:01")
    bench.pass_time(minutes=2)
    assert len(bench.heard) == 1
    assert any("history cannot be read" in each for each in bench.log.lines)


# What was saved before


def test_a_schedule_saved_before_runs_at_the_limit_and_stays_as_it_was() -> None:
    """15.2"""
    bench = Bench(clock=FakeClock(NOW), host=lambda _: Taken())
    bench.call("heartbeat_configure", intervalMinutes=1)
    limited_one = Bench(
        limits=Limits(min_interval=15 * MINUTE),
        clock=FakeClock(NOW),
        schedule_store=bench.schedule_store,
        host=lambda _: Taken(),
    )
    limited_one.pass_time(hours=1)
    assert [wake.sent_at for wake in limited_one.heard] == [
        at("12:01"),
        at("12:16"),
        at("12:31"),
        at("12:46"),
    ]
    assert limited_one.schedule_store.saved is not None
    assert limited_one.schedule_store.saved.interval == MINUTE


def _saved_with_a_minute() -> MemoryScheduleStore:
    bench = Bench(clock=FakeClock(NOW))
    bench.call("heartbeat_configure", intervalMinutes=1)
    return bench.schedule_store


def test_a_countdown_begun_anew_is_that_of_the_limit() -> None:
    """15.2"""
    bench = limited(Limits(min_interval=15 * MINUTE), schedule_store=_saved_with_a_minute())
    bench.call("heartbeat_configure", paused=False)
    assert bench.heartbeat.schedule.next_beat == at("12:15")


def test_beats_that_passed_are_counted_at_the_limit() -> None:
    """15.2, 13.1"""
    bench = Bench(
        limits=Limits(min_interval=15 * MINUTE),
        clock=FakeClock(NOW),
        schedule_store=_saved_with_a_minute(),
        host=lambda _: Taken(),
    )
    bench.clock.suspend(HOUR)
    (wake,) = bench.heard
    assert "3 more not heard" in (wake.text or "")


def test_a_clock_set_back_brings_a_beat_near_at_the_limit_and_out_of_quiet_hours() -> None:
    """5.2, 15.3"""
    bench = Bench(limits=Limits(quiet_hours="12:30-15:00"), clock=FakeClock(NOW + 12 * HOUR))
    bench.call("heartbeat_configure", intervalHours=1)
    bench.clock.set(NOW)
    assert bench.heartbeat.schedule.next_beat == at("15:00")


def test_a_reminder_saved_before_runs_at_the_limit_and_its_row_stays_as_it_was() -> None:
    """15.2"""
    store = MemoryReminderStore([Reminder("r", "tea", NOW - HOUR, NOW + MINUTE, Interval(5 * SECOND))])
    bench = limited(Limits(min_interval=15 * MINUTE), reminder_store=store, host=lambda _: Taken())
    bench.pass_time(minutes=40)
    assert [wake.sent_at for wake in bench.heard] == [at("12:01"), at("12:16"), at("12:31")]
    assert "repeats every 900s" in (bench.heard[0].text or "")
    bench.heartbeat.stop()
    saved = store.saved["r"]
    assert (saved.recurrence, saved.due) == (Interval(5 * SECOND), at("12:46"))


def test_reminders_beyond_the_most_are_all_kept() -> None:
    """15.2"""
    store = MemoryReminderStore([Reminder(f"r{n}", "tea", NOW - HOUR, NOW + HOUR) for n in range(5)])
    bench = limited(Limits(max_reminders=2), reminder_store=store, host=lambda _: Taken())
    assert len(bench.heartbeat.reminders) == 5
    bench.pass_time(hours=1)
    assert len(bench.heard) == 5


def test_a_reminder_that_waits_has_a_line_of_history_that_says_until_when_once() -> None:
    """14.1, 15.3"""
    history = MemoryHistory()
    bench = limited(Limits(quiet_hours="22:00-07:00"), history=history, host=lambda _: Taken())
    bench.call("reminder_add", message="tea", atIso="2026-01-05T23:30")
    bench.call("reminder_add", message="coffee", atIso="2026-01-06T02:00")
    bench.pass_time(hours=15)
    bench.call("reminder_list")
    bench.pass_time(hours=4)
    assert [(line.reminder_id, line.ending, line.at, line.to) for line in history.lines] == [
        ("rem_1", Ending.MOVED, at("23:30"), at("07:00", 6)),
        ("rem_2", Ending.MOVED, at("02:00", 6), at("07:00", 6)),
        ("rem_1", Ending.TAKEN, at("07:00", 6), None),
        ("rem_2", Ending.TAKEN, at("07:00", 6), None),
    ]


def test_reminders_beyond_a_budget_have_their_lines_as_they_begin_to_wait() -> None:
    """14.1, 15.3"""
    history = MemoryHistory()
    bench = limited(Limits(max_wakes_per_hour=2), history=history, host=lambda _: Taken())
    for _ in range(5):
        bench.call("reminder_add", message="tea", inMinutes=10)
    bench.pass_time(hours=4)
    told = [(line.reminder_id, line.ending.value) for line in history.lines]
    assert [line for line in told if line[1] == "moved"] == [(f"rem_{n}", "moved") for n in (3, 4, 5)]
    assert sorted(line for line in told if line[1] == "taken") == [(f"rem_{n}", "taken") for n in range(1, 6)]


def test_what_is_tried_again_is_heard_also_where_new_firings_could_take_every_wake() -> None:
    """15.3: neither starves the other."""
    refused: list[str] = []

    def host(wake: Wake) -> Answer:
        first = wake.reminder_id == "rem_1" and not refused
        refused.append(wake.event_id)
        return Refused("not now") if first else Taken()

    bench = limited(Limits(max_wakes_per_hour=4), host=host)
    bench.call("reminder_add", message="once", inMinutes=1)
    for _ in range(3):
        bench.call("reminder_add", message="often", everyMinutes=2)
    bench.pass_time(hours=3)
    assert "rem_1" in {wake.reminder_id for wake in bench.heard}
