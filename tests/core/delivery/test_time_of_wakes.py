"""When wakes leave, also where a clock is set or the machine sleeps: section 5."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from on_the_bench import HOUR, NOW, SECOND, add, only, takes, waiting_bench, with_one_out

from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.times.moments import AgentZone


def test_a_reminder_fires_at_its_millisecond_and_not_before() -> None:
    """5.2, 5.3"""
    bench = Bench()
    add(bench, inSeconds=1.234)
    bench.pass_time(seconds=1.233)
    assert bench.sent() == []
    bench.pass_time(milliseconds=1)
    assert len(bench.sent()) == 1


def test_beats_and_reminders_go_in_order_of_due_time() -> None:
    """5.2"""
    bench = waiting_bench()
    late = add(bench, inHours=5)
    early = add(bench, inHours=3)
    bench.pass_time(hours=6)
    bench.allow()
    assert [wake.reminder_id for wake in bench.sent()] == [early, None, late]


@pytest.mark.parametrize("suspend", [True, False])
def test_what_came_due_in_suspend_or_by_a_clock_set_forward_fires_once(suspend: bool) -> None:
    """5.2, 7.1"""
    bench = Bench(host=takes)
    add(bench, everyMinutes=1)
    if suspend:
        bench.clock.suspend(3 * HOUR)
    else:
        bench.clock.set(bench.clock.now() + 3 * HOUR)
    assert len(bench.heard) == 1


def test_waiting_for_an_answer_stands_still_in_suspend() -> None:
    """5.2"""
    bench, _ = with_one_out()
    bench.clock.suspend(HOUR)
    assert "not answered yet" in bench.call("reminder_list").text
    bench.pass_time(seconds=30)
    assert "held since" in bench.call("reminder_list").text


def test_a_clock_set_back_does_not_prolong_the_wait_for_an_answer() -> None:
    """5.2"""
    bench, _ = with_one_out()
    bench.clock.set(NOW - HOUR)
    bench.pass_time(seconds=29)
    assert "not answered yet" in bench.call("reminder_list").text
    bench.pass_time(seconds=1)
    assert "not answered yet" not in bench.call("reminder_list").text


@pytest.mark.parametrize("refused", ["before", "after", "never"])
def test_a_one_shot_keeps_its_instant_also_once_it_was_sent(refused: str) -> None:
    """5.2: whatever became of its wake, it is heard at its time by the clock that the agent reads"""
    bench, wake = with_one_out()
    if refused == "before":
        bench.refuse(wake)
    bench.clock.set(NOW - 24 * HOUR)
    if refused == "after":
        bench.refuse(wake)
    bench.pass_time(hours=23)
    assert bench.sent() == []
    bench.pass_time(hours=1)
    (again,) = bench.sent()
    assert (again.sent_at, again.event_id) == (NOW, wake.event_id)


def test_a_recurring_reminder_comes_one_interval_after_the_clock_was_set_back() -> None:
    """5.2: and counts its times from there"""
    bench = Bench(host=takes)
    add(bench, everyHours=1)
    noticed = NOW - 24 * HOUR + SECOND
    bench.clock.set(noticed)
    bench.pass_time(hours=3)
    sent = [wake.sent_at for wake in bench.heard if wake.reminder_id]
    assert sent == [noticed + HOUR, noticed + 2 * HOUR, noticed + 3 * HOUR]


def test_a_beat_comes_one_interval_after_the_clock_was_set_back() -> None:
    """5.2"""
    bench = Bench()
    bench.clock.set(NOW - 24 * HOUR)
    bench.pass_time(hours=4)
    assert only(bench.sent()).sent_at == NOW - 20 * HOUR


def test_a_one_shot_keeps_its_instant_when_the_clock_is_set_back() -> None:
    """5.2"""
    bench = Bench()
    bench.call("heartbeat_configure", paused=True)
    add(bench, inHours=1)
    bench.clock.set(NOW - 24 * HOUR)
    bench.pass_time(hours=24)
    assert bench.sent() == []
    bench.pass_time(hours=1)
    assert len(bench.sent()) == 1


def test_a_first_time_far_ahead_is_not_brought_near_by_a_small_step_back() -> None:
    """5.2: only what the clock has put more than an interval away"""
    bench = Bench()
    add(bench, inHours=100, everyHours=1)
    bench.clock.set(NOW - HOUR)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + 100 * HOUR


def test_a_beat_that_was_triggered_goes_out_though_the_clock_was_set_back_before() -> None:
    """6.3"""
    bench = Bench()
    bench.transport.has_room = False
    bench.call("heartbeat_trigger")
    bench.clock.set(NOW - HOUR)
    bench.transport.has_room = True
    bench.heartbeat.transport_ready()
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_clock_change_of_the_agent_zone_moves_no_interval() -> None:
    """5.2"""
    zone = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
    clock = FakeClock(datetime(2026, 3, 28, 12, tzinfo=UTC))
    bench = Bench(host=takes, zone=zone, clock=clock)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=24)
    bench.pass_time(hours=48)
    first, second = bench.heard
    assert second.sent_at - first.sent_at == 24 * HOUR


def test_a_reminder_in_the_last_year_there_is_does_no_harm() -> None:
    """6.8"""
    bench = Bench(host=takes)
    add(bench, atIso="9999-12-31T23:59:59Z")
    add(bench, atIso="9999-01-01", everyHours=876_600)
    bench.pass_time(hours=8)
    assert len(bench.heard) == 2


def test_an_idle_server_has_its_timer_at_the_next_thing_to_do() -> None:
    """5.4"""
    bench = Bench()
    assert bench.clock.next_due() == NOW + 4 * HOUR
    bench.call("heartbeat_configure", paused=True)
    assert bench.clock.next_due() is None


def test_no_timer_runs_while_nothing_can_be_done_about_what_is_due() -> None:
    """5.4: no room, with everything due"""
    bench = Bench()
    bench.transport.has_room = False
    add(bench, everySeconds=5)
    bench.pass_time(hours=5)
    assert bench.sent() == []
    due = bench.clock.next_due()
    assert due is None or due > bench.clock.now()
