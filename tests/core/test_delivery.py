"""When a wake leaves, with what, and what comes of each answer: section 4.6 to 4.13, 5.2, 6.10, 6.11, 7, 8.2.

One claim a test, on the bench; `test_delivery_model` puts the same rules in every order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from heartbeat_adapters.settings import Settings
from heartbeat_adapters.testing import Bench, FakeClock, MemoryReminderStore, MemoryScheduleStore
from heartbeat_core.journal import BURST
from heartbeat_core.moments import AgentZone
from heartbeat_core.policy import Malformed, Policy
from heartbeat_core.reminders import Reminder
from heartbeat_core.schedule import DEFAULT_SCHEDULE
from heartbeat_core.service import ANSWER_WITHIN
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DISABLED = "feature set disabled by the host"


def takes(_: Wake) -> Answer:
    return Taken()


class SeenIds:
    """A host that drops an event that it has seen."""

    def __init__(self, *, uses_up_refused: bool = False) -> None:
        self.refuses = False
        self.uses_up_refused = uses_up_refused
        self.seen: set[str] = set()
        self.heard: list[Wake] = []

    def __call__(self, wake: Wake) -> Answer:
        if wake.event_id in self.seen:
            return Refused("duplicate")
        if not self.refuses or self.uses_up_refused:
            self.seen.add(wake.event_id)
        if self.refuses:
            return Refused("not now")
        self.heard.append(wake)
        return Taken()


def waiting_bench(**more: object) -> Bench:
    """A bench whose host has not sent its policy yet."""
    return Bench(policy=Policy(), **more)  # type: ignore[arg-type]


def with_one_out(every: timedelta | None = None) -> tuple[Bench, Wake]:
    """A bench with one reminder, due at `NOW`, whose wake is out."""
    store = MemoryReminderStore([Reminder("a", "tea", NOW - HOUR, NOW, every)])
    bench = Bench(reminder_store=store, clock=FakeClock(NOW - HOUR))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=1)
    (wake,) = bench.sent()
    return bench, wake


def held(every: timedelta | None = None) -> tuple[Bench, Wake]:
    """A bench with one reminder, due at `NOW`, that the host refused once."""
    bench, wake = with_one_out(every)
    bench.refuse(wake)
    return bench, wake


def only(wakes: list[Wake]) -> Wake:
    (wake,) = wakes
    return wake


def add(bench: Bench, **arguments: object) -> str:
    """Set a reminder; gives its id."""
    reply = bench.call("reminder_add", message="tea", **arguments)
    assert not reply.is_error, reply.text
    return reply.text.split()[1]


def only_due(bench: Bench) -> datetime:
    (entry,) = bench.heartbeat.reminders
    return entry.reminder.due


def lines_about(bench: Bench, *words: str) -> list[str]:
    return [line for line in bench.log.lines if all(word in line for word in words)]


# The policy and the order on the wire


def test_nothing_leaves_before_the_receipt() -> None:
    """4.6: what an expansion lets through comes after it"""
    bench = waiting_bench()
    add(bench, atIso="2025-12-31T00:00Z")
    receipt = bench.heartbeat.policy_requested({"effectiveCapabilities": ["*"]})
    assert isinstance(receipt, dict)
    assert bench.sent() == []
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_reduction_is_in_force_before_the_receipt() -> None:
    """4.6: also for what was due at the same moment"""
    bench = Bench()
    bench.toolbox.call("reminder_add", {"message": "tea", "atIso": "2025-12-31T00:00Z"})
    bench.deny()
    assert bench.sent() == []


def test_nothing_leaves_before_the_reply_of_the_call_that_made_it_due() -> None:
    """4.6, 7.3"""
    bench, _ = held()
    bench.toolbox.call("reminder_add", {"message": "cake", "inHours": 1})
    assert bench.sent() == []
    bench.clock.settle()
    assert only(bench.sent()).reminder_id == "a"


def test_a_malformed_request_is_said_to_be_so_and_stops_wakes() -> None:
    """4.2"""
    bench = Bench()
    assert isinstance(bench.allow(effectiveCapabilities="*"), Malformed)
    bench.pass_time(hours=4)
    assert bench.sent() == []


def test_a_notification_while_no_policy_is_in_force_is_a_warning_that_says_what_to_do() -> None:
    """4.7"""
    bench = waiting_bench()
    bench.heartbeat.policy_notified({"effectiveCapabilities": ["*"]})
    warning = only_text(lines_about(bench, "WARNING: initial policy has still not arrived as a Request. "))
    assert "with an id" in warning


def only_text(lines: list[str]) -> str:
    (line,) = lines
    return line


def test_a_disabling_notification_stops_wakes_until_the_next_request() -> None:
    """4.7"""
    bench = Bench()
    bench.heartbeat.policy_notified({"disabled": ["heartbeat"]})
    add(bench, atIso="2025-12-31T00:00Z")
    assert bench.sent() == []
    bench.allow()
    assert len(bench.sent()) == 1


def test_one_wording_of_the_reason_is_in_status_replies_and_log() -> None:
    """4.8"""
    bench = Bench()
    bench.allow(effectiveCapabilities=["*"], disabled=["heartbeat"])
    add(bench, inHours=9)
    assert f"delivery=BLOCKED ({DISABLED})" in bench.call("heartbeat_status").text
    for tool in ("reminder_list", "heartbeat_trigger"):
        assert DISABLED in bench.call(tool).text
    bench.pass_time(hours=4)
    assert lines_about(bench, f"suppressed heartbeat push/event — {DISABLED}")


def test_a_beat_that_comes_due_while_no_wake_is_deliverable_is_dropped() -> None:
    """4.9"""
    bench = Bench()
    bench.deny()
    bench.pass_time(hours=4)
    bench.allow()
    assert bench.sent() == []
    bench.pass_time(hours=4)
    assert only(bench.sent()).sent_at == NOW + 8 * HOUR


def test_a_triggered_beat_that_cannot_be_sent_is_an_error_and_is_not_sent_later() -> None:
    """6.3"""
    bench = waiting_bench()
    reply = bench.call("heartbeat_trigger")
    assert reply.is_error
    bench.allow()
    assert bench.sent() == []


# What a wake carries


def test_a_beat_of_the_schedule_says_the_time_and_the_message() -> None:
    """4.10, 6.10"""
    bench = Bench()
    bench.call("heartbeat_configure", message="look around")
    bench.pass_time(hours=4)
    wake = only(bench.sent())
    assert wake.text == "[current time: 2026-01-01T04:00:00+00:00 [UTC]] look around"
    assert wake.origin == {"source": "heartbeat", "reason": "schedule"}
    assert wake.sent_at == NOW + 4 * HOUR


def test_a_triggered_beat_says_so_in_its_origin() -> None:
    """4.10, 6.3"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).origin == {"source": "heartbeat", "reason": "manual"}


