"""`reminder_update`: what stays, what moves, and what becomes of a firing that was moved (11)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from on_the_bench import HOUR, NOW, SeenIds, add, lines_about, only, only_due
from test_ends import DAILY, HOURLY, NINE, kept, quiet

from heartbeat_adapters.testing import Bench
from heartbeat_core.reminders.recurrence import Calendar, Interval
from heartbeat_core.tools import Reply

DAY = 24 * HOUR
MINUTE = timedelta(minutes=1)


def update(bench: Bench, **arguments: object) -> Reply:
    return bench.call("reminder_update", id="rem_1", **arguments)


def updated(bench: Bench, **arguments: object) -> str:
    reply = update(bench, **arguments)
    assert not reply.is_error, reply.text
    return reply.text


def with_one(**arguments: object) -> Bench:
    bench = quiet()
    assert add(bench, **arguments) == "rem_1"
    return bench


def dues_heard(bench: Bench, host: SeenIds, **length: float) -> list[datetime]:
    host.heard.clear()
    bench.pass_time(**length)
    return [wake.due for wake in host.heard]


# What a call changes (11.1)


def test_what_is_not_sent_stays_as_it_is() -> None:
    """11.1"""
    bench = with_one(**DAILY, count=3, expiresAfterHours=1)
    before = kept(bench)
    bench.pass_time(hours=1)
    text = updated(bench, message="coffee")
    assert text.startswith(
        "Updated rem_1: next 2026-01-01T09:00:00+00:00 [UTC] (~28800s) | repeats FREQ=DAILY;"
    )
    assert '| "coffee" | then ' in text
    after = kept(bench)
    assert (after.message, after.created) == ("coffee", NOW)
    assert (after.due, after.recurrence, after.start) == (before.due, before.recurrence, before.start)
    assert (after.last, after.expires_after) == (before.last, before.expires_after)


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (HOURLY, {"message": "tea"}),
        (HOURLY, {"everyMinutes": 60}),
        (HOURLY, {"atIso": "2026-01-01T01:00"}),
        (HOURLY | {"count": 3}, {"until": "2026-01-01T03:30"}),
        (HOURLY | {"count": 3}, {"count": 3}),
        (DAILY, {"rrule": "freq=daily; byhour=9"}),
        (DAILY, {"rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "utc"}),
        (HOURLY | {"expiresAfterHours": 1}, {"expiresAfterMinutes": 60}),
        ({"inHours": 1}, {"inHours": 1}),
    ],
    ids=str,
)
def test_what_stands_as_sent_is_no_change(arguments: dict[str, object], same: dict[str, object]) -> None:
    """11.1"""
    bench = with_one(**arguments)
    saves = bench.reminder_store.saves
    assert updated(bench, **same).startswith("No changes. rem_1: next 2026-01-01T0")
    assert bench.reminder_store.saves == saves


def test_an_unknown_id_is_an_error_that_says_that_it_may_have_been_heard() -> None:
    """11.1"""
    reply = update(Bench(), message="coffee")
    assert reply.is_error
    assert reply.text.startswith(
        'No pending reminder has the id "rem_1". It may have been heard already. See'
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "it does not say what to change: send a message, an end, an expiry, or when: "),
        ({"inHours": 1, "atIso": "2026-02-01"}, "inHours and atIso both say when it first comes"),
        ({"everyHours": 1, "rrule": "FREQ=DAILY;BYHOUR=9"}, "everyHours and rrule both say how often"),
        ({"everySeconds": 1}, "everySeconds 1 comes to 1 s, which is out of range; a recurrence must be 5 s"),
        ({"message": " ", "inHours": -1}, "inHours must be a number from 0 to 876600"),
        ({"mesage": "x"}, "mesage is no argument of reminder_update; did you mean message?"),
        ({"rrule": "FREQ=DAILY"}, "rrule does not say at what time of day"),
        ({"count": 2, "until": "2027-01-01"}, "count and until both say when it ends"),
        ({"until": "2025-01-01"}, "until comes before the first time, 2026-01-01T01:00:00+00:00 [UTC]"),
        ({"timezone": "Mars"}, 'timezone "Mars" is unknown here'),
    ],
    ids=str,
)
def test_what_an_add_would_refuse_an_update_refuses(arguments: dict[str, object], said: str) -> None:
    """11.1"""
    bench = with_one(**HOURLY)
    before = kept(bench)
    reply = update(bench, **arguments)
    assert reply.is_error
    assert said in reply.text
    assert kept(bench) == before


def test_an_update_that_is_not_saved_is_said_and_so_is_that_reminders_wait() -> None:
    """8.7, 7.5, 11.1"""
    bench = with_one(**HOURLY)
    bench.deny()
    bench.reminder_store.fail_with = "the disk is full"
    text = updated(bench, message="coffee")
    assert "\nNote: this change is not saved: the disk is full" in text
    assert "\nNote: reminders wait, since no wake can be delivered now: " in text


def test_a_past_time_is_due_at_once_and_said() -> None:
    """11.1, 6.5"""
    bench = with_one(inHours=1)
    assert "that time is past, " in updated(bench, atIso="2025-12-31")
    assert len(bench.sent()) == 1


# The next firing alone (11.2)


@pytest.mark.parametrize(
    ("series", "own"),
    [(HOURLY, [NOW + HOUR, NOW + 2 * HOUR]), (DAILY, [NINE, NINE + DAY])],
    ids=str,
)
def test_a_snooze_moves_the_next_firing_and_the_others_come_at_their_own_times(
    series: dict[str, object], own: list[datetime]
) -> None:
    """11.2"""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, **series)
    moved = own[0] + 10 * MINUTE
    updated(bench, atIso=moved.isoformat())
    assert dues_heard(bench, host, hours=34 if series is DAILY else 2.5) == [moved, own[1]]


def test_the_time_that_it_was_moved_away_from_is_among_those_that_follow() -> None:
    """11.2: a firing brought forward"""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, **DAILY)
    updated(bench, inHours=1)
    assert dues_heard(bench, host, hours=34) == [NOW + HOUR, NINE, NINE + DAY]


def test_own_times_that_it_passes_over_are_not_missed_ones() -> None:
    """11.2"""
    bench = with_one(**HOURLY)
    updated(bench, inHours=5.5)
    bench.pass_time(hours=5.5)
    wake = only(bench.sent())
    assert "missed" not in (wake.text or "")
    bench.take(wake)
    assert only_due(bench) == NOW + 6 * HOUR


@pytest.mark.parametrize("series", [HOURLY | {"count": 2}, DAILY | {"count": 1}], ids=str)
def test_a_snooze_after_the_end_comes_and_then_the_series_is_over(series: dict[str, object]) -> None:
    """11.2"""
    bench = with_one(**series)
    last = kept(bench).last
    updated(bench, inHours=72)
    assert kept(bench).last == last
    bench.pass_time(hours=72)
    bench.take(only(bench.sent()))
    assert len(bench.heartbeat.reminders) == 0


def test_a_snooze_survives_a_restart_with_the_phase_of_its_series() -> None:
    """11.2, 10.8"""
    bench = with_one(**HOURLY)
    updated(bench, inMinutes=70)
    bench.restart()
    bench.pass_time(minutes=70)
    bench.take(only(bench.sent()))
    assert only_due(bench) == NOW + 2 * HOUR


@pytest.mark.parametrize(
    "series", [{"inHours": 1}, HOURLY, DAILY, DAILY | {"timezone": "Asia/Tokyo"}], ids=str
)
def test_a_time_alone_is_read_in_the_agent_zone_or_in_the_one_that_was_sent(
    series: dict[str, object],
) -> None:
    """11.2"""
    bench = with_one(**series)
    updated(bench, atIso="2026-01-01T07:00")
    assert only_due(bench) == NOW + 7 * HOUR
    updated(bench, atIso="2026-01-01T09:30", timezone="Europe/Berlin")
    assert only_due(bench) == NOW + timedelta(hours=8, minutes=30)


def test_a_zone_that_was_sent_for_a_time_re_reads_no_rule() -> None:
    """11.2"""
    bench = with_one(**DAILY)
    updated(bench, atIso="2026-01-01T09:30", timezone="Europe/Berlin")
    recurrence = kept(bench).recurrence
    assert isinstance(recurrence, Calendar)
    assert recurrence.zone.name == "UTC"


@pytest.mark.parametrize(
    ("series", "said"),
    [
        (DAILY, "send the rule with it as rrule: the rule is FREQ=DAILY;BYHOUR=9"),
        (HOURLY, "send the rule with it as rrule: an interval has none"),
        ({"inHours": 1}, "timezone alone changes nothing"),
    ],
    ids=str,
)
def test_a_zone_alone_is_refused_saying_to_send_the_rule(series: dict[str, object], said: str) -> None:
    """11.2"""
    reply = update(with_one(**series), timezone="Europe/Berlin")
    assert reply.is_error
    assert said in reply.text


def test_a_zone_that_nothing_needs_is_ignored_and_said() -> None:
    """11.2, 10.2"""
    bench = with_one(**DAILY)
    assert "Note: timezone was ignored" in updated(bench, message="coffee", timezone="Europe/Berlin")
    assert "Note: timezone was ignored" in updated(bench, inHours=1, timezone="Europe/Berlin")


# A new series (11.2)


@pytest.mark.parametrize("before", [{"inHours": 1}, HOURLY | {"count": 3}, DAILY | {"count": 3}], ids=str)
@pytest.mark.parametrize("after", [{"everyHours": 2}, {"rrule": "FREQ=DAILY;BYHOUR=2"}], ids=str)
def test_a_recurrence_begins_a_new_series_as_if_added_now(
    before: dict[str, object], after: dict[str, object]
) -> None:
    """11.2: without an end but one sent with it; an expiry stays"""
    bench = with_one(**before, expiresAfterHours=5)
    updated(bench, **after)
    reminder = kept(bench)
    assert reminder.due == NOW + 2 * HOUR
    assert reminder.last is None
    assert reminder.expires_after == 5 * HOUR
    updated(bench, everyHours=3, count=2)
    assert (kept(bench).due, kept(bench).last) == (NOW + 3 * HOUR, NOW + 6 * HOUR)


def test_a_new_series_counts_from_its_own_first_time() -> None:
    """11.2"""
    bench = with_one(**DAILY)
    updated(bench, everyHours=24, atIso="2026-01-01T08:00")
    bench.pass_time(hours=8)
    bench.take(only(bench.sent()))
    assert only_due(bench) == NOW + 32 * HOUR


def test_a_calendar_that_replaces_a_calendar_keeps_its_zone() -> None:
    """11.2"""
    bench = with_one(**DAILY, timezone="Europe/Berlin")
    updated(bench, rrule="FREQ=DAILY;BYHOUR=8")
    assert only_due(bench) == NOW + 7 * HOUR
    updated(bench, rrule="FREQ=DAILY;BYHOUR=8", timezone="Asia/Tokyo")
    assert only_due(bench) == NOW + 23 * HOUR
    updated(bench, everyHours=1)
    updated(bench, rrule="FREQ=DAILY;BYHOUR=8")
    assert only_due(bench) == NOW + 8 * HOUR


def test_a_local_start_of_a_new_rule_is_in_the_zone_that_stays() -> None:
    """11.2, 10.2"""
    bench = with_one(**DAILY, timezone="Europe/Berlin")
    updated(bench, rrule="FREQ=WEEKLY", atIso="2026-01-02T08:00")
    assert only_due(bench) == NOW + 31 * HOUR


# An end or an expiry alone (11.2)


def test_a_count_alone_counts_from_the_firing_that_stands() -> None:
    """11.2"""
    bench = with_one(**HOURLY)
    bench.pass_time(hours=1)
    bench.take(only(bench.sent()))
    updated(bench, count=2)
    assert kept(bench).last == NOW + 3 * HOUR


def test_a_count_alone_counts_a_snoozed_firing() -> None:
    """11.2"""
    bench = with_one(**DAILY)
    updated(bench, atIso="2026-01-01T09:10")
    updated(bench, count=2)
    assert kept(bench).last == NINE + DAY


@pytest.mark.parametrize(
    ("until", "at"), [("2026-01-03", NINE + 2 * DAY), ("2026-01-03T08:30", NINE + DAY)], ids=str
)
def test_an_until_alone_is_read_in_the_zone_of_the_rule(until: str, at: datetime) -> None:
    """11.2, 10.4"""
    bench = with_one(rrule="FREQ=DAILY;BYHOUR=9", timezone="Asia/Tokyo", atIso="2026-01-01T00:00Z")
    updated(bench, until=until)
    assert kept(bench).last == at - 9 * HOUR


def test_an_expiry_alone_is_taken() -> None:
    """11.2"""
    bench = with_one(inHours=1)
    assert "| expires after 60s |" in updated(bench, expiresAfterMinutes=1)
    bench.deny()
    bench.pass_time(hours=1, minutes=1)
    assert len(bench.heartbeat.reminders) == 0


def test_an_end_of_what_does_not_recur_is_refused() -> None:
    """11.1, 10.4"""
    assert "count ends a recurrence, and nothing recurs" in update(with_one(inHours=1), count=3).text


# The firing that was moved (11.3)


def test_what_was_held_is_no_longer_held_once_it_is_moved() -> None:
    """11.3"""
    bench = with_one(**HOURLY)
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    assert "held since" in bench.call("reminder_list").text
    text = updated(bench, inMinutes=30)
    assert (
        "Note: the old time, 2026-01-01T01:00:00+00:00 [UTC], was overdue, and is not told any more" in text
    )
    assert "held since" not in bench.call("reminder_list").text
    bench.pass_time(minutes=29)
    assert bench.sent() == []


@pytest.mark.parametrize("series", [{"inHours": 1}, HOURLY], ids=str)
def test_an_answer_to_the_wake_of_a_firing_that_was_moved_has_no_effect(series: dict[str, object]) -> None:
    """11.3"""
    bench = with_one(**series)
    bench.pass_time(hours=1)
    wake = only(bench.sent())
    text = updated(bench, inMinutes=30)
    assert (
        "Note: the wake of the old time was sent at 2026-01-01T01:00:00+00:00 [UTC], and may still be" in text
    )
    assert "not answered yet" not in bench.call("reminder_list").text
    bench.take(wake)
    assert only_due(bench) == NOW + 90 * MINUTE
    bench.refuse(wake)
    bench.pass_time(minutes=30)
    assert only(bench.sent()).due == NOW + 90 * MINUTE


def test_a_wake_that_was_forgotten_frees_its_place() -> None:
    """11.3, 7.4: 32 may be out"""
    bench = quiet()
    for _ in range(33):
        add(bench, inHours=1)
    bench.pass_time(hours=1)
    assert len(bench.sent()) == 32
    updated(bench, inHours=1)
    assert len(bench.sent()) == 1


def test_a_wake_that_was_forgotten_is_not_given_up_after_30_seconds() -> None:
    """11.3"""
    bench = with_one(inHours=1)
    bench.pass_time(hours=1)
    bench.sent()
    updated(bench, inMinutes=30)
    bench.pass_time(minutes=1)
    assert lines_about(bench, "no answer") == []


@pytest.mark.parametrize(
    "back", [{"atIso": "2026-01-01T01:00"}, {"atIso": "2026-01-01T01:00:00.001"}], ids=str
)
def test_a_firing_that_is_moved_back_carries_no_event_id_that_a_wake_carried_before(
    back: dict[str, object],
) -> None:
    """11.3, 4.11"""
    host = SeenIds(uses_up_refused=True)
    host.refuses = True
    bench = quiet(host=host)
    add(bench, inHours=1)
    bench.pass_time(hours=1)
    updated(bench, inHours=1)
    host.refuses = False
    updated(bench, **back)
    bench.pass_time(seconds=1)
    assert len(host.heard) == 1
    assert len(bench.heartbeat.reminders) == 0


def test_a_recurring_one_that_is_moved_to_a_time_that_was_heard_is_heard_again() -> None:
    """11.3"""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, **HOURLY)
    bench.pass_time(hours=1)
    updated(bench, atIso="2026-01-01T01:00")
    bench.pass_time(seconds=1)
    assert [wake.due for wake in host.heard] == [NOW + HOUR, NOW + HOUR + timedelta(milliseconds=1)]
    assert len({wake.event_id for wake in host.heard}) == 2
    assert only_due(bench) == NOW + 2 * HOUR


def test_a_firing_moved_by_the_next_process_to_a_time_of_an_earlier_one_has_an_id_of_its_own() -> None:
    """11.3, 4.12: its past is unknown, so any of its own times may have been sent"""
    host = SeenIds()
    bench = quiet(host=host)
    add(bench, **HOURLY)
    bench.pass_time(hours=1)
    bench.restart()
    updated(bench, atIso="2026-01-01T01:00")
    bench.pass_time(seconds=1)
    assert len(host.heard) == 2


@pytest.mark.parametrize("state", ["held", "out"])
def test_a_new_message_alone_leaves_the_firing_as_it_stands(state: str) -> None:
    """11.3"""
    bench = with_one(**HOURLY)
    bench.pass_time(hours=1)
    wake = only(bench.sent())
    if state == "held":
        bench.refuse(wake)
    updated(bench, message="coffee")
    (entry,) = bench.heartbeat.reminders
    assert (entry.held is not None) is (state == "held")
    if state == "out":
        assert entry.sent_at == NOW + HOUR
        bench.take(wake)
        assert only_due(bench) == NOW + 2 * HOUR


def test_an_update_lets_held_reminders_be_tried_after_its_reply() -> None:
    """11.3, 7.3"""
    bench = with_one(inHours=1)
    assert add(bench, inHours=9) == "rem_2"
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    bench.toolbox.call("reminder_update", {"id": "rem_2", "message": "coffee"})
    assert bench.sent() == []
    bench.clock.settle()
    assert only(bench.sent()).reminder_id == "rem_1"


def test_a_refused_update_lets_none_be_tried() -> None:
    """11.3, 7.3"""
    bench = with_one(inHours=1)
    bench.pass_time(hours=1)
    bench.refuse(only(bench.sent()))
    update(bench)
    assert bench.sent() == []


def test_a_kind_that_is_changed_is_saved_as_such() -> None:
    """11.2"""
    bench = with_one(**DAILY)
    updated(bench, everyHours=1)
    assert kept(bench).recurrence == Interval(HOUR)
    assert kept(bench).start is None
    assert kept(bench).created == datetime(2026, 1, 1, tzinfo=UTC)
