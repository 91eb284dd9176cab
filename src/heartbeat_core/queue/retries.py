"""When a wake that was not taken is tried again, of itself: 4.14 for beats, 7.3 for reminders."""

from __future__ import annotations

from datetime import datetime, timedelta

from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.moments import LAST_MOMENT, one_length_after

_WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(hours=1))


def next_try(since: datetime, now: datetime) -> datetime:
    """Give the first moment after `now` that is 1, 5, 15 or 60 minutes after `since`, or hours after that.

    `since` is when the wake was first refused, failed or given up. Both are on the wall clock, so that a
    machine that slept tries when it wakes (5.2). At most `LAST_MOMENT`.
    """
    waited = now - since
    hour = _WAITS[-1]
    wait = next((wait for wait in _WAITS if wait > waited), (waited // hour + 1) * hour)
    return since + min(wait, LAST_MOMENT - since)


def tried_again_at(reminder: Reminder, since: datetime, last_try: datetime, now: datetime) -> datetime:
    """When a held reminder is tried again of itself (7.3), all on the wall clock.

    1, 5, 15 and 60 minutes after it was first held, and hourly from there; a recurring one no later than
    one interval after its last try was sent, or than the calendar's next time after that (10.3).
    """
    again = next_try(since, now)
    match reminder.recurrence:
        case Interval(every=every):
            return min(again, one_length_after(last_try, every))
        case _:
            return min(filter(None, (again, reminder.next_after(last_try))))
