"""What the tools do, called typed on an embedded heartbeat: values in, values out (9.7)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_adapters.testing import FakeClock
from heartbeat_core import DeliveryMode, Policy

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


class NoOffset(tzinfo):
    """A zone that says nothing."""

    def utcoffset(self, _: datetime | None) -> None: ...
    def dst(self, _: datetime | None) -> None: ...
    def tzname(self, _: datetime | None) -> None: ...


def with_heartbeat(test: Callable[[EmbeddedHeartbeat], None], policy: Policy | None = None) -> None:
    async def run() -> None:
        async with embed(lambda _: None, clock=FakeClock(NOW), policy=policy) as heartbeat:
            test(heartbeat)

    asyncio.run(run())


def test_a_reminder_that_is_set_is_given_with_its_id() -> None:
    def test(heartbeat: EmbeddedHeartbeat) -> None:
        first = heartbeat.add("tea", after=timedelta(milliseconds=1500))
        second = heartbeat.add("rent", at=datetime(2026, 2, 1, 9, tzinfo=timezone(HOUR)), every=24 * HOUR)
        third = heartbeat.add("stretch", every=HOUR)
        assert [reminder.due - NOW for reminder in (first, third)] == [timedelta(milliseconds=1500), HOUR]
        assert second.due == datetime(2026, 2, 1, 8, tzinfo=UTC)
        assert [pending.reminder for pending in heartbeat.snapshot().reminders] == [first, third, second]
        assert heartbeat.cancel(first.id) == first
        assert len(heartbeat.snapshot().reminders) == 2

    with_heartbeat(test)


def test_a_time_whose_offset_has_seconds_is_taken_as_the_instant_that_it_is() -> None:
    """9.7: as those have that were in use before there was standard time"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        at = datetime(2026, 2, 1, 9, tzinfo=timezone(timedelta(minutes=53, seconds=28)))
        assert heartbeat.add("tea", at=at).due == at
        assert heartbeat.configure(next_at=at).next_beat == at

    with_heartbeat(test)


def test_a_calendar_an_end_and_an_expiry_are_given_as_values() -> None:
    """10.2, 10.4, 10.5"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        reminder = heartbeat.add(
            "stand-up",
            at=datetime(2026, 1, 2, 9, tzinfo=timezone(HOUR)),
            rrule="FREQ=DAILY",
            timezone="Europe/Berlin",
            count=3,
            expires_after=HOUR,
        )
        assert str(reminder.recurrence) == "FREQ=DAILY [Europe/Berlin]"
        assert reminder.due == datetime(2026, 1, 2, 8, tzinfo=UTC)
        assert reminder.last == reminder.due + 48 * HOUR
        assert reminder.expires_after == HOUR
        until = heartbeat.add("look", every=HOUR, until=NOW + 3.5 * HOUR)
        assert until.last == NOW + 3 * HOUR

    with_heartbeat(test)


def test_days_come_as_a_list_or_a_tuple() -> None:
    """9.7"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        assert str(heartbeat.configure(active_days=["TU", "mo"]).active) == "MO,TU"
        assert str(heartbeat.configure(active_days=("SU",)).active) == "SU"

    with_heartbeat(test)


def test_a_changed_reminder_is_given_as_it_is_then() -> None:
    """11"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        first = heartbeat.add("tea", every=HOUR)
        snoozed = heartbeat.update(first.id, after=1.5 * HOUR)
        assert (snoozed.due, snoozed.next_after(snoozed.due)) == (NOW + 1.5 * HOUR, NOW + 2 * HOUR)
        assert heartbeat.update(first.id, message="coffee", expires_after=HOUR).message == "coffee"
        ended = heartbeat.update(first.id, until=NOW + 5 * HOUR)
        assert (ended.last, ended.expires_after, ended.created) == (NOW + 5 * HOUR, HOUR, first.created)
        daily = heartbeat.update(first.id, rrule="FREQ=DAILY;BYHOUR=9", timezone="UTC")
        assert (daily.due, daily.last) == (NOW + 9 * HOUR, None)
        assert [pending.reminder for pending in heartbeat.snapshot().reminders] == [daily]

    with_heartbeat(test)


def test_a_text_that_no_file_can_hold_is_kept_as_the_tool_would_keep_it() -> None:
    """9.7, 6.8: half a surrogate pair, as a cut text leaves it"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        assert heartbeat.add("tea \ud83c", after=HOUR).message == "tea \ufffd"
        assert heartbeat.configure(message="look \ud83c").message == "look \ufffd"

    with_heartbeat(test)


@pytest.mark.parametrize(
    ("parts", "error", "said"),
    [
        ({}, ValueError, "it does not say what to change"),
        ({"every": HOUR, "rrule": "FREQ=DAILY;BYHOUR=9"}, ValueError, "both say how often"),
        ({"timezone": "Europe/Berlin"}, ValueError, "timezone alone changes nothing"),
        ({"count": 0}, ValueError, "count 0 is out of range"),
        ({"count": 2.5}, TypeError, "count must be a int, and is float"),
        ({"until": datetime(2027, 1, 1)}, TypeError, "until must be an aware datetime"),
        ({"message": 5}, TypeError, "message must be a str"),
    ],
    ids=str,
)
def test_what_an_update_would_refuse_is_an_error_and_nothing_was_changed(
    parts: dict[str, Any], error: type[Exception], said: str
) -> None:
    """11.1"""

    def test(heartbeat: EmbeddedHeartbeat) -> None:
        reminder = heartbeat.add("tea", after=HOUR)
        before = heartbeat.snapshot()
        with pytest.raises(error, match=said):
            heartbeat.update(reminder.id, **parts)
        with pytest.raises(ValueError, match="no pending reminder has the id 'rem_no'"):
            heartbeat.update("rem_no", message="coffee")
        assert heartbeat.snapshot() == before

    with_heartbeat(test)