def test_a_triggered_beat_comes_while_paused_and_leaves_the_countdown() -> None:
    """6.3"""
    bench = Bench()
    bench.pass_time(hours=1)
    bench.call("heartbeat_trigger")
    assert bench.heartbeat.schedule.next_beat == NOW + 4 * HOUR
    bench.call("heartbeat_configure", paused=True)
    bench.call("heartbeat_trigger")
    assert len(bench.sent()) == 2


def test_a_one_shot_says_when_it_was_set() -> None:
    """4.10, 6.10"""
    bench = Bench()
    reminder_id = add(bench, inSeconds=59)
    bench.pass_time(seconds=59)
    wake = only(bench.sent())
    assert wake.text == (
        f"[reminder {reminder_id}, set 2026-01-01T00:00:00+00:00 [UTC]"
        " · current time: 2026-01-01T00:00:59+00:00 [UTC]] tea"
    )
    assert wake.origin == {"source": "reminder", "reminderId": reminder_id, "recurring": False}


def test_a_recurring_one_says_how_often_it_comes() -> None:
    """4.10, 6.10"""
    bench = Bench()
    reminder_id = add(bench, everySeconds=90)
    bench.pass_time(seconds=90)
    wake = only(bench.sent())
    assert str(wake.text).startswith(f"[reminder {reminder_id}, repeats every 90s · current time: ")
    assert wake.origin["recurring"] is True


@pytest.mark.parametrize(("late", "says_due"), [(59.999, False), (60, True)])
def test_one_that_fires_a_minute_late_says_when_it_was_due(late: float, says_due: bool) -> None:
    """6.10"""
    bench = waiting_bench()
    add(bench, inSeconds=1)
    bench.pass_time(seconds=1 + late)
    bench.allow()
    text = str(only(bench.sent()).text)
    assert (", due 2026-01-01T00:00:01+00:00 [UTC] · " in text) is says_due


def test_each_attempt_says_the_time_of_its_own_sending() -> None:
    """4.13"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    again = only(bench.sent())
    assert again.sent_at == NOW + 60 * SECOND
    assert "current time: 2026-01-01T00:01:00" in str(again.text)


# Answers


@pytest.mark.parametrize(
    "answer", [Refused("not now"), Refused("stopping", -32603), Failed("the pipe broke")], ids=str
)
def test_a_refusal_or_failure_holds_the_reminder_with_its_reason_and_time(answer: Answer) -> None:
    """4.11, 7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=5)
    bench.answer(wake, answer)
    listed = bench.call("reminder_list").text
    assert f"held since 2026-01-01T00:00:05+00:00 [UTC]: {answer}" in listed


def test_a_duplicate_counts_as_taken() -> None:
    """4.11"""
    bench, wake = with_one_out()
    bench.refuse(wake, "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_an_error_that_says_duplicate_does_not_count_as_taken() -> None:
    """4.11: only `accepted: false` with that reason does"""
    bench, wake = with_one_out()
    bench.refuse(wake, "duplicate", -32602)
    assert len(bench.heartbeat.reminders) == 1


def test_an_id_that_the_host_refused_and_used_up_is_replaced() -> None:
    """4.11"""
    bench, first = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.refuse(second, "duplicate")
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    assert second.event_id == first.event_id
    assert third.event_id != first.event_id


def test_an_id_that_was_used_up_stays_replaced_over_a_restart() -> None:
    """4.11, 4.12: from the file alone"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    assert only(bench.sent()).event_id == third.event_id


def test_a_host_that_uses_refused_ids_up_lets_the_agent_hear_each_reminder_once() -> None:
    """4.11"""
    host = SeenIds(uses_up_refused=True)
    bench = Bench(host=host)
    bench.call("heartbeat_configure", paused=True)
    host.refuses = True
    add(bench, inSeconds=1)
    add(bench, inSeconds=1, everyHours=1)
    bench.pass_time(minutes=2)
    host.refuses = False
    bench.pass_time(hours=3)
    heard = [wake.reminder_id for wake in host.heard]
    assert heard.count("rem_1") == 1
    assert heard.count("rem_2") == 4


def test_a_recurring_reminder_keeps_its_phase_after_its_id_was_replaced() -> None:
    """4.11, 7.2"""
    bench, _ = held(HOUR)
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    bench.pass_time(minutes=4)
    bench.take(only(bench.sent()))
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_duplicate_after_an_attempt_that_nobody_refused_counts_as_taken() -> None:
    """4.11: the host may have taken the one that it did not answer"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    bench.sent()
    bench.pass_time(minutes=4)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_a_duplicate_after_a_restart_counts_as_taken_though_this_process_was_refused() -> None:
    """4.11: not every attempt was sent by this process"""
    bench, _ = with_one_out()
    bench.crash()
    bench.start()
    bench.clock.settle()
    bench.refuse(only(bench.sent()))
    bench.pass_time(minutes=1)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 0


def test_a_late_refusal_counts_when_it_comes_to_whether_the_id_was_used_up() -> None:
    """4.11, 7.3: it changes nothing else"""
    bench, first = with_one_out()
    bench.pass_time(seconds=40)
    bench.refuse(first)
    bench.pass_time(seconds=50)
    bench.refuse(only(bench.sent()), "duplicate")
    assert len(bench.heartbeat.reminders) == 1


def test_a_late_duplicate_of_a_used_up_id_does_not_count_as_taken() -> None:
    """4.11"""
    bench, _ = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.pass_time(minutes=4)
    third = only(bench.sent())
    bench.refuse(second, "duplicate")
    bench.refuse(third, "duplicate")
    assert len(bench.heartbeat.reminders) == 1


# Event ids


def test_every_attempt_at_one_firing_carries_the_same_id() -> None:
    """4.12"""
    bench, first = held()
    bench.pass_time(minutes=1)
    second = only(bench.sent())
    bench.restart()
    bench.clock.settle()
    third = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    fourth = only(bench.sent())
    assert {first.event_id} == {wake.event_id for wake in (second, third, fourth)}


def test_each_firing_of_a_recurring_reminder_has_an_id_of_its_own() -> None:
    """4.12"""
    bench = Bench(host=takes)
    add(bench, everySeconds=5)
    bench.pass_time(minutes=5)
    ids = [wake.event_id for wake in bench.heard]
    assert len(set(ids)) == len(ids) == 60


def test_a_clock_set_back_repeats_no_id() -> None:
    """4.12, 5.2: also where it is set back by whole intervals, again and again"""
    host = SeenIds()
    bench = Bench(host=host)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=1)
    for _ in range(10):
        bench.pass_time(hours=3)
        bench.clock.set(bench.clock.now() - 2 * HOUR)
    ids = [wake.event_id for wake in bench.transport.wakes]
    assert len(host.heard) == len(ids) == len(set(ids))
    assert len(ids) >= 20


