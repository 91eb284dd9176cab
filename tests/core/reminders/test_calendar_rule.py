"""The times of a rule: what its start fills in, days that people get wrong, where it ends (10.1 to 10.4)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice, takewhile

import pytest
from calendars import NEW_YORK, calendar, rule_of, shown, times_of, zone_of
from drawn_rules import DrawnRule, drawn_rules
from hypothesis import assume, given
from hypothesis import strategies as st

from heartbeat_core.reminders.calendar_rule import CalendarRule, end_of
from heartbeat_core.times.moments import LAST_MOMENT


def local(rule: CalendarRule, at_most: int) -> list[str]:
    """Its first times on the wall clock: `2026-12-01T09:00`, with seconds where it has some."""
    times = [at.astimezone(rule.zone.tzinfo) for at in times_of(rule, at_most)]
    return [at.replace(tzinfo=None).isoformat().removesuffix(":00") for at in times]


def days_of(rule: CalendarRule, at_most: int) -> list[str]:
    return [at[:10] for at in local(rule, at_most)]


# What the start fills in


@pytest.mark.parametrize(
    ("text", "first_two"),
    [
        ("FREQ=DAILY", ["2026-12-01T08:15:20", "2026-12-02T08:15:20"]),
        ("FREQ=WEEKLY", ["2026-12-01T08:15:20", "2026-12-08T08:15:20"]),
        ("FREQ=MONTHLY", ["2026-12-01T08:15:20", "2027-01-01T08:15:20"]),
        ("FREQ=YEARLY", ["2026-12-01T08:15:20", "2027-12-01T08:15:20"]),
        ("FREQ=WEEKLY;BYMONTH=1", ["2027-01-05T08:15:20", "2027-01-12T08:15:20"]),
        ("FREQ=MONTHLY;BYMONTH=3", ["2027-03-01T08:15:20", "2028-03-01T08:15:20"]),
        ("FREQ=YEARLY;BYMONTH=3", ["2027-03-01T08:15:20", "2028-03-01T08:15:20"]),
        ("FREQ=YEARLY;BYMONTHDAY=15", ["2026-12-15T08:15:20", "2027-01-15T08:15:20"]),
        ("FREQ=YEARLY;BYDAY=-1SU", ["2026-12-27T08:15:20", "2027-12-26T08:15:20"]),
        ("FREQ=YEARLY;BYDAY=SU", ["2026-12-06T08:15:20", "2026-12-13T08:15:20"]),
        ("FREQ=DAILY;BYSECOND=5", ["2026-12-02T08:15:05", "2026-12-03T08:15:05"]),
        ("FREQ=DAILY;BYMINUTE=30", ["2026-12-01T08:30", "2026-12-02T08:30"]),
        ("FREQ=DAILY;BYHOUR=9", ["2026-12-01T09:00", "2026-12-02T09:00"]),
        ("FREQ=DAILY;BYHOUR=9;BYSECOND=5", ["2026-12-01T09:00:05", "2026-12-02T09:00:05"]),
    ],
)
def test_what_the_rule_leaves_open_comes_from_its_start(text: str, first_two: list[str]) -> None:
    """10.2"""
    assert local(calendar(text, "2026-12-01T08:15:20"), 2) == first_two


def test_a_start_between_two_seconds_counts_as_the_later_one() -> None:
    """10.2"""
    rule = calendar("FREQ=DAILY", "2026-12-01T08:15:20.001")
    assert local(rule, 1) == ["2026-12-01T08:15:21"]


def test_the_day_of_the_start_is_that_of_the_zone() -> None:
    """10.2"""
    rule = CalendarRule(rule_of("FREQ=MONTHLY"), zone_of(NEW_YORK), datetime(2026, 12, 2, 3, tzinfo=UTC))
    assert local(rule, 2) == ["2026-12-01T22:00", "2027-01-01T22:00"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("FREQ=DAILY;INTERVAL=10", ["2026-12-01", "2026-12-11"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", ["2026-12-14", "2026-12-28"]),
        ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=15", ["2026-12-15", "2027-02-15"]),
        ("FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYMONTHDAY=15", ["2028-03-15", "2030-03-15"]),
    ],
)
def test_an_interval_counts_from_the_period_of_the_start(text: str, days: list[str]) -> None:
    """10.2: the start is a Tuesday in December."""
    assert days_of(calendar(text, "2026-12-01T09:00"), 2) == days


# Days that people get wrong


@pytest.mark.parametrize(
    ("text", "start", "days"),
    [
        ("FREQ=YEARLY", "2024-02-29", ["2024-02-29", "2028-02-29", "2032-02-29"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "2096-03-01", ["2104-02-29", "2108-02-29"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "2027-01-01", ["2027-02-28", "2028-02-29", "2029-02-28"]),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=WE", "1888-03-01", ["1928-02-29", "1956-02-29"]),
        ("FREQ=MONTHLY", "2026-10-31", ["2026-10-31", "2026-12-31", "2027-01-31", "2027-03-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-31", "2026-10-31", ["2026-12-01", "2027-01-01", "2027-03-01"]),
        ("FREQ=MONTHLY;BYDAY=5FR", "2026-12-01", ["2027-01-29", "2027-04-30", "2027-07-30"]),
        ("FREQ=MONTHLY;BYDAY=-5FR", "2026-12-01", ["2027-01-01", "2027-04-02", "2027-07-02"]),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "2026-12-01",
            ["2026-12-31", "2027-01-29", "2027-02-26", "2027-03-31"],
        ),
        ("FREQ=MONTHLY;BYDAY=MO,2TU", "2026-12-01", ["2026-12-07", "2026-12-08", "2026-12-14"]),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-12-01", ["2027-08-13", "2028-10-13"]),
        ("FREQ=YEARLY;BYDAY=2TU;BYMONTH=3,4", "2026-12-01", ["2027-03-09", "2027-04-13", "2028-03-14"]),
        ("FREQ=YEARLY;BYDAY=53FR", "2026-12-01", ["2027-12-31", "2032-12-31"]),
        ("FREQ=YEARLY;BYDAY=-53FR", "2026-12-01", ["2027-01-01", "2032-01-02"]),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=MO",
            "2026-12-27",
            ["2026-12-27", "2027-01-05", "2027-01-10"],
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU",
            "2026-12-27",
            ["2026-12-27", "2026-12-29", "2027-01-10"],
        ),
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1", "2026-12-02", ["2026-12-07", "2026-12-14"]),
        ("FREQ=WEEKLY;BYDAY=SU,WE;BYSETPOS=1;WKST=SU", "2026-12-02", ["2026-12-06", "2026-12-13"]),
    ],
)
def test_rare_days_come_when_they_are_there(text: str, start: str, days: list[str]) -> None:
    """10.1"""
    assert days_of(calendar(text, f"{start}T09:00"), len(days)) == days


def test_a_week_goes_on_after_new_year_whoever_asks_from_when() -> None:
    """10.1, 10.9"""
    rule = calendar("FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,FR", "2026-12-18T09:00")
    assert days_of(rule, 4) == ["2026-12-18", "2026-12-30", "2027-01-01", "2027-01-13"]
    new_year = datetime(2027, 1, 1, 6, tzinfo=UTC)
    assert rule.first_after(new_year) == datetime(2027, 1, 1, 14, tzinfo=UTC)


def test_positions_count_the_times_of_a_day_too() -> None:
    """10.1"""
    rule = calendar("FREQ=DAILY;BYHOUR=9,12,18;BYMINUTE=0,30;BYSETPOS=-1,2,9", "2026-12-01T00:00")
    assert local(rule, 3) == ["2026-12-01T09:30", "2026-12-01T18:30", "2026-12-02T09:30"]


def test_the_last_minute_of_a_year_is_found_among_half_a_million() -> None:
    """10.1"""
    hours, minutes = (",".join(map(str, range(most))) for most in (24, 60))
    every_minute = f"FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR={hours};BYMINUTE={minutes}"
    assert local(calendar(f"{every_minute};BYSETPOS=-1", "2026-12-01T00:00"), 1) == ["2026-12-31T23:59"]
    after = calendar(every_minute, "2026-12-01T00:00").first_after(datetime(2026, 12, 31, 20, tzinfo=UTC))
    assert after == datetime(2026, 12, 31, 20, 1, tzinfo=UTC)


# Where it starts and ends


def test_no_time_is_before_the_start() -> None:
    """10.2"""
    rule = calendar("FREQ=DAILY;BYHOUR=9", "2026-12-01T09:30")
    assert rule.first_after(datetime(2000, 1, 1, tzinfo=UTC)) == datetime(2026, 12, 2, 14, tzinfo=UTC)


def test_the_first_time_after_a_time_is_the_next_one() -> None:
    """10.2: after means after, to the microsecond."""
    rule = calendar("FREQ=DAILY;BYHOUR=9", "2026-12-01T00:00")
    at = datetime(2026, 12, 3, 14, tzinfo=UTC)
    assert rule.first_after(at - datetime.resolution) == at
    assert rule.first_after(at) == at + timedelta(days=1)
    assert rule.first_after(at + datetime.resolution) == at + timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "is_ever"),
    [
        ("FREQ=DAILY", True),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", True),
        ("FREQ=DAILY;INTERVAL=99999999999999999999999999", True),  # once, at its start
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", False),
        ("FREQ=MONTHLY;BYDAY=6MO", False),
        ("FREQ=DAILY;INTERVAL=7;BYDAY=MO", False),  # it starts on a Tuesday
        ("FREQ=DAILY;BYHOUR=9;BYSETPOS=2", False),
        ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYSETPOS=-2,366", False),
        ("FREQ=DAILY;INTERVAL=36550;BYDAY=FR", False),  # on 27 December 2126
        (
            "FREQ=YEARLY;INTERVAL=100;BYMONTHDAY=1;BYMONTH=12;BYHOUR=7",
            True,
        ),  # on 1 December 2126, two hours short
    ],
)
def test_a_rule_without_a_time_in_a_hundred_years_never_comes(text: str, is_ever: bool) -> None:
    """10.1"""
    assert calendar(text, "2026-12-01T09:00").is_ever() is is_ever


def test_a_rule_is_over_where_a_hundred_years_have_no_time() -> None:
    """10.1, 6.8"""
    assert len(times_of(calendar("FREQ=YEARLY;INTERVAL=100", "2026-12-01T09:00"))) == 80
    assert len(times_of(calendar("FREQ=YEARLY;INTERVAL=101", "2026-12-01T09:00"))) == 1


@pytest.mark.parametrize(("zone", "last"), [("Pacific/Kiritimati", "12-31"), ("America/New_York", "12-30")])
def test_a_rule_is_over_with_the_last_year_that_can_be_expressed(zone: str, last: str) -> None:
    """6.8: in UTC and in the zone."""
    assert days_of(calendar("FREQ=DAILY;BYHOUR=20", "9999-12-29T00:00", zone), 10)[-1] == f"9999-{last}"


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/New_York"])
def test_a_rule_can_start_with_the_first_year(zone: str) -> None:
    """6.8, 10.2: a past `atIso` gives only phase, day and time of day."""
    rule = calendar("FREQ=DAILY", "0001-01-02T00:00", zone)
    assert local(rule, 2) == ["0001-01-02T00:00", "0001-01-03T00:00"]
    assert rule.is_ever()


# Its end


def test_the_last_of_a_count_counts_the_first() -> None:
    """10.4"""
    rule = calendar("FREQ=DAILY", "2026-12-01T09:00")
    first = datetime(2026, 12, 5, 14, tzinfo=UTC)
    assert [rule.last_of_count(count, first) for count in (1, 2, 5)] == [
        first + timedelta(days=count - 1) for count in (1, 2, 5)
    ]


def test_the_last_of_a_count_may_begin_with_a_moved_firing() -> None:
    """10.4, 11.2: it counts as one, and the rule's own times go on after it."""
    rule = calendar("FREQ=DAILY", "2026-12-01T09:00")
    moved = datetime(2026, 12, 5, 16, 30, tzinfo=UTC)
    assert rule.last_of_count(1, moved) == moved
    assert rule.last_of_count(2, moved) == datetime(2026, 12, 6, 14, tzinfo=UTC)


