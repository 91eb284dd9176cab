"""Reminders on the calendar where clocks change or are set (10.3), and where they are held (7.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, SeenIds, add, only, only_due
from test_ends import DAILY, NINE, quiet

from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.wakes import Refused, Wake

DAY = 24 * HOUR
MINUTE = timedelta(minutes=1)


def dues_heard(clock: FakeClock, zone: str, rule: str, days: int) -> list[str]:
    """The due times that are heard, as hours and minutes of the wall clock of the zone."""
    found = find_zone(zone)
    assert found is not None
    host = SeenIds()
    bench = quiet(host=host, clock=clock)
    add(bench, rrule=rule, timezone=zone)
    bench.pass_time(days=days)
    return [f"{wake.due.astimezone(found.tzinfo):%d %H:%M}" for wake in host.heard]


# Clock changes of the zone


@pytest.mark.parametrize(
    ("zone", "start", "rule", "heard"),
    [
        (
            "Europe/Berlin",
            (2026, 3, 28),
            "FREQ=DAILY;BYHOUR=2;BYMINUTE=30",
            ["28 02:30", "29 03:30", "30 02:30"],
        ),
        ("Europe/Berlin", (2026, 3, 29), "FREQ=DAILY;BYHOUR=2,3", ["29 03:00", "30 02:00", "30 03:00"]),
        (
            "Europe/Berlin",
            (2026, 3, 29),
            "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45",
            ["29 03:15", "29 03:45", "30 02:15"],
        ),
        ("Europe/Berlin", (2026, 10, 24), "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", ["24 02:30", "25 02:30"]),
        (
            "Australia/Lord_Howe",
            (2026, 10, 3),
            "FREQ=DAILY;BYHOUR=2;BYMINUTE=10",
            ["04 02:40", "05 02:10", "06 02:10"],
        ),
    ],
)
def test_a_time_that_is_skipped_comes_later_and_one_that_occurs_twice_comes_once(
    zone: str, start: tuple[int, int, int], rule: str, heard: list[str]
) -> None:
    """10.3"""
    clock = FakeClock(datetime(*start, tzinfo=UTC))
    assert dues_heard(clock, zone, rule, 3)[: len(heard)] == heard


def test_the_first_of_two_is_meant_and_the_second_is_not_heard() -> None:
    """10.3"""
    clock = FakeClock(datetime(2026, 10, 24, 12, tzinfo=UTC))
    host = SeenIds()
    bench = quiet(host=host, clock=clock)
    add(bench, rrule="FREQ=DAILY;BYHOUR=2;BYMINUTE=30", timezone="Europe/Berlin")
    bench.pass_time(days=2)
    assert [wake.due for wake in host.heard] == [
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    ]


# A clock that is set back while the server runs


def heard_daily(days: int) -> tuple[Bench, SeenIds]:
    """A bench whose daily reminder was heard on so many days; it is ten on the last of them."""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, **DAILY)
    bench.pass_time(days=days - 1, hours=10)
    assert len(host.heard) == days
    return bench, host


def test_a_time_that_was_taken_does_not_come_again() -> None:
    """10.3"""
    bench, host = heard_daily(3)
    bench.clock.set(NOW + 8 * HOUR)
    bench.pass_time(seconds=10)
    assert only_due(bench) == NINE + 3 * DAY
    bench.pass_time(days=4)
    assert [wake.due for wake in host.heard] == [NINE + day * DAY for day in range(4)]


def test_times_before_those_that_were_taken_come() -> None:
    """10.3: the clock was a month ahead"""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, atIso="2025-11-01", **DAILY)
    bench.pass_time(hours=10)
    bench.clock.set(NOW - 2 * DAY)
    bench.pass_time(seconds=10)
    assert only_due(bench) == NINE - 2 * DAY
    bench.pass_time(days=4)
    assert [wake.due for wake in host.heard] == [NINE + day * DAY for day in (0, -2, -1, 1)]


def test_a_wake_that_is_out_is_left_alone_by_a_clock_that_is_set_back() -> None:
    """10.3, 5.2: its time has come, whatever the clock says now"""
    bench = quiet()
    add(bench, **DAILY)
    bench.pass_time(hours=9)
    wake = only(bench.sent())
    bench.clock.set(NOW)
    bench.pass_time(seconds=10)
    assert bench.sent() == []
    bench.take(wake)
    assert only_due(bench) == NINE + DAY


def test_a_held_one_goes_on_with_its_tries_and_is_heard_once() -> None:
    """10.3, 7.3: its time has come, whatever the clock says now"""
    bench = quiet()
    add(bench, **DAILY)
    bench.pass_time(hours=9)
    bench.refuse(only(bench.sent()))
    bench.clock.set(NOW + 8 * HOUR)
    bench.pass_time(minutes=1)
    bench.take(only(bench.sent()))
    assert only_due(bench) == NINE + DAY


def test_one_that_is_overdue_stays_so_where_its_time_is_still_past() -> None:
    """10.3, 7.1"""
    bench = quiet()
    bench.deny()
    add(bench, **DAILY)
    bench.pass_time(hours=10)
    bench.clock.set(NINE + 30 * MINUTE)
    bench.allow()
    assert only(bench.sent()).due == NINE


def test_a_clock_set_back_by_an_hour_makes_no_reminder_come_twice() -> None:
    """10.3, 4.12"""
    bench, host = heard_daily(1)
    for _ in range(3):
        bench.clock.set(bench.clock.now() - 2 * HOUR)
        bench.pass_time(hours=2)
    bench.pass_time(days=1)
    assert [wake.due for wake in host.heard] == [NINE, NINE + DAY]
    assert len({wake.event_id for wake in host.heard}) == len(host.heard)


# A clock that was set back while none ran


def test_where_no_server_ran_it_comes_at_the_first_of_its_times_after_now() -> None:
    """10.3: this process does not know what was heard"""
    bench, _ = heard_daily(5)
    bench.heartbeat.stop()
    bench.clock.set(NOW + DAY)
    bench.start()
    bench.clock.settle()
    assert only_due(bench) == NINE + DAY


def test_a_clock_that_proves_nothing_moves_no_calendar() -> None:
    """5.2, 10.3: a time that a person wrote into the file is no proof"""
    bench = quiet()
    add(bench, rrule="FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=1;BYHOUR=9")
    bench.restart()
    assert only_due(bench) == datetime(2026, 6, 1, 9, tzinfo=UTC)


# Held


def tries(rule: str, hours: int) -> list[timedelta]:
    """When a host that refuses everything is sent a firing, counted from its time."""
    sent: list[timedelta] = []

    def refuses(wake: Wake) -> Refused:
        sent.append(wake.sent_at - NINE)
        return Refused("not now")

    bench = quiet(host=refuses)
    add(bench, rrule=rule)
    bench.pass_time(hours=hours)
    return sent


def test_a_held_one_is_tried_after_the_same_waits() -> None:
    """7.3"""
    assert tries("FREQ=DAILY;BYHOUR=9", 12) == [
        timedelta(0),
        *(MINUTE * wait for wait in (1, 5, 15, 60)),
        2 * HOUR,
        3 * HOUR,
    ]


def test_a_held_one_is_tried_no_later_than_at_the_next_of_its_times() -> None:
    """7.3, 10.3: the next time stands for one interval"""
    every_twenty = ",".join(map(str, range(0, 60, 20)))
    sent = tries(f"FREQ=DAILY;BYHOUR=9;BYMINUTE={every_twenty}", 10)
    assert sent == [MINUTE * wait for wait in (0, 1, 5, 15, 20, 40, 60)]


def test_a_taken_answer_lets_it_go_on_with_the_first_time_after_now() -> None:
    """7.2"""
    bench = quiet()
    add(bench, rrule="FREQ=DAILY;BYHOUR=9;BYMINUTE=0,20,40")
    bench.pass_time(hours=9)
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    bench.take(only(bench.sent()))
    assert only_due(bench) == NINE + 20 * MINUTE