def test_a_beat_passes_its_id_on_when_nobody_answers_it() -> None:
    """4.12: scheduled or triggered"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=30)
    bench.call("heartbeat_trigger")
    second = only(bench.sent())
    bench.pass_time(hours=4)
    third = bench.sent()[-1]
    assert third.origin["reason"] == "schedule"
    assert first.event_id == second.event_id == third.event_id


def test_a_beat_does_not_pass_its_id_on_within_30_seconds() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    bench.pass_time(seconds=29.999)
    bench.call("heartbeat_trigger")
    first, second = bench.sent()
    assert first.event_id != second.event_id


@pytest.mark.parametrize("answer", [Taken(), Refused("no"), Refused("duplicate")], ids=str)
def test_a_beat_that_was_answered_passes_nothing_on_however_late(answer: Answer) -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.answer(first, answer)
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).event_id != first.event_id


def test_a_late_answer_to_one_beat_does_not_swallow_the_third() -> None:
    """4.12: the second carries the first one's id; once the host has that id, the third must not"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.call("heartbeat_trigger")
    second = only(bench.sent())
    bench.take(first)
    bench.pass_time(seconds=31)
    bench.call("heartbeat_trigger")
    third = only(bench.sent())
    assert first.event_id == second.event_id
    assert third.event_id != first.event_id


def test_a_host_that_was_held_up_all_night_hears_one_beat() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_configure", intervalMinutes=1)
    bench.pass_time(hours=12)
    wakes = bench.sent()
    assert len(wakes) == 720
    assert len({wake.event_id for wake in wakes}) == 1


