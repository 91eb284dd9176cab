"""What is in memory and what is stored, kept together: the schedule, and the book of reminders.

Lives here: load, look, take over, save (8.2 to 8.8). May not: a clock or a timer (the service says when),
the format of what is stored, what replies say of it (`standing`).
"""

from __future__ import annotations

from datetime import datetime

from heartbeat_core import schedule as scheduling
from heartbeat_core.book import Book
from heartbeat_core.ports import ReminderStore, ScheduleStore
from heartbeat_core.reports import Reports
from heartbeat_core.schedule import Schedule
from heartbeat_core.standing import Standing


class KeptSchedule:
    """The schedule in force, and its store."""

    def __init__(self, store: ScheduleStore, defaults: Schedule, reports: Reports) -> None:
        self.current = defaults
        self.standing = Standing("the schedule", reports)
        self._store = store
        self._defaults = defaults
        self._stored: Schedule | None = None
        """What was last read or saved: what memory has beyond it was changed here. None: nothing of use."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return self.current != self._stored

    def load(self, now: datetime) -> datetime | None:
        """Read what was saved, and take up its countdown; gives when it was last written, where known."""
        found = self._store.load()
        self.standing.read(found)
        self._adopt(found.content, now, ours_on_top=False)
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
            self._adopt(found.content, now, ours_on_top=not was_in_use)

    def _adopt(self, stored: Schedule | None, now: datetime, *, ours_on_top: bool) -> None:
        """Go on from what is stored; where `ours_on_top`, with what could not be saved on top (8.7)."""
        base, self._stored = self._stored or self._defaults, stored
        schedule = stored or self.current
        if ours_on_top and self.standing.unsaved is not None:
            schedule = scheduling.merged(self.current, base, schedule)
        self.current = scheduling.taken_up(schedule, now)
        if not self.standing.in_use:
            self.save(now)

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
            return None
        self.look(now)  # that failed for what somebody else has done, perhaps
        return problem if self.differs else None

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()


class KeptReminders:
    """The book of reminders, and its store."""

    def __init__(self, store: ReminderStore, reports: Reports) -> None:
        self.book = Book()
        self.standing = Standing("the list of reminders", reports)
        self._store = store
        self._stored = True
        """Whether what is stored is the book, apart from what is unsaved in it."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return bool(self.book.unsaved) or not self._stored

    def load(self, now: datetime, schedule_saved_at: datetime | None) -> None:
        """Read what was saved; `schedule_saved_at` as `KeptSchedule.load` gave it.

        When either was written tells what the clock had come to by then, also where it was set back since.
        """
        found = self._store.load()
        self.standing.read(found)
        clock_was_at = max(filter(None, (found.saved_at, schedule_saved_at)), default=None)
        self.book.adopt(found.content or (), now, clock_was_at)

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        found = self.standing.look(self._store.look)
        if found is None or found.in_use:
            return
        self._stored = found.content is not None
        if found.content is not None:
            self.book.adopt(found.content, now)

    def save(self, now: datetime) -> str | None:
        """Save what is not saved yet, all of it or nothing; why that failed, if it did."""
        if not self.differs:
            return None
        changed = [reminder for reminder in self.book.unsaved.values() if reminder is not None]
        removed = [gone for gone, reminder in self.book.unsaved.items() if reminder is None]
        problem = self._store.save(changed, removed)
        self.standing.saved(problem)
        if problem is None:
            self.book.unsaved.clear()
            self._stored = True
        else:
            self.look(now)  # that failed for what somebody else has done, perhaps
        return problem

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
