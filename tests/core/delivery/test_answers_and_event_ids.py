"""What the host may answer, and which event id each attempt carries: 4.11, 4.12."""

from __future__ import annotations

import pytest
from on_the_bench import HOUR, NOW, SeenIds, add, held, only, only_due, takes, with_one_out

from heartbeat_adapters.testing import Bench
from heartbeat_core.wakes import Answer, Failed, Refused, Taken


@pytest.mark.parametrize(
    "answer", [Refused("not now"), Refused("stopping", -32603), Failed("the pipe broke")], ids=str
)
def test_a_refusal_or_failure_holds_the_reminder_with_its_reason_and_time(answer: Answer) -> None:
    """4.11, 7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=5)
    bench.answer(wake, answer)
    listed = bench.call("reminder_list").text
    assert f"held since 2026-01-01T00:00:05+00:00 [UTC]: {answer}" in listed


def test_a_duplicate_counts_as_taken() -> None:
    """4.11"""
    bench, wake = with_one_out()
    bench.refuse(wake, "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_an_error_that_says_duplicate_does_not_count_as_taken() -> None:
    """4.11: only `accepted: false` with that reason does"""
    bench, wake = with_one_out()
    bench.refuse(wake, "duplicate", -32602)
    assert len(bench.heartbeat.reminders) == 1


def test_an_id_that_the_host_refused_and_used_up_is_replaced() -> None:
    """4.11"""
    bench, first = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.refuse(second, "duplicate")
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    assert second.event_id == first.event_id
    assert third.event_id != first.event_id


def test_an_id_that_was_used_up_stays_replaced_over_a_restart() -> None:
    """4.11, 4.12: from the file alone"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    assert only(bench.sent()).event_id == third.event_id


def test_a_host_that_uses_refused_ids_up_lets_the_agent_hear_each_reminder_once() -> None:
    """4.11"""
    host = SeenIds(uses_up_refused=True)
    bench = Bench(host=host)
    bench.call("heartbeat_configure", paused=True)
    host.refuses = True
    add(bench, inSeconds=1)
    add(bench, inSeconds=1, everyHours=1)
    bench.pass_time(minutes=2)
    host.refuses = False
    bench.pass_time(hours=3)
    heard = [wake.reminder_id for wake in host.heard]
    assert heard.count("rem_1") == 1
    assert heard.count("rem_2") == 4


def test_a_recurring_reminder_keeps_its_phase_after_its_id_was_replaced() -> None:
    """4.11, 7.2"""
    bench, _ = held(HOUR)
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=4)
    bench.take(only(bench.sent()))
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_duplicate_after_an_attempt_that_nobody_refused_counts_as_taken() -> None:
    """4.11: the host may have taken the one that it did not answer"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    bench.sent()
    bench.pass_time(minutes=4)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_a_duplicate_after_a_restart_counts_as_taken_though_this_process_was_refused() -> None:
    """4.11: not every attempt was sent by this process"""
    bench, _ = with_one_out()
    bench.crash()
    bench.start()
    bench.clock.settle()
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_a_late_refusal_counts_when_it_comes_to_whether_the_id_was_used_up() -> None:
    """4.11, 7.3: it changes nothing else"""
    bench, first = with_one_out()
    bench.pass_time(seconds=40)
    bench.refuse(first)
    bench.pass_time(seconds=50)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 1


def test_a_late_duplicate_of_a_used_up_id_does_not_count_as_taken() -> None:
    """4.11"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    bench.refuse(second, "duplicate")
    bench.refuse(third, "duplicate")
    assert len(bench.heartbeat.reminders) == 1


def test_every_attempt_at_one_firing_carries_the_same_id() -> None:
    """4.12"""
    bench, first = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.restart()
    bench.clock.settle()
    third = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    fourth = only(bench.sent())
    assert {first.event_id} == {wake.event_id for wake in (second, third, fourth)}


def test_each_firing_of_a_recurring_reminder_has_an_id_of_its_own() -> None:
    """4.12"""
    bench = Bench(host=takes)
    add(bench, everySeconds=5)
    bench.pass_time(minutes=5)
    ids = [wake.event_id for wake in bench.heard]
    assert len(set(ids)) == len(ids) == 60


def test_a_clock_set_back_repeats_no_id() -> None:
    """4.12, 5.2: also where it is set back by whole intervals, again and again"""
    host = SeenIds()
    bench = Bench(host=host)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=1)
    for _ in range(10):
        bench.pass_time(hours=3)
        bench.clock.set(bench.clock.now() - 2 * HOUR)
    ids = [wake.event_id for wake in bench.transport.wakes]
    assert len(host.heard) == len(ids) == len(set(ids))
    assert len(ids) >= 20


def test_a_wake_that_is_taken_after_the_clock_was_set_back_behind_it_repeats_no_id() -> None:
    """4.12, 5.2: one interval from then is the very time whose id the host has"""
    bench, wake = with_one_out(HOUR)
    bench.clock.set(NOW - 2 * HOUR)
    bench.pass_time(hours=1)
    bench.take(wake)
    assert only_due(bench) == NOW + HOUR / 3_600_000


def test_a_beat_passes_its_id_on_when_nobody_answers_it() -> None:
    """4.12: scheduled or triggered"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=30)
    bench.call("heartbeat_trigger")
    second = only(bench.sent())
    bench.pass_time(hours=4)
    third = bench.sent()[-1]
    assert third.origin["reason"] == "schedule"
    assert first.event_id == second.event_id == third.event_id


def test_a_beat_does_not_pass_its_id_on_within_30_seconds() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    bench.pass_time(seconds=29.999)
    bench.call("heartbeat_trigger")
    first, second = bench.sent()
    assert first.event_id != second.event_id


@pytest.mark.parametrize("answer", [Taken(), Refused("no"), Refused("duplicate")], ids=str)
def test_a_beat_that_was_answered_passes_nothing_on_however_late(answer: Answer) -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.answer(first, answer)
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).event_id != first.event_id


def test_a_late_answer_to_one_beat_does_not_swallow_the_third() -> None:
    """4.12: the second carries the first one's id; once the host has that id, the third must not"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.call("heartbeat_trigger")
    second = only(bench.sent())
    bench.take(first)
    bench.pass_time(seconds=31)
    bench.call("heartbeat_trigger")
    third = only(bench.sent())
    assert first.event_id == second.event_id
    assert third.event_id != first.event_id


def test_a_host_that_was_held_up_all_night_hears_one_beat() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_configure", intervalMinutes=1)
    bench.pass_time(hours=12)
    wakes = bench.sent()
    assert len(wakes) == 720
    assert len({wake.event_id for wake in wakes}) == 1


def test_a_restart_starts_beats_afresh() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.restart()
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).event_id != first.event_id