def test_a_restart_starts_beats_afresh() -> None:
    """4.12"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    first = only(bench.sent())
    bench.pass_time(seconds=31)
    bench.restart()
    bench.call("heartbeat_trigger")
    assert only(bench.sent()).event_id != first.event_id


# Time


def test_a_reminder_fires_at_its_millisecond_and_not_before() -> None:
    """5.2, 5.3"""
    bench = Bench()
    add(bench, inSeconds=1.234)
    bench.pass_time(seconds=1.233)
    assert bench.sent() == []
    bench.pass_time(milliseconds=1)
    assert len(bench.sent()) == 1


def test_beats_and_reminders_go_in_order_of_due_time() -> None:
    """5.2"""
    bench = waiting_bench()
    late = add(bench, inHours=5)
    early = add(bench, inHours=3)
    bench.pass_time(hours=6)
    bench.allow()
    assert [wake.reminder_id for wake in bench.sent()] == [early, None, late]


@pytest.mark.parametrize("suspend", [True, False])
def test_what_came_due_in_suspend_or_by_a_clock_set_forward_fires_once(suspend: bool) -> None:
    """5.2, 7.1"""
    bench = Bench(host=takes)
    add(bench, everyMinutes=1)
    if suspend:
        bench.clock.suspend(3 * HOUR)
    else:
        bench.clock.set(bench.clock.now() + 3 * HOUR)
    assert len(bench.heard) == 1


def test_waiting_for_an_answer_stands_still_in_suspend() -> None:
    """5.2"""
    bench, _ = with_one_out()
    bench.clock.suspend(HOUR)
    assert "not answered yet" in bench.call("reminder_list").text
    bench.pass_time(seconds=30)
    assert "held since" in bench.call("reminder_list").text


def test_a_clock_set_back_does_not_prolong_the_wait_for_an_answer() -> None:
    """5.2"""
    bench, _ = with_one_out()
    bench.clock.set(NOW - HOUR)
    bench.pass_time(seconds=29)
    assert "not answered yet" in bench.call("reminder_list").text
    bench.pass_time(seconds=1)
    assert "not answered yet" not in bench.call("reminder_list").text


@pytest.mark.parametrize("refused", ["before", "after", "never"])
def test_a_one_shot_keeps_its_instant_also_once_it_was_sent(refused: str) -> None:
    """5.2: whatever became of its wake, it is heard at its time by the clock that the agent reads"""
    bench, wake = with_one_out()
    if refused == "before":
        bench.refuse(wake)
    bench.clock.set(NOW - 24 * HOUR)
    if refused == "after":
        bench.refuse(wake)
    bench.pass_time(hours=23)
    assert bench.sent() == []
    bench.pass_time(hours=1)
    (again,) = bench.sent()
    assert (again.sent_at, again.event_id) == (NOW, wake.event_id)


def test_a_recurring_reminder_comes_one_interval_after_the_clock_was_set_back() -> None:
    """5.2: and counts its times from there"""
    bench = Bench(host=takes)
    add(bench, everyHours=1)
    noticed = NOW - 24 * HOUR + SECOND
    bench.clock.set(noticed)
    bench.pass_time(hours=3)
    sent = [wake.sent_at for wake in bench.heard if wake.reminder_id]
    assert sent == [noticed + HOUR, noticed + 2 * HOUR, noticed + 3 * HOUR]


def test_a_beat_comes_one_interval_after_the_clock_was_set_back() -> None:
    """5.2"""
    bench = Bench()
    bench.clock.set(NOW - 24 * HOUR)
    bench.pass_time(hours=4)
    assert only(bench.sent()).sent_at == NOW - 20 * HOUR


def test_a_one_shot_keeps_its_instant_when_the_clock_is_set_back() -> None:
    """5.2"""
    bench = Bench()
    bench.call("heartbeat_configure", paused=True)
    add(bench, inHours=1)
    bench.clock.set(NOW - 24 * HOUR)
    bench.pass_time(hours=24)
    assert bench.sent() == []
    bench.pass_time(hours=1)
    assert len(bench.sent()) == 1


def test_a_first_time_far_ahead_is_not_brought_near_by_a_small_step_back() -> None:
    """5.2: only what the clock has put more than an interval away"""
    bench = Bench()
    add(bench, inHours=100, everyHours=1)
    bench.clock.set(NOW - HOUR)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + 100 * HOUR


def test_a_beat_that_was_triggered_goes_out_though_the_clock_was_set_back_before() -> None:
    """6.3"""
    bench = Bench()
    bench.transport.has_room = False
    bench.call("heartbeat_trigger")
    bench.clock.set(NOW - HOUR)
    bench.transport.has_room = True
    bench.heartbeat.transport_ready()
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_clock_change_of_the_agent_zone_moves_no_interval() -> None:
    """5.2"""
    zone = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
    clock = FakeClock(datetime(2026, 3, 28, 12, tzinfo=UTC))
    bench = Bench(host=takes, zone=zone, clock=clock)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=24)
    bench.pass_time(hours=48)
    first, second = bench.heard
    assert second.sent_at - first.sent_at == 24 * HOUR


def test_a_reminder_in_the_last_year_there_is_does_no_harm() -> None:
    """6.8"""
    bench = Bench(host=takes)
    add(bench, atIso="9999-12-31T23:59:59Z")
    add(bench, atIso="9999-01-01", everyHours=876_600)
    bench.pass_time(hours=8)
    assert len(bench.heard) == 2


def test_an_idle_server_has_its_timer_at_the_next_thing_to_do() -> None:
    """5.4"""
    bench = Bench()
    assert bench.clock.next_due() == NOW + 4 * HOUR
    bench.call("heartbeat_configure", paused=True)
    assert bench.clock.next_due() is None


def test_no_timer_runs_while_nothing_can_be_done_about_what_is_due() -> None:
    """5.4: no room, with everything due"""
    bench = Bench()
    bench.transport.has_room = False
    add(bench, everySeconds=5)
    bench.pass_time(hours=5)
    assert bench.sent() == []
    due = bench.clock.next_due()
    assert due is None or due > bench.clock.now()


# Silent mode


def silent_bench(host: Callable[[Wake], Answer | None] | None = None) -> Bench:
    bench = Bench(host=host)
    bench.call("heartbeat_configure", deliveryMode="silent", message="look around")
    return bench


def test_a_silent_beat_carries_no_text() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    wake = only(bench.sent())
    assert wake.text is None
    assert wake.origin == {"source": "heartbeat", "reason": "manual", "silent": True}


def test_a_reminder_carries_its_text_in_silent_mode_too() -> None:
    """6.11"""
    bench = silent_bench()
    add(bench, inSeconds=1)
    bench.pass_time(seconds=1)
    assert str(only(bench.sent()).text).endswith("] tea")


@pytest.mark.parametrize("refusal", [Refused("invalid params", -32602), Refused("content is Empty")], ids=str)
def test_a_silent_beat_refused_as_empty_is_sent_again_as_a_message(refusal: Answer) -> None:
    """6.11"""
    bench = silent_bench()
    bench.pass_time(hours=4)
    silent = only(bench.sent())
    bench.answer(silent, refusal)
    message = only(bench.sent())
    assert str(message.text).endswith("] look around")
    assert message.origin == {"source": "heartbeat", "reason": "schedule", "silentFallback": True}
    assert message.event_id != silent.event_id


@pytest.mark.parametrize(
    "refusal",
    [Refused("not now"), Refused("stopping", -32603), Refused("empty", -32603), Failed("empty pipe")],
    ids=str,
)
def test_any_other_refusal_of_a_silent_beat_has_no_second_try(refusal: Answer) -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.answer(only(bench.sent()), refusal)
    assert bench.sent() == []


def test_a_refused_message_has_no_second_try() -> None:
    """6.11: only a silent beat has"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()), "empty", -32602)
    assert bench.sent() == []


def test_there_is_no_second_try_after_30_seconds() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    silent = only(bench.sent())
    bench.pass_time(seconds=30)
    bench.refuse(silent, "empty")
    assert bench.sent() == []


def test_there_is_no_second_try_after_a_later_beat() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.call("heartbeat_trigger")
    first, _ = bench.sent()
    bench.refuse(first, "empty")
    assert bench.sent() == []


def test_there_is_no_second_try_while_no_wake_is_deliverable() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    silent = only(bench.sent())
    bench.deny()
    bench.refuse(silent, "empty")
    bench.allow()
    assert bench.sent() == []


def test_every_beat_tries_silent_first() -> None:
    """6.11"""
    bench = silent_bench(lambda wake: Refused("empty") if wake.text is None else Taken())
    bench.pass_time(hours=12)
    assert [wake.text is None for wake in bench.sent()] == [True, False] * 3


