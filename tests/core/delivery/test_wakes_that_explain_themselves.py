"""What a beat says beside the time where not all went as planned: section 13."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.testing import Bench
from heartbeat_core.policy import Policy
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
EMPTY = Refused("payload.content must not be empty", -32602)


def only(wakes: list[Wake]) -> Wake:
    (wake,) = wakes
    return wake


def bench_with(interval_hours: float = 1, **more: object) -> Bench:
    bench = Bench(**more)  # type: ignore[arg-type]
    bench.call("heartbeat_configure", intervalHours=interval_hours, message="look around")
    bench.sent()
    return bench


def header(wake: Wake) -> str:
    text = wake.text
    assert text is not None
    return text.partition("] look around")[0].removeprefix("[")


def parts(wake: Wake) -> list[str]:
    """What the header says after the time."""
    return header(wake).split(" · ")[1:]


def test_a_beat_without_news_is_byte_for_byte_what_it_was() -> None:
    """13.1, 6.10"""
    bench = bench_with()
    bench.pass_time(hours=1)
    assert only(bench.sent()).text == "[current time: 2026-01-01T01:00:00+00:00 [UTC]] look around"


def test_a_beat_that_comes_late_says_when_it_was_due_and_what_passed_meanwhile() -> None:
    """13.1: the machine slept for five hours and a half"""
    bench = bench_with()
    bench.clock.suspend(5.5 * HOUR)
    assert parts(only(bench.sent())) == ["due 2026-01-01T01:00:00+00:00 [UTC]", "4 more not heard"]


def test_less_than_a_minute_late_is_no_news() -> None:
    """13.1"""
    bench = bench_with()
    bench.clock.suspend(HOUR + timedelta(seconds=59))
    assert parts(only(bench.sent())) == []


def test_beats_that_a_policy_forbade_are_counted() -> None:
    """13.1, 4.9"""
    bench = bench_with()
    bench.deny()
    bench.pass_time(hours=3)
    bench.allow()
    bench.pass_time(hours=1)
    assert parts(only(bench.sent())) == ["3 more not heard"]


@pytest.mark.parametrize(
    "answer", [Refused("busy"), Refused("stop", -32603), Failed("broken"), None], ids=str
)
def test_a_beat_that_was_not_taken_counts_once_however_often_it_was_tried(answer: Answer | None) -> None:
    """13.1, 4.14"""
    answers: list[Answer | None] = [answer] * 5
    bench = bench_with(host=lambda _: answers.pop() if answers else Taken())
    bench.pass_time(hours=2)
    *tries, second = bench.transport.wakes
    assert all(parts(wake) == [] or wake.sent_at > wake.due for wake in tries)
    assert "more not heard" not in " ".join(header(wake) for wake in tries)
    assert parts(second) == ["1 more not heard"]


def test_a_try_says_when_its_beat_was_due() -> None:
    """13.1"""
    bench = bench_with(host=lambda _: Refused("busy"))
    bench.pass_time(hours=1, minutes=5)
    assert [parts(wake) for wake in bench.sent()] == [
        [],
        ["due 2026-01-01T01:00:00+00:00 [UTC]"],
        ["due 2026-01-01T01:00:00+00:00 [UTC]"],
    ]


def test_one_that_is_out_is_not_counted_yet() -> None:
    """13.1"""
    bench = bench_with()
    bench.pass_time(hours=1)
    bench.sent()
    bench.call("heartbeat_trigger")
    assert parts(only(bench.sent())) == []


def test_the_count_starts_anew_when_one_is_taken() -> None:
    """13.1: a triggered one too"""
    bench = bench_with()
    bench.deny()
    bench.pass_time(hours=3)
    bench.allow()
    bench.call("heartbeat_trigger")
    triggered = only(bench.sent())
    assert parts(triggered) == ["3 more not heard"]
    bench.take(triggered)
    bench.pass_time(hours=1)
    assert parts(only(bench.sent())) == []


def test_one_that_is_not_taken_leaves_the_count_to_the_next() -> None:
    """13.1: and is counted itself, by the one after"""
    bench = bench_with()
    bench.deny()
    bench.pass_time(hours=2)
    bench.allow()
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    bench.pass_time(hours=1)
    assert parts(bench.sent()[-1]) == ["3 more not heard"]


def test_a_late_taken_takes_back_what_came_before_it_alone() -> None:
    """13.1"""
    bench = bench_with()
    bench.pass_time(hours=1)
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.take(first)
    bench.deny()
    bench.pass_time(hours=1)
    bench.allow()
    bench.pass_time(hours=1)
    assert parts(only(bench.sent())) == ["1 more not heard"]


def test_a_triggered_beat_that_came_to_nothing_is_none_of_the_schedule() -> None:
    """13.1"""
    bench = bench_with()
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()))
    bench.pass_time(hours=1)
    assert parts(bench.sent()[-1]) == []


def test_a_restart_starts_at_nothing_and_says_what_passed_while_no_server_ran() -> None:
    """13.1, 8.2"""
    bench = bench_with()
    bench.deny()
    bench.pass_time(hours=2)
    bench.heartbeat.stop()
    bench.clock.advance(3.5 * HOUR)
    bench.start()
    bench.clock.settle()
    assert parts(only(bench.sent())) == ["due 2026-01-01T03:00:00+00:00 [UTC]", "2 more not heard"]


def test_a_beat_that_was_owed_says_when_it_was_due() -> None:
    """13.1, 8.2"""
    bench = bench_with(policy=Policy())
    bench.pass_time(hours=2)
    bench.allow()
    assert parts(only(bench.sent())) == ["due 2026-01-01T01:00:00+00:00 [UTC]", "1 more not heard"]


def test_reminders_that_are_held_or_a_minute_overdue_are_counted_and_those_out_are_not() -> None:
    """13.1"""
    bench = bench_with()
    for minutes in (10, 20):
        bench.call("reminder_add", message="tea", inMinutes=minutes)
    bench.pass_time(minutes=10)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=10)
    *_, out = bench.sent()
    assert out.reminder_id == "rem_2"
    bench.call("heartbeat_trigger")
    beat = [wake for wake in bench.sent() if wake.reminder_id is None]
    assert parts(only(beat)) == ["1 reminder(s) waiting"]


def test_all_of_it_stands_in_its_order() -> None:
    """13.1"""
    bench = bench_with()
    bench.call("reminder_add", message="tea", inHours=9)
    bench.clock.suspend(9 * HOUR + timedelta(minutes=2))
    beat = next(wake for wake in bench.sent() if wake.reminder_id is None)
    assert parts(beat) == [
        "due 2026-01-01T01:00:00+00:00 [UTC]",
        "8 more not heard",
        "1 reminder(s) waiting",
    ]


def test_a_silent_wake_gains_nothing_and_the_message_in_its_place_does() -> None:
    """13.2: and no key joins the origin"""
    bench = bench_with(host=lambda wake: EMPTY if wake.silent else Taken())
    bench.call("heartbeat_configure", deliveryMode="silent")
    bench.clock.suspend(2.5 * HOUR)
    silent, message = bench.sent()
    assert silent.text is None
    assert set(silent.origin) == {"source", "reason", "silent"}
    assert parts(message) == ["due 2026-01-01T01:00:00+00:00 [UTC]", "1 more not heard"]
    assert set(message.origin) == {"source", "reason", "silentFallback"}


def test_one_that_was_moved_to_an_opening_is_due_at_its_opening() -> None:
    """13.1, 12.2"""
    bench = bench_with(interval_hours=3)
    bench.call("heartbeat_configure", activeHours="08:00-22:00")
    bench.pass_time(hours=8)
    assert parts(only(bench.sent())) == []


def test_beats_that_the_machine_slept_through_are_counted_in_active_hours_alone() -> None:
    """13.1, 12.2: from 08:00 to 10:00 each day"""
    bench = bench_with(interval_hours=1)
    bench.call("heartbeat_configure", activeHours="08:00-10:00")
    bench.clock.suspend(timedelta(days=2, hours=9, minutes=30))
    assert parts(only(bench.sent())) == ["due 2026-01-01T08:00:00+00:00 [UTC]", "5 more not heard"]
