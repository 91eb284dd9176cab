"""The hours in which beats of the schedule come: the value by itself (12.1), over days and clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import given

from heartbeat_core.schedule.active_hours import (
    WEEKDAYS,
    ActiveHours,
    NotActiveHours,
    read_days,
    read_hours,
    show_hours,
)
from heartbeat_core.times.moments import AgentZone

ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo",
]  # fmt: skip
BERLIN = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
UTC_ZONE = AgentZone("UTC", UTC)
MINUTE = timedelta(minutes=1)


def local(text: str, zone: AgentZone = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone.tzinfo).astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("08:00-22:00", "08:00-22:00"),
        ("8:00-22:00", "08:00-22:00"),
        (" 8:05 – 9:00 ", "08:05-09:00"),
        ("08:00—22:00", "08:00-22:00"),
        ("08:00 \N{MINUS SIGN} 22:00", "08:00-22:00"),
        ("22:00-06:00", "22:00-06:00"),
        ("00:00-24:00", "00:00-24:00"),
        ("18:00-24:00", "18:00-24:00"),
    ],
)
def test_hours_are_read_and_shown_in_one_form(text: str, shown: str) -> None:
    """12.1"""
    hours = read_hours(text)
    assert hours is not None
    assert show_hours(hours) == shown


@pytest.mark.parametrize("text", ["always", " Always ", "ALWAYS"])
def test_always_removes_them(text: str) -> None:
    """12.1"""
    assert read_hours(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "8-22", "08:00", "08:00-08:00", "24:00-08:00", "08:00-24:01", "08:60-22:00", "25:00-26:00",
        "08:00-12:00, 13:00-18:00", "08:00x22:00", "08:00/22:00", "9am-5pm", "0８:00-22:00", "08:00-22:00\n-",
        "never", "8:0-9:0", "-1:00-22:00", "008:00-22:00", "08:00--22:00", "00:00-00:00",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    """12.1"""
    with pytest.raises(NotActiveHours):
        read_hours(text)


def test_days_are_kept_in_week_order_once_each() -> None:
    """12.1"""
    assert read_days(["fr", "MO", " we ", "mo"]) == ("MO", "WE", "FR")
    assert read_days([day.lower() for day in WEEKDAYS]) is None


@pytest.mark.parametrize("names", [[], ["XX"], ["MO", ""], ["Monday"]])
def test_what_is_no_day_is_refused(names: list[str]) -> None:
    """12.1"""
    with pytest.raises(NotActiveHours):
        read_days(names)


def test_the_start_is_inside_and_the_end_is_not() -> None:
    """12.1"""
    active = ActiveHours(read_hours("08:00-22:00"))
    assert active.includes(local("2026-01-05T08:00"), BERLIN)
    assert not active.includes(local("2026-01-05T08:00") - MINUTE, BERLIN)
    assert active.includes(local("2026-01-05T22:00") - MINUTE, BERLIN)
    assert not active.includes(local("2026-01-05T22:00"), BERLIN)


def test_a_stretch_over_midnight_belongs_to_the_day_on_which_it_begins() -> None:
    """12.1: Friday night reaches into Saturday"""
    active = ActiveHours(read_hours("22:00-06:00"), ("FR",))
    assert active.includes(local("2026-01-09T22:00"), BERLIN)
    assert active.includes(local("2026-01-10T05:59"), BERLIN)
    assert not active.includes(local("2026-01-09T05:00"), BERLIN)
    assert not active.includes(local("2026-01-10T22:00"), BERLIN)
    assert active.next_opening(local("2026-01-10T06:00"), BERLIN) == local("2026-01-16T22:00")


def test_days_alone_are_whole_days() -> None:
    """12.1"""
    active = ActiveHours(days=("MO", "TU"))
    assert active.includes(local("2026-01-05T00:00"), BERLIN)
    assert active.includes(local("2026-01-06T23:59"), BERLIN)
    assert not active.includes(local("2026-01-07T00:00"), BERLIN)
    assert active.next_opening(local("2026-01-07T00:00"), BERLIN) == local("2026-01-12T00:00")


def test_an_opening_that_a_clock_change_skips_is_moved_forward_by_the_gap() -> None:
    """12.1, 6.5: on the last Sunday of March there is no 02:30 in Berlin"""
    active = ActiveHours(read_hours("02:30-04:00"))
    assert active.next_opening(local("2026-03-29T00:00"), BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_an_opening_that_occurs_twice_is_the_first_and_the_stretch_is_an_hour_longer() -> None:
    """12.1, 6.5"""
    active = ActiveHours(read_hours("02:30-04:00"))
    opening = active.next_opening(local("2026-10-25T00:00"), BERLIN)
    assert opening == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert active.includes(datetime(2026, 10, 25, 2, 59, tzinfo=UTC), BERLIN)
    assert not active.includes(datetime(2026, 10, 25, 3, 0, tzinfo=UTC), BERLIN)


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_a_day_is_as_long_as_its_clocks_make_it(day: str, hours: int) -> None:
    """12.1"""
    active = ActiveHours(days=("SU",))
    start = local(f"{day}T00:00")
    inside = [n for n in range(30) if active.includes(start + timedelta(hours=n), BERLIN)]
    assert inside == list(range(hours))


def test_a_stretch_that_a_clock_change_swallows_opens_the_next_day() -> None:
    """12.1: from 02:00 to 02:30 there is nothing on that night in Berlin but one instant"""
    active = ActiveHours(read_hours("02:10-02:50"))
    skipped = active.next_opening(local("2026-03-28T12:00"), BERLIN)
    assert skipped == datetime(2026, 3, 29, 1, 10, tzinfo=UTC)
    assert active.next_opening(skipped, BERLIN) == local("2026-03-30T02:10")


moments = st.datetimes(datetime(2009, 1, 1), datetime(2030, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)
bounds = st.tuples(st.integers(0, 1439), st.integers(1, 1440)).filter(lambda both: both[0] != both[1])
days = st.sets(st.sampled_from(WEEKDAYS), min_size=1).map(read_days)


@given(st.sampled_from(ZONES), st.none() | bounds, st.none() | days, moments)
def test_an_opening_is_inside_and_what_lies_before_it_is_not(
    name: str, hours: tuple[int, int] | None, days: tuple[str, ...] | None, moment: datetime
) -> None:
    """12.1, 12.2: for any hours, days, zone and moment outside"""
    zone, active = AgentZone(name, ZoneInfo(name)), ActiveHours(hours, days)
    if active.includes(moment, zone):
        return
    opening = active.next_opening(moment, zone)
    assert moment < opening <= moment + timedelta(days=15)  # Samoa once left a Friday out
    assert active.includes(opening, zone)
    assert not active.includes(opening - timedelta(milliseconds=1), zone)
    between = (opening - moment) / 7
    assert not any(active.includes(moment + n * between, zone) for n in range(7))
