"""Reminders on the calendar as the tools take and show them (10.1, 10.2, 10.6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from calling import notes, problems

from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.reminders.recurrence import Calendar
from heartbeat_core.times.moments import AgentZone

ADD, LIST = "reminder_add", "reminder_list"
DAILY_AT_NINE = "FREQ=DAILY;BYHOUR=9"
ALWAYS = "FREQ=DAILY;BYHOUR=9;"


def zone(name: str) -> AgentZone:
    found = find_zone(name)
    assert found is not None
    return found


BERLIN, NEW_YORK = zone("Europe/Berlin"), zone("America/New_York")
NAMELESS = AgentZone("", timezone(timedelta(hours=2)))


def described(bench: Bench, **arguments: object) -> str:
    """What the reply says of a reminder that was set, before its notes."""
    reply = bench.call(ADD, message="tea", **arguments)
    assert not reply.is_error, reply.text
    return reply.text.split("\n")[0].partition(" set: ")[2]


def next_time(bench: Bench, **arguments: object) -> str:
    """The first time, as the agent reads it."""
    return described(bench, **arguments).removeprefix("next ").partition(" (")[0]


def refused(**arguments: object) -> list[str]:
    return problems(Bench(), ADD, {"message": "tea", **arguments})


# The text of a rule


@pytest.mark.parametrize(
    "rule",
    [
        "freq=daily;byhour=9",
        "RRULE:FREQ=DAILY;BYHOUR=9",
        "FREQ=DAILY;BYHOUR=9;",
        " rrule: Freq = Daily ; ByHour = 9 ; ",
    ],
)
def test_case_blanks_prefix_and_last_semicolon_do_not_matter(rule: str) -> None:
    """10.1, 10.6: it is shown as it is kept"""
    assert "| repeats FREQ=DAILY;BYHOUR=9 [UTC] |" in described(Bench(), rrule=rule)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=HOURLY;INTERVAL=2", ["everyHours"]),
        ("FREQ=MINUTELY", ["everyMinutes"]),
        ("FREQ=SECONDLY", ["everySeconds"]),
        ("BYHOUR=9", ["FREQ is missing"]),
        (f"{ALWAYS}DTSTART=20260101", ["DTSTART", "atIso", "timezone"]),
        (f"{ALWAYS}BYEASTER=1", ["BYEASTER"]),
        (f"{ALWAYS}BYWEEKNO=20", ["BYWEEKNO"]),
        (f"{ALWAYS}X-NOTE=1", ["X-NOTE"]),
        (f"{ALWAYS}BYHOUR=10", ["BYHOUR", "more than once"]),
        (f"{ALWAYS}INTERVAL=0", ["INTERVAL", "1 or more"]),
        (f"{ALWAYS}COUNT=0", ["COUNT", "from 1 to 10000"]),
        (f"{ALWAYS}COUNT=10001", ["COUNT", "from 1 to 10000"]),
        (f"{ALWAYS}COUNT=2;UNTIL=20270101", ["COUNT and UNTIL"]),
        ("FREQ=DAILY;BYHOUR=24", ["BYHOUR", "0 to 23"]),
        ("FREQ=WEEKLY;BYDAY=XX;BYHOUR=9", ["BYDAY", "MO, TU"]),
        ("FREQ=WEEKLY;BYMONTHDAY=3;BYHOUR=9", ["BYMONTHDAY", "FREQ=MONTHLY"]),
        ("every weekday at 9", ["FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9"]),
        ("FREQ=DAILY;BYHOUR=" + ",".join(["9"] * 1000), ["1000"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9", ["no time within 100 years"]),
    ],
)
def test_a_rule_that_is_wrong_is_refused_saying_what_is_wrong_with_it(rule: str, words: list[str]) -> None:
    """10.1"""
    said = refused(rrule=rule)
    assert said[0].startswith("rrule")
    assert not [word for word in words if word not in said[0]]


def test_each_thing_that_is_wrong_with_a_rule_is_a_line() -> None:
    """10.1, 6"""
    said = refused(rrule="FREQ=DAILY;BYHOUR=25;INTERVAL=0")
    assert len(said) == 2
    assert all(line.startswith("rrule: ") for line in said)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"everyHours": 24}, "everyHours and rrule both say how often"),
        (
            {"count": 10_001},
            "count 10001 is out of range; it must be a whole number from 1 to 10000 with rrule",
        ),
    ],
)
def test_a_rule_and_what_contradicts_it_are_refused(more: dict[str, object], said: str) -> None:
    """10.1"""
    (problem,) = refused(rrule=DAILY_AT_NINE, **more)
    assert problem.startswith(said)


def test_a_count_of_thousands_of_digits_is_shown_in_short() -> None:
    """10.1, 6.8"""
    (problem,) = refused(rrule=DAILY_AT_NINE, count=10**5000)
    assert problem.startswith("count ")
    assert len(problem) < 200
    (problem,) = refused(everyHours=1, count=10**5000)
    assert problem.startswith("count reaches past the year 9999")


def test_a_count_beside_an_interval_may_be_larger() -> None:
    """10.1: only a rule has to be walked through"""
    assert "until" in described(Bench(), everyHours=1, count=10_001)


# The zone


@pytest.mark.parametrize("name", ["Europe/Berlin", "europe/berlin", "EUROPE/BERLIN"])
def test_a_zone_is_known_in_any_case_and_kept_as_iana_spells_it(name: str) -> None:
    """10.2"""
    bench = Bench()
    text = described(bench, rrule=DAILY_AT_NINE, timezone=name)
    assert text.startswith("next 2026-01-01T08:00:00+00:00 [UTC] (~28800s) | repeats ")
    assert "[Europe/Berlin]" in text
    (kept,) = bench.reminder_store.saved.values()
    assert isinstance(kept.recurrence, Calendar)
    assert kept.recurrence.zone.name == "Europe/Berlin"


def test_without_a_zone_the_rule_counts_in_the_agent_zone() -> None:
    """10.2"""
    assert next_time(Bench(zone=BERLIN), rrule=DAILY_AT_NINE) == "2026-01-01T09:00:00+01:00 [Europe/Berlin]"


def test_a_rule_keeps_to_the_wall_clock_of_its_zone_over_a_change_of_the_clocks() -> None:
    """10.2"""
    text = described(Bench(), rrule=DAILY_AT_NINE, timezone="Europe/Berlin", atIso="2026-03-28T10:00")
    assert text.startswith("next 2026-03-29T07:00:00+00:00 [UTC]")
    text = described(Bench(), rrule=DAILY_AT_NINE, timezone="Europe/Berlin", atIso="2026-03-28")
    assert text.startswith("next 2026-03-28T08:00:00+00:00 [UTC]")
    assert text.endswith("| then 2026-03-29T07:00:00+00:00 [UTC], 2026-03-30T07:00:00+00:00 [UTC]")


def test_an_agent_that_moves_keeps_its_appointments() -> None:
    """10.2"""
    at_home = Bench(zone=BERLIN)
    at_home.call(ADD, message="stand-up", rrule=DAILY_AT_NINE)
    at_home.heartbeat.stop()
    abroad = Bench(zone=NEW_YORK, reminder_store=at_home.reminder_store, clock=at_home.clock)
    line = abroad.call(LIST).text.splitlines()[1]
    assert "| next 2026-01-01T03:00:00-05:00 [America/New_York] (~28800s) | " in line
    assert "repeats FREQ=DAILY;BYHOUR=9 [Europe/Berlin]" in line
    abroad.pass_time(hours=8)
    (wake,) = [wake for wake in abroad.sent() if wake.reminder_id]
    abroad.take(wake)
    assert "next 2026-01-02T03:00:00-05:00" in abroad.call(LIST).text


def test_where_the_agent_zone_has_no_name_a_rule_needs_one() -> None:
    """10.2"""
    bench = Bench(zone=NAMELESS)
    (problem,) = problems(bench, ADD, {"message": "tea", "rrule": DAILY_AT_NINE})
    assert problem.startswith("rrule needs a timezone, since your own zone has no name here")
    assert next_time(bench, rrule=DAILY_AT_NINE, timezone="UTC").startswith("2026-01-01T11:00:00+02:00")


@pytest.mark.parametrize("name", ["Mars/Olympus", "Berlin", "../etc/passwd", "CEST", "localtime"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    """10.2"""
    (problem,) = refused(rrule=DAILY_AT_NINE, timezone=name)
    assert problem.startswith("timezone ")
    assert problem.endswith("is unknown here; send an IANA name, such as Europe/Berlin")


IGNORED = ["timezone was ignored, since nothing else that was sent needs it."]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"inHours": 1}, IGNORED),
        ({"everyHours": 1}, IGNORED),
        ({"atIso": "2026-02-01T09:00Z"}, IGNORED),
        ({"everyHours": 1, "until": "2026-02-01T09:00+01:00"}, IGNORED),
        ({"everyHours": 1, "count": 3}, IGNORED),
        ({"atIso": "2026-02-01T09:00"}, []),
        ({"everyHours": 1, "until": "2026-02-01"}, []),
        ({"rrule": DAILY_AT_NINE}, []),
    ],
)
def test_a_zone_that_nothing_needs_is_ignored_and_said(arguments: dict[str, object], said: list[str]) -> None:
    """10.2"""
    assert notes(Bench(), ADD, {"message": "tea", "timezone": "Europe/Berlin", **arguments}) == said


def test_a_one_shot_is_read_in_the_zone_that_was_sent_with_it() -> None:
    """10.2, 6.5"""
    sent = {"atIso": "2026-02-01T09:00", "timezone": "America/New_York"}
    assert next_time(Bench(), **sent) == "2026-02-01T14:00:00+00:00 [UTC]"


# The start


@pytest.mark.parametrize(
    ("now", "first", "due"),
    [
        ("2026-01-01T09:00:00", {"inSeconds": 0.4}, "2026-01-01T09:00:01"),
        ("2026-01-01T09:00:00.5", {"inSeconds": 0.5}, "2026-01-01T09:00:01"),
        ("2026-01-01T09:00:00.001", {"inHours": 1}, "2026-01-01T10:00:01"),
        ("2026-01-01T08:00:00", {"atIso": "2026-01-01T08:30:15.250"}, "2026-01-01T08:30:16"),
        ("2026-01-01T23:59:59.5", {"inSeconds": 0.1}, "2026-01-02T00:00:00"),
    ],
)
def test_a_start_is_rounded_up_to_a_whole_second(now: str, first: dict[str, object], due: str) -> None:
    """10.2"""
    bench = Bench(clock=FakeClock(datetime.fromisoformat(f"{now}+00:00")))
    assert next_time(bench, rrule="FREQ=DAILY", **first) == f"{due}+00:00 [UTC]"
    (kept,) = bench.reminder_store.saved.values()
    assert kept.start == datetime.fromisoformat(f"{due}+00:00")


def test_a_past_start_gives_only_the_phase_and_the_reply_says_that_it_was_past() -> None:
    """10.2"""
    bench = Bench()
    reply = bench.call(ADD, message="tea", rrule="FREQ=DAILY;INTERVAL=3", atIso="2025-12-30T09:15")
    assert "next 2026-01-02T09:15:00+00:00 [UTC] (~119700s)" in reply.text
    assert (
        "\nNote: that time is past, since it is now 2026-01-01T00:00:00+00:00 [UTC], so it gives "
        in reply.text
    )
    assert bench.sent() == []


def test_the_first_time_is_after_now() -> None:
    """10.2"""
    bench = Bench(clock=FakeClock(datetime(2026, 1, 1, 9, tzinfo=UTC)))
    assert next_time(bench, rrule=DAILY_AT_NINE) == "2026-01-02T09:00:00+00:00 [UTC]"
    assert next_time(bench, rrule="FREQ=DAILY", atIso="2026-01-01T09:00") == "2026-01-02T09:00:00+00:00 [UTC]"


@pytest.mark.parametrize(
    ("rule", "at", "due"),
    [
        ("FREQ=WEEKLY", "2026-01-07T08:30:15", "2026-01-07T08:30:15"),
        ("FREQ=WEEKLY;BYDAY=FR", "2026-01-07T08:30", "2026-01-09T08:30:00"),
        ("FREQ=MONTHLY", "2026-01-31T08:30", "2026-01-31T08:30:00"),
        ("FREQ=YEARLY", "2026-05-04T08:30", "2026-05-04T08:30:00"),
        ("FREQ=YEARLY;BYMONTH=6", "2026-05-04T08:30", "2026-06-04T08:30:00"),
        ("FREQ=DAILY", "2026-01-07", "2026-01-07T00:00:00"),
    ],
)
def test_what_a_rule_leaves_open_is_taken_from_its_start(rule: str, at: str, due: str) -> None:
    """10.2"""
    assert next_time(Bench(), rrule=rule, atIso=at) == f"{due}+00:00 [UTC]"


def test_without_a_start_the_day_is_that_of_now() -> None:
    """10.2"""
    bench = Bench(clock=FakeClock(datetime(2026, 1, 7, 8, 30, tzinfo=UTC)))
    assert next_time(bench, rrule="FREQ=WEEKLY;BYHOUR=8") == "2026-01-14T08:00:00+00:00 [UTC]"
    assert next_time(bench, rrule="FREQ=MONTHLY;BYHOUR=9") == "2026-01-07T09:00:00+00:00 [UTC]"


@pytest.mark.parametrize(
    ("rule", "due"),
    [
        ("FREQ=DAILY;BYHOUR=9", "2026-01-01T09:00:00"),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=15", "2026-01-01T09:15:00"),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=15;BYSECOND=20", "2026-01-01T09:15:20"),
        ("FREQ=DAILY;BYHOUR=9;BYSECOND=20", "2026-01-01T09:00:20"),
    ],
)
def test_the_time_of_day_of_now_is_never_taken(rule: str, due: str) -> None:
    """10.2"""
    bench = Bench(clock=FakeClock(datetime(2026, 1, 1, 8, 41, 37, tzinfo=UTC)))
    assert next_time(bench, rrule=rule) == f"{due}+00:00 [UTC]"


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO", "FREQ=DAILY;BYMINUTE=15"])
def test_a_rule_without_an_hour_needs_a_first_time(rule: str) -> None:
    """10.2"""
    (problem,) = refused(rrule=rule)
    assert problem.startswith("rrule does not say at what time of day; add BYHOUR to it")
    assert not refused(rrule=rule, atIso="2026-01-01T08:00")
    assert not refused(rrule=rule, inHours=1)


def test_an_interval_of_a_rule_counts_from_the_week_of_its_start() -> None:
    """10.2"""
    rule = "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;BYHOUR=9"
    text = described(Bench(), rrule=rule, atIso="2026-01-07")
    assert text.startswith("next 2026-01-11T09:00:00+00:00")
    assert text.endswith("| then 2026-01-19T09:00:00+00:00 [UTC], 2026-01-25T09:00:00+00:00 [UTC]")


def test_a_start_with_an_offset_names_the_instant() -> None:
    """10.2"""
    sent = {"rrule": "FREQ=DAILY", "timezone": "Europe/Berlin", "atIso": "2026-01-01T20:00-05:00"}
    assert next_time(Bench(), **sent) == "2026-01-02T01:00:00+00:00 [UTC]"
    assert next_time(Bench(), **sent | {"atIso": "2026-01-02T02:00"}) == "2026-01-02T01:00:00+00:00 [UTC]"


# Descriptions


def test_a_description_has_rule_end_expiry_message_and_the_times_after_the_next() -> None:
    """10.6"""
    text = described(Bench(), rrule=DAILY_AT_NINE, count=4, expiresAfterMinutes=30)
    assert text == (
        "next 2026-01-01T09:00:00+00:00 [UTC] (~32400s) | repeats FREQ=DAILY;BYHOUR=9 [UTC] | "
        "until 2026-01-04T09:00:00+00:00 [UTC] | expires after 1800s | "
        '"tea" | then 2026-01-02T09:00:00+00:00 [UTC], 2026-01-03T09:00:00+00:00 [UTC]'
    )


def test_a_list_has_all_of_it_but_the_times_after_the_next() -> None:
    """10.6"""
    bench = Bench()
    described(bench, rrule=f"{DAILY_AT_NINE};COUNT=4", expiresAfterMinutes=30)
    assert bench.call(LIST).text.splitlines()[1] == (
        "rem_1 | next 2026-01-01T09:00:00+00:00 [UTC] (~32400s) | repeats FREQ=DAILY;BYHOUR=9 [UTC] | "
        'until 2026-01-04T09:00:00+00:00 [UTC] | expires after 1800s | "tea"'
    )


@pytest.mark.parametrize(
    ("count", "then"),
    [(1, ""), (2, " | then 2026-01-02T09:00:00+00:00 [UTC]")],
)
def test_there_are_only_as_many_times_shown_as_there_are(count: int, then: str) -> None:
    """10.6"""
    assert described(Bench(), rrule=DAILY_AT_NINE, count=count).endswith(f'| "tea"{then}')


def test_the_times_after_the_next_are_after_now() -> None:
    """10.6: those of an interval whose first time is long past"""
    text = described(Bench(), everyHours=24, atIso="2025-12-20T06:00")
    assert text.endswith("| then 2026-01-01T06:00:00+00:00 [UTC], 2026-01-02T06:00:00+00:00 [UTC]")


def test_an_expiry_of_a_one_shot_is_shown() -> None:
    """10.6"""
    assert "| one-shot | expires after 5400s | " in described(Bench(), inHours=1, expiresAfterHours=1.5)


def test_a_call_whose_end_passes_while_it_is_judged_is_refused() -> None:
    """10.4, 3.4: the clock goes on between the check and the deed."""
    bench = Bench(clock=_Hasty(datetime(2026, 1, 1, 8, 59, 59, tzinfo=UTC)))
    reply = bench.call("reminder_add", message="tea", rrule="FREQ=DAILY;BYHOUR=9", until="2026-01-01T12:00")
    assert reply.is_error
    assert reply.text.startswith("Refused, and nothing was changed:\nuntil comes before the first time")


class _Hasty(FakeClock):
    """Goes on a little each time that it is read."""

    def now(self) -> datetime:
        now = super().now()
        self.set(now + timedelta(milliseconds=200))
        return now
