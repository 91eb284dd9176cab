"""What the agent is told of the operator's limits: refusals, waits, and what runs instead (15.2 to 15.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from calling import notes, picture, problems

from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.wakes import Taken

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUARTER = Limits(min_interval=timedelta(minutes=15))
QUIET = Limits(quiet_hours="22:00-07:00")


def bench_with(limits: Limits, **more: object) -> Bench:
    more.setdefault("clock", FakeClock(NOW))
    more.setdefault("host", lambda _: Taken())
    return Bench(limits=limits, **more)  # type: ignore[arg-type]


def only_problem(bench: Bench, tool: str, arguments: object) -> str:
    """The one problem of a call that changes nothing."""
    before = picture(bench)
    found = problems(bench, tool, arguments)
    assert picture(bench) == before
    assert len(found) == 1
    return found[0]


def status(bench: Bench) -> str:
    return bench.call("heartbeat_status").text


# Refusals


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        (
            "heartbeat_configure",
            {"intervalMinutes": 14},
            "an interval of 840s is less than min-interval 900s, a limit that the operator set",
        ),
        (
            "heartbeat_configure",
            {"nextInMinutes": 14},
            "a wait of 840s is less than min-interval 900s, a limit that the operator set",
        ),
        (
            "heartbeat_configure",
            {"nextAtIso": "2026-01-05T12:14"},
            "nextAtIso: a wait of 840s is less than min-interval 900s, a limit that the operator set",
        ),
        (
            "reminder_add",
            {"message": "tea", "everySeconds": 899.999},
            "it would come more often than min-interval 900s allows, a limit that the operator set",
        ),
    ],
)
def test_what_is_closer_than_the_least_is_refused_naming_the_limit_and_who_set_it(
    tool: str, arguments: object, problem: str
) -> None:
    """15.2"""
    assert only_problem(bench_with(QUARTER), tool, arguments) == problem


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("heartbeat_configure", {"intervalMinutes": 15}),
        ("heartbeat_configure", {"nextInMinutes": 15}),
        ("heartbeat_configure", {"nextAtIso": "2026-01-05T12:15"}),
        ("reminder_add", {"message": "tea", "everyMinutes": 15}),
        ("reminder_add", {"message": "tea", "inSeconds": 1}),
    ],
)
def test_what_is_just_far_enough_apart_is_accepted(tool: str, arguments: object) -> None:
    """15.2: a delay is no interval."""
    assert problems(bench_with(QUARTER), tool, arguments) == []


def test_what_is_too_short_for_any_server_is_one_problem_and_not_two() -> None:
    """15.2, 6.2"""
    bench = bench_with(QUARTER)
    assert "60 s or more" in only_problem(bench, "heartbeat_configure", {"intervalSeconds": 5})
    assert "5 s or more" in only_problem(bench, "reminder_add", {"message": "a", "everySeconds": 1})
    assert "60 s or more" in only_problem(bench, "heartbeat_configure", {"nextInSeconds": 5})
    assert "less than 60 s" in only_problem(
        bench, "heartbeat_configure", {"nextAtIso": "2026-01-05T12:00:05"}
    )


def test_a_call_that_leaves_it_as_it_is_is_not_refused() -> None:
    """15.2"""
    before = bench_with(Limits())
    before.call("heartbeat_configure", intervalMinutes=1, activeHours="23:00-06:00")
    before.call("heartbeat_configure", nextInMinutes=5)
    limits = Limits(min_interval=timedelta(minutes=15), quiet_hours="22:00-07:00")
    bench = bench_with(limits, schedule_store=before.schedule_store)
    as_it_is = {"intervalMinutes": 1, "activeHours": "23:00-06:00", "message": "Look."}
    assert problems(bench, "heartbeat_configure", as_it_is) == []
    assert problems(bench, "heartbeat_configure", {"nextAtIso": "2026-01-05T12:05"}) == []
    assert problems(bench, "heartbeat_configure", {"activeDays": ["MO"]}) == []


def test_one_reminder_too_many_is_refused_and_a_cancelled_one_makes_room() -> None:
    """15.2"""
    bench = bench_with(Limits(max_reminders=2))
    first = bench.call("reminder_add", message="tea", inHours=1).text.split()[1]
    bench.call("reminder_add", message="tea", inHours=1)
    assert only_problem(bench, "reminder_add", {"message": "tea", "inHours": 1}) == (
        "there are 2 reminder(s), and max-reminders 2 is a limit that the operator set; "
        "reminder_cancel makes room"
    )
    bench.call("reminder_cancel", id=first)
    assert not bench.call("reminder_add", message="tea", inHours=1).is_error


def test_where_none_is_allowed_the_first_is_refused() -> None:
    """15.2"""
    assert only_problem(
        bench_with(Limits(max_reminders=0)), "reminder_add", {"message": "a", "inHours": 1}
    ) == ("there are 0 reminder(s), and max-reminders 0 is a limit that the operator set")


def test_active_hours_that_lie_wholly_in_quiet_hours_are_refused() -> None:
    """15.2"""
    bench = bench_with(QUIET)
    assert only_problem(bench, "heartbeat_configure", {"activeHours": "23:00-06:00"}) == (
        "activeHours 23:00-06:00 lie wholly in quiet-hours 22:00-07:00, a limit that the operator set: "
        "no heartbeat would come"
    )
    assert problems(bench, "heartbeat_configure", {"activeHours": "21:00-06:00"}) == []


def test_every_limit_that_a_call_is_beyond_is_named_with_all_else_that_is_wrong() -> None:
    """15.2, 6"""
    limits = Limits(min_interval=HOUR, max_reminders=0, quiet_hours="22:00-07:00")
    bench = bench_with(limits)
    found = problems(
        bench,
        "heartbeat_configure",
        {"intervalMinutes": 2, "nextInMinutes": 3, "activeHours": "01:00-02:00", "paused": "yes"},
    )
    assert len(found) == 4
    found = problems(bench, "reminder_add", {"message": " ", "everyMinutes": 2})
    assert len(found) == 3


def test_a_part_that_is_wrong_by_itself_is_not_judged_as_a_sum() -> None:
    """15.2, 6.8"""
    bench = bench_with(QUARTER)
    problem = only_problem(bench, "heartbeat_configure", {"intervalMinutes": 14, "intervalHours": "1"})
    assert problem.startswith("intervalHours")


# Triggers


def test_a_trigger_that_could_not_leave_now_is_refused_until_it_could() -> None:
    """15.2"""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    assert not bench.call("heartbeat_trigger").is_error
    reply = bench.call("heartbeat_trigger")
    assert reply.is_error
    assert reply.text == (
        "No heartbeat was sent: max-wakes-per-hour 1, a limit that the operator set, lets it leave at "
        "2026-01-05T13:00:00+00:00 [UTC] at the earliest. Nothing was changed."
    )
    bench.pass_time(hours=1, seconds=1)
    assert not bench.call("heartbeat_trigger").is_error
    assert len(bench.heard) == 2


def test_a_trigger_in_quiet_hours_is_refused() -> None:
    """15.2"""
    bench = bench_with(Limits(quiet_hours="11:00-13:00"))
    reply = bench.call("heartbeat_trigger")
    assert reply.is_error
    assert "quiet-hours 11:00-13:00" in reply.text
    bench.pass_time(hours=2)
    assert bench.heard == []


def test_triggers_before_the_first_left_count_too() -> None:
    """15.2, 2.6: a batch of them is judged before any wake leaves."""
    bench = bench_with(Limits(max_wakes_per_hour=2))
    replies = [bench.toolbox.call("heartbeat_trigger") for _ in range(3)]
    assert [reply.is_error for reply in replies] == [False, False, True]
    bench.clock.settle()
    assert len(bench.heard) == 2


def test_a_trigger_does_not_take_the_place_of_a_reminder_that_is_due_already() -> None:
    """15.2, 15.3: what waits leaves first, also where the trigger comes in the very moment."""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    bench.call("reminder_add", message="tea", inMinutes=1)
    bench.transport.has_room = False
    bench.pass_time(minutes=2)
    bench.transport.has_room = True
    assert bench.call("heartbeat_trigger").is_error
    assert [wake.reminder_id is None for wake in bench.heard] == [False]


def test_nor_that_of_a_beat_which_is_due() -> None:
    """15.2, 15.3"""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_configure", intervalMinutes=1)
    bench.transport.has_room = False
    bench.pass_time(minutes=2)
    bench.transport.has_room = True
    assert bench.call("heartbeat_trigger").is_error
    assert [wake.origin["reason"] for wake in bench.heard] == ["schedule"]


def test_what_cannot_leave_for_want_of_places_is_in_no_triggers_way() -> None:
    """15.2, 7.4: 32 wakes of reminders are out, and the others wait for those."""
    store = MemoryReminderStore([Reminder(f"r{n}", "tea", NOW - HOUR, NOW) for n in range(200)])
    bench = bench_with(Limits(max_wakes_per_hour=100), reminder_store=store, host=lambda _: None)
    bench.clock.settle()
    assert len(bench.sent()) == 32
    assert not bench.call("heartbeat_trigger").is_error
    assert len(bench.sent()) == 1


# Status and list


def test_status_shows_the_limits_that_are_set_after_delivery() -> None:
    """15.4"""
    limits = Limits(min_interval=timedelta(minutes=15), max_wakes_per_hour=6, quiet_hours="22:00-07:00")
    shown = (
        " | delivery=ok | limits=min-interval 900s, max-wakes-per-hour 6, quiet-hours 22:00-07:00 | message="
    )
    assert shown in status(bench_with(limits))


def test_without_limits_not_a_word_is_said() -> None:
    """15.4"""
    bench = bench_with(Limits())
    bench.call("reminder_add", message="tea", everySeconds=5)
    texts = status(bench) + bench.call("reminder_list").text
    assert not any(word in texts for word in ("limit", "operator", "waiting"))


def test_status_says_until_when_wakes_wait_and_for_which_limit_while_they_do() -> None:
    """15.4"""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_trigger")
    assert (
        " | limits=max-wakes-per-hour 1 | waiting until 2026-01-05T13:00:00+00:00 [UTC] "
        "(max-wakes-per-hour 1, set by the operator) | message="
    ) in status(bench)
    bench.deny()
    assert "waiting until" not in status(bench)
    bench.allow()
    bench.pass_time(hours=1, seconds=1)
    assert "waiting until" not in status(bench)


def test_the_list_says_until_when_what_is_due_waits_and_why() -> None:
    """15.3"""
    bench = bench_with(Limits(quiet_hours="12:30-15:00"))
    bench.call("reminder_add", message="tea", inHours=1)
    assert notes(bench, "reminder_list", {}) == []
    bench.pass_time(hours=2)
    (note,) = notes(bench, "reminder_list", {})
    assert note == (
        "what is due waits until 2026-01-05T15:00:00+00:00 [UTC]: quiet-hours 12:30-15:00 is a limit that "
        "the operator set. It comes then, in order of due time."
    )


def test_while_no_wake_is_deliverable_the_list_gives_that_reason_alone() -> None:
    """15.4, 7.5"""
    bench = bench_with(Limits(quiet_hours="11:00-15:00"))
    bench.call("reminder_add", message="tea", inHours=1)
    bench.deny()
    (note,) = notes(bench, "reminder_list", {})
    assert "capability not granted" in note


def test_the_reply_to_a_reminder_in_quiet_hours_says_when_it_can_really_come() -> None:
    """15.4"""
    bench = bench_with(QUIET)
    (note,) = notes(bench, "reminder_add", {"message": "tea", "atIso": "2026-01-05T23:00"})
    assert note == (
        "it can come at 2026-01-06T07:00:00+00:00 [UTC] at the earliest: quiet-hours 22:00-07:00 is a limit "
        "that the operator set."
    )
    assert notes(bench, "reminder_add", {"message": "tea", "atIso": "2026-01-06T07:00"}) == []
    (note,) = notes(bench, "reminder_add", {"message": "tea", "atIso": "2026-01-05T06:00"})
    assert note.startswith("that time is past")  # and it comes now, whatever hour that was


def test_the_reply_to_a_reminder_over_a_budget_says_when_it_can_really_come() -> None:
    """15.4"""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_trigger")
    (note,) = notes(bench, "reminder_add", {"message": "tea", "inMinutes": 30})
    assert note.startswith(
        "it can come at 2026-01-05T13:00:00+00:00 [UTC] at the earliest: max-wakes-per-hour 1"
    )
    assert notes(bench, "reminder_add", {"message": "tea", "inMinutes": 61}) == []


def test_the_reply_to_an_asked_for_beat_in_quiet_hours_says_when_it_can_really_come() -> None:
    """15.4, 12.3"""
    bench = bench_with(QUIET)
    reply = bench.call("heartbeat_configure", nextAtIso="2026-01-05T23:00")
    assert not reply.is_error
    assert reply.text.endswith(
        "\nNote: it can come at 2026-01-06T07:00:00+00:00 [UTC] at the earliest: quiet-hours 22:00-07:00 is "
        "a limit that the operator set."
    )


def test_what_was_saved_beyond_a_limit_is_shown_as_it_runs_and_why() -> None:
    """15.2"""
    before = bench_with(Limits())
    before.call("heartbeat_configure", intervalMinutes=1)
    store = MemoryReminderStore([Reminder("r", "tea", NOW, NOW + HOUR, Interval(timedelta(seconds=5)))])
    bench = bench_with(QUARTER, schedule_store=before.schedule_store, reminder_store=store)
    assert " | interval=900s (0.25h) (min-interval, set by the operator; 60s was asked for) | " in status(
        bench
    )
    assert (
        " | repeats every 900s (min-interval, set by the operator; 5s was asked for) | "
        in bench.call("reminder_list").text
    )


def test_hours_saved_before_that_are_wholly_quiet_are_said_to_bring_no_beat() -> None:
    """15.2"""
    before = bench_with(Limits())
    before.call("heartbeat_configure", activeHours="23:00-06:00")
    store: MemoryScheduleStore = before.schedule_store
    text = status(bench_with(QUIET, schedule_store=store))
    why = "no heartbeat comes: wholly in quiet-hours 22:00-07:00, set by the operator"
    assert f" | active=23:00-06:00 ({why}) | " in text
    assert "next in" not in text


def test_the_log_says_that_a_limit_is_reached_and_that_a_beat_waits() -> None:
    """15.3"""
    bench = bench_with(Limits(max_wakes_per_hour=1))
    bench.call("heartbeat_configure", intervalMinutes=10)
    bench.pass_time(minutes=25)
    until = "2026-01-05T13:10:00+00:00 [UTC]"
    assert f"max-wakes-per-hour 1 is reached: the next wake leaves at {until}" in "\n".join(bench.log.lines)
    assert f"a heartbeat was due and waits until {until} (max-wakes-per-hour 1)" in "\n".join(bench.log.lines)
