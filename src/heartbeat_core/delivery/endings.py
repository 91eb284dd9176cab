"""Due moments that end without a wake, or apart from the wakes that were sent of them (14.1)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from heartbeat_core.delivery.beat import Beat
from heartbeat_core.history import Ending, WakeKind
from heartbeat_core.queue.ended import Ended
from heartbeat_core.queue.given_up import GivenUp
from heartbeat_core.queue.queued_reminder import QueuedReminder
from heartbeat_core.telling.wake_history import WakeHistory
from heartbeat_core.times.clock_readings import Reading


class Endings:
    """Tells the history of each ending, and finds out when a change has ended a beat that was due."""

    def __init__(self, history: WakeHistory) -> None:
        self._history = history
        self._next_beat: datetime | None = None
        """The next beat of the schedule, as last seen; None once it was settled."""
        self._waiting: set[tuple[str, datetime]] = set()
        """The firings of reminders that wait for a limit and have their line."""

    def of_triggered(self, beat: Beat, ending: Ending, at: Reading, reason: str | None = None) -> None:
        """What was asked for ends without a wake; the second try of a silent beat has its line already."""
        if beat.attempts == 0:
            self._history.ended(WakeKind.TRIGGERED, ending, beat.due, at.now, reason=reason)

    def of_beat(
        self,
        ending: Ending,
        due: datetime,
        at: Reading,
        missed: int = 0,
        *,
        reason: str | None = None,
        to: datetime | None = None,
    ) -> None:
        """A beat of the schedule that was due ends without a wake."""
        self._next_beat = None
        self._history.ended(WakeKind.BEAT, ending, due, at.now, reason=reason, missed=missed, to=to)

    def of_waiting_beat(self, due: datetime, until: datetime, at: Reading) -> None:
        """A beat of the schedule waits for a limit, and is to come all the same (15.3)."""
        self._history.ended(WakeKind.BEAT, Ending.MOVED, due, at.now, to=until)

    def of_waiting_reminders(self, waiting: Iterable[QueuedReminder], until: datetime, at: Reading) -> None:
        """These reminders wait for a limit, and are to come all the same; each is told of once (15.3)."""
        before, self._waiting = self._waiting, set()
        for queued in waiting:
            firing = queued.reminder.id, queued.own_due
            self._waiting.add(firing)
            if firing not in before:
                reminder_id, due = firing
                self._history.ended(
                    WakeKind.REMINDER, Ending.MOVED, due, at.now, reminder_id=reminder_id, to=until
                )

    def of_expired(self, given_up: GivenUp, at: Reading) -> None:
        """A reminder's firing was not taken in the time that it had (10.5)."""
        self._history.ended(
            WakeKind.REMINDER,
            Ending.EXPIRED,
            given_up.due,
            at.now,
            reminder_id=given_up.reminder_id,
            reason=given_up.reason,
            missed=given_up.missed,
        )

    def of_reminder(self, firing: Ended, at: Reading) -> None:
        """Somebody removed or moved a reminder that was overdue or out."""
        self._history.ended(
            WakeKind.REMINDER, firing.ending, firing.due, at.now, reminder_id=firing.id, to=firing.to
        )

    def beat_is_sent(self) -> None:
        """The beat that was due is on its way: its wake has the line."""
        self._next_beat = None

    def follow(self, next_beat: datetime | None, at: Reading) -> None:
        """See which beat is next now; one that was due, and is not any more, was ended by a change (8.2)."""
        before, self._next_beat = self._next_beat, next_beat
        if before is not None and before <= at.now and before != next_beat:
            self._history.ended(WakeKind.BEAT, Ending.CANCELLED, before, at.now)
