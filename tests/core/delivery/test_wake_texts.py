"""What a wake says and carries: 4.10, 4.13, 6.10."""

from __future__ import annotations

import pytest
from on_the_bench import HOUR, NOW, SECOND, add, held, only, waiting_bench

from heartbeat_adapters.testing import Bench


def test_a_beat_of_the_schedule_says_the_time_and_the_message() -> None:
    """4.10, 6.10"""
    bench = Bench()
    bench.call("heartbeat_configure", message="look around")
    bench.pass_time(hours=4)
    wake = only(bench.sent())
    assert wake.text == "[current time: 2026-01-01T04:00:00+00:00 [UTC]] look around"
    assert wake.origin == {"source": "heartbeat", "reason": "schedule"}
    assert wake.sent_at == NOW + 4 * HOUR


def test_a_triggered_beat_says_so_in_its_origin() -> None:
    """4.10, 6.3"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).origin == {"source": "heartbeat", "reason": "manual"}


def test_a_triggered_beat_comes_while_paused_and_leaves_the_countdown() -> None:
    """6.3"""
    bench = Bench()
    bench.pass_time(hours=1)
    bench.call("heartbeat_trigger")
    assert bench.heartbeat.schedule.next_beat == NOW + 4 * HOUR
    bench.call("heartbeat_configure", paused=True)
    bench.call("heartbeat_trigger")
    assert len(bench.sent()) == 2


def test_a_one_shot_says_when_it_was_set() -> None:
    """4.10, 6.10"""
    bench = Bench()
    reminder_id = add(bench, inSeconds=59)
    bench.pass_time(seconds=59)
    wake = only(bench.sent())
    assert wake.text == (
        f"[reminder {reminder_id}, set 2026-01-01T00:00:00+00:00 [UTC]"
        " · current time: 2026-01-01T00:00:59+00:00 [UTC]] tea"
    )
    assert wake.origin == {"source": "reminder", "reminderId": reminder_id, "recurring": False}


def test_a_recurring_one_says_how_often_it_comes() -> None:
    """4.10, 6.10"""
    bench = Bench()
    reminder_id = add(bench, everySeconds=90)
    bench.pass_time(seconds=90)
    wake = only(bench.sent())
    assert str(wake.text).startswith(f"[reminder {reminder_id}, repeats every 90s · current time: ")
    assert wake.origin["recurring"] is True


@pytest.mark.parametrize(("late", "says_due"), [(59.999, False), (60, True)])
def test_one_that_fires_a_minute_late_says_when_it_was_due(late: float, says_due: bool) -> None:
    """6.10"""
    bench = waiting_bench()
    add(bench, inSeconds=1)
    bench.pass_time(seconds=1 + late)
    bench.allow()
    text = str(only(bench.sent()).text)
    assert (", due 2026-01-01T00:00:01+00:00 [UTC] · " in text) is says_due


def test_each_attempt_says_the_time_of_its_own_sending() -> None:
    """4.13"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    again = only(bench.sent())
    assert again.sent_at == NOW + 60 * SECOND
    assert "current time: 2026-01-01T00:01:00" in str(again.text)
