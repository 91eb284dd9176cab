"""`history` of heartbeat_status: the last lines in words, and the sums of a day (14.3)."""

from __future__ import annotations

import pytest
from calling import problems

from heartbeat_adapters.testing import Bench
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.wakes import Answer, Refused, Taken, Wake


def past(bench: Bench, count: object) -> list[str]:
    reply = bench.call("heartbeat_status", history=count)
    assert not reply.is_error, reply.text
    return reply.text.split("\n")[1:]


class TakesFromTheThirdTry:
    def __init__(self) -> None:
        self.tries = 0

    def __call__(self, _: Wake) -> Answer:
        self.tries += 1
        return Taken() if self.tries > 2 else Refused("busy\nnow")


def test_the_last_lines_come_newest_first_in_words_and_then_the_sums_of_a_day() -> None:
    """14.3: a due moment counts once, by its last outcome"""
    bench = Bench(host=TakesFromTheThirdTry())
    bench.call("heartbeat_configure", paused=True)
    bench.call("reminder_add", message="tea", inHours=1)
    bench.pass_time(hours=2)
    assert past(bench, 2) == [
        "2026-01-01T01:05:00+00:00 [UTC] | rem_1 | due 2026-01-01T01:00:00+00:00 [UTC] | taken at attempt 3",
        (
            "2026-01-01T01:01:00+00:00 [UTC] | rem_1 | due 2026-01-01T01:00:00+00:00 [UTC] | "
            "refused at attempt 2: busy now"
        ),
        "Last 24 hours: 1 taken",
    ]


def test_what_is_older_than_a_day_is_not_in_the_sums() -> None:
    """14.3"""
    bench = Bench(host=lambda _: Taken())
    bench.pass_time(hours=44)
    assert past(bench, 50)[-1] == "Last 24 hours: 7 taken"  # the first of them to the second a day ago
    assert len(past(bench, 50)) == 12


def test_without_history_the_status_is_as_it_was_and_with_none_yet_it_says_so() -> None:
    """14.3"""
    bench = Bench()
    assert "\n" not in bench.call("heartbeat_status").text
    assert past(bench, 5) == ["No history yet: nothing has become of a wake so far."]


def test_where_it_is_off_it_says_so() -> None:
    """14.3, 14.2"""
    bench = Bench()
    heartbeat = Heartbeat(
        clock=bench.clock,
        transport=bench.transport,
        schedule_store=bench.schedule_store,
        reminder_store=bench.reminder_store,
        new_id=bench.ids,
        log=bench.log,
        zone=bench.heartbeat.zone,
    )
    heartbeat.start()
    text = Toolbox(heartbeat).call("heartbeat_status", {"history": 5}).text
    assert text.endswith("\nNo history is kept: the operator has turned it off.")


@pytest.mark.parametrize("nothing", [0, None, "", 0.0, []], ids=str)
def test_a_filler_asks_for_no_history(nothing: object) -> None:
    """6.8"""
    assert past(Bench(), nothing) == []


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (51, "history must be a whole number from 1 to 50; 51 is out of range"),
        (-1, "history must be a whole number from 1 to 50; -1 is out of range"),
        (1.5, "history must be a whole number from 1 to 50; 1.5 is not whole"),
        ("5", 'history must be a whole number from 1 to 50; "5" is a text: send 5'),
        (True, "history must be a whole number from 1 to 50; true is a boolean"),
    ],
    ids=str,
)
def test_what_is_no_such_number_is_refused(value: object, why: str) -> None:
    """14.3, 6.8"""
    (said,) = problems(Bench(), "heartbeat_status", {"history": value})
    assert said.startswith(why)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    """6.8"""
    assert len(past(Bench(), 5.0)) == 1
