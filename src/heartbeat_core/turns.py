"""Whose turn it is: the reminders that have no wake out, in the order in which they may be sent (7.3, 7.4).

Lives here: an index of entries, and the order among them. May not: change an entry beyond its release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from heartbeat_core.entry import Entry, Held, Out, Untried
from heartbeat_core.ordered import Ordered


class Turns:
    """In order of due time; those tried before yield to those that were not, and among them those tried
    often to those tried less, so that none starves another.

    Each entry that has no wake out is in exactly one of three places: not tried yet, held until a time, or
    released to be tried again. `find` gives an entry by id.
    """

    def __init__(self, find: Callable[[str], Entry]) -> None:
        self._find = find
        self._untried: Ordered[datetime] = Ordered()
        self._held: Ordered[datetime] = Ordered()
        self._released: Ordered[tuple[int, datetime]] = Ordered()

    def put(self, entry: Entry) -> None:
        """Put an entry in its place; it has none while a wake of it is out."""
        if (place := self._place(entry)) is not None:
            place[0].add(place[1], entry.reminder.id)

    def take(self, entry: Entry) -> None:
        """Take an entry out of its place, before anything changes that its place depends on."""
        if (place := self._place(entry)) is not None:
            place[0].remove(place[1], entry.reminder.id)

    def rebuild(self, entries: Iterable[Entry]) -> None:
        """Put these in their places, and forget all others."""
        for index in (self._untried, self._held, self._released):
            index.clear()
        self._put_all(entries)

    def _put_all(self, entries: Iterable[Entry]) -> None:
        """As `put`, at the cost of one sort for all."""
        pairs: dict[int, list[tuple[Any, str]]] = {}
        for entry in entries:
            if (place := self._place(entry)) is not None:
                pairs.setdefault(id(place[0]), []).append((place[1], entry.reminder.id))
        for index in (self._untried, self._held, self._released):
            index.add_all(pairs.get(id(index), ()))

    def _place(self, entry: Entry) -> tuple[Ordered[Any], Any] | None:
        match entry.state:
            case Untried():
                return self._untried, entry.reminder.due
            case Held(try_at=None):
                return self._released, (entry.tries, entry.reminder.due)
            case Held(try_at=try_at):
                return self._held, try_at
            case Out():
                return None

    def release_all(self, now: datetime) -> None:
        """Let every held reminder be tried once more (7.3); a one-shot keeps an instant that is to come."""
        entries = [self._find(reminder_id) for reminder_id in self._held]
        for entry in entries:
            assert isinstance(entry.state, Held)
            entry.state = entry.waiting_for_its_instant(replace(entry.state, try_at=None), now)
        self._held.clear()
        self._put_all(entries)

    def next(self, now: datetime) -> tuple[datetime, Entry] | None:
        """Whose turn is next, and when: at once where that is not after `now`; None where nobody waits."""
        untried = self._untried.first
        if untried is not None and untried[0] <= now:
            return untried[0], self._find(untried[1])
        self._release_due(now)
        if (released := self._released.first) is not None:
            return now, self._find(released[1])
        coming = [first for first in (untried, self._held.first) if first is not None]
        if not coming:
            return None
        when, reminder_id = min(coming)
        return when, self._find(reminder_id)

    def _release_due(self, now: datetime) -> None:
        while (held := self._held.first) is not None and held[0] <= now:
            entry = self._find(held[1])
            self.take(entry)
            assert isinstance(entry.state, Held)
            entry.state = replace(entry.state, try_at=None)
            self.put(entry)
