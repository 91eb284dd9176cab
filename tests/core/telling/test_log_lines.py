"""What the operator reads: no flood hides another, and the lines that say how wakes fare (4.3, 4.7, 7.3)."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime, timedelta

import pytest

from heartbeat_adapters.testing import Bench, MemoryReminderStore, RecordingLog
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.telling.parties import OVER_A_WIRE
from heartbeat_core.telling.throttled_log import BURST, MOST_KEPT, QUIET, ThrottledLog
from heartbeat_core.wakes import Answer, Refused, Wake

NOW = datetime(2026, 1, 1, tzinfo=UTC)
START = timedelta()


def journal() -> tuple[ThrottledLog, list[str]]:
    log = RecordingLog()
    return ThrottledLog(log), log.lines


def lines_with(bench: Bench, *words: str) -> list[str]:
    return [line for line in bench.log.lines if all(word in line for word in words)]


def naming_as_denied(bench: Bench, *names: str) -> None:
    bench.allow(effectiveCapabilities=["*"], deniedCapabilities=list(names))


# The policy


def test_the_denied_names_of_many_policies_within_seconds_are_all_in_the_log() -> None:
    """4.3: each once, also where the lines are summed up"""
    bench = Bench()
    for number in range(12):
        naming_as_denied(bench, f"denied{number}", "always")
    bench.pass_time(seconds=QUIET.total_seconds())
    for number in range(12):
        assert len(lines_with(bench, "names as denied", f"denied{number}, always")) == 1


def test_three_policies_at_once_have_a_line_each_for_what_they_deny() -> None:
    """4.3"""
    bench = Bench()
    for number in range(3):
        naming_as_denied(bench, f"denied{number}")
    assert len(lines_with(bench, "the host names as denied: denied")) == 3


def test_the_same_denied_names_over_and_over_are_a_count() -> None:
    """4.3: a host that sends its policy each second"""
    bench = Bench()
    for _ in range(100):
        naming_as_denied(bench, "files")
    bench.pass_time(seconds=QUIET.total_seconds())
    assert len(lines_with(bench, "files")) == BURST + 1
    assert lines_with(bench, f"{100 - BURST} more of this kind, the last: the host names as denied: files")


def test_other_denied_names_without_end_cost_a_line_for_many() -> None:
    """4.3, and the log is to be read"""
    bench = Bench()
    for number in range(1_000):
        naming_as_denied(bench, f"<{number}>")
    bench.pass_time(seconds=QUIET.total_seconds())
    lines = lines_with(bench, "names as denied")
    assert len(lines) < BURST + 2 * 1_000 / MOST_KEPT
    assert not [number for number in range(1_000) if not any(f"<{number}>" in line for line in lines)]


def test_a_flood_of_policies_hides_no_malformed_one() -> None:
    """4.2, 4.3"""
    bench = Bench()
    for number in range(20):
        naming_as_denied(bench, f"denied{number}")
    bench.heartbeat.policy_requested({"enabled": 5})
    assert lines_with(bench, "refused a malformed featureSets/update Request: enabled must be a list")


def test_what_a_notification_says_beside_what_it_disables_is_logged_as_ignored() -> None:
    """4.7"""
    bench = Bench()
    bench.heartbeat.policy_notified({"disabled": ["other"], "enabled": [], "effectiveCapabilities": ["*"]})
    assert bench.log.lines[0] == (
        "a featureSets/update Notification disables other; whatever else it says is ignored: "
        "effectiveCapabilities, enabled"
    )


def test_what_is_malformed_in_a_notification_is_logged_beside_what_it_disables() -> None:
    """4.7"""
    bench = Bench()
    bench.heartbeat.policy_notified({"disabled": ["heartbeat"], "enabled": 5})
    assert bench.heartbeat.blocked is not None
    assert bench.log.lines[0] == (
        "WARNING: a featureSets/update Notification disables heartbeat; whatever else it says is ignored, "
        "and it is malformed: enabled must be a list of strings"
    )


def test_the_log_says_that_wakes_can_be_delivered_once_a_policy_allows_them() -> None:
    """4.8"""
    bench = Bench(policy=Policy())
    said = "wakes can be delivered: the host's policy allows them"
    assert said not in bench.log.lines
    bench.allow()
    assert bench.log.lines.count(said) == 1


# Wakes


def refuses_one_otherwise(wake: Wake) -> Answer:
    return Refused("not authorized" if wake.reminder_id == "r250" else "busy")


def test_a_reason_that_one_of_five_hundred_refusals_has_is_in_the_log() -> None:
    """7.3: one kind of trouble does not hide another"""
    rows = [Reminder(f"r{number}", "tea", NOW, NOW) for number in range(500)]
    bench = Bench(host=refuses_one_otherwise, reminder_store=MemoryReminderStore(rows))
    bench.pass_time(seconds=20)
    assert len(lines_with(bench, "the host did not take")) == BURST + 1
    assert lines_with(bench, f"{500 - BURST} more of this kind, among them about not authorized, the last: ")


def test_a_reason_that_one_of_many_refused_beats_has_is_in_the_log() -> None:
    """4.14"""
    bench = Bench()
    for number in range(BURST + 4):
        bench.call("heartbeat_trigger")
        bench.refuse(bench.sent()[-1], "not authorized" if number == BURST + 1 else "busy")
    bench.pass_time(seconds=QUIET.total_seconds())
    assert lines_with(bench, "the host did not take a beat", "among them about not authorized, the last: ")


def test_a_beat_that_the_host_does_not_answer_is_in_the_log() -> None:
    """4.14"""
    bench = Bench()
    bench.call("heartbeat_trigger")
    bench.pass_time(seconds=29)
    assert not lines_with(bench, "did not answer")
    bench.pass_time(seconds=1)
    assert lines_with(bench, "WARNING: the host did not answer a beat in time")


def test_a_reminder_that_the_host_does_not_answer_is_in_the_log() -> None:
    """7.3"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.pass_time(seconds=30)
    assert not lines_with(bench, "did not answer")
    bench.pass_time(seconds=1)
    assert lines_with(bench, "WARNING: the host did not answer rem_1 in time; it is kept and tried again")


