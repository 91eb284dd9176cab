"""Beats in active hours, and the one that the agent asks for: 12.2, 12.3, with 4.14, 5.2 and 8.2."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from heartbeat_adapters.testing import Bench, FakeClock, MemoryScheduleStore
from heartbeat_core.policy import Policy
from heartbeat_core.schedule.active_hours import WEEKDAYS, ActiveHours, read_days, read_hours
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, times_passed, with_new_countdown
from heartbeat_core.times.moments import AgentZone
from heartbeat_core.wakes import Refused, Taken, Wake

UTC_ZONE = AgentZone("UTC", UTC)
BERLIN = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN.tzinfo).astimezone(UTC)


MONDAY_NOON = local("2026-01-05T12:00")


def bench_at(moment: datetime, **more: object) -> Bench:
    """A bench in Berlin whose host takes every wake."""
    more.setdefault("host", lambda _: Taken())
    return Bench(clock=FakeClock(moment), zone=BERLIN, **more)  # type: ignore[arg-type]


def configure(bench: Bench, **arguments: object) -> str:
    reply = bench.call("heartbeat_configure", **arguments)
    assert not reply.is_error, reply.text
    return reply.text


def refusal(bench: Bench, **arguments: object) -> str:
    reply = bench.call("heartbeat_configure", **arguments)
    assert reply.is_error, reply.text
    return reply.text


def heard(bench: Bench) -> list[str]:
    """When beats were heard, on the agent's clock."""
    return [
        wake.sent_at.astimezone(BERLIN.tzinfo).strftime("%a %H:%M")
        for wake in bench.heard
        if wake.reminder_id is None
    ]


def next_beat(bench: Bench) -> datetime | None:
    return bench.heartbeat.schedule.next_beat


# Active hours


def test_a_beat_outside_the_hours_comes_at_the_next_opening_and_its_times_count_from_there() -> None:
    """12.2"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, intervalHours=5, activeHours="08:00-22:00")
    bench.pass_time(hours=36)
    assert heard(bench) == ["Mon 17:00", "Tue 08:00", "Tue 13:00", "Tue 18:00"]


def test_file_and_status_show_the_opening() -> None:
    """12.2, 12.4"""
    bench = bench_at(local("2026-01-05T21:00"))
    text = configure(bench, intervalHours=2, activeHours="08:00-22:00", activeDays=["WE", "MO"])
    assert " | active=08:00-22:00 MO,WE | next in ~" in text
    saved = bench.schedule_store.saved
    assert saved is not None
    assert saved.next_beat == local("2026-01-07T08:00")


def test_nothing_of_it_is_said_where_it_is_not_used() -> None:
    """12.4"""
    assert "active=" not in bench_at(MONDAY_NOON).call("heartbeat_status").text


def test_reminders_and_triggered_beats_do_not_mind_the_hours() -> None:
    """12.2"""
    bench = bench_at(local("2026-01-05T23:00"))
    configure(bench, activeHours="08:00-22:00")
    bench.call("reminder_add", message="tea", inMinutes=5)
    bench.call("heartbeat_trigger")
    bench.pass_time(minutes=6)
    assert [wake.reminder_id for wake in bench.heard] == [None, "rem_1"]


def test_there_is_one_beat_for_an_opening_however_many_fall_before_it() -> None:
    """12.2"""
    bench = bench_at(local("2026-01-05T21:30"))
    configure(bench, intervalMinutes=1, activeHours="08:00-22:00")
    bench.pass_time(hours=10.5)
    assert len(heard(bench)) == 29 + 1


def test_an_interval_longer_than_the_hours_comes_at_each_opening_that_it_reaches() -> None:
    """12.2"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, intervalHours=30, activeHours="08:00-09:00")
    bench.pass_time(days=5)
    assert heard(bench) == ["Wed 08:00", "Fri 08:00"]