def test_the_schedule_is_given_as_it_is_then() -> None:
    def test(heartbeat: EmbeddedHeartbeat) -> None:
        schedule = heartbeat.configure(
            interval=2 * HOUR, mode=DeliveryMode.SILENT, active_hours="08:00-22:00", active_days=("MO",)
        )
        assert (schedule.interval, schedule.mode, str(schedule.active)) == (
            2 * HOUR,
            DeliveryMode.SILENT,
            "08:00-22:00 MO",
        )
        assert heartbeat.configure(next_in=HOUR).next_beat == NOW + HOUR
        assert heartbeat.configure(next_at=NOW + 3 * HOUR).next_beat == NOW + 3 * HOUR
        assert heartbeat.configure(paused=True).next_beat is None
        assert heartbeat.snapshot().schedule.paused

    with_heartbeat(test)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda h: h.add("tea"), ValueError, "it does not say when"),
        (lambda h: h.add(" ", after=HOUR), ValueError, "message must be"),
        (lambda h: h.add("tea", after=HOUR, at=NOW), ValueError, "both say when"),
        (lambda h: h.add("tea", every=timedelta(seconds=4)), ValueError, "5 s or more"),
        (lambda h: h.add("tea", at=datetime(2026, 2, 1)), TypeError, "at must be an aware datetime"),
        (lambda h: h.add("tea", after=3600), TypeError, "after must be a timedelta, and is int"),
        (lambda h: h.add(5, after=HOUR), TypeError, "message must be a str"),
        (lambda h: h.add("tea", rrule="FREQ=HOURLY"), ValueError, "rrule: FREQ="),
        (lambda h: h.add("tea", rrule="FREQ=DAILY"), ValueError, "does not say at what time of day"),
        (lambda h: h.add("tea", rrule=["FREQ=DAILY"]), TypeError, "rrule must be a str, and is list"),
        (lambda h: h.add("tea", every=HOUR, count=True), TypeError, "count must be a int, and is bool"),
        (lambda h: h.add("tea", every=HOUR, count=-1), ValueError, "count must be a whole number"),
        (lambda h: h.add("tea", after=HOUR, count=2), ValueError, "nothing recurs"),
        (lambda h: h.add("tea", every=HOUR, until=NOW), ValueError, "before the first time"),
        (lambda h: h.add("tea", after=HOUR, timezone="Mars"), ValueError, "is unknown here"),
        (lambda h: h.cancel("rem_no"), ValueError, "no pending reminder has the id 'rem_no'"),
        (lambda h: h.configure(interval=timedelta(seconds=59)), ValueError, "60 s or more"),
        (lambda h: h.configure(active_hours="9 to 5"), ValueError, "activeHours"),
        (lambda h: h.configure(mode="silent"), TypeError, "mode must be a DeliveryMode"),
        (lambda h: h.configure(next_at=datetime(2027, 1, 1)), TypeError, "next_at must be an aware datetime"),
        (lambda h: h.add("tea", at=datetime(2026, 2, 1, tzinfo=NoOffset())), TypeError, "has no time zone"),
        (lambda h: h.add("tea", at=datetime(1, 1, 1, tzinfo=timezone(HOUR))), ValueError, "out of range"),
        (lambda h: h.add(None, after=HOUR), TypeError, "message must be a str, and is NoneType"),
        (lambda h: h.cancel(None), TypeError, "id must be a str, and is NoneType"),
        (lambda h: h.add("tea", after=timedelta(0)), ValueError, "a delay must be more than 0 s"),
        (lambda h: h.add("tea", after=HOUR, every=timedelta(0)), ValueError, "5 s or more"),
        (lambda h: h.configure(interval=timedelta(0), paused=True), ValueError, "60 s or more"),
        (lambda h: h.configure(message=" ", paused=True), ValueError, "message must be"),
        (lambda h: h.configure(active_hours="", paused=True), ValueError, "activeHours"),
        (lambda h: h.configure(active_days=[], paused=True), ValueError, "activeDays"),
        (lambda h: h.configure(active_days="MO"), TypeError, "active_days must be a list or tuple"),
        (lambda h: h.configure(active_days=[1]), TypeError, "active_days must hold texts, and holds int"),
    ],
)  # fmt: skip
def test_what_the_tool_would_refuse_is_an_error_and_nothing_was_changed(
    call: Callable[[EmbeddedHeartbeat], object], error: type[Exception], said: str
) -> None:
    def test(heartbeat: EmbeddedHeartbeat) -> None:
        before = heartbeat.snapshot()
        with pytest.raises(error, match=said):
            call(heartbeat)
        assert heartbeat.snapshot() == before
        assert heartbeat.call("reminder_list").text == "No reminders set."

    with_heartbeat(test)


def test_a_trigger_that_cannot_be_sent_is_an_error() -> None:
    def test(heartbeat: EmbeddedHeartbeat) -> None:
        with pytest.raises(RuntimeError, match="No heartbeat was sent"):
            heartbeat.trigger()

    with_heartbeat(test, policy=Policy())


def test_a_trigger_that_is_sent_gives_nothing() -> None:
    with_heartbeat(lambda heartbeat: heartbeat.trigger())
