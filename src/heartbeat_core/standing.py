"""How one store stands to the memory, and what replies and log owe their readers about that.

Lives here: the troubles of a store, in words (8.4 to 8.8). May not: load, save or adopt (`keeping` does).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from heartbeat_core.ports import Found
from heartbeat_core.reports import Reports

T = TypeVar("T")

_NOT_ANY_MORE = (
    "Since something was changed here meanwhile, this server does not take it over any more: restart it to "
    "go on with what is stored there, without that change"
)


class Standing:
    """The troubles of one store: one that lasts, news to be told once, and why the last save failed."""

    def __init__(self, what: str, reports: Reports) -> None:
        self.unsaved: str | None = None
        """Why the last save failed; None where it worked."""
        self.in_use = False
        """Whether somebody else holds what is stored."""
        self._what = what
        self._reports = reports
        self._touched = False
        self._trouble: str | None = None
        self._news: str | None = None

    @property
    def may_be_had_later(self) -> bool:
        """Whether to look again for the other server's end: where nothing was changed here since (8.6)."""
        return self.in_use and not self._touched

    def touch(self) -> None:
        """The agent changes the memory."""
        self._touched = True

    def read(self, found: Found[object]) -> None:
        """Take note of what was found."""
        if found.in_use and not self.in_use:
            self._touched = self.unsaved is not None
        self.in_use = found.in_use
        if found.notice is not None and found.notice != self._trouble:
            self._reports.trouble(found.notice)
        self._trouble = found.notice

    def look(self, look: Callable[[], Found[T] | None]) -> Found[T] | None:
        """Look, unless what is there may not be had any more, and take note of what was found."""
        if self.in_use and self._touched:
            return None
        was_in_use = self.in_use
        found = look()
        if found is None:
            return None
        self.read(found)
        if was_in_use and not found.in_use:
            self._reports.taken_over(self._what)
        elif found.content is not None:
            self._news = f"{self._what} had been changed by something else; what stands there was taken over"
            self._reports.trouble(self._news)
        return found

    def saved(self, problem: str | None) -> None:
        """Take note of a save; a failure is logged once, and so is its end."""
        if problem is None and self.unsaved is not None:
            self._reports.saved_again(self._what)
        if problem is not None and self.unsaved is None and problem != self._trouble:
            self._reports.trouble(f"{self._what} is not saved: {problem}")
        self.unsaved = problem

    def take_notices(self) -> list[str]:
        """What a reply that shows this has to say (8.7); news is told once."""
        notices = [text for text in (self._lasting_trouble(), self._news) if text is not None]
        self._news = None
        return notices

    def _lasting_trouble(self) -> str | None:
        if self._trouble is None or not (self.in_use and self._touched):
            return self._trouble
        return f"{self._trouble}. {_NOT_ANY_MORE}"