@pytest.mark.parametrize("late", [59, 61], ids=["less than a minute late", "more"])
def test_a_beat_that_is_late_and_whose_turn_comes_outside_waits_for_the_opening(late: float) -> None:
    """12.2: the machine slept over the end of the hours"""
    bench = bench_at(local("2026-01-05T21:00"))
    configure(bench, intervalMinutes=60, activeHours="08:00-22:01")
    bench.clock.suspend(HOUR + timedelta(seconds=late if late < 60 else late + 60))
    bench.pass_time(hours=9)
    assert heard(bench) == (["Mon 22:00"] if late < 60 else [])
    bench.pass_time(hours=1)
    assert heard(bench)[-1] == "Tue 08:00"


def test_a_beat_that_was_owed_over_the_night_comes_at_the_opening() -> None:
    """12.2, 8.2"""
    bench = bench_at(local("2026-01-05T20:00"), policy=Policy())
    configure(bench, intervalHours=1, activeHours="08:00-22:00")
    bench.pass_time(hours=4)
    bench.allow()
    bench.pass_time(hours=9)
    assert heard(bench) == ["Tue 08:00", "Tue 09:00"]


def test_new_hours_move_the_next_beat_where_it_is_outside() -> None:
    """12.2"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, intervalHours=11)
    configure(bench, activeHours="08:00-22:00")
    assert next_beat(bench) == local("2026-01-06T08:00")


def test_hours_that_are_taken_away_bring_the_next_beat_near() -> None:
    """12.2: no further off than a countdown that begins now"""
    bench = bench_at(local("2026-01-05T23:00"))
    configure(bench, intervalHours=1, activeHours="08:00-22:00")
    configure(bench, activeHours="always")
    assert next_beat(bench) == local("2026-01-06T00:00")


def test_always_leaves_the_days_and_all_seven_days_leave_the_hours() -> None:
    """12.1"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, activeHours="08:00-22:00", activeDays=["MO"])
    assert " | active=MO | " in configure(bench, activeHours="always")
    configure(bench, activeHours="9:00 - 17:00")
    days = ["su", "sa", "fr", "th", "we", "tu", "mo"]
    assert " | active=09:00-17:00 | " in configure(bench, activeDays=days)
    assert "No changes." in configure(bench, activeHours="09:00-17:00")


def test_a_start_moves_a_next_beat_that_is_outside() -> None:
    """12.2: a person set the hours while no server ran"""
    active = ActiveHours(read_hours("08:00-22:00"))
    saved = replace(DEFAULT_SCHEDULE, next_beat=local("2026-01-05T23:00"), active=active)
    bench = bench_at(local("2026-01-05T21:00"), schedule_store=MemoryScheduleStore(saved))
    assert next_beat(bench) == local("2026-01-06T08:00")


def test_an_opening_further_off_than_the_interval_is_no_clock_that_was_set_back() -> None:
    """5.2, 12.2: the weekend"""
    bench = bench_at(local("2026-01-09T21:00"))
    configure(bench, intervalHours=1, activeHours="08:00-21:30", activeDays=["MO", "TU", "WE", "TH", "FR"])
    bench.restart()
    bench.clock.set(bench.clock.now() - timedelta(minutes=2))
    bench.pass_time(days=3)
    assert heard(bench)[0] == "Mon 08:00"


def test_no_try_of_a_beat_that_was_not_taken_is_made_outside_the_hours() -> None:
    """4.14"""
    bench = bench_at(local("2026-01-05T21:50"), host=lambda _: Refused("busy"))
    configure(bench, intervalHours=9, activeHours="08:00-22:00")
    bench.call("heartbeat_trigger")
    bench.pass_time(hours=9)
    assert len(bench.sent()) == 3


