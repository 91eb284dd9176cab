"""Which rows and members load, and which do not (8.1, 8.5)."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_core.keeping.records import (
    REMINDER_MEMBERS,
    SCHEDULE_MEMBERS,
    read_reminder,
    read_schedule,
    reminder_row,
    schedule_members,
)
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone

ZONE = AgentZone("UTC", UTC)
DEFAULTS = Schedule(timedelta(hours=4), False, "Look around", DeliveryMode.MESSAGE)
CONFIG = {
    "intervalSeconds": 3600,
    "paused": False,
    "message": "Hello",
    "deliveryMode": "silent",
    "nextFireAt": 1791590400123,
}
ROW = {
    "id": "rem_1",
    "message": "Tea",
    "createdAt": 1791590400000,
    "fireAt": 1791594000000,
    "everySeconds": None,
}

HUGE = int("9" * 4000)
NO_NUMBERS = ["60", "", True, False, [], {}, math.nan, math.inf, -math.inf, HUGE, -HUGE]

whole_ms = st.integers(-62135596800000, 253402300799999)
lengths = st.integers(60_000, 36525 * 86_400_000).map(lambda ms: timedelta(milliseconds=ms))
moments = whole_ms.map(lambda ms: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms))
schedules = st.builds(
    Schedule,
    lengths,
    st.just(False),
    st.text().filter(str.strip),
    st.sampled_from(DeliveryMode),
    st.none() | moments,
)
reminders = st.builds(
    Reminder, st.text(min_size=1), st.text(), moments, moments, st.none() | lengths.map(Interval)
)


def reminder(**changes: object) -> Reminder | str:
    return read_reminder(ROW | changes, (), ZONE)


@given(schedules)
def test_a_schedule_survives_the_file_to_the_millisecond(schedule: Schedule) -> None:
    """8.1, 5.3"""
    assert read_schedule(schedule_members(schedule), DEFAULTS, ZONE) == (schedule, ())


@given(reminders)
def test_a_reminder_survives_the_file_to_the_millisecond(given: Reminder) -> None:
    """8.1, 5.3"""
    assert read_reminder(reminder_row(given), (), ZONE) == given


def test_members_are_in_the_order_and_the_numbers_in_the_form_that_people_read() -> None:
    """8.1"""
    members = schedule_members(Schedule(timedelta(hours=4), True, "x", DeliveryMode.MESSAGE))
    assert tuple(members) == SCHEDULE_MEMBERS[:5]
    assert repr(members["intervalSeconds"]) == "14400"
    now = datetime(2026, 10, 10, tzinfo=UTC)
    row = reminder_row(Reminder("rem_1", "x", now, now, Interval(timedelta(seconds=90.5))))
    assert tuple(row) == REMINDER_MEMBERS[:5]
    assert repr(row["everySeconds"]) == "90.5"


def test_absent_members_are_defaults_without_complaint() -> None:
    """8.1: older servers wrote neither nextFireAt nor deliveryMode."""
    assert read_schedule({}, DEFAULTS, ZONE) == (DEFAULTS, ())
    schedule, problems = read_schedule({"intervalSeconds": 60, "paused": False}, DEFAULTS, ZONE)
    assert (schedule.interval, schedule.message, problems) == (timedelta(seconds=60), DEFAULTS.message, ())


def test_unknown_members_are_no_concern_of_the_schema() -> None:
    """8.5"""
    assert read_schedule(CONFIG | {"note": 1}, DEFAULTS, ZONE)[1] == ()
    assert isinstance(reminder(note=1), Reminder)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("intervalSeconds", [*NO_NUMBERS, None, 59, 59.999, 0, -60, 3155760001]),
        ("paused", [None, 0, 1, "true", "false", []]),
        ("message", [None, "", " \n\t", 5, ["x"]]),
        ("deliveryMode", [None, "loud", "SILENT", 1, {}, []]),
        ("nextFireAt", [*NO_NUMBERS, 253402300800000, -62135596800001, 1e300]),
    ],
)
def test_a_member_that_cannot_be_used_is_named_and_costs_only_itself(name: str, values: list[object]) -> None:
    """8.5"""
    without, _ = read_schedule({k: v for k, v in CONFIG.items() if k != name}, DEFAULTS, ZONE)
    for value in values:
        schedule, problems = read_schedule(CONFIG | {name: value}, DEFAULTS, ZONE)
        assert schedule == without, value
        assert len(problems) == 1
        assert problems[0].startswith(f"{name} is ")


def test_every_member_that_cannot_be_used_is_named() -> None:
    """8.5"""
    schedule, problems = read_schedule(dict.fromkeys(SCHEDULE_MEMBERS, ()), DEFAULTS, ZONE)
    assert schedule == DEFAULTS
    assert [problem.split()[0] for problem in problems] == list(SCHEDULE_MEMBERS)


def test_a_schedule_that_is_paused_has_no_next_beat_whatever_the_file_says() -> None:
    """8.2"""
    schedule, problems = read_schedule(CONFIG | {"paused": True}, DEFAULTS, ZONE)
    assert (schedule.paused, schedule.next_beat, problems) == (True, None, ())


def test_a_null_next_beat_is_none() -> None:
    """8.2"""
    assert read_schedule(CONFIG | {"nextFireAt": None}, DEFAULTS, ZONE)[0].next_beat is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [None, "", 5, True, ["rem_1"], {}]),
        ("message", [None, 5, True, ["x"]]),
        ("createdAt", [*NO_NUMBERS, None, 253402300800000, -62135596800001, 1e300]),
        ("fireAt", [*NO_NUMBERS, None, 253402300800000, -62135596800001, 1e300]),
        ("everySeconds", [*NO_NUMBERS, 4.999, 0, -5, 3155760001, 1e300]),
    ],
)
def test_a_row_that_does_not_load_says_which_member_and_why(name: str, values: list[object]) -> None:
    """8.5"""
    for value in values:
        problem = reminder(**{name: value})
        assert isinstance(problem, str), value
        assert problem.startswith(f"{name} is "), problem


@pytest.mark.parametrize("row", [None, 5, "rem_1", True, [], [["id", "rem_1"]]])
def test_a_row_that_is_no_object_does_not_load(row: object) -> None:
    """8.5"""
    assert read_reminder(row, (), ZONE) == "is not an object"


def test_a_row_without_a_recurrence_is_a_one_shot() -> None:
    """8.1"""
    row = {name: value for name, value in ROW.items() if name != "everySeconds"}
    loaded = read_reminder(row, (), ZONE)
    assert isinstance(loaded, Reminder)
    assert loaded.recurrence is None


def test_an_id_used_earlier_in_the_file_does_not_load_again() -> None:
    """8.5"""
    assert read_reminder(ROW, {"rem_1": 1}, ZONE) == "id is that of an earlier row"


def test_an_empty_message_of_a_reminder_loads() -> None:
    """8.5: a text is enough."""
    assert isinstance(reminder(message=""), Reminder)


def test_limits_themselves_load() -> None:
    """6.2, 6.4, 6.8"""
    assert reminder(everySeconds=5) != reminder(everySeconds=5.001)
    for change in ({"everySeconds": 3155760000}, {"fireAt": 253402300799999}, {"createdAt": -62135596800000}):
        assert isinstance(reminder(**change), Reminder)
    for seconds in (60, 60.0, 3155760000):
        assert read_schedule(CONFIG | {"intervalSeconds": seconds}, DEFAULTS, ZONE)[1] == ()


def test_fractions_of_a_millisecond_are_cut() -> None:
    """8.1, 5.3"""
    loaded = reminder(fireAt=1.9, createdAt=-0.5)
    assert isinstance(loaded, Reminder)
    assert loaded.due == datetime(1970, 1, 1, 0, 0, 0, 1000, tzinfo=UTC)
    assert loaded.created == datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)


def test_a_time_that_only_the_agent_zone_cannot_express_does_not_load() -> None:
    """6.8"""
    east = AgentZone("Etc/GMT-14", timezone(timedelta(hours=14)))
    last = ROW | {"fireAt": 253402300799999}
    assert isinstance(read_reminder(last, (), ZONE), Reminder)
    assert isinstance(read_reminder(last, (), east), str)
    west = AgentZone("Etc/GMT+12", timezone(timedelta(hours=-12)))
    first = ROW | {"createdAt": -62135596800000}
    assert isinstance(read_reminder(first, (), east), Reminder)
    assert isinstance(read_reminder(first, (), west), str)


def test_no_problem_quotes_what_the_agent_wrote() -> None:
    """8.5: what is wrong goes into the log, and a message is private."""
    problem = reminder(message=["my secret"], fireAt="my secret")
    assert isinstance(problem, str)
    assert "secret" not in problem