def test_a_refused_silent_wake_is_one_warning_a_process() -> None:
    """6.11"""
    bench = silent_bench(lambda wake: Refused("empty") if wake.text is None else Taken())
    bench.pass_time(hours=40)
    assert len(lines_about(bench, "WARNING", "silent")) == 1


def test_the_status_shows_that_silent_wakes_are_refused_until_one_is_taken() -> None:
    """6.11"""
    bench = silent_bench()
    bench.call("heartbeat_trigger")
    bench.refuse(only(bench.sent()), "empty")
    bench.take(only(bench.sent()))
    assert "mode=silent (the host refused a silent wake, " in bench.call("heartbeat_status").text
    bench.call("heartbeat_trigger")
    bench.take(only(bench.sent()))
    assert "mode=silent |" in bench.call("heartbeat_status").text


# Reminders that wait


def test_an_overdue_one_shot_fires_once_when_it_can() -> None:
    """7.1"""
    bench = waiting_bench(host=takes)
    add(bench, inMinutes=1)
    bench.pass_time(hours=30)
    bench.allow()
    bench.pass_time(hours=1)
    assert len([wake for wake in bench.heard if wake.reminder_id]) == 1


def test_a_recurring_one_fires_once_for_all_the_periods_that_it_missed() -> None:
    """7.1, 7.2: and keeps its phase"""
    bench = waiting_bench(host=takes)
    bench.call("heartbeat_configure", paused=True)
    add(bench, everyHours=1)
    bench.pass_time(hours=30, minutes=20)
    bench.allow()
    bench.pass_time(hours=1)
    assert [wake.sent_at - NOW for wake in bench.heard] == [30 * HOUR + timedelta(minutes=20), 31 * HOUR]


def test_a_restart_fires_what_came_due_meanwhile() -> None:
    """7.1"""
    bench = Bench(host=takes)
    add(bench, inMinutes=1)
    bench.heartbeat.stop()
    bench.pass_time(hours=1)
    bench.start()
    bench.clock.settle()
    assert [wake.reminder_id for wake in bench.heard] == ["rem_1"]


def test_a_one_shot_stays_in_the_file_until_the_host_took_it() -> None:
    """7.2"""
    bench, wake = with_one_out()
    assert "a" in bench.reminder_store.saved
    bench.take(wake)
    bench.pass_time(milliseconds=100)
    assert bench.reminder_store.saved == {}


def test_the_file_follows_an_answer_before_the_next_reply() -> None:
    """7.2"""
    bench, wake = with_one_out()
    bench.heartbeat.answered(wake, Taken())
    bench.call("heartbeat_status")
    bench.heartbeat.flush()
    assert bench.reminder_store.saved == {}


def test_a_recurring_one_moves_on_only_when_it_was_taken() -> None:
    """7.2"""
    bench, wake = with_one_out(HOUR)
    bench.pass_time(seconds=1)
    assert bench.reminder_store.saved["a"].due == NOW
    bench.take(wake)
    bench.pass_time(milliseconds=100)
    assert bench.reminder_store.saved["a"].due == NOW + HOUR


def test_an_answer_that_comes_after_several_periods_moves_to_the_next_of_its_times() -> None:
    """7.2"""
    bench, wake = with_one_out(5 * SECOND)
    bench.pass_time(seconds=17)
    bench.take(wake)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + 20 * SECOND


# Held, and what releases it


def test_no_answer_within_30_seconds_holds_a_reminder() -> None:
    """7.3"""
    bench, _ = with_one_out()
    bench.pass_time(seconds=29.999)
    assert "held since" not in bench.call("reminder_list").text
    bench.pass_time(milliseconds=1)
    assert "held since 2026-01-01T00:00:30" in bench.call("reminder_list").text


def test_a_held_one_shot_is_tried_again_after_1_5_15_60_minutes_and_then_hourly() -> None:
    """7.3"""
    bench = Bench(
        host=lambda _: Refused("no"), reminder_store=MemoryReminderStore([Reminder("a", "tea", NOW, NOW)])
    )
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=4)
    minutes = [(wake.sent_at - NOW) / timedelta(minutes=1) for wake in bench.sent()]
    assert minutes == [0, 1, 5, 15, 60, 120, 180, 240]


def tries(bench: Bench, since: datetime) -> list[float]:
    """When the wakes that were sent left, in minutes since then."""
    return [(wake.sent_at - since) / timedelta(minutes=1) for wake in bench.sent()]


def refusing_bench(row: Reminder) -> Bench:
    """A paused bench with one reminder that the host refuses again and again."""
    bench = Bench(host=lambda _: Refused("busy"), reminder_store=MemoryReminderStore([row]))
    bench.call("heartbeat_configure", paused=True)
    return bench


def test_a_held_recurring_one_is_tried_again_as_often_as_a_one_shot() -> None:
    """7.3: a daily one that a busy host refuses once is not silent for a day"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, 24 * HOUR))
    bench.pass_time(hours=4)
    assert tries(bench, NOW) == [0, 1, 5, 15, 60, 120, 180, 240]


def test_a_held_recurring_one_waits_no_longer_than_its_interval_from_try_to_try() -> None:
    """7.3"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, timedelta(minutes=7)))
    bench.pass_time(minutes=61)
    assert tries(bench, NOW) == [0, 1, 5, 12, 15, 22, 29, 36, 43, 50, 57, 60]


@pytest.mark.parametrize("every", [None, HOUR, 24 * HOUR], ids=str)
@pytest.mark.parametrize("suspend", [True, False], ids=["suspended", "set forward"])
def test_a_try_that_came_due_in_suspend_or_by_a_clock_set_forward_is_made_at_once(
    every: timedelta | None, suspend: bool
) -> None:
    """5.2, 7.3: and the tries after it count on from when it was first held"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, every))
    bench.pass_time(minutes=2)
    bench.sent()
    if suspend:
        bench.clock.suspend(8 * HOUR)
    else:
        bench.clock.set(bench.clock.now() + 8 * HOUR)
    bench.pass_time(minutes=60)
    assert tries(bench, NOW + 8 * HOUR) == [2, 60]


@pytest.mark.parametrize("back", [timedelta(minutes=3), 5 * HOUR, 30 * 24 * HOUR], ids=str)
def test_a_clock_set_back_puts_no_try_of_a_recurring_one_off(back: timedelta) -> None:
    """7.3: each wait is as long as it was"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW, 24 * HOUR))
    bench.pass_time(minutes=2)
    bench.sent()
    bench.clock.set(bench.clock.now() - back)
    bench.pass_time(minutes=60)
    assert tries(bench, NOW - back) == [5, 15, 60]


