"""Silent beats, and the message in the place of one that was refused as empty: 6.11."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from on_the_bench import add, lines_about, only

from heartbeat_adapters.testing import Bench
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake


def silent_bench(host: Callable[[Wake], Answer | None] | None = None) -> Bench:
    bench = Bench(host=host)
    bench.call("heartbeat_configure", deliveryMode="silent", message="look around")
    return bench


def test_a_silent_beat_carries_no_text() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    wake = only(bench.sent())
    assert wake.text is None
    assert wake.origin == {"source": "heartbeat", "reason": "manual", "silent": True}


def test_a_reminder_carries_its_text_in_silent_mode_too() -> None:
    """6.11"""
    bench = silent_bench()
    add(bench, inSeconds=1)
    bench.pass_time(seconds=1)
    assert str(only(bench.sent()).text).endswith("] tea")


@pytest.mark.parametrize("refusal", [Refused("invalid params", -32602), Refused("content is Empty")], ids=str)
def test_a_silent_beat_refused_as_empty_is_sent_again_as_a_message(refusal: Answer) -> None:
    """6.11"""
    bench = silent_bench()
    bench.pass_time(hours=4)
    silent = only(bench.sent())
    bench.answer(silent, refusal)
    message = only(bench.sent())
    assert str(message.text).endswith("] look around")
    assert message.origin == {"source": "heartbeat", "reason": "schedule", "silentFallback": True}
    assert message.event_id != silent.event_id


@pytest.mark.parametrize(
    "refusal",
    [Refused("not now"), Refused("stopping", -32603), Refused("empty", -32603), Failed("empty pipe")],
    ids=str,
)
def test_any_other_refusal_of_a_silent_beat_has_no_second_try(refusal: Answer) -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.answer(only(bench.sent()), refusal)
    assert bench.sent() == []


def test_a_refused_message_has_no_second_try() -> None:
    """6.11: only a silent beat has"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()), "empty", -32602)
    assert bench.sent() == []


def test_there_is_no_second_try_after_30_seconds() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    silent = only(bench.sent())
    bench.pass_time(seconds=30)
    bench.refuse(silent, "empty")
    assert bench.sent() == []


def test_there_is_no_second_try_after_a_later_beat() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.call("heartbeat_trigger")
    first, _ = bench.sent()
    bench.refuse(first, "empty")
    assert bench.sent() == []


def test_there_is_no_second_try_while_no_wake_is_deliverable() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    silent = only(bench.sent())
    bench.deny()
    bench.refuse(silent, "empty")
    bench.allow()
    assert bench.sent() == []


def test_every_beat_tries_silent_first() -> None:
    """6.11"""
    bench = silent_bench(lambda wake: Refused("empty") if wake.text is None else Taken())
    bench.pass_time(hours=12)
    assert [wake.text is None for wake in bench.sent()] == [True, False] * 3


def test_a_refused_silent_wake_is_one_warning_a_process() -> None:
    """6.11"""
    bench = silent_bench(lambda wake: Refused("empty") if wake.text is None else Taken())
    bench.pass_time(hours=40)
    assert len(lines_about(bench, "WARNING", "silent")) == 1


def test_the_status_shows_that_silent_wakes_are_refused_until_one_is_taken() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()), "empty")
    bench.take(only(bench.sent()))
    assert "mode=silent (the host refused a silent wake, " in bench.call("heartbeat_status").text
    bench.call("heartbeat_trigger")
    bench.take(only(bench.sent()))
    assert "mode=silent |" in bench.call("heartbeat_status").text