def test_a_month_of_every_kind_of_hours_has_one_beat_an_opening_at_most_and_none_outside() -> None:
    """12.2: over a clock change, too"""
    for hours in ("08:00-22:00", "22:00-06:00", "02:15-02:45", "00:00-24:00", "23:30-00:30"):
        for days in (["MO", "TU", "WE", "TH", "FR"], ["SU"], ["SA", "SU"]):
            bench = bench_at(local("2026-03-15T12:00"))
            configure(bench, intervalMinutes=47, activeHours=hours, activeDays=days)
            active = bench.heartbeat.schedule.active
            bench.pass_time(days=30)
            times = [wake.sent_at for wake in bench.heard]
            assert times, (hours, days)
            assert all(active.includes(time, BERLIN) for time in times)
            assert all(b - a >= timedelta(minutes=47) for a, b in pairwise(times))


# One beat sooner or later


@pytest.mark.parametrize(
    ("arguments", "wait"),
    [
        ({"nextInMinutes": 90}, 90 * MINUTE),
        ({"nextInHours": 1, "nextInMinutes": 15, "nextInSeconds": 1.5}, timedelta(minutes=75, seconds=1.5)),
        ({"nextAtIso": "2026-01-06T03:00"}, 15 * HOUR),
        ({"nextInSeconds": 60}, MINUTE),
        ({"nextInMinutes": 30, "intervalHours": 6}, 30 * MINUTE),
    ],
    ids=str,
)
def test_the_next_beat_comes_when_it_is_asked_for_and_later_ones_count_from_it(
    arguments: dict[str, object], wait: timedelta
) -> None:
    """12.3: whatever the hours; together with an interval it is what holds"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, activeHours="08:00-22:00")
    configure(bench, **arguments)
    interval = bench.heartbeat.schedule.interval
    assert next_beat(bench) == MONDAY_NOON + wait
    bench.pass_time(seconds=wait.total_seconds())
    assert bench.heard[-1].sent_at == MONDAY_NOON + wait
    after = next_beat(bench)
    assert after is not None
    assert after >= MONDAY_NOON + wait + interval
    assert not bench.heartbeat.schedule.next_is_asked


def test_it_keeps_its_instant_over_a_restart_a_clock_set_back_and_new_hours() -> None:
    """12.3"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, nextAtIso="2026-01-07T03:00")
    bench.restart()
    bench.clock.set(MONDAY_NOON - 24 * HOUR)
    bench.pass_time(seconds=1)
    configure(bench, activeHours="08:00-22:00", message="look")
    assert next_beat(bench) == local("2026-01-07T03:00")
    saved = bench.schedule_store.saved
    assert saved is not None
    assert saved.next_is_asked