def test_a_clock_set_back_behind_no_instant_puts_no_try_of_a_one_shot_off() -> None:
    """7.3"""
    bench = refusing_bench(Reminder("a", "tea", NOW, NOW - 2 * HOUR))
    bench.pass_time(minutes=2)
    bench.sent()
    bench.clock.set(bench.clock.now() - HOUR)
    bench.pass_time(minutes=20)
    assert tries(bench, NOW - HOUR) == [5, 15]


def test_a_list_says_since_when_this_firing_is_held_and_why_its_last_try_failed() -> None:
    """6.6: first held at 00:00, refused for 30 hours"""
    answers = iter([Refused("busy"), *[Refused("still busy")] * 100])
    bench = Bench(
        host=lambda _: next(answers), reminder_store=MemoryReminderStore([Reminder("a", "tea", NOW, NOW)])
    )
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(hours=30)
    assert "held since 2026-01-01T00:00:00+00:00 [UTC]: still busy" in bench.call("reminder_list").text


def test_a_one_shot_that_was_held_stays_so_where_the_clock_is_set_back_behind_its_instant() -> None:
    """5.2: until then it is not tried, whatever else lets held reminders be tried"""
    bench, _ = held()
    bench.clock.set(NOW - HOUR)
    assert "held since" in bench.call("reminder_list").text
    bench.allow()
    add(bench, inHours=9)
    bench.pass_time(minutes=59)
    assert bench.sent() == []
    bench.pass_time(minutes=1)
    assert only(bench.sent()).reminder_id == "a"


def test_a_host_has_30_seconds_where_nobody_says_otherwise() -> None:
    """7.3: the default of the core, and of what is built of settings"""
    assert ANSWER_WITHIN == 30 * SECOND
    assert Settings().answer_within == 30 * SECOND


def test_a_valid_request_that_lets_wakes_through_releases_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_request_that_lets_nothing_through_releases_nothing() -> None:
    """7.3"""
    bench, _ = held()
    bench.deny()
    bench.heartbeat.policy_requested("malformed")
    bench.pass_time(seconds=50)
    assert bench.sent() == []


def test_an_add_and_a_cancel_release_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    reminder_id = add(bench, inHours=9)
    bench.refuse(only(bench.sent()))
    bench.call("reminder_cancel", id=reminder_id)
    assert len(bench.sent()) == 1


def test_a_refused_call_releases_nothing() -> None:
    """7.3: only a successful add or cancel does"""
    bench, _ = held()
    bench.call("reminder_add", message="tea")
    bench.call("reminder_cancel", id="nobody")
    bench.call("heartbeat_configure", intervalHours=9)
    bench.call("reminder_list")
    bench.heartbeat.policy_notified({"enabled": ["heartbeat"]})
    bench.heartbeat.transport_ready()
    bench.pass_time(seconds=59)
    assert bench.sent() == []


def test_a_release_is_one_try() -> None:
    """7.3"""
    bench, _ = held()
    bench.allow()
    bench.refuse(only(bench.sent()))
    bench.pass_time(seconds=30)
    assert bench.sent() == []


def test_a_restart_tries_again_what_is_held() -> None:
    """7.3"""
    bench, _ = held()
    bench.restart()
    bench.clock.settle()
    assert len(bench.sent()) == 1


def test_a_late_taken_counts_while_held() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=40)
    bench.take(wake)
    assert len(bench.heartbeat.reminders) == 0


def test_a_late_taken_counts_while_it_is_being_tried_again() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=95)
    again = only(bench.sent())
    bench.take(wake)
    assert len(bench.heartbeat.reminders) == 0
    bench.refuse(again)
    bench.pass_time(hours=3)
    assert bench.sent() == []


def test_a_late_taken_moves_a_recurring_one_once_though_the_second_try_is_taken_too() -> None:
    """7.3"""
    bench, wake = with_one_out(HOUR)
    bench.pass_time(seconds=31)
    bench.allow()
    again = only(bench.sent())
    bench.take(wake)
    bench.take(again)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_late_taken_of_an_earlier_firing_does_not_count_for_the_next() -> None:
    """7.3"""
    bench, first = with_one_out(HOUR)
    bench.pass_time(seconds=31)
    bench.allow()
    bench.take(only(bench.sent()))
    bench.pass_time(hours=1)
    second = only(bench.sent())
    bench.refuse(second)
    bench.take(first)
    assert next(iter(bench.heartbeat.reminders)).reminder.due == NOW + HOUR


def test_a_late_refusal_changes_nothing() -> None:
    """7.3"""
    bench, wake = with_one_out()
    bench.pass_time(seconds=31)
    before = bench.call("reminder_list").text
    bench.refuse(wake, "too late")
    assert bench.call("reminder_list").text == before


# Out


def test_a_reminder_is_not_sent_a_second_time_while_its_wake_is_out() -> None:
    """7.4"""
    bench, _ = with_one_out(5 * SECOND)
    bench.allow()
    add(bench, inHours=9)
    bench.pass_time(seconds=29)
    assert bench.sent() == []


def test_a_wake_still_out_at_a_stop_or_a_crash_is_sent_again_at_the_next_start() -> None:
    """7.4"""
    bench, first = with_one_out()
    bench.restart()
    bench.clock.settle()
    second = only(bench.sent())
    bench.crash()
    bench.start()
    bench.clock.settle()
    third = only(bench.sent())
    assert first.event_id == second.event_id == third.event_id


