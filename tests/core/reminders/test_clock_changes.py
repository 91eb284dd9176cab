"""Calendar rules where the clock changes (10.3): skipped times move on, of repeated ones the first counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from datetime import tzinfo as TzInfo
from zoneinfo import ZoneInfo

import pytest
from calendars import NEW_YORK, calendar, rule_of, shown, times_of
from dateutil import tz

from heartbeat_core.reminders.calendar_rule import CalendarRule
from heartbeat_core.times.moments import AgentZone

HALF_PAST = "FREQ=DAILY;BYHOUR=1,2;BYMINUTE=30"


@pytest.mark.parametrize(
    ("zone", "day", "times"),
    [
        (  # 02:00 becomes 03:00
            "America/New_York",
            "2026-03-08",
            ["2026-03-08T01:30-05:00", "2026-03-08T03:30-04:00", "2026-03-09T01:30-04:00"],
        ),
        (  # 02:00 becomes 01:00
            "America/New_York",
            "2026-11-01",
            ["2026-11-01T01:30-04:00", "2026-11-01T02:30-05:00", "2026-11-02T01:30-05:00"],
        ),
        (  # 02:00 becomes 02:30
            "Australia/Lord_Howe",
            "2026-10-04",
            ["2026-10-04T01:30+10:30", "2026-10-04T02:30+11:00", "2026-10-05T01:30+11:00"],
        ),
        (  # 02:00 becomes 01:30
            "Australia/Lord_Howe",
            "2026-04-05",
            ["2026-04-05T01:30+11:00", "2026-04-05T02:30+10:30", "2026-04-06T01:30+10:30"],
        ),
        (  # 01:00 becomes 02:00, so both times are one
            "Europe/Dublin",
            "2026-03-29",
            ["2026-03-29T02:30+01:00", "2026-03-30T01:30+01:00", "2026-03-30T02:30+01:00"],
        ),
        (  # 02:00 becomes 01:00
            "Europe/Dublin",
            "2026-10-25",
            ["2026-10-25T01:30+01:00", "2026-10-25T02:30+00:00", "2026-10-26T01:30+00:00"],
        ),
        (  # Ramadan: 03:00 becomes 02:00
            "Africa/Casablanca",
            "2026-02-15",
            ["2026-02-15T01:30+01:00", "2026-02-15T02:30+01:00", "2026-02-16T01:30+00:00"],
        ),
        (  # and 02:00 becomes 03:00
            "Africa/Casablanca",
            "2026-03-22",
            ["2026-03-22T01:30+00:00", "2026-03-22T03:30+01:00", "2026-03-23T01:30+01:00"],
        ),
    ],
)
def test_half_past_two_on_the_night_of_a_change(zone: str, day: str, times: list[str]) -> None:
    """10.3"""
    rule = calendar(HALF_PAST, f"{day}T00:00", zone)
    assert shown(rule, times_of(rule, 3)) == times
    in_between = times_of(rule, 2)[0]
    assert shown(rule, [at for at in [rule.first_after(in_between)] if at]) == times[1:2]


def test_a_quarter_past_two_is_skipped_by_half_an_hour() -> None:
    """10.3"""
    rule = calendar("FREQ=DAILY;BYHOUR=2;BYMINUTE=15", "2026-10-04T00:00", "Australia/Lord_Howe")
    assert shown(rule, times_of(rule, 2)) == ["2026-10-04T02:45+11:00", "2026-10-05T02:15+11:00"]


def test_skipped_times_take_their_turn_among_those_after_the_gap() -> None:
    """10.3: 02:20 and 02:40 are 03:20 and 03:40; 02:00 and 03:00 are one."""
    rule = calendar("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,20,30,40", "2026-03-08T00:00")
    assert [at[11:16] for at in shown(rule, times_of(rule, 4))] == ["03:00", "03:20", "03:30", "03:40"]
    assert [at[:10] for at in shown(rule, times_of(rule, 5))][4:] == ["2026-03-09"]


def test_a_skipped_time_is_found_from_after_the_gap() -> None:
    """10.3: the wall clock has passed 02:30 already, and its moment is still to come."""
    rule = calendar("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-01T00:00")
    past_the_gap = datetime(2026, 3, 8, 7, 10, tzinfo=UTC)  # 03:10
    assert rule.first_after(past_the_gap) == datetime(2026, 3, 8, 7, 30, tzinfo=UTC)


def test_a_skipped_time_is_no_earlier_than_a_start_after_the_gap() -> None:
    """10.2, 10.3"""
    rule = calendar("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-08T03:10")
    assert shown(rule, times_of(rule, 1)) == ["2026-03-08T03:30-04:00"]


def test_a_repeated_time_is_over_for_a_start_in_the_second_hour() -> None:
    """10.2, 10.3"""
    second_0130 = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    rule = CalendarRule(
        rule_of("FREQ=DAILY;BYHOUR=1;BYMINUTE=45"), AgentZone(NEW_YORK, ZoneInfo(NEW_YORK)), second_0130
    )
    assert shown(rule, times_of(rule, 1)) == ["2026-11-02T01:45-05:00"]
    assert rule.first_after(second_0130) == datetime(2026, 11, 2, 6, 45, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("FREQ=DAILY", ["2011-12-29T09:00-10:00", "2011-12-31T09:00+14:00", "2012-01-01T09:00+14:00"]),
        ("FREQ=WEEKLY;BYDAY=FR", ["2011-12-31T09:00+14:00", "2012-01-06T09:00+14:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=30", ["2011-12-31T09:00+14:00", "2012-01-30T09:00+14:00"]),
    ],
)
def test_a_day_that_a_place_leaves_out_moves_to_the_next(text: str, times: list[str]) -> None:
    """10.3: Apia had no 30 December 2011."""
    rule = calendar(text, "2011-12-29T09:00", "Pacific/Apia")
    assert shown(rule, times_of(rule, len(times))) == times
    assert rule.first_after(datetime(2011, 12, 30, 18, 59, tzinfo=UTC)) == datetime(
        2011, 12, 30, 19, tzinfo=UTC
    )


def test_midnight_that_is_skipped_is_one_o_clock() -> None:
    """10.3"""
    rule = calendar("FREQ=DAILY;BYHOUR=0", "2026-09-05T00:00", "America/Santiago")
    assert shown(rule, times_of(rule, 3)) == [
        *("2026-09-05T00:00-04:00", "2026-09-06T01:00-03:00", "2026-09-07T00:00-03:00")
    ]


def test_old_offsets_have_seconds() -> None:
    """10.3: as in Amsterdam until 1937."""
    zone = AgentZone("Europe/Amsterdam", timezone(timedelta(minutes=19, seconds=32)))
    rule = CalendarRule(rule_of("FREQ=DAILY;BYHOUR=12"), zone, datetime(1937, 6, 1, tzinfo=UTC))
    assert times_of(rule, 1) == [datetime(1937, 6, 1, 11, 40, 28, tzinfo=UTC)]


@pytest.mark.parametrize("zone", [tz.gettz(NEW_YORK), tz.tzstr("EST5EDT,M3.2.0,M11.1.0")])
@pytest.mark.parametrize("day", ["2026-03-08", "2026-11-01"])
def test_the_zones_of_dateutil_give_the_same_moments(zone: TzInfo, day: str) -> None:
    """10.3: an embedder may hand in such a zone."""
    ours = calendar(HALF_PAST, f"{day}T00:00")
    theirs = CalendarRule(ours.rule, AgentZone(NEW_YORK, zone), ours.start)
    assert times_of(theirs, 5) == times_of(ours, 5)


def test_a_zone_that_changes_its_mind_changes_moments_and_not_the_wall_clock() -> None:
    """10.2, 10.3: nothing of a zone is remembered, so new zone data holds from the next time on."""
    rule = calendar("FREQ=DAILY;BYHOUR=9", "2026-07-01T00:00", "Europe/Berlin")
    reformed = AgentZone("Europe/Berlin", timezone(timedelta(hours=1)))
    after_the_reform = CalendarRule(rule.rule, reformed, rule.start)
    day = datetime(2026, 7, 10, tzinfo=UTC)
    assert rule.first_after(day) == day.replace(hour=7)
    assert after_the_reform.first_after(day) == day.replace(hour=8)
