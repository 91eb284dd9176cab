"""The book of reminders by itself: what only shows with very many of them, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import hypothesis.strategies as st
import pytest
from hypothesis import given

from heartbeat_adapters.testing import Bench
from heartbeat_core.queue.queued_reminder import QueuedReminder
from heartbeat_core.queue.reminder_queue import MOST_OUT, Outcome, ReminderQueue
from heartbeat_core.queue.retries import next_try
from heartbeat_core.reminders.asked import Asked
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MANY = 100_000


class Desk:
    """A book with its two clocks, and a host that is answered for by hand."""

    def __init__(self, reminders: Iterable[Reminder] = ()) -> None:
        self.book = ReminderQueue()
        self.now, self.ticks, self.sent = NOON, timedelta(0), 0
        self.book.adopt(list(reminders), self.now)

    def pass_time(self, length: timedelta) -> None:
        self.now += length
        self.ticks += length

    def send_next(self) -> Wake | None:
        """Send the wake whose turn it is now, None where none is."""
        coming = self.book.next_wake(self.now)
        if coming is None or coming[0] > self.now:
            return None
        return self.send(coming[1])

    def send(self, entry: QueuedReminder) -> Wake:
        r = entry.reminder
        self.sent += 1
        origin: dict[str, str | bool] = {"reminderId": r.id}
        wake = Wake(self.sent, f"{r.id}@{r.due}", origin, "text", self.now, r.due)
        self.book.sent(wake, self.ticks + 30 * SECOND)
        return wake

    def send_all(self) -> list[Wake]:
        wakes = []
        while (wake := self.send_next()) is not None:
            wakes.append(wake)
        return wakes

    def answer(self, wake: Wake, answer: Answer) -> Outcome:
        return self.book.answered(wake, answer, self.now)


def one_shot(number: int, due: datetime = NOON) -> Reminder:
    return Reminder(f"rem_{number:06}", "message", NOON, due)


def recurring(number: int, every: timedelta = 5 * SECOND, due: datetime = NOON) -> Reminder:
    return Reminder(f"rec_{number:06}", "message", NOON, due, Interval(every))


def test_a_hundred_thousand_overdue_are_all_heard_in_order_of_due_time() -> None:
    """7.4"""
    desk = Desk(one_shot(n, NOON - timedelta(milliseconds=(n * 7919) % MANY)) for n in range(MANY))
    heard = []
    while wake := desk.send_next():
        heard.append(wake.due)
        assert desk.answer(wake, Taken()) is Outcome.TAKEN
    assert heard == sorted(heard)
    assert len(heard) == MANY
    assert len(desk.book) == 0


def test_twenty_thousand_held_are_released_at_once_and_none_is_forgotten() -> None:
    """7.3"""
    desk = Desk(one_shot(n) for n in range(MANY // 5))
    while wake := desk.send_next():
        desk.answer(wake, Refused("no"))
    desk.book.release_all(desk.now)
    assert len({wake.reminder_id for wake in drain(desk)}) == MANY // 5


def drain(desk: Desk) -> Iterable[Wake]:
    while wake := desk.send_next():
        yield wake
        desk.answer(wake, Refused("no"))


def test_a_clock_set_back_under_a_hundred_thousand_recurring_ones_brings_each_near() -> None:
    """5.2"""
    day = timedelta(days=1)
    desk = Desk(recurring(n, day, NOON + day) for n in range(MANY))
    desk.now -= 2 * day + SECOND
    desk.book.clock_set_back(2 * day + SECOND, desk.now)
    assert {entry.reminder.due for entry in desk.book} == {NOON - day - SECOND}


@given(st.lists(st.integers(-50, 50), max_size=60))
def test_what_is_due_goes_out_in_order_of_due_time_and_never_early(seconds: list[int]) -> None:
    """5.2, 7.4"""
    desk = Desk(one_shot(n, NOON + at * SECOND) for n, at in enumerate(seconds))
    wakes = desk.send_all()
    assert [w.due for w in wakes] == sorted(NOON + at * SECOND for at in seconds if at <= 0)[:MOST_OUT]


def test_thirty_two_are_out_and_the_next_follows_an_answer() -> None:
    """7.4"""
    desk = Desk(one_shot(n) for n in range(40))
    wakes = desk.send_all()
    assert len(wakes) == 32
    assert desk.book.next_wake(desk.now) is None
    desk.answer(wakes[5], Refused("no"))
    (follower,) = desk.send_all()
    assert follower.reminder_id == "rem_000032"


def test_one_that_is_tried_again_yields_to_those_that_were_not_tried() -> None:
    """7.4"""
    desk = Desk([recurring(1)])
    wake = desk.send_next()
    assert wake is not None
    desk.answer(wake, Refused("no"))
    desk.book.release_all(desk.now)
    desk.book.add(one_shot(2, NOON + SECOND))
    desk.pass_time(SECOND)
    assert [w.reminder_id for w in desk.send_all()] == ["rem_000002", "rec_000001"]


def test_what_was_tried_seldom_goes_before_what_was_tried_often() -> None:
    """7.4: so that many that fail quickly do not starve one that waits long"""
    desk = Desk([recurring(1), one_shot(2, NOON + SECOND)])
    for _ in range(5):
        wake = desk.send_next()
        assert wake is not None
        assert wake.reminder_id == "rec_000001"
        desk.answer(wake, Refused("no"))
        desk.book.release_all(desk.now)
    desk.pass_time(SECOND)
    wake = desk.send_next()
    assert wake is not None
    desk.answer(wake, Refused("no"))
    desk.book.release_all(desk.now)
    assert [w.reminder_id for w in desk.send_all()] == ["rem_000002", "rec_000001"]


def test_a_row_that_went_and_came_back_while_its_wake_is_out_is_not_sent_twice_at_once() -> None:
    """7.4, 8.8"""
    desk = Desk([one_shot(1)])
    assert desk.send_next() is not None
    desk.book.adopt([], desk.now)
    desk.book.adopt([one_shot(1)], desk.now)
    assert desk.send_next() is None
    desk.pass_time(30 * SECOND)
    desk.book.time_out("no answer", desk.now, desk.ticks)
    desk.pass_time(60 * SECOND)
    assert len(desk.send_all()) == 1
    assert desk.send_next() is None


def test_a_clock_set_back_reaches_the_next_firing_also_while_a_wake_of_the_last_is_out() -> None:
    """5.2, 7.3"""
    hour = timedelta(hours=1)
    desk = Desk([recurring(1, hour)])
    first = desk.send_next()
    assert first is not None
    desk.pass_time(30 * SECOND)
    desk.book.time_out("no answer", desk.now, desk.ticks)
    desk.book.release_all(desk.now)
    assert desk.send_next() is not None
    assert desk.answer(first, Taken()) is Outcome.TAKEN
    desk.now -= 2 * hour
    desk.book.clock_set_back(2 * hour, desk.now)
    (entry,) = desk.book
    assert entry.reminder.due == desk.now + hour


@given(st.integers(0, 10_000))
def test_a_one_shot_is_tried_again_after_growing_waits_and_then_hourly(minutes: int) -> None:
    """7.3: 1, 5, 15 and 60 minutes after it was first held, then hourly"""
    minute = timedelta(minutes=1)
    waits = [1, 5, 15, *range(60, 12_000, 60)]
    later = min(wait for wait in waits if wait > minutes)
    assert next_try(NOON, NOON + minutes * minute) == NOON + later * minute


def test_a_time_without_a_zone_is_refused_before_anything_is_changed() -> None:
    """9.7"""
    bench = Bench()
    with pytest.raises(TypeError, match="give an aware datetime"):
        bench.heartbeat.add(Asked("tea", datetime(2026, 2, 1)))
    assert bench.call("reminder_list").text == "No reminders set."