# Floods


def test_two_floods_at_once_are_summed_up_each_by_itself() -> None:
    """7.5"""
    of_both, lines = journal()
    for number in range(BURST + 7):
        of_both.say_of_kind("tea", f"tea {number}", START)
        of_both.say_of_kind("milk", f"milk {number}", START)
    del lines[:]
    of_both.sum_up(QUIET)
    assert lines == [
        f"7 more of this kind, the last: tea {BURST + 6}",
        f"7 more of this kind, the last: milk {BURST + 6}",
    ]


def test_of_two_floods_the_one_that_goes_on_leaves_the_other_its_summary() -> None:
    """7.5"""
    of_both, lines = journal()
    for second in range(2):
        for number in range(BURST + 2):
            of_both.say_of_kind("tea", f"tea {number}", timedelta(seconds=9 * second))
    for number in range(BURST + 2):
        of_both.say_of_kind("milk", f"milk {number}", timedelta(seconds=9))
    del lines[:]
    assert of_both.next_summary == QUIET
    of_both.sum_up(QUIET)
    assert lines == [f"{BURST + 4} more of this kind, the last: tea {BURST + 1}"]
    assert of_both.next_summary == QUIET + timedelta(seconds=9)


def test_one_line_that_was_held_back_is_written_as_it_is() -> None:
    """7.5"""
    of_one, lines = journal()
    for number in range(BURST + 1):
        of_one.say_of_kind("tea", f"tea {number}", START)
    of_one.close()
    assert lines == [f"tea {number}" for number in range(BURST + 1)]


def test_a_summary_does_not_name_what_was_said_before() -> None:
    """4.3"""
    of_one, lines = journal()
    for about in "abcdefghag":
        of_one.say_of_kind("tea", f"about {about}", START, about=about)
    of_one.close()
    assert lines[-1] == "5 more of this kind, among them about f; h, the last: about g"


def test_a_summary_is_written_as_soon_as_it_has_enough_to_name() -> None:
    """4.3: and what it has named, and counted, is not named and counted again"""
    of_one, lines = journal()
    abouts = [f"<{number}>" for number in range(BURST + MOST_KEPT)]
    for about in [*abouts, *abouts]:
        of_one.say_of_kind("tea", f"about {about}", START, about=about)
    among = "; ".join(abouts[BURST:-1])
    last = f"the last: about {abouts[-1]}"
    assert lines[BURST:] == [f"{MOST_KEPT} more of this kind, among them about {among}, {last}"]
    of_one.close()
    assert lines[BURST + 1 :] == [f"{BURST + MOST_KEPT} more of this kind, {last}"]


def test_a_flood_that_is_about_something_else_each_time_takes_no_more_memory() -> None:
    """4.3"""
    of_one, lines = journal()
    tracemalloc.start()
    try:
        for number in range(50_000):
            of_one.say_of_kind("tea", "tea", START, about=f"{number}")
            lines.clear()
        assert tracemalloc.get_traced_memory()[0] < 500_000
    finally:
        tracemalloc.stop()


def test_what_a_flood_is_about_is_kept_in_bounded_memory() -> None:
    """4.3"""
    of_one, lines = journal()
    for number in range(BURST + 100):
        of_one.say_of_kind("tea", "tea", START, about=f"{number}".rjust(5_000))
    assert len(lines) == BURST + 50
    assert max(map(len, lines)) < 11_000


@pytest.mark.parametrize("same_place", [True, False])
def test_an_exception_in_another_place_has_its_traceback_in_the_log(same_place: bool) -> None:
    """2.8"""
    of_both, lines = journal()
    reports = OperatorLog(of_both, OVER_A_WIRE)

    def one_place() -> None:
        raise ValueError("first")

    def other_place() -> None:
        raise ValueError("second")

    for place in [one_place] * 100 + [one_place if same_place else other_place]:
        try:
            place()
        except ValueError as error:
            reports.broken(error, START)
    assert len(lines) == (BURST if same_place else BURST + 1)
    assert any("second" in line for line in lines) is not same_place


def test_a_notification_that_takes_wakes_away_is_followed_by_what_that_means() -> None:
    """4.7, 4.8"""
    bench = Bench()
    before = len(bench.log.lines)
    bench.heartbeat.policy_notified({"disabled": ["heartbeat"]})
    said = "\n".join(bench.log.lines[before:])
    assert "no wake reaches the agent — feature set disabled by the host" in said


def test_an_answer_that_comes_too_late_to_matter_is_said_to_change_nothing() -> None:
    """7.3"""
    bench = Bench()
    bench.call("reminder_add", message="tea", inSeconds=1)
    bench.pass_time(seconds=1)
    (wake,) = bench.sent()
    bench.pass_time(seconds=31)
    bench.refuse(wake, "too late")
    assert any("changes nothing any more: too late" in line for line in bench.log.lines)