@pytest.mark.parametrize("arguments", [{"intervalHours": 2}, {"paused": True}], ids=str)
def test_a_new_interval_and_a_pause_end_it(arguments: dict[str, object]) -> None:
    """12.3"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, nextInHours=20)
    configure(bench, **arguments)
    assert not bench.heartbeat.schedule.next_is_asked
    configure(bench, paused=False)
    due = next_beat(bench)
    assert due is not None
    assert due - bench.clock.now() <= 4 * HOUR


def test_a_resume_in_the_same_call_takes_it() -> None:
    """12.3"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, paused=True)
    configure(bench, paused=False, nextInMinutes=10)
    assert next_beat(bench) == MONDAY_NOON + 10 * MINUTE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nextInSeconds": 59}, "nextInSeconds 59 comes to 59 s, which is out of range"),
        ({"nextAtIso": "2026-01-05T12:00:59"}, "is less than 60 s from now"),
        ({"nextAtIso": "2020-01-01"}, "is less than 60 s from now"),
        ({"nextAtIso": "tomorrow"}, "nextAtIso is not an ISO 8601 date"),
        ({"nextInHours": 1, "nextAtIso": "2026-02-01"}, "nextInHours and nextAtIso both say when"),
        ({"nextInHours": 1, "paused": True}, "nextInHours: no heartbeat comes while paused"),
        ({"activeHours": "9 to 5"}, 'activeHours "9 to 5" is not one stretch of the day; write two times'),
        ({"activeHours": "08:00-08:00"}, "is a stretch that ends as it starts"),
        ({"activeDays": ["Monday"]}, "is not days of the week; write some of MO, TU"),
        ({"activeDays": []}, "activeDays [] is not days of the week"),
        ({"quietHours": "22-8"}, "quietHours is not supported: use activeHours"),
        ({"workingHours": "9-5"}, "workingHours is not supported: use activeHours"),
        ({"weekdays": True}, "weekdays is not supported: use activeHours"),
        ({"days": ["MO"]}, "activeDays for the days"),
        ({"nextInDays": 1}, "nextInDays is not supported: use nextInHours, 24 for each day"),
        ({"nextDay": True}, "nextDay is not supported: use nextInHours"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_with_what_to_send(arguments: dict[str, object], said: str) -> None:
    """12.1, 12.3, 12.4"""
    assert said in refusal(bench_at(MONDAY_NOON), **arguments)


def test_while_paused_nothing_can_be_asked_for() -> None:
    """12.3"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, paused=True)
    assert "nextAtIso: no heartbeat comes while paused; send paused: false with it" in refusal(
        bench, nextAtIso="2026-02-01"
    )


def test_the_same_instant_again_is_no_change() -> None:
    """6.2"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, nextAtIso="2026-01-05T18:00")
    assert configure(bench, nextAtIso="2026-01-05T18:00").startswith("No changes. ")


def test_models_words_for_it_lead_to_what_they_mean() -> None:
    """12: "only during work hours", "not at night", "wake me tomorrow at seven, then as usual" """
    bench = bench_at(MONDAY_NOON)
    configure(bench, activeHours="9:00-17:00", activeDays=["mo", "tu", "we", "th", "fr"])
    configure(bench, nextAtIso="2026-01-06T07:00")
    bench.pass_time(days=1)
    assert heard(bench) == ["Tue 07:00", "Tue 11:00"]


def test_a_wake_of_that_beat_is_an_ordinary_one() -> None:
    """12.3, 4.10"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, nextInMinutes=5)
    bench.pass_time(minutes=5)
    (wake,) = bench.heard
    assert isinstance(wake, Wake)
    assert wake.origin == {"source": "heartbeat", "reason": "schedule"}


# Hours that change while a beat is owed, out or asked for


def test_hours_that_change_while_a_beat_is_owed_leave_it_owed() -> None:
    """12.2, 8.2: it is sent when a wake becomes deliverable, if that is inside the new hours"""
    bench = bench_at(MONDAY_NOON, policy=Policy())
    configure(bench, intervalHours=1)
    bench.pass_time(hours=2)
    configure(bench, activeHours="08:00-22:00")
    assert next_beat(bench) == MONDAY_NOON + HOUR
    bench.allow()
    assert heard(bench) == ["Mon 14:00"]


def test_hours_that_change_while_a_beat_is_owed_put_it_off_where_now_is_outside() -> None:
    """12.2, 8.2"""
    bench = bench_at(MONDAY_NOON, policy=Policy())
    configure(bench, intervalHours=1)
    bench.pass_time(hours=2)
    configure(bench, activeHours="18:00-22:00")
    bench.allow()
    assert heard(bench) == []
    bench.pass_time(hours=4)
    assert heard(bench) == ["Mon 18:00"]


def test_hours_that_change_while_a_beat_is_out_leave_its_answer_what_it_is() -> None:
    """12.2, 4.14"""
    bench = bench_at(MONDAY_NOON, host=None)
    configure(bench, intervalHours=1)
    bench.pass_time(hours=1)
    (wake,) = bench.sent()
    configure(bench, activeHours="18:00-22:00")
    bench.refuse(wake)
    bench.pass_time(hours=4)
    assert bench.sent() == []
    bench.pass_time(hours=1)
    assert [wake.sent_at for wake in bench.sent()] == [local("2026-01-05T18:00")]


@pytest.mark.parametrize("suspend", [True, False], ids=["suspended", "set forward"])
def test_the_beat_that_was_asked_for_comes_late_after_a_suspend_also_outside_the_hours(suspend: bool) -> None:
    """12.3: it keeps its instant, and comes within 10 s of the machine's waking"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, activeHours="08:00-22:00", nextAtIso="2026-01-05T21:00")
    if suspend:
        bench.clock.suspend(11 * HOUR)
    else:
        bench.clock.set(MONDAY_NOON + 11 * HOUR)
    assert heard(bench) == ["Mon 23:00"]


def test_the_beat_that_was_asked_for_is_dropped_where_a_policy_forbids_it() -> None:
    """12.3, 4.9"""
    bench = bench_at(MONDAY_NOON)
    configure(bench, nextInMinutes=10)
    bench.deny()
    bench.pass_time(minutes=11)
    assert heard(bench) == []
    assert next_beat(bench) == MONDAY_NOON + 10 * MINUTE + 4 * HOUR
    assert not bench.heartbeat.schedule.next_is_asked


def test_the_beat_that_was_asked_for_is_owed_before_the_first_policy() -> None:
    """12.3, 8.2"""
    bench = bench_at(MONDAY_NOON, policy=Policy())
    configure(bench, nextInMinutes=10)
    bench.pass_time(minutes=20)
    bench.allow()
    assert heard(bench) == ["Mon 12:20"]


# For any hours, interval and clock

ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York")
bounds = st.tuples(st.integers(0, 1439), st.integers(1, 1440)).filter(lambda both: both[0] != both[1])
steps = st.lists(
    st.tuples(
        st.sampled_from(["pass", "suspend", "set", "restart"]),
        st.integers(-3 * 86_400, 5 * 86_400).map(lambda seconds: timedelta(seconds=seconds)),
    ),
    max_size=6,
)


@given(
    zone=st.sampled_from(ZONES),
    hours=st.none() | bounds,
    days=st.none() | st.sets(st.sampled_from(WEEKDAYS), min_size=1).map(read_days),
    interval=st.integers(60, 9 * 86_400).map(lambda seconds: timedelta(seconds=seconds)),
    start=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1)),
    steps=steps,
)
@settings(max_examples=60, deadline=None)
def test_the_next_beat_is_in_the_hours_and_no_further_off_than_a_countdown_that_begins_now(
    zone: str,
    hours: tuple[int, int] | None,
    days: tuple[str, ...] | None,
    interval: timedelta,
    start: datetime,
    steps: list[tuple[str, timedelta]],
) -> None:
    """12.2, 5.2: whatever the clock does"""
    agent_zone = AgentZone(zone, ZoneInfo(zone))
    active = ActiveHours(hours, days)
    saved = replace(DEFAULT_SCHEDULE, interval=interval, active=active)
    bench = Bench(
        clock=FakeClock(start.replace(tzinfo=UTC)),
        zone=agent_zone,
        host=lambda _: Taken(),
        schedule_store=MemoryScheduleStore(saved),
    )
    for what, by in steps:
        match what:
            case "pass":
                bench.clock.advance(min(abs(by), interval * 50))
            case "suspend":
                bench.clock.suspend(abs(by))
            case "set":
                bench.clock.set(bench.clock.now() + by)
            case _:
                bench.restart()
        bench.heartbeat.transport_ready()
        bench.clock.settle()
        now, schedule = bench.clock.now(), bench.heartbeat.schedule
        assert schedule.next_beat is not None
        assert schedule.next_beat > now
        assert active.includes(schedule.next_beat, agent_zone)
        anew = with_new_countdown(schedule, now, agent_zone).next_beat
        assert anew is not None
        assert schedule.next_beat <= anew + MINUTE / 60


