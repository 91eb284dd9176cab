"""The members that rows gain for calendars, ends and expiry, and rows that people edited (10.8)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.system_time.zones import find_zone
from heartbeat_adapters.testing import Bench
from heartbeat_core.keeping.records import REMINDER_MEMBERS, read_reminder, reminder_row
from heartbeat_core.reminders.recurrence import Calendar
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import AgentZone, to_epoch_ms

ZONE = AgentZone("UTC", UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NINE = NOW.replace(hour=9)
HOUR = timedelta(hours=1)
DAILY: dict[str, object] = {"rrule": "FREQ=DAILY;BYHOUR=9"}

CALENDAR_ROW: dict[str, object] = {
    "id": "rem_1",
    "message": "tea",
    "createdAt": to_epoch_ms(NOW),
    "fireAt": to_epoch_ms(NINE),
    "everySeconds": None,
    "rrule": "FREQ=DAILY;BYHOUR=9",
    "timezone": "UTC",
    "startAt": to_epoch_ms(NOW),
}


def row_of(*calls: dict[str, object]) -> dict[str, object]:
    """The row of a reminder that was added, and changed by the calls after the first."""
    bench = Bench()
    first, *changes = calls
    bench.call("reminder_add", message="tea", **first)
    for change in changes:
        assert not bench.call("reminder_update", id="rem_1", **change).is_error
    (reminder,) = bench.reminder_store.saved.values()
    row = reminder_row(reminder)
    assert read_reminder(row, (), ZONE, find_zone) == reminder
    return row


def read(zone: AgentZone = ZONE, /, **changes: object) -> Reminder | str:
    """The calendar row with some members changed; those that are `...` are left out."""
    row = {name: value for name, value in (CALENDAR_ROW | changes).items() if value is not ...}
    return read_reminder(row, (), zone, find_zone)


def loaded(zone: AgentZone = ZONE, /, **changes: object) -> Reminder:
    reminder = read(zone, **changes)
    assert isinstance(reminder, Reminder), reminder
    return reminder


# What is written


@pytest.mark.parametrize(
    "call", [{"inHours": 1}, {"everyHours": 1}, {"everyHours": 1, "atIso": "2026-02-01"}], ids=str
)
def test_a_row_that_uses_none_of_the_new_members_has_none(call: dict[str, object]) -> None:
    """10.8"""
    assert tuple(row_of(call)) == REMINDER_MEMBERS[:5]


def test_a_snooze_that_is_over_leaves_no_member_behind() -> None:
    """10.8: only where they are used"""
    bench = Bench()
    bench.call("reminder_add", message="tea", everyHours=1)
    bench.call("reminder_update", id="rem_1", inMinutes=70)
    bench.pass_time(minutes=70)
    (wake,) = [wake for wake in bench.sent() if wake.reminder_id]
    bench.take(wake)
    bench.pass_time(seconds=1)
    (reminder,) = bench.reminder_store.saved.values()
    assert tuple(reminder_row(reminder)) == REMINDER_MEMBERS[:5]
    assert reminder.due == NOW + 2 * HOUR


@pytest.mark.parametrize(
    ("calls", "more"),
    [
        (
            [DAILY],
            {"rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "UTC", "startAt": to_epoch_ms(NOW)},
        ),
        (
            [{"rrule": " rrule:freq=daily;byhour=9;count=2 ", "timezone": "asia/tokyo", "inHours": 1}],
            {
                "rrule": "FREQ=DAILY;BYHOUR=9",
                "timezone": "Asia/Tokyo",
                "startAt": to_epoch_ms(NOW + HOUR),
                "untilAt": to_epoch_ms(NOW + 48 * HOUR),
            },
        ),
        ([{"everyHours": 1, "count": 3}], {"untilAt": to_epoch_ms(NOW + 3 * HOUR)}),
        ([{"everyHours": 1}, {"inMinutes": 70}], {"startAt": to_epoch_ms(NOW + HOUR)}),
        ([{"inHours": 1, "expiresAfterSeconds": 1.5}], {"expiresAfterSeconds": 1.5}),
        ([DAILY, {"everyHours": 1}], {}),
        ([{"inHours": 1, "expiresAfterHours": 1}], {"expiresAfterSeconds": 3600}),
    ],
    ids=str,
)
def test_a_row_gains_what_its_reminder_uses(calls: list[dict[str, object]], more: dict[str, object]) -> None:
    """10.8"""
    row = row_of(*calls)
    assert {name: row[name] for name in REMINDER_MEMBERS[5:] if name in row} == more


def test_a_rule_in_the_zone_of_the_agent_is_the_same_once_it_was_read() -> None:
    """10.8, 8.8: what was not edited keeps how its delivery stands"""
    assert row_of(DAILY)["timezone"] == "UTC"


# What people edit


def test_a_missing_zone_is_the_agent_zone() -> None:
    """10.8"""
    tokyo = find_zone("Asia/Tokyo")
    assert tokyo is not None
    recurrence = loaded(tokyo, timezone=...).recurrence
    assert isinstance(recurrence, Calendar)
    assert recurrence.zone == tokyo


@pytest.mark.parametrize("start", [..., None])
def test_a_missing_start_is_the_time_at_which_it_fires(start: object) -> None:
    """10.8"""
    assert loaded(startAt=start).start == NINE


def test_a_rule_is_read_as_a_call_may_write_it() -> None:
    """10.8, 10.1"""
    recurrence = loaded(rrule="freq=daily; byhour=9;").recurrence
    assert isinstance(recurrence, Calendar)
    assert recurrence.rule.text == "FREQ=DAILY;BYHOUR=9"


def test_members_that_are_null_are_not_there() -> None:
    """10.8"""
    nulls = dict.fromkeys(REMINDER_MEMBERS[5:])
    assert loaded(**nulls) == Reminder("rem_1", "tea", NOW, NINE)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rrule": 5}, "rrule is not a text"),
        ({"rrule": "FREQ=HOURLY"}, "rrule: FREQ="),
        ({"rrule": "weekdays"}, "rrule: "),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;COUNT=3"}, "rrule has COUNT or UNTIL, whose place is untilAt"),
        ({"rrule": "FREQ=DAILY;BYHOUR=9;UNTIL=20270101"}, "rrule has COUNT or UNTIL"),
        ({"everySeconds": 60}, "everySeconds and rrule are both there"),
        ({"timezone": "Mars"}, "timezone is not the IANA name of a time zone that is known here"),
        ({"timezone": 5}, "timezone is not the IANA name"),
        ({"startAt": "now"}, "startAt is not a time in epoch milliseconds"),
        ({"startAt": 1e300}, "startAt is not a time in epoch milliseconds"),
        ({"untilAt": True}, "untilAt is not a time in epoch milliseconds"),
        (
            {"expiresAfterSeconds": 0},
            "expiresAfterSeconds is not a number of seconds from 0.001 to 100 years",
        ),
        ({"expiresAfterSeconds": "60"}, "expiresAfterSeconds is not a number of seconds"),
        ({"expiresAfterSeconds": 3155760001}, "expiresAfterSeconds is not a number of seconds"),
        ({"rrule": ..., "startAt": ..., "untilAt": 5}, "startAt and untilAt belong to a recurrence"),
        ({"rrule": ...}, "startAt and untilAt belong to a recurrence"),
    ],
    ids=str,
)
def test_a_row_whose_new_members_are_not_right_does_not_load(changes: dict[str, object], said: str) -> None:
    """10.8, 8.5"""
    problem = read(**changes)
    assert isinstance(problem, str), problem
    assert problem.startswith(said)


def test_a_rule_without_a_time_does_not_load() -> None:
    """10.8, 10.1"""
    assert isinstance(read(rrule="FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9"), str)


def test_a_rule_whose_hour_comes_from_its_start_loads() -> None:
    """10.8, 10.2"""
    reminder = loaded(rrule="FREQ=DAILY", startAt=to_epoch_ms(NINE))
    assert reminder.next_after(NINE) == NINE + 24 * HOUR


def test_a_row_that_fires_off_its_rule_is_a_firing_that_was_moved() -> None:
    """10.8, 11.2: it goes on with its own times"""
    reminder = loaded(fireAt=to_epoch_ms(NOW + HOUR))
    assert reminder.due == NOW + HOUR
    assert reminder.next_after(reminder.due) == NINE


def test_a_row_that_fires_after_its_end_loads_and_is_over_after_that() -> None:
    """11.2"""
    reminder = loaded(untilAt=to_epoch_ms(NOW))
    assert reminder.next_after(reminder.due) is None
