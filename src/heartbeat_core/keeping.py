"""What is in memory and what is stored, kept together: the schedule, and the book of reminders.

Lives here: load, look, take over, save, and what a reply owes its reader about that (8.2 to 8.8). May
not: a clock or a timer (the service says when), the format of what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from heartbeat_core import schedule as scheduling
from heartbeat_core.book import Book
from heartbeat_core.ports import Found, ReminderStore, ScheduleStore
from heartbeat_core.reports import Reports
from heartbeat_core.schedule import Schedule

_NOT_ANY_MORE = (
    "Since something was changed here meanwhile, this server does not take it over any more: restart it to "
    "go on with what is stored there, without that change"
)


@dataclass(slots=True)
class Standing:
    """How one store stands to the memory.

    `in_use`: somebody else holds it. `touched`: the agent changed the memory since, so that it is not
    taken over any more (8.6). `unsaved`: why the last save failed.
    """

    what: str
    reports: Reports
    in_use: bool = False
    touched: bool = False
    unsaved: str | None = None
    trouble: str | None = field(default=None, init=False)
    news: str | None = field(default=None, init=False)

    @property
    def may_be_had_later(self) -> bool:
        """Whether to look again for the other server's end (8.6)."""
        return self.in_use and not self.touched

    def touch(self) -> None:
        """The agent changes the memory; a file in use is not taken over any more (8.6)."""
        self.touched = True
        if self.in_use and self.trouble is not None and _NOT_ANY_MORE not in self.trouble:
            self.trouble += f". {_NOT_ANY_MORE}"

    def read(self, found: Found[object], *, was_held: bool = False) -> None:
        """Take note of what a look or a load has found; `was_held`: something else changed it (8.8)."""
        self.in_use = found.in_use
        if found.notice is not None and found.notice != self.trouble:
            self.reports.trouble(found.notice)
        self.trouble = found.notice
        if was_held and found.content is not None:
            self.news = (
                f"{self.what} had been changed by something else, and what stands there was taken over"
            )
            self.reports.trouble(self.news)

    def saved(self, problem: str | None) -> None:
        """Take note of a save; a failure is logged once, and so is its end."""
        if problem is not None and self.unsaved is None:
            self.reports.trouble(f"{self.what} is not saved: {problem}")
        if problem is None and self.unsaved is not None:
            self.reports.saved_again(self.what)
        self.unsaved = problem

    def take_notices(self) -> list[str]:
        """What a reply that shows this has to say (8.7); news is told once."""
        notices = [text for text in (self.trouble, self.news) if text is not None]
        self.news = None
        return notices


class KeptSchedule:
    """The schedule in force, and its store."""

    def __init__(self, store: ScheduleStore, defaults: Schedule, reports: Reports) -> None:
        self.current = defaults
        self.standing = Standing("the schedule", reports)
        self._store = store
        self._stored: Schedule | None = None
        """What was last read or saved: what memory has beyond it was changed here. None: nothing of use."""

    def load(self, now: datetime) -> None:
        """Read what was saved, and take up its countdown."""
        found = self._store.load()
        self.standing.read(found)
        self._adopt(found.content, now)

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        if self.standing.in_use and self.standing.touched:
            return
        was_in_use = self.standing.in_use
        found = self._store.look()
        if found is None:
            return
        self.standing.read(found, was_held=not was_in_use)
        if found.content is None and not was_in_use:
            self._stored = None
            self.save()
        else:
            self._adopt(found.content, now)

    def _adopt(self, stored: Schedule | None, now: datetime) -> None:
        ours, base = self.current, self._stored
        self._stored = stored
        self.current = scheduling.taken_up(stored or ours, now)
        if self.standing.unsaved and base is not None:
            self.current = scheduling.merged(ours, base, self.current)
        if not self.standing.in_use:
            self.save()

    def change(self, schedule: Schedule) -> str | None:
        """Make this the schedule, and save it; why that failed, if it did."""
        self.current = schedule
        return self.save()

    def save(self) -> str | None:
        """Save what is not saved yet; why that failed, if it did."""
        if self.current == self._stored:
            return None
        problem = self._store.save(self.current)
        self.standing.saved(problem)
        if problem is None:
            self._stored = self.current
        return problem

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

    def load(self, now: datetime) -> None:
        """Read what was saved."""
        found = self._store.load()
        self.standing.read(found)
        self.book.adopt(found.content or (), now)

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        if self.standing.in_use and self.standing.touched:
            return
        was_in_use = self.standing.in_use
        found = self._store.look()
        if found is None:
            return
        self.standing.read(found, was_held=not was_in_use)
        self._stored = found.content is not None
        if found.content is not None:
            self.book.adopt(found.content, now)

    def save(self, now: datetime) -> str | None:
        """Save what is not saved yet, all of it or nothing; why that failed, if it did."""
        self.look(now)
        if self._stored and not self.book.unsaved:
            return None
        changed = [reminder for reminder in self.book.unsaved.values() if reminder is not None]
        removed = [gone for gone, reminder in self.book.unsaved.items() if reminder is None]
        problem = self._store.save(changed, removed)
        self.standing.saved(problem)
        if problem is None:
            self.book.unsaved.clear()
            self._stored = True
        return problem

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()
