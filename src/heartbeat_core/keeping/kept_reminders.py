"""The queue of reminders and their store, kept together (8.3 to 8.8)."""

from __future__ import annotations

from datetime import datetime

from heartbeat_core.keeping.guarded_store import GuardedStore
from heartbeat_core.keeping.store_status import StoreStatus
from heartbeat_core.ports import ReminderStore, Trouble
from heartbeat_core.queue.reminder_queue import ReminderQueue
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog


class KeptReminders:
    """The queue of reminders, and its store."""

    def __init__(self, store: ReminderStore, log: OperatorLog, limits: Limits) -> None:
        self.queue = ReminderQueue(limits)
        self.status = StoreStatus("the list of reminders", log)
        self._store = store
        self._guarded = GuardedStore(store)
        self._stored = True
        """Whether what is stored is the queue, apart from what is unsaved in it."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return bool(self.queue.unsaved) or not self._stored

    def load(self, now: datetime, schedule_saved_at: datetime | None) -> None:
        """Read what was saved; `schedule_saved_at` as `KeptSchedule.load` gave it.

        When either was written tells what the clock had come to by then, also where it was set back since.
        """
        found = self._guarded.load()
        self.status.read(found)
        clock_was_at = max(filter(None, (found.saved_at, schedule_saved_at)), default=None)
        self.queue.adopt(found.content or (), now, clock_was_at)

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        was_in_use = self.status.in_use
        found = self.status.look(self._guarded.look)
        if found is None or found.in_use:
            return
        self._stored = found.content is not None
        if found.content is not None:
            self.queue.adopt(found.content, now)
        if was_in_use:
            self.save(now)

    def save(self, now: datetime) -> Trouble | None:
        """Save what is not saved yet, all of it or nothing; why that failed, if it did."""
        if not self.differs:
            return None
        changed = [reminder for reminder in self.queue.unsaved.values() if reminder is not None]
        removed = [gone for gone, reminder in self.queue.unsaved.items() if reminder is None]
        problem = self._guarded.save(lambda: self._store.save(changed, removed))
        self.status.saved(problem)
        if problem is None:
            self.queue.unsaved.clear()
            self._stored = True
        else:
            self.look(now)  # that failed for what somebody else has done, perhaps
        return problem

    def close(self) -> None:
        """Let go of the store."""
        self.status.closed(self._guarded.close())