# As models say it


@pytest.mark.parametrize(
    ("first", "hints", "second", "then"),
    [
        (
            {"workingHours": "9am-5pm"},
            ["activeHours", "08:00-22:00"],
            {"activeHours": "09:00-17:00"},
            "active=09:00-17:00",
        ),
        (
            {"quietHours": "22:00-08:00"},
            ["activeHours for when heartbeats may come"],
            {"activeHours": "08:00-22:00"},
            "active=08:00-22:00",
        ),
        (
            {"activeHours": "9am to 5pm"},
            ["write two times of day such as 08:00-22:00"],
            {"activeHours": "9:00-17:00"},
            "active=09:00-17:00",
        ),
        (
            {"weekdays": True},
            ["activeDays for the days"],
            {"activeDays": ["MO", "TU", "WE", "TH", "FR"]},
            "active=MO,TU,WE,TH,FR",
        ),
        (
            {"activeDays": ["Mon", "Tue"]},
            ["write some of MO, TU, WE"],
            {"activeDays": ["MO", "TU"]},
            "active=MO,TU",
        ),
        (
            {"activeDays": "MO,TU"},
            ['a list of days, as in ["MO", "TU"]'],
            {"activeDays": ["MO", "TU"]},
            "active=MO,TU",
        ),
        (
            {"at": "2026-01-06T07:00"},
            ["use nextAtIso for the next heartbeat"],
            {"nextAtIso": "2026-01-06T07:00"},
            "next in ~68400s",
        ),
        (
            {"nextInDays": 1},
            ["use nextInHours, 24 for each day"],
            {"nextInHours": 24},
            "next in ~86400s",
        ),
        (
            {"until": "Monday"},
            ["nextAtIso"],
            {"nextAtIso": "2026-01-12T08:00"},
            "next in ~590400s",
        ),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_what_a_model_says_first_leads_it_to_the_right_call(
    first: dict[str, object], hints: list[str], second: dict[str, object], then: str
) -> None:
    """12: "only during work hours", "not at night", "skip weekends", "wake me tomorrow at seven, then as
    usual", "leave me alone until Monday"
    """
    bench = bench_at(MONDAY_NOON)
    said = refusal(bench, **first)
    assert all(hint in said for hint in hints), said
    assert then in configure(bench, **second)


@given(
    hours=st.sampled_from([None, (480, 1320), (1320, 360), (0, 1440), (90, 150)]),
    days=st.sampled_from([None, ("MO", "TH")]),
    zone=st.sampled_from([UTC_ZONE, BERLIN]),
    interval=st.sampled_from([timedelta(minutes=1), timedelta(minutes=7), HOUR, timedelta(hours=30)]),
    start=st.datetimes(datetime(2026, 3, 26), datetime(2026, 3, 31)),
    slept=st.timedeltas(timedelta(0), timedelta(days=9)),
)
def test_beats_that_passed_are_those_that_would_have_come(
    hours: tuple[int, int] | None,
    days: tuple[str, ...] | None,
    zone: AgentZone,
    interval: timedelta,
    start: datetime,
    slept: timedelta,
) -> None:
    """13.1: over stretches and a clock change, against counting one by one"""
    due = start.replace(microsecond=0, tzinfo=UTC)
    schedule = replace(DEFAULT_SCHEDULE, interval=interval, next_beat=due, active=ActiveHours(hours, days))
    now, one_by_one, later = due + slept, -1, due
    while later <= now:
        one_by_one, later = one_by_one + 1, later + interval
        if not schedule.active.includes(later, zone):
            later = schedule.active.next_opening(later, zone)
    assert times_passed(schedule, now, zone) == one_by_one


def test_beats_of_a_month_in_suspend_are_all_counted() -> None:
    """13.1: 840 a day"""
    schedule = replace(
        DEFAULT_SCHEDULE,
        interval=timedelta(minutes=1),
        next_beat=datetime(2026, 1, 1, 8, tzinfo=UTC),
        active=ActiveHours((480, 1320)),
    )
    assert times_passed(schedule, datetime(2026, 1, 31, 23, tzinfo=UTC), UTC_ZONE) == 31 * 840 - 1
