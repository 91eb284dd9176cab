"""Our times of thousands of drawn rules beside those of other implementations (10.1, 10.2, 10.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import recurring_ical_events
from calendars import JUST_BEFORE, rule_of, zone_of
from drawn_rules import DrawnRule, by_dateutil, drawn_rules, written_out
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from icalendar import Calendar, Event, vRecur

from heartbeat_core.reminders.calendar_rule import CalendarRule
from heartbeat_core.times.moments import AgentZone

# Both hemispheres; half an hour (Lord Howe), a day (Apia), winter time as the exception (Dublin), Ramadan
# (Casablanca), midnight (Santiago, Beirut), 45 minutes (Chatham), and seconds in the offsets of old.
ZONES = [
    *("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca"),
    *("Pacific/Apia", "America/Santiago", "Asia/Beirut", "Pacific/Chatham", "America/St_Johns", "UTC"),
    *("Asia/Kolkata", "Africa/Monrovia", "Europe/Amsterdam", "America/Caracas", "Asia/Pyongyang"),
]
UTC_ZONE = AgentZone("UTC", UTC)

# The calendar is the same every 400 years, and dateutil looks for a rule that never matches to the year 9999.
# So it is asked shortly before: it is then done soon, and what both have is all that there is.
LATE = st.datetimes(datetime(9980, 1, 1), datetime(9998, 12, 31))
OF_OUR_TIME = st.datetimes(datetime(1880, 1, 1), datetime(2040, 1, 1))
WINDOW = timedelta(days=366 * 9)
COMPARED = 25


@settings(max_examples=1_000)
@given(drawn_rules(LATE))
def test_local_times_are_those_of_dateutil(drawn: DrawnRule) -> None:
    """10.1, 10.2"""
    start = drawn.start.replace(tzinfo=UTC)
    rule = CalendarRule(rule_of(drawn.text), UTC_ZONE, start)
    ours = list(islice(rule.times_after(start - JUST_BEFORE), COMPARED))
    theirs = (at for at in by_dateutil(drawn) if at >= drawn.start)
    assert ours == [at.replace(tzinfo=UTC) for at in islice(theirs, COMPARED)]


@settings(max_examples=500)
@given(drawn_rules(OF_OUR_TIME), st.sampled_from(ZONES))
def test_moments_are_those_of_the_local_times_in_the_zone(drawn: DrawnRule, zone: str) -> None:
    """10.3: skipped times move forward by the gap, of repeated ones the first counts, in order, each once."""
    rule, drawn = started_in(zone, drawn)
    ours = in_window(rule)
    assume(ours)
    well_after = local_in(zone, ours[-1]) + timedelta(days=3)
    theirs = {moment_in(zone, at) for at in takewhile(lambda at: at < well_after, by_dateutil(drawn))}
    assert ours == sorted(at for at in theirs if rule.start <= at <= ours[-1])


@settings(max_examples=300)
@given(drawn_rules(OF_OUR_TIME), st.sampled_from(ZONES))
def test_the_next_time_is_the_same_whoever_asks_from_when(drawn: DrawnRule, zone: str) -> None:
    """10.9: nothing is remembered, so each time is found from the one before it, and from right before it."""
    rule, _ = started_in(zone, drawn)
    ours = in_window(rule)
    assert [rule.first_after(at) for at in ours[:-1]] == ours[1:]
    assert [rule.first_after(at - datetime.resolution) for at in ours] == ours


@settings(max_examples=200)
@given(drawn_rules(OF_OUR_TIME), st.sampled_from(ZONES))
def test_moments_are_those_of_a_calendar_with_this_event(drawn: DrawnRule, zone: str) -> None:
    """10.1, 10.3: the second reading finds what calendar programs show."""
    rule, drawn = started_in(zone, drawn)
    ours = in_window(rule)
    assume(ours)
    theirs = by_a_calendar(drawn, zone, until=ours[-1] + timedelta(seconds=1))
    assert ours[1:] == [at for at in theirs if at > ours[0]]


def by_a_calendar(drawn: DrawnRule, zone: str, until: datetime) -> list[datetime]:
    """The moments of an event with the rule, in order, each once. The event's own start is one of them."""
    text, midnight = written_out(drawn)
    event = Event()
    event.add("dtstart", midnight.replace(tzinfo=ZoneInfo(zone)))
    event.add("rrule", vRecur.from_ical(text))
    shown = Calendar()
    shown.add_component(event)
    found = recurring_ical_events.of(shown).between(drawn.start.replace(tzinfo=ZoneInfo(zone)), until)
    return sorted({each.start.astimezone(UTC) for each in found})


def started_in(zone: str, drawn: DrawnRule) -> tuple[CalendarRule, DrawnRule]:
    """The rule in a zone, and as drawn, but with the start that this zone makes of it."""
    start = moment_in(zone, drawn.start)
    return CalendarRule(rule_of(drawn.text), zone_of(zone), start), replace(
        drawn, start=local_in(zone, start)
    )


def in_window(rule: CalendarRule) -> list[datetime]:
    """Some of its times, from its start on, if there are any soon."""
    times = islice(rule.times_after(rule.start - JUST_BEFORE), COMPARED)
    return list(takewhile(lambda at: at < rule.start + WINDOW, times))


def moment_in(zone: str, local: datetime) -> datetime:
    """Python's own reading: by their fold, skipped times are those with the offset before the gap."""
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local_in(zone: str, moment: datetime) -> datetime:
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
