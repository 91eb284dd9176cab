"""What is in memory and what is stored, kept together: the schedule, and the book of reminders.

Lives here: load, look, take over, save (8.2 to 8.8). May not: a clock or a timer (the service says when),
the format of what is stored, what replies say of it (`standing`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime

from heartbeat_core.ports import ReminderStore, ScheduleStore
from heartbeat_core.queue.reminder_queue import ReminderQueue
from heartbeat_core.schedule import ambient_schedule as scheduling
from heartbeat_core.schedule.ambient_schedule import Schedule, ScheduleChange
from heartbeat_core.standing import Standing
from heartbeat_core.telling.operator_log import OperatorLog

_BEGIN_A_COUNTDOWN = {"interval", "paused"}
"""Members that begin a new countdown when they are set (6.2)."""


class KeptSchedule:
    """The schedule in force, and its store."""

    def __init__(self, store: ScheduleStore, defaults: Schedule, log: OperatorLog) -> None:
        self.current = defaults
        self.standing = Standing("the schedule", log)
        self._store = store
        self._defaults = defaults
        self._stored: Schedule | None = None
        """What was last read or saved: what memory has beyond it was changed here. None: nothing of use."""
        self._set: set[str] = set()
        """The members that the agent set since: they stay on top of what another server kept (8.6)."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return self.current != self._stored

    def load(self, now: datetime) -> datetime | None:
        """Read what was saved, and take up its countdown; gives when it was last written, where known."""
        found = self._store.load()
        self.standing.read(found)
        self._adopt(found.content, now)
        return found.saved_at

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        was_in_use = self.standing.in_use
        found = self.standing.look(self._store.look)
        if found is None or found.in_use:
            return
        if found.content is None and not was_in_use:
            self._stored = None
            self.save(now)
        else:
            self._adopt(found.content, now, self._with_what_was_set if was_in_use else self._with_ours)

    def _adopt(
        self, stored: Schedule | None, now: datetime, on_top: Callable[[Schedule], Schedule] | None = None
    ) -> None:
        """Go on from what is stored, with what was changed here on top of it, if something was."""
        schedule = stored or self.current
        self.current = scheduling.taken_up(on_top(schedule) if on_top else schedule, now)
        self._stored = stored
        if not self.standing.in_use:
            self.save(now)

    def _with_ours(self, theirs: Schedule) -> Schedule:
        """What a stranger wrote, with what could not be saved on top (8.7, 8.8)."""
        if self.standing.unsaved is None:
            return theirs
        return scheduling.merged(self.current, self._stored or self._defaults, theirs)

    def _with_what_was_set(self, theirs: Schedule) -> Schedule:
        """What another server kept, with what the agent set here meanwhile on top (8.6).

        The beats of this server are no change of the agent's: a countdown is ours only where the agent was
        told one that it had begun itself.
        """
        names = self._set | ({"next_beat"} if self._set & _BEGIN_A_COUNTDOWN else set())
        return replace(theirs, **{name: getattr(self.current, name) for name in names})

    def configure(self, schedule: Schedule, change: ScheduleChange, now: datetime) -> str | None:
        """Make this the schedule, since the agent asked for the change; why it is not saved, if so."""
        if schedule != self.current or self.standing.in_use:
            asked = {f.name for f in fields(change) if getattr(change, f.name) is not None}
            self._set |= asked.intersection(f.name for f in fields(schedule))
        return None if schedule == self.current else self.change(schedule, now)

    def change(self, schedule: Schedule, now: datetime) -> str | None:
        """Make this the schedule, and save it; why that failed, if it did."""
        self.current = schedule
        return self.save(now)

    def save(self, now: datetime) -> str | None:
        """Save what is not saved yet; why that failed, if it did."""
        if not self.differs:
            return None
        problem = self._store.save(self.current)
        self.standing.saved(problem)
        if problem is None:
            self._stored = self.current
            self._set.clear()
            return None
        self.look(now)  # that failed for what somebody else has done, perhaps
        return problem if self.differs else None

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()


class KeptReminders:
    """The book of reminders, and its store."""

    def __init__(self, store: ReminderStore, log: OperatorLog) -> None:
        self.queue = ReminderQueue()
        self.standing = Standing("the list of reminders", log)
        self._store = store
        self._stored = True
        """Whether what is stored is the book, apart from what is unsaved in it."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return bool(self.queue.unsaved) or not self._stored

    def load(self, now: datetime, schedule_saved_at: datetime | None) -> None:
        """Read what was saved; `schedule_saved_at` as `KeptSchedule.load` gave it.

        When either was written tells what the clock had come to by then, also where it was set back since.
        """
        found = self._store.load()
        self.standing.read(found)
        clock_was_at = max(filter(None, (found.saved_at, schedule_saved_at)), default=None)
        self.queue.adopt(found.content or (), now, clock_was_at)

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        was_in_use = self.standing.in_use
        found = self.standing.look(self._store.look)
        if found is None or found.in_use:
            return
        self._stored = found.content is not None
        if found.content is not None:
            self.queue.adopt(found.content, now)
        if was_in_use:
            self.save(now)

    def save(self, now: datetime) -> str | None:
        """Save what is not saved yet, all of it or nothing; why that failed, if it did."""
        if not self.differs:
            return None
        changed = [reminder for reminder in self.queue.unsaved.values() if reminder is not None]
        removed = [gone for gone, reminder in self.queue.unsaved.items() if reminder is None]
        problem = self._store.save(changed, removed)
        self.standing.saved(problem)
        if problem is None:
            self.queue.unsaved.clear()
            self._stored = True
        else:
            self.look(now)  # that failed for what somebody else has done, perhaps
        return problem

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
