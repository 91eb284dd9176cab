"""Recurrences that end, of either kind (10.4), and what a late wake says of times that passed (10.7)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, add, only, only_due, takes

from heartbeat_adapters.system_time.zones import agent_zone
from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Wake

HOURLY: dict[str, object] = {"everyHours": 1}
DAILY: dict[str, object] = {"rrule": "FREQ=DAILY;BYHOUR=9"}
NINE = NOW.replace(hour=9)
BERLIN, _ = agent_zone("Europe/Berlin")


def kept(bench: Bench) -> Reminder:
    (reminder,) = bench.reminder_store.saved.values()
    return reminder


def last(**arguments: object) -> datetime | None:
    bench = Bench()
    add(bench, **arguments)
    return kept(bench).last


def refusal(**arguments: object) -> str:
    reply = Bench().call("reminder_add", message="tea", **arguments)
    assert reply.is_error, reply.text
    return reply.text.removeprefix("Refused, and nothing was changed:\n")


def quiet(**more: object) -> Bench:
    """A bench without beats."""
    bench = Bench(**more)  # type: ignore[arg-type]
    bench.call("heartbeat_configure", paused=True)
    return bench


# When the last time is settled, and which it is


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        (HOURLY | {"count": 3}, NOW + 3 * HOUR),
        (HOURLY | {"count": 1}, NOW + HOUR),
        (HOURLY | {"count": 3, "inMinutes": 10}, NOW + timedelta(hours=2, minutes=10)),
        (DAILY | {"count": 3}, NINE + 48 * HOUR),
        (DAILY | {"count": 1}, NINE),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;COUNT=3"}, NINE + 48 * HOUR),
        (HOURLY | {"until": "2026-01-01T03:00"}, NOW + 3 * HOUR),
        (HOURLY | {"until": "2026-01-01T03:59:59Z"}, NOW + 3 * HOUR),
        (HOURLY | {"until": "2026-01-01T01:00"}, NOW + HOUR),
        (HOURLY | {"until": "2026-01-01"}, NOW + 23 * HOUR),
        (DAILY | {"until": "2026-01-03T09:00"}, NINE + 48 * HOUR),
        (DAILY | {"until": "2026-01-03T08:59"}, NINE + 24 * HOUR),
        (DAILY | {"until": "2026-01-03"}, NINE + 48 * HOUR),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20260103"}, NINE + 48 * HOUR),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20260103T085959"}, NINE + 24 * HOUR),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20260103T090000Z"}, NINE + 48 * HOUR),
        (DAILY | {"until": "9999-12-31"}, datetime(9999, 12, 31, 9, tzinfo=UTC)),
    ],
    ids=str,
)  # fmt: skip
def test_the_last_time_is_settled_when_the_reminder_is_set(
    arguments: dict[str, object], at: datetime
) -> None:
    """10.4"""
    assert last(**arguments) == at


@pytest.mark.parametrize(
    ("arguments", "at"),
    [
        ({"rrule": "FREQ=DAILY;BYHOUR=23", "until": "2026-01-03"}, datetime(2026, 1, 3, 22, tzinfo=UTC)),
        ({"rrule": "FREQ=DAILY;BYHOUR=23;UNTIL=20260103"}, datetime(2026, 1, 3, 22, tzinfo=UTC)),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20260103T090000"}, datetime(2026, 1, 3, 8, tzinfo=UTC)),
        ({"everyHours": 1, "until": "2026-01-01T05:00"}, NOW + 4 * HOUR),
        ({"everyHours": 1, "until": "2026-01-01"}, NOW + 22 * HOUR),
    ],
    ids=str,
)
def test_an_end_without_an_offset_is_in_the_zone_that_was_sent(
    arguments: dict[str, object], at: datetime
) -> None:
    """10.4"""
    assert last(timezone="Europe/Berlin", **arguments) == at


def test_an_end_of_an_interval_is_else_in_the_agent_zone() -> None:
    """10.4"""
    bench = Bench(zone=BERLIN)
    add(bench, everyHours=1, until="2026-01-01T05:00")
    assert kept(bench).last == NOW + 4 * HOUR


def test_a_count_goes_over_changes_of_the_clocks() -> None:
    """10.4"""
    bench = Bench(zone=BERLIN, clock=FakeClock(datetime(2026, 3, 28, tzinfo=UTC)))
    add(bench, **DAILY, count=3)
    assert kept(bench).last == datetime(2026, 3, 30, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            HOURLY | {"until": "2026-01-01T00:59"},
            "until comes before the first time, 2026-01-01T01:00:00+00:00 [UTC]",
        ),
        (DAILY | {"until": "2025-12-31"}, "until comes before the first time, 2026-01-01T09:00:00+00:00"),
        (
            {"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20251231"},
            "the end in rrule comes before the first time, 2026-01-01T09:00:00+00:00 [UTC]",
        ),
        (
            {"everyHours": 876_600, "count": 100},
            "count reaches past the year 9999; for a reminder without an end leave it out",
        ),
        (
            {"rrule": "FREQ=YEARLY;BYHOUR=9", "count": 9000},
            "count reaches past the year 9999; for a reminder without an end leave it out",
        ),
        ({"inHours": 1, "count": 3}, "count ends a recurrence, and nothing recurs; send every… or rrule too"),
        ({"inHours": 1, "until": "2027-01-01"}, "until ends a recurrence, and nothing recurs"),
        (HOURLY | {"count": 2, "until": "2027-01-01"}, "count and until both say when it ends"),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;COUNT=2", "count": 2}, "count and the end in rrule both say when"),
        (
            {"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20270101", "until": "2027-01-01"},
            "until and the end in rrule both say when it ends",
        ),
        (HOURLY | {"count": -1}, "count must be a whole number, 1 or more; -1 is out of range"),
        (HOURLY | {"count": 1.5}, "count must be a whole number, 1 or more; 1.5 is not whole"),
        (HOURLY | {"count": "3"}, 'count must be a whole number, 1 or more; "3" is a text: send 3'),
        (HOURLY | {"until": "soon"}, "until is not an ISO 8601 date or date and time"),
        ({"inHours": 0, "count": 0}, "inHours 0 comes to 0 s"),
    ],
    ids=str,
)  # fmt: skip
def test_an_end_that_cannot_be_is_refused(arguments: dict[str, object], said: str) -> None:
    """10.4"""
    assert refusal(**arguments).startswith(said)


def test_a_whole_number_is_one_however_json_writes_it() -> None:
    """10.4, 6.8"""
    assert last(everyHours=1, count=3.0) == NOW + 3 * HOUR


# The series is over


@pytest.mark.parametrize(("series", "first", "step"), [(HOURLY, NOW + HOUR, 1), (DAILY, NINE, 24)], ids=str)
def test_it_is_gone_when_its_last_time_was_taken(
    series: dict[str, object], first: datetime, step: int
) -> None:
    """10.4"""
    heard: list[Wake] = []
    bench = quiet(host=lambda wake: heard.append(wake) or takes(wake))  # type: ignore[func-returns-value]
    add(bench, **series, count=3)
    bench.pass_time(days=5)
    assert [wake.due for wake in heard] == [first + number * step * HOUR for number in range(3)]
    assert bench.reminder_store.saved == {}


def test_it_is_not_gone_before_its_last_time_was_taken() -> None:
    """10.4, 7.3"""
    bench = quiet()
    add(bench, **HOURLY, count=1)
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    assert len(bench.heartbeat.reminders) == 1
    bench.take(only(bench.sent()))
    assert len(bench.heartbeat.reminders) == 0


@pytest.mark.parametrize("series", [HOURLY | {"count": 4}, DAILY | {"count": 4}], ids=str)
def test_times_that_pass_unheard_count(series: dict[str, object]) -> None:
    """10.4, 10.7, 7.1: the one wake that comes stands for them all"""
    bench = quiet()
    bench.deny()
    add(bench, **series)
    bench.pass_time(days=10)
    bench.allow()
    wake = only(bench.sent())
    assert ", 3 more missed · current time" in (wake.text or "")
    bench.take(wake)
    assert len(bench.heartbeat.reminders) == 0


def test_it_is_gone_when_its_last_time_was_given_up() -> None:
    """10.4, 10.5"""
    bench = quiet()
    bench.deny()
    add(bench, **HOURLY, count=2, expiresAfterMinutes=10)
    bench.pass_time(hours=1, minutes=11)
    assert len(bench.heartbeat.reminders) == 1
    bench.pass_time(hours=1)
    assert bench.reminder_store.saved == {}


# What a late wake says


@pytest.mark.parametrize(
    ("series", "hours", "said"),
    [
        (HOURLY, 1.5, "due 2026-01-01T01:00:00+00:00 [UTC] · current"),
        (HOURLY, 2, "due 2026-01-01T01:00:00+00:00 [UTC], 1 more missed · current"),
        (HOURLY, 1_001, ", 1000 more missed · current"),
        (HOURLY, 1_002, ", more than 1000 more missed · current"),
        (DAILY, 10, "due 2026-01-01T09:00:00+00:00 [UTC] · current"),
        (DAILY, 24 * 3, "due 2026-01-01T09:00:00+00:00 [UTC], 2 more missed · current"),
        (DAILY, 24 * 1_003, ", more than 1000 more missed · current"),
    ],
    ids=str,
)
def test_a_late_wake_says_how_many_times_it_stands_for(
    series: dict[str, object], hours: float, said: str
) -> None:
    """10.7"""
    bench = quiet()
    bench.deny()
    add(bench, **series)
    bench.pass_time(hours=hours)
    bench.allow()
    assert said in (only(bench.sent()).text or "")


def test_times_are_counted_from_its_own_also_where_a_fresh_event_id_moved_it() -> None:
    """10.7, 4.11"""
    bench = quiet()
    add(bench, **HOURLY)
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=58, seconds=59)
    bench.sent()
    bench.pass_time(seconds=1)
    assert ", 1 more missed" in (only(bench.sent()).text or "")


def test_a_wake_in_time_says_rule_and_zone_and_nothing_of_missed_ones() -> None:
    """10.7"""
    bench = quiet()
    reminder_id = add(bench, **DAILY)
    bench.pass_time(hours=9)
    wake = only(bench.sent())
    now = "2026-01-01T09:00:00+00:00 [UTC]"
    assert (
        wake.text == f"[reminder {reminder_id}, repeats FREQ=DAILY;BYHOUR=9 [UTC] · current time: {now}] tea"
    )
    assert wake.origin == {"source": "reminder", "reminderId": reminder_id, "recurring": True}


def test_after_a_wake_that_stood_for_others_the_next_is_the_first_of_its_times_after_now() -> None:
    """7.2, 10.2"""
    bench = quiet()
    bench.deny()
    add(bench, **DAILY)
    bench.pass_time(days=2, hours=12)
    bench.allow()
    bench.take(only(bench.sent()))
    assert only_due(bench) == NINE + 72 * HOUR
