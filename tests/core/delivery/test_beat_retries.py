"""A beat that was not taken is tried again: 4.14, and what 4.11, 4.12 and 6.11 say of its event ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.testing import Bench
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
EMPTY = Refused("payload.content must not be empty", -32602)


def only(wakes: list[Wake]) -> Wake:
    (wake,) = wakes
    return wake


def tries(bench: Bench) -> list[float]:
    """When the wakes that were sent left, in minutes since `NOW`."""
    return [(wake.sent_at - NOW) / MINUTE for wake in bench.sent()]


def triggered(host: Callable[[Wake], Answer | None] | None = None, **configure: object) -> Bench:
    """A bench at `NOW` with one triggered beat that was sent, its next beat an interval away."""
    bench = Bench(host=host)
    bench.call("heartbeat_configure", **{"intervalHours": 3.9, **configure})
    bench.call("heartbeat_trigger")
    return bench


def busy(_: Wake) -> Answer:
    return Refused("busy")


@pytest.mark.parametrize("answer", [Refused("busy"), Refused("stopping", -32603), Failed("broken")], ids=str)
def test_a_beat_that_was_not_taken_is_tried_again_until_the_next_one_is_due(answer: Answer) -> None:
    """4.14: after 1, 5, 15 and 60 minutes and hourly from there"""
    bench = triggered(lambda _: answer)
    bench.pass_time(hours=3.9)
    assert tries(bench) == [0, 1, 5, 15, 60, 120, 180, 234]


def test_a_beat_without_an_answer_is_tried_again_from_when_it_was_given_up() -> None:
    """4.14"""
    bench = triggered()
    bench.pass_time(minutes=6)
    assert tries(bench) == [0, 1.5, 5.5]


def test_a_beat_of_the_schedule_is_tried_again_like_a_triggered_one() -> None:
    """4.14: and keeps saying that it is one of the schedule"""
    bench = Bench(host=busy)
    bench.pass_time(hours=4, minutes=5)
    wakes = bench.sent()
    assert [wake.sent_at - NOW for wake in wakes] == [4 * HOUR, 4 * HOUR + MINUTE, 4 * HOUR + 5 * MINUTE]
    assert {wake.origin["reason"] for wake in wakes} == {"schedule"}


def test_the_tries_end_when_one_is_taken() -> None:
    """4.14"""
    answers = iter([Refused("busy"), Refused("busy")])
    bench = triggered(lambda _: next(answers, Taken()))
    bench.pass_time(hours=3)
    assert tries(bench) == [0, 1, 5]


def test_a_late_taken_ends_the_tries() -> None:
    """4.14: the agent has heard it"""
    bench = triggered()
    first = only(bench.sent())
    bench.pass_time(seconds=40)
    bench.take(first)
    bench.pass_time(hours=3)
    assert bench.sent() == []


def test_a_late_taken_ends_the_tries_also_while_one_is_out() -> None:
    """4.14"""
    bench = triggered()
    first = only(bench.sent())
    bench.pass_time(seconds=100)
    assert len(bench.sent()) == 1
    bench.take(first)
    bench.pass_time(hours=3)
    assert bench.sent() == []


def test_a_late_refusal_leaves_the_tries_as_they_are() -> None:
    """4.14, 7.3"""
    bench = triggered()
    bench.pass_time(seconds=40)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    assert tries(bench) == [1.5]


def test_the_next_beat_ends_the_tries_of_the_last() -> None:
    """4.14: a triggered one too"""
    bench = triggered(busy)
    bench.pass_time(seconds=30)
    bench.call("heartbeat_trigger")
    bench.pass_time(minutes=2)
    assert tries(bench) == [0, 0.5, 1.5]


@pytest.mark.parametrize(
    "calls",
    [
        [{"paused": True}],
        [{"paused": True}, {"paused": False}],
        [{"intervalHours": 3}],
    ],
    ids=str,
)
def test_a_pause_and_a_new_interval_end_the_tries(calls: list[dict[str, object]]) -> None:
    """4.14"""
    bench = triggered(busy)
    bench.sent()
    for arguments in calls:
        bench.call("heartbeat_configure", **arguments)
    bench.pass_time(hours=2)
    assert bench.sent() == []


def test_another_change_leaves_the_tries_alone_and_they_say_what_is_new() -> None:
    """4.14"""
    bench = triggered(busy)
    bench.sent()
    bench.call("heartbeat_configure", message="new words", intervalHours=3.9)
    bench.pass_time(minutes=1)
    assert str(only(bench.sent()).text).endswith("] new words")


def test_a_change_of_the_interval_by_something_else_ends_the_tries() -> None:
    """4.14, 8.8"""
    bench = triggered(busy)
    bench.sent()
    schedule = replace(bench.heartbeat.schedule, interval=3 * HOUR, next_beat=NOW + 3 * HOUR)
    bench.schedule_store.edit(schedule)
    bench.pass_time(hours=2)
    assert bench.sent() == []


def test_a_triggered_beat_is_not_tried_again_while_paused() -> None:
    """4.14"""
    bench = triggered(busy, paused=True)
    bench.pass_time(hours=5)
    assert tries(bench) == [0]


def test_no_try_is_made_while_no_wake_is_deliverable_and_the_one_after_it_is() -> None:
    """4.14"""
    bench = triggered(busy)
    bench.deny()
    bench.pass_time(minutes=2)
    bench.allow()
    bench.pass_time(minutes=5)
    assert tries(bench) == [0, 5]


def test_a_try_that_came_due_in_suspend_is_made_at_once_unless_the_next_beat_is_due_too() -> None:
    """4.14, 5.2"""
    bench = triggered(busy)
    bench.clock.suspend(HOUR)
    assert tries(bench) == [0, 60]
    bench.clock.suspend(9 * HOUR)
    assert tries(bench) == [600]


def test_a_clock_set_back_puts_no_try_off() -> None:
    """4.14, 5.2"""
    bench = triggered(busy)
    bench.pass_time(minutes=2)
    bench.sent()
    bench.clock.set(NOW - HOUR)
    bench.pass_time(minutes=20)
    assert [minutes + 60 for minutes in tries(bench)] == [3, 13]


def test_a_clock_set_back_while_a_try_is_out_puts_the_next_one_off_no_further() -> None:
    """4.14, 5.2"""
    answers = iter([Refused("busy"), None])
    bench = triggered(lambda _: next(answers, Refused("busy")))
    bench.pass_time(minutes=1)
    *_, out = bench.sent()
    bench.clock.set(bench.clock.now() - 2 * HOUR)
    bench.heartbeat.answered(out, Refused("busy"))
    bench.pass_time(minutes=4)
    assert tries(bench) == [-115]


@pytest.mark.parametrize(
    "change", [{"nextInHours": 2}, {"nextInHours": 9}, {"activeHours": "00:00-03:00"}], ids=str
)
def test_another_time_of_the_next_beat_leaves_the_tries_alone(change: dict[str, object]) -> None:
    """4.14: neither a pause, nor a new interval, nor the next beat"""
    bench = triggered(busy)
    bench.call("heartbeat_configure", **change)
    bench.pass_time(minutes=61)
    assert tries(bench) == [0, 1, 5, 15, 60]


@pytest.mark.parametrize("calls", [[{"paused": True}, {"paused": False}], [{"intervalHours": 3}]], ids=str)
def test_a_pause_and_a_new_interval_end_the_tries_also_while_one_is_out(
    calls: list[dict[str, object]],
) -> None:
    """4.14"""
    bench = triggered()
    for arguments in calls:
        bench.call("heartbeat_configure", **arguments)
    bench.heartbeat.answered(only(bench.sent()), Refused("busy"))
    bench.pass_time(hours=2)
    assert bench.sent() == []


def test_a_next_beat_that_was_dropped_ends_the_tries() -> None:
    """4.14, 4.9"""
    bench = triggered(busy)
    bench.sent()
    bench.pass_time(hours=3.8)
    bench.sent()
    bench.deny()
    bench.pass_time(minutes=10)
    bench.allow()
    bench.pass_time(hours=3)
    assert bench.sent() == []


def test_every_try_carries_the_event_id_of_the_first() -> None:
    """4.12: so a host that drops duplicates lets the agent hear it once"""
    bench = triggered(busy)
    bench.pass_time(hours=3)
    assert len({wake.event_id for wake in bench.sent()}) == 1


def test_a_beat_after_one_that_was_only_refused_carries_an_id_of_its_own() -> None:
    """4.12"""
    bench = triggered(busy)
    bench.pass_time(hours=3.9)
    wakes = bench.sent()
    assert len({wake.event_id for wake in wakes[:-1]}) == 1
    assert wakes[-1].event_id != wakes[0].event_id


def test_a_beat_whose_last_try_got_no_answer_passes_its_id_on() -> None:
    """4.12"""
    bench = triggered()
    first = only(bench.sent())
    bench.pass_time(seconds=30)
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()))
    bench.pass_time(hours=4)
    assert {wake.event_id for wake in bench.sent()} == {first.event_id}


def test_a_duplicate_of_a_beat_that_was_only_refused_means_that_its_id_is_used_up() -> None:
    """4.11: it was not heard, and the next try carries a fresh id"""
    answers: Iterator[Answer] = iter([Refused("busy"), Refused("duplicate"), Taken()])
    bench = triggered(lambda _: next(answers))
    bench.pass_time(hours=3)
    first, second, third = bench.sent()
    assert first.event_id == second.event_id != third.event_id


@pytest.mark.parametrize("first", [None, Failed("broken")], ids=str)
def test_a_duplicate_after_an_attempt_that_the_host_may_have_taken_counts_as_taken(
    first: Answer | None,
) -> None:
    """4.11"""
    answers: Iterator[Answer | None] = iter([first, Refused("duplicate")])
    bench = triggered(lambda _: next(answers))
    bench.pass_time(hours=3)
    assert len(bench.sent()) == 2


def test_a_silent_beat_is_tried_silent_first_each_time() -> None:
    """4.14, 6.11: each of the two with an id of its own, which it keeps"""
    bench = triggered(lambda wake: EMPTY if wake.silent else Refused("busy"), deliveryMode="silent")
    bench.pass_time(minutes=1)
    wakes = bench.sent()
    assert [wake.silent for wake in wakes] == [True, False, True, False]
    assert wakes[0].event_id == wakes[2].event_id
    assert wakes[1].event_id == wakes[3].event_id
    assert wakes[0].event_id != wakes[1].event_id


def test_a_message_in_a_silent_ones_place_that_got_no_answer_is_heard_once() -> None:
    """4.12, 6.11: by a host that has it, though the next try of it comes silent first"""
    seen: set[str] = set()

    def host(wake: Wake) -> Answer | None:
        if wake.silent:
            return EMPTY
        if wake.event_id in seen:
            return Refused("duplicate")
        seen.add(wake.event_id)
        return None

    bench = triggered(host, deliveryMode="silent")
    bench.pass_time(hours=3)
    assert len(seen) == 1
    assert len(bench.sent()) == 4


def test_a_trigger_goes_out_with_the_message_and_mode_of_when_it_was_made() -> None:
    """6.3"""
    bench = Bench()
    bench.call("heartbeat_configure", message="of then")
    bench.sent()
    bench.toolbox.call("heartbeat_trigger", {})
    bench.toolbox.call("heartbeat_configure", {"message": "of later", "deliveryMode": "silent"})
    bench.clock.settle()
    wake = only(bench.sent())
    assert str(wake.text).endswith("] of then")
    assert not wake.silent


def test_a_triggered_beat_leaves_before_what_the_next_line_changes() -> None:
    """6.3: a reduction that comes after it finds it sent"""
    bench = Bench()
    bench.toolbox.call("heartbeat_trigger", {})
    bench.heartbeat.send_triggered()
    bench.heartbeat.policy_requested({})
    assert len(bench.sent()) == 1


def test_a_triggered_beat_leaves_before_the_next_line_also_where_there_is_no_room() -> None:
    """6.3, 2.7: the wakes that nobody asked for wait, and what has room goes on"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.transport.has_room = False
    bench.pass_time(seconds=2)
    bench.toolbox.call("heartbeat_trigger", {})
    bench.heartbeat.send_triggered()
    bench.heartbeat.policy_requested({})
    assert only(bench.sent()).reminder_id is None
    bench.toolbox.call("heartbeat_trigger", {})
    bench.pass_time(seconds=1)
    assert bench.sent() == []


def test_a_trigger_that_a_later_policy_of_its_batch_forbids_is_dropped_and_logged() -> None:
    """2.6, 4.6"""
    bench = Bench()
    bench.toolbox.call("heartbeat_trigger", {})
    bench.deny()
    assert bench.sent() == []
    assert any("suppressed heartbeat push/event" in line for line in bench.log.lines)