def test_there_is_no_last_of_more_times_than_there_are() -> None:
    """10.4, 6.8: ten thousand years end later than can be expressed."""
    rule = calendar("FREQ=YEARLY", "2026-12-01T09:00")
    assert rule.last_of_count(10_000, rule.start) is None


def test_an_end_includes_its_own_moment() -> None:
    """10.4"""
    rule = calendar("FREQ=DAILY", "2026-12-01T09:00")
    at = datetime(2026, 12, 5, 14, tzinfo=UTC)
    assert rule.last_until(at) == at
    assert rule.last_until(at - datetime.resolution) == at - timedelta(days=1)
    assert rule.last_until(rule.start - datetime.resolution) is None


@given(drawn_rules(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1))), st.timedeltas(timedelta(0)))
def test_the_last_time_until_an_end_is_the_last_of_all_up_to_it(drawn: DrawnRule, length: timedelta) -> None:
    """10.4"""
    rule = calendar(drawn.text, drawn.start.isoformat())
    until = rule.start + length % timedelta(days=1_000)
    times = list(
        takewhile(lambda at: at <= until, islice(rule.times_after(rule.start - datetime.resolution), 500))
    )
    assume(len(times) < 500)
    assert rule.last_until(until) == (times[-1] if times else None)


@pytest.mark.parametrize(
    ("until", "zone", "end"),
    [
        (date(2026, 12, 24), "America/New_York", "2026-12-25T04:59:59.999+00:00"),
        (date(2026, 9, 5), "America/Santiago", "2026-09-06T03:59:59.999+00:00"),  # no midnight comes after it
        (date(2011, 12, 29), "Pacific/Apia", "2011-12-30T09:59:59.999+00:00"),  # nor a day
        (datetime(2026, 12, 24, 9), "America/New_York", "2026-12-24T14:00:00+00:00"),
        (datetime(2026, 11, 1, 1, 30), "America/New_York", "2026-11-01T05:30:00+00:00"),  # it occurs twice
        (datetime(2026, 12, 24, 9, tzinfo=UTC), "America/New_York", "2026-12-24T09:00:00+00:00"),
    ],
)
def test_an_end_is_the_whole_day_a_local_time_or_a_moment(until: date, zone: str, end: str) -> None:
    """10.4"""
    assert end_of(until, zone_of(zone)) == datetime.fromisoformat(end)


