"""Whose turn it is: the reminders that have no wake out, in the order in which they may leave (7.3, 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from heartbeat_core.queue.queued_reminder import Held, Out, QueuedReminder, Untried
from heartbeat_core.queue.sorted_ids import SortedIds


class SendOrder:
    """In order of due time. Those not tried yet come first, then those tried less often than others: so none
    starves another. Where `wakes_are_few` (15.3) one that is tried again goes by the time since when it may.

    Each reminder that has no wake out is in exactly one of three places: not tried yet, held until a time,
    or released to be tried again. `find` gives a queued reminder by its id.
    """

    def __init__(self, find: Callable[[str], QueuedReminder], *, wakes_are_few: bool = False) -> None:
        self._find = find
        self._wakes_are_few = wakes_are_few
        self._untried: SortedIds[datetime] = SortedIds()
        self._held: SortedIds[datetime] = SortedIds()
        self._released: SortedIds[tuple[int, datetime]] = SortedIds()
        self._expiring: SortedIds[datetime] = SortedIds()

    def put(self, queued: QueuedReminder) -> None:
        """Put a reminder in its place; it has none while a wake of it is out."""
        if (place := self._place(queued)) is not None:
            place[0].add(place[1], queued.reminder.id)
            if (expires_at := queued.own.expires_at) is not None:
                self._expiring.add(expires_at, queued.reminder.id)

    def take(self, queued: QueuedReminder) -> None:
        """Take a reminder out of its place, before anything changes that its place depends on."""
        if (place := self._place(queued)) is not None:
            place[0].remove(place[1], queued.reminder.id)
            if (expires_at := queued.own.expires_at) is not None:
                self._expiring.remove(expires_at, queued.reminder.id)

    def rebuild(self, all_queued: Collection[QueuedReminder]) -> None:
        """Put these in their places, and forget all others."""
        for index in (self._untried, self._held, self._released, self._expiring):
            index.clear()
        self._put_all(all_queued)
        expiring = [
            queued for queued in all_queued if queued.reminder.expires_after and queued.sent_at is None
        ]
        self._expiring.add_all((at, each.reminder.id) for each in expiring if (at := each.own.expires_at))

    @property
    def first_to_expire(self) -> tuple[datetime, QueuedReminder] | None:
        """The reminder that is given up first where it is not taken, and when (10.5); none of those out."""
        first = self._expiring.first
        return None if first is None else (first[0], self._find(first[1]))

    def _put_all(self, all_queued: Iterable[QueuedReminder]) -> None:
        """As `put`, at the cost of one sort for all."""
        pairs: dict[int, list[tuple[Any, str]]] = {}
        for queued in all_queued:
            if (place := self._place(queued)) is not None:
                pairs.setdefault(id(place[0]), []).append((place[1], queued.reminder.id))
        for index in (self._untried, self._held, self._released):
            index.add_all(pairs.get(id(index), ()))

    def _place(self, queued: QueuedReminder) -> tuple[SortedIds[Any], Any] | None:
        match queued.state:
            case Untried():
                return self._untried, queued.reminder.due
            case Held(try_at=None):
                return self._released, (queued.tries, queued.reminder.due)
            case Held(try_at=try_at):
                return self._held, try_at
            case Out():
                return None

    def release_all(self, now: datetime) -> None:
        """Let every held reminder be tried once more (7.3); a one-shot keeps an instant that is to come."""
        all_queued = [self._find(reminder_id) for reminder_id in self._held]
        for queued in all_queued:
            assert isinstance(queued.state, Held)
            free = replace(queued.state, try_at=None, released=now)
            queued.state = queued.waiting_for_its_instant(free, now)
        self._held.clear()
        self._put_all(all_queued)

    def waiting(self, now: datetime, overdue: timedelta) -> int:
        """How many are held, or not tried yet and due for so long."""
        return len(self._held) + len(self._released) + self._untried.count_up_to(now - overdue)

    def due(self, now: datetime) -> int:
        """How many could be sent now."""
        return self._untried.count_up_to(now) + len(self._released) + self._held.count_up_to(now)

    def next_untried(self, after: datetime) -> datetime | None:
        """When the first one falls due, after a moment, of those not tried yet."""
        first = self._untried.first_after(after)
        return None if first is None else first[0]

    def untried(self, now: datetime) -> list[QueuedReminder]:
        """Those that are due and not tried yet, in order of due time."""
        return [self._find(reminder_id) for reminder_id in self._untried.ids_up_to(now)]

    def next(self, now: datetime) -> tuple[datetime, QueuedReminder] | None:
        """Whose turn is next, and when: at once where that is not after `now`; None where nobody waits."""
        untried = self._untried.first
        again = self._tried_again(now) if self._wakes_are_few else None
        if again is not None and (untried is None or again[0] < untried[0]):
            # Else new firings could take every wake that there is, and this one would never be heard.
            return again
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

    def _tried_again(self, now: datetime) -> tuple[datetime, QueuedReminder] | None:
        """Whose turn is next of those tried again, and since when it may be."""
        self._release_due(now)
        if (first := self._released.first) is None:
            return None
        queued = self._find(first[1])
        assert isinstance(queued.state, Held)
        return min(queued.state.released or now, now), queued

    def _release_due(self, now: datetime) -> None:
        while (held := self._held.first) is not None and held[0] <= now:
            queued = self._find(held[1])
            self.take(queued)
            assert isinstance(queued.state, Held)
            queued.state = replace(queued.state, try_at=None, released=held[0])
            self.put(queued)