def test_64_unanswered_recurring_ones_do_not_starve_a_one_shot() -> None:
    """7.4: it goes before all that were tried already"""
    rows = [Reminder(f"r{n}", "again", NOW, NOW, 5 * SECOND) for n in range(64)]
    bench = Bench(reminder_store=MemoryReminderStore(rows))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(minutes=10)
    bench.sent()
    due = bench.clock.now() + SECOND
    reminder_id = add(bench, inSeconds=1)
    bench.pass_time(seconds=31)
    (wake,) = [wake for wake in bench.sent() if wake.reminder_id == reminder_id]
    assert wake.sent_at - due <= 30 * SECOND


def test_64_unanswered_recurring_ones_do_not_starve_a_one_shot_that_was_refused() -> None:
    """7.3, 7.4: it is tried again when its waits are over, not an hour later"""
    rows = [Reminder(f"r{n}", "again", NOW, NOW, 5 * SECOND) for n in range(64)]
    bench = Bench(reminder_store=MemoryReminderStore(rows))
    bench.call("heartbeat_configure", paused=True)
    bench.pass_time(minutes=10)
    reminder_id = add(bench, inSeconds=1)
    bench.pass_time(minutes=10)
    tries = [wake.sent_at for wake in bench.sent() if wake.reminder_id == reminder_id]
    assert len(tries) == 3
    assert tries[1] - tries[0] <= timedelta(minutes=2)


# What is said about reminders that wait


@pytest.mark.parametrize("tool", ["reminder_list", "reminder_add"])
def test_replies_say_why_reminders_wait(tool: str) -> None:
    """7.5"""
    bench = waiting_bench()
    add(bench, inHours=1)
    arguments = {"message": "cake", "inHours": 1} if tool == "reminder_add" else {}
    assert "reminders wait" in bench.call(tool, **arguments).text


def test_replies_say_that_none_will_fire_on_a_host_without_mcpl() -> None:
    """7.5, 4.1"""
    bench = waiting_bench()
    bench.heartbeat.host_arrived(speaks_mcpl=False)
    text = bench.call("reminder_add", message="tea", inHours=1).text
    assert "host is MCP-only" in text
    assert "no reminder will fire" in text


def test_replies_say_that_none_will_fire_where_the_policy_came_only_as_a_notification() -> None:
    """7.5"""
    bench = waiting_bench()
    bench.heartbeat.policy_notified({"effectiveCapabilities": ["*"]})
    add(bench, inHours=1)
    text = bench.call("reminder_list").text
    assert "only as a Notification" in text
    assert "no reminder will fire" in text


@pytest.mark.parametrize("when", ["start", "policy", "add", "cancel", "answer"])
def test_the_log_says_how_many_reminders_will_not_fire_and_why(when: str) -> None:
    """7.5"""
    bench, wake = with_one_out()
    add(bench, inHours=8)
    reminder_id = add(bench, inHours=9)
    if when == "start":
        bench = waiting_bench(reminder_store=bench.reminder_store)
        assert lines_about(bench, "3 reminders will not fire", "no valid featureSets/update Request")
        return
    bench.allow(effectiveCapabilities=["*"], disabled=["*"])
    assert lines_about(bench, "3 reminders will not fire", DISABLED)
    bench.pass_time(minutes=1)
    bench.log.lines.clear()
    match when:
        case "add":
            add(bench, inHours=1)
        case "cancel":
            bench.call("reminder_cancel", id=reminder_id)
        case "answer":
            bench.take(wake)
        case _:
            bench.deny()
    count = {"add": 4, "cancel": 2, "answer": 2, "policy": 3}[when]
    assert lines_about(bench, f"{count} reminders will not fire")


def test_a_flood_of_refusals_is_one_line_with_a_count() -> None:
    """7.5: the log is to be read"""
    rows = [Reminder(f"r{n}", "tea", NOW, NOW) for n in range(500)]
    bench = Bench(host=lambda _: Refused("no"), reminder_store=MemoryReminderStore(rows))
    bench.pass_time(seconds=20)
    assert len(lines_about(bench, "the host did not take")) == BURST + 1
    assert lines_about(bench, f"{500 - BURST} more")


def test_ids_of_reminders_are_never_used_twice() -> None:
    """7.6"""
    bench = Bench()
    first = add(bench, inHours=1)
    bench.call("reminder_cancel", id=first)
    assert add(bench, inHours=1) != first
    assert first.startswith("rem_")


# Restarts, and a beat that is owed


def test_a_restart_keeps_the_countdown() -> None:
    """8.2"""
    bench = Bench(host=takes)
    for _ in range(3):
        bench.pass_time(hours=1)
        bench.restart()
    bench.pass_time(hours=2)
    assert only(bench.heard).sent_at == NOW + 4 * HOUR


def test_a_beat_due_while_the_server_was_down_is_sent_once() -> None:
    """8.2: and the next is the first of its times after now"""
    bench = Bench()
    bench.heartbeat.stop()
    bench.pass_time(hours=13)
    bench.start()
    bench.clock.settle()
    assert len(bench.sent()) == 1
    assert bench.heartbeat.schedule.next_beat == NOW + 16 * HOUR


def owed_bench() -> Bench:
    """Down when its beat came due, and up again, with no policy yet."""
    store = MemoryScheduleStore(replace(DEFAULT_SCHEDULE, next_beat=NOW - HOUR))
    return waiting_bench(schedule_store=store)


def test_a_beat_that_is_owed_waits_for_the_first_policy_and_is_saved_as_due_until_then() -> None:
    """8.2"""
    bench = owed_bench()
    bench.pass_time(hours=9)
    saved = bench.schedule_store.saved
    assert saved is not None
    assert saved.next_beat == NOW - HOUR
    bench.allow()
    assert len(bench.sent()) == 1
    assert bench.heartbeat.schedule.next_beat == NOW + 11 * HOUR


