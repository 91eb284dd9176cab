"""Both stores together, and when each step is due: to save, to save again, to look who is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from heartbeat_core.keeping.kept_reminders import KeptReminders
from heartbeat_core.keeping.kept_schedule import KeptSchedule
from heartbeat_core.ports import Ownership, ReminderStore, ScheduleStore
from heartbeat_core.schedule.ambient_schedule import Schedule
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone

_SAVE_WITHIN = timedelta(milliseconds=75)
"""How long what the host's answers changed waits, to be saved with more of it; 7.2 allows 100 ms."""

_SAVE_AGAIN = timedelta(minutes=1)
"""How long what a failed save left waits for the next try, where no change comes before."""

_STOPPING = timedelta(seconds=5)
_TAKE_OVER_SOON = timedelta(milliseconds=100)
_TAKE_OVER_LATER = timedelta(seconds=10)
"""A file in use is looked at often while its server may just be stopping, then now and then (8.6, 5.4)."""


class Storage:
    """The schedule and the reminders as they are kept."""

    def __init__(
        self,
        schedule_store: ScheduleStore,
        reminder_store: ReminderStore,
        defaults: Schedule,
        zone: AgentZone,
        log: OperatorLog,
        limits: Limits,
        ownership: Ownership | None = None,
    ) -> None:
        self.schedule = KeptSchedule(schedule_store, defaults, zone, log, limits)
        self.reminders = KeptReminders(reminder_store, log, limits)
        self._ownership = ownership
        self._save_due: timedelta | None = None
        self._take_over_due: timedelta | None = None
        self._started = timedelta(0)

    def load(self, at: Reading) -> None:
        """Read what was saved, and take up the countdown (8.2)."""
        self._started = at.ticks
        saved_at = self.schedule.load(at.now)
        self.reminders.load(at.now, saved_at)

    def look(self, at: Reading) -> None:
        """Look whether something else changed what is stored, before a change or a beat (8.8)."""
        self.schedule.look(at.now)
        self.reminders.look(at.now)

    def save(self, at: Reading) -> None:
        """Save what is not saved yet."""
        self._save_due = None
        self.look(at)
        self.schedule.save(at.now)
        self.reminders.save(at.now)

    def save_soon(self, at: Reading) -> None:
        """Have saved what the host's answers change, many at once."""
        if self.reminders.differs:
            soon = at.ticks + _SAVE_WITHIN
            self._save_due = soon if self._save_due is None else min(self._save_due, soon)

    @property
    def is_planned_to_save(self) -> bool:
        """Whether a save is planned."""
        return self._save_due is not None

    def saves_soon(self, at: Reading) -> bool:
        """Whether something is to be saved that the next reply must not overtake (7.2).

        What failed to be saved waits for its time: else a full disk would cost each reply a try.
        """
        return self._save_due is not None and self._save_due - at.ticks <= _SAVE_WITHIN

    def plan(self, at: Reading) -> None:
        """Plan to save what is not saved, and to look at what another server holds."""
        unsaved = self.schedule.status.unsaved or self.reminders.status.unsaved
        if self._save_due is None and (self.schedule.differs or self.reminders.differs):
            self._save_due = at.ticks + (_SAVE_AGAIN if unsaved else _SAVE_WITHIN)
        if self._take_over_due is None and (wait := self._next_look(at)) is not None:
            self._take_over_due = at.ticks + wait

    def _next_look(self, at: Reading) -> timedelta | None:
        """How long until it is looked at whose all this is; None where nobody else can get it."""
        if self._is_in_use and at.ticks - self._started < _STOPPING:
            return _TAKE_OVER_SOON
        if self._ownership is not None and self._is_not_ours:
            return self._ownership.look_every
        return None if self._ownership is None and not self._is_in_use else _TAKE_OVER_LATER

    @property
    def _is_not_ours(self) -> bool:
        withheld = self._ownership is not None and self._ownership.withheld() is not None
        return withheld or self._is_in_use

    @property
    def _is_in_use(self) -> bool:
        return self.schedule.status.in_use or self.reminders.status.in_use

    def coming(self) -> Iterator[tuple[str, timedelta, Callable[[Reading], None]]]:
        """What is planned: its name, when it is due on the monotonic clock, and how it is done."""
        if self._save_due is not None:
            yield "save", self._save_due, self.save
        if self._take_over_due is not None:
            yield "take over", self._take_over_due, self._take_over

    def _take_over(self, at: Reading) -> None:
        """Look whether a server that held what is stored is gone (8.6), or the database is back (16.4)."""
        self._take_over_due = None
        if self._is_not_ours:
            self.look(at)

    def close(self) -> None:
        """Let go of both stores."""
        self.schedule.close()
        self.reminders.close()
