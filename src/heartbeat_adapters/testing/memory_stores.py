"""Stores that keep everything in memory: fakes of the two storage ports, for tests.

A test can look into them, and can break them: a disk that fails, a stranger who edits, a file that
cannot be used, another server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Generic, TypeVar

from heartbeat_core.ports import Found, Trouble, TroubleKind
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule

T = TypeVar("T")

IN_USE = Trouble(TroubleKind.IN_USE, "the memory is in use by another heartbeat: stop the other one")
CHANGED = Trouble(
    TroubleKind.NOT_SAVED,
    "the memory was changed by something else at the same moment, and was left as it is now",
)
CLOSED = Trouble(TroubleKind.REFUSED, "the memory was let go of")


class _Memory(Generic[T]):
    """One content, and what a test does to it. `T` is what is found, or None for nothing."""

    def __init__(self, content: T | None) -> None:
        self.fail_with: str | None = None
        """While this is set, each save fails and says it."""
        self.in_use = False
        """Set this to play a second server that has the file, and clear it to stop that one."""
        self.saved_at: datetime | None = None
        """When the content was last written, which the next load says; set by each save where `now` is."""
        self.now: Callable[[], datetime] | None = None
        """The clock that saves are stamped with, as files are by their disk; a `Bench` sets it."""
        self.saves = 0
        """How many saves were made."""
        self.closed = False
        """Whether the store was closed last; `load` opens it again, as a restart does."""
        self._content = content
        self._news: Found[T] | None = None
        self._refused: Trouble | None = None
        self._refuse_next = False
        self._waiting = False

    def load(self) -> Found[T]:
        """Read; again, and it is a restart."""
        self.closed, self._refused, self._waiting = False, None, self.in_use
        if self.in_use:
            return Found(trouble=IN_USE)
        found = self._take_news() or Found(self._content)
        self._content = found.content
        return replace(found, saved_at=self.saved_at)

    def look(self) -> Found[T] | None:
        """Give what `edit`, `damage` or `in_use` brought since the last look."""
        if self.closed or self._refused is not None or (self.in_use and self._waiting):
            return None
        if self._waiting or self.in_use:
            return self.load()
        news = self._take_news()
        if news is not None and news.content is not None:
            self._content = news.content
        return news

    def close(self) -> None:
        """Let go. May be called twice."""
        self.closed = True

    def damage(self, text: str, usable: T | None = None, *, refuse: bool = False) -> None:
        """Play a file of which only `usable` can be used: the next load or look says so, with `text`.

        With `refuse` it could not even be read or copied aside: each save fails with `text` from there on,
        until it is loaded anew.
        """
        kind = TroubleKind.REFUSED if refuse else TroubleKind.DAMAGED
        self._news = Found(usable, Trouble(kind, text))
        self._refuse_next = refuse

    def lose(self) -> None:
        """Play a stranger who removes what is stored; the next save writes all of it anew."""
        self._news = Found()

    def _edited(self, content: T) -> None:
        self._content = content
        self._news = Found(content)

    def _saved(self) -> None:
        self.saves += 1
        if self.now is not None:
            self.saved_at = self.now()

    def _take_news(self) -> Found[T] | None:
        news, self._news = self._news, None
        if news is not None and self._refuse_next:
            self._refused, self._refuse_next = news.trouble, False
        return news

    def _why_not(self) -> Trouble | None:
        if self.closed:
            return CLOSED
        if self.in_use or self._waiting:
            return IN_USE
        if self._news is not None:
            return CHANGED
        failed = None if self.fail_with is None else Trouble(TroubleKind.NOT_SAVED, self.fail_with)
        return self._refused or failed


class MemoryScheduleStore(_Memory[Schedule]):
    """A `ScheduleStore` in memory."""

    def __init__(self, saved: Schedule | None = None) -> None:
        super().__init__(saved)

    @property
    def saved(self) -> Schedule | None:
        """What was saved last, or edited since; None before."""
        return self._content

    def edit(self, schedule: Schedule) -> None:
        """Play a stranger who changes what is stored."""
        self._edited(schedule)

    def save(self, schedule: Schedule) -> Trouble | None:
        """Save, or fail as the test has it."""
        why_not = self._why_not()
        if why_not is None:
            self._content = schedule
            self._saved()
        return why_not


class MemoryReminderStore(_Memory[Sequence[Reminder]]):
    """A `ReminderStore` in memory."""

    def __init__(self, saved: Iterable[Reminder] | None = None) -> None:
        super().__init__(None if saved is None else tuple(saved))

    @property
    def saved(self) -> dict[str, Reminder]:
        """What was saved last, or edited since, by id."""
        return {reminder.id: reminder for reminder in self._content or ()}

    def edit(self, reminders: Iterable[Reminder]) -> None:
        """Play a stranger who changes what is stored."""
        self._edited(tuple(reminders))

    def save(self, changed: Sequence[Reminder], removed: Sequence[str]) -> Trouble | None:
        """Save, or fail as the test has it."""
        why_not = self._why_not()
        if why_not is None:
            rows = self.saved | {reminder.id: reminder for reminder in changed}
            self._content = tuple(row for row in rows.values() if row.id not in removed)
            self._saved()
        return why_not