def test_a_beat_due_after_the_start_and_before_the_first_policy_is_owed_too() -> None:
    """8.2"""
    bench = waiting_bench()
    bench.pass_time(hours=5)
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_that_is_owed_outlives_a_policy_that_denies() -> None:
    """8.2: it is sent when a wake becomes deliverable"""
    bench = owed_bench()
    bench.deny()
    bench.pass_time(hours=1)
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_from_the_downtime_is_owed_though_the_denial_comes_in_the_first_moment() -> None:
    """8.2: before any timer had its turn"""
    bench = waiting_bench(schedule_store=MemoryScheduleStore(replace(DEFAULT_SCHEDULE, next_beat=NOW - HOUR)))
    bench.heartbeat.policy_requested({"effectiveCapabilities": []})
    bench.clock.settle()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_that_is_owed_is_owed_over_a_restart_too() -> None:
    """8.2"""
    bench = owed_bench()
    bench.clock.settle()
    bench.crash()
    bench.start()
    bench.allow()
    assert len(bench.sent()) == 1


def test_a_beat_is_dropped_again_once_the_owed_one_was_sent() -> None:
    """8.2, 4.9: also one that a clock set back puts at the very time of the owed one"""
    bench = owed_bench()
    bench.allow()
    bench.sent()
    bench.deny()
    bench.clock.set(NOW - 5 * HOUR)
    bench.pass_time(hours=4)
    bench.allow()
    assert bench.sent() == []


def test_a_malformed_first_request_leaves_a_beat_owed() -> None:
    """8.2: the first policy is the first valid one"""
    bench = waiting_bench()
    bench.heartbeat.policy_requested([])
    bench.pass_time(hours=5)
    bench.allow()
    assert len(bench.sent()) == 1


def test_nothing_is_sent_after_a_stop() -> None:
    """7.4"""
    bench = Bench()
    add(bench, inSeconds=1)
    bench.heartbeat.stop()
    bench.pass_time(hours=9)
    assert bench.sent() == []


def test_a_clock_set_back_while_no_server_ran_is_known_by_what_was_added_later_than_now() -> None:
    """5.2"""
    bench = Bench(host=lambda _: Taken())
    bench.call("reminder_add", message="tea", everySeconds=600)
    bench.call("reminder_add", message="party", inHours=24 * 365, everyHours=1)
    bench.pass_time(minutes=25)
    bench.heartbeat.stop()
    bench.clock.set(bench.clock.now() - timedelta(days=30))
    bench.start()
    bench.pass_time(hours=1)
    assert [wake.reminder_id for wake in bench.heard if wake.reminder_id] == ["rem_1"] * 8
    assert "rem_2" in bench.call("reminder_list").text
    assert bench.reminder_store.saved["rem_1"].due - bench.clock.now() <= timedelta(minutes=10)


@pytest.mark.parametrize(
    ("row", "brought_near"),
    [
        (Reminder("a", "first time in 3 hours", NOW, NOW + 3 * HOUR, timedelta(seconds=600)), False),
        (Reminder("a", "written by hand", NOW + 3 * HOUR, NOW + 3 * HOUR, timedelta(seconds=600)), False),
        (Reminder("a", "9 s are no proof", NOW + 9 * SECOND, NOW + 609 * SECOND, 600 * SECOND), False),
        (Reminder("a", "10 s are", NOW + 10 * SECOND, NOW + 610 * SECOND, 600 * SECOND), True),
    ],
    ids=lambda value: value.message if isinstance(value, Reminder) else "",
)
def test_only_what_a_server_wrote_as_the_present_proves_that_the_clock_was_set_back(
    row: Reminder, brought_near: bool
) -> None:
    """5.2: not a countdown, an interval, or a row that a person wrote"""
    schedule = replace(DEFAULT_SCHEDULE, interval=timedelta(seconds=300), next_beat=NOW + 4 * HOUR)
    bench = Bench(
        clock=FakeClock(NOW),
        schedule_store=MemoryScheduleStore(schedule),
        reminder_store=MemoryReminderStore([row]),
    )
    assert only_due(bench) == (NOW + 600 * SECOND if brought_near else row.due)


@pytest.mark.parametrize("which", ["schedule_store", "reminder_store"])
def test_a_file_that_was_written_later_than_now_proves_that_the_clock_was_set_back(which: str) -> None:
    """5.2: the file's own time"""
    schedule = replace(DEFAULT_SCHEDULE, next_beat=NOW + HOUR)
    row = Reminder("a", "tea", NOW - HOUR, NOW + 30 * 24 * HOUR + 300 * SECOND, timedelta(seconds=600))
    schedule_store, reminder_store = MemoryScheduleStore(schedule), MemoryReminderStore([row])
    store = schedule_store if which == "schedule_store" else reminder_store
    store.saved_at = NOW + 30 * 24 * HOUR
    bench = Bench(clock=FakeClock(NOW), schedule_store=schedule_store, reminder_store=reminder_store)
    assert only_due(bench) == NOW + 600 * SECOND


def test_a_host_that_sends_no_policy_is_worth_a_warning_after_a_while() -> None:
    """4.8: before a beat is due nobody else would tell the operator"""
    bench = Bench(policy=Policy())
    bench.heartbeat.host_arrived(speaks_mcpl=True)
    bench.pass_time(seconds=9)
    assert lines_about(bench, "no wake reaches") == []
    bench.pass_time(seconds=1)
    assert "no valid featureSets/update Request" in lines_about(bench, "no wake reaches")[0]


def test_a_host_that_speaks_no_mcpl_is_worth_a_warning_at_once() -> None:
    """4.1, 4.8"""
    bench = Bench(policy=Policy())
    bench.heartbeat.host_arrived(speaks_mcpl=False)
    bench.clock.settle()
    assert "host is MCP-only" in lines_about(bench, "no wake reaches")[0]


def test_a_host_that_sends_its_policy_in_time_is_no_cause_for_alarm() -> None:
    """7.5"""
    rows = [Reminder("a", "tea", NOW, NOW + HOUR)]
    bench = Bench(policy=Policy(), reminder_store=MemoryReminderStore(rows))
    bench.heartbeat.host_arrived(speaks_mcpl=True)
    bench.allow()
    bench.pass_time(minutes=1)
    assert not [line for line in bench.log.lines if line.startswith("WARNING")]
    assert lines_about(bench, "1 reminder will not fire before the host's policy allows it")
