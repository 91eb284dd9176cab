"""How one store stands to the memory, and what replies and log owe their readers about that (8.4 to 8.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from heartbeat_core.ports import Found, Trouble, TroubleKind
from heartbeat_core.telling.operator_log import OperatorLog

T = TypeVar("T")


class StoreStatus:
    """The troubles of one store: one that lasts, news to be told once, and why the last save failed."""

    def __init__(self, what: str, log: OperatorLog) -> None:
        self.unsaved: Trouble | None = None
        """Why the last save failed; None where it worked."""
        self.in_use = False
        """Whether somebody else holds what is stored."""
        self._what = what
        self._log = log
        self._trouble: Trouble | None = None
        self._news: str | None = None

    def read(self, found: Found[object]) -> None:
        """Take note of what was found."""
        self.in_use = found.in_use
        if found.trouble is not None and found.trouble != self._trouble:
            self._log.trouble(found.trouble.text)
        self._trouble = found.trouble

    def look(self, look: Callable[[], Found[T] | None]) -> Found[T] | None:
        """Look, and take note of what was found."""
        before = self._trouble if self.in_use else None
        found = look()
        if found is None:
            return None
        self.read(found)
        if before is not None and not found.in_use:
            self._log.taken_over(self._what, was_away=before.kind is TroubleKind.AWAY)
        elif found.content is not None:
            self._tell(f"{self._what} had been changed by something else; what stands there was taken over")
        elif found.trouble is None:
            self._tell(f"{self._what} was gone from where it is stored; it is written anew from memory")
        return found

    def saved(self, problem: Trouble | None) -> None:
        """Take note of a save; a failure is logged once, and so is its end."""
        if problem is None and self.unsaved is not None:
            self._log.saved_again(self._what)
        if problem is not None and self.unsaved is None and not problem.lasts:
            self._log.trouble(f"{self._what} is not saved: {problem}")
        self.unsaved = problem

    def closed(self, problem: Trouble | None) -> None:
        """Take note of the end."""
        if problem is not None:
            self._log.trouble(f"{self._what}: {problem}; see whether what it holds is whole")

    def take_notices(self) -> list[str]:
        """What a reply that shows this has to say (8.7); news is told once."""
        trouble = None if self._trouble is None else self._trouble.text
        notices = [text for text in (trouble, self._news) if text is not None]
        self._news = None
        return notices

    def _tell(self, news: str) -> None:
        self._news = news
        self._log.trouble(news)