def test_the_last_day_of_all_ends_with_the_last_moment() -> None:
    """10.4, 6.8"""
    assert end_of(date.max, zone_of("Pacific/Kiritimati")) == LAST_MOMENT


# As values


def test_rules_that_say_the_same_are_equal_however_they_are_written() -> None:
    """10.1, 11.1"""
    one = calendar("FREQ=WEEKLY;BYDAY=FR,MO;BYHOUR=9", "2026-12-01T09:00")
    assert one == calendar("rrule: byhour=09; byday=mo,fr,mo; freq=weekly;", "2026-12-01T09:00")
    assert one != calendar("FREQ=WEEKLY;BYDAY=FR,MO;BYHOUR=9", "2026-12-01T10:00")
    assert one != calendar("FREQ=WEEKLY;BYDAY=FR,MO;BYHOUR=9", "2026-12-01T09:00", "Europe/Berlin")
    assert len({one, calendar("FREQ=WEEKLY;BYHOUR=9;BYDAY=MO,FR", "2026-12-01T09:00")}) == 1


def test_two_times_after_the_next_cost_no_second_search() -> None:
    """10.6: what a reply shows comes from one walk."""
    rule = calendar("FREQ=DAILY", "2026-12-01T09:00")
    times = rule.times_after(rule.start)
    assert shown(rule, list(islice(times, 2))) == ["2026-12-02T09:00-05:00", "2026-12-03T09:00-05:00"]
