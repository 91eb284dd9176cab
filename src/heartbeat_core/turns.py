"""Whose turn it is: the reminders that have no wake out, in the order in which they may be sent (7.3, 7.4).

Lives here: an index of entries, and the order among them. May not: change an entry beyond its release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from heartbeat_core.entry import Entry
from heartbeat_core.moments import LAST_MOMENT
from heartbeat_core.ordered import Ordered


class Turns:
    """In order of due time; those tried before yield to those that were not, and among them those tried
    often to those tried less, so that none starves another.

    Each entry that has no wake out is in exactly one of three places: not tried yet, held until a time on
    the monotonic clock, or released to be tried again. `find` gives an entry by id.
    """

    def __init__(self, find: Callable[[str], Entry]) -> None:
        self._find = find
        self._untried: Ordered[datetime] = Ordered()
        self._held: Ordered[timedelta] = Ordered()
        self._released: Ordered[tuple[int, datetime]] = Ordered()

    def put(self, entry: Entry) -> None:
        """Put an entry in its place; it has none while a wake of it is out."""
        if entry.sent_at is None:
            index, key = self._place(entry)
            index.add(key, entry.reminder.id)

    def take(self, entry: Entry) -> None:
        """Take an entry out of its place, before anything changes that its place depends on."""
        if entry.sent_at is None:
            index, key = self._place(entry)
            index.remove(key, entry.reminder.id)

    def rebuild(self, entries: Iterable[Entry]) -> None:
        """Put these in their places, and forget all others."""
        pairs: dict[int, list[tuple[Any, str]]] = {}
        for entry in entries:
            if entry.sent_at is None:
                index, key = self._place(entry)
                pairs.setdefault(id(index), []).append((key, entry.reminder.id))
        for index in (self._untried, self._held, self._released):
            index.clear()
            index.add_all(pairs.get(id(index), ()))

    def _place(self, entry: Entry) -> tuple[Ordered[Any], Any]:
        if entry.held is None:
            return self._untried, entry.reminder.due
        if entry.retry is None:
            return self._released, (entry.tries, entry.reminder.due)
        return self._held, entry.retry

    def release_all(self) -> None:
        """Let every held reminder be tried once more (7.3)."""
        entries = [self._find(reminder_id) for reminder_id in self._held]
        self._held.clear()
        for entry in entries:
            entry.retry = None
        self._released.add_all((self._place(entry)[1], entry.reminder.id) for entry in entries)

    def next(self, now: datetime, ticks: timedelta) -> tuple[datetime, Entry] | None:
        """Whose turn is next, and when: at once where that is not after `now`; None where nobody waits."""
        untried = self._untried.first
        if untried is not None and untried[0] <= now:
            return untried[0], self._find(untried[1])
        self._release_due(ticks)
        if (released := self._released.first) is not None:
            return now, self._find(released[1])
        coming = [untried] if untried else []
        if (held := self._held.first) is not None:
            coming.append((now + min(held[0] - ticks, LAST_MOMENT - now), held[1]))
        if not coming:
            return None
        when, reminder_id = min(coming)
        return when, self._find(reminder_id)

    def _release_due(self, ticks: timedelta) -> None:
        while (held := self._held.first) is not None and held[0] <= ticks:
            entry = self._find(held[1])
            self.take(entry)
            entry.retry = None
            self.put(entry)
