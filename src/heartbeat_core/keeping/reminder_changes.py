"""What the agent changes about reminders, on top of what is stored, and saved at once (8.3, 8.8)."""

from __future__ import annotations

from heartbeat_core.keeping.storage import Storage
from heartbeat_core.ports import NewId, Trouble
from heartbeat_core.queue.pending import PendingReminder, as_it_stands
from heartbeat_core.reminders.asked import Asked, changed, new_reminder, possible
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.times.clock_readings import Reading


class ReminderChanges:
    """Makes them; a change lets every held reminder be tried once more (7.3)."""

    def __init__(self, storage: Storage, new_id: NewId) -> None:
        self._storage = storage
        self._queue = storage.reminders.queue
        self._new_id = new_id

    def find(self, reminder_id: str, at: Reading) -> PendingReminder | None:
        """The reminder of that id as it stands; None where there is none."""
        self._storage.look(at)
        queued = self._queue.find(reminder_id)
        return None if queued is None else as_it_stands(queued)

    def add(self, asked: Asked, at: Reading) -> tuple[Reminder, Trouble | None]:
        """Set one; gives it, and why it is not saved, if so. Raises ImpossibleReminder."""
        self._storage.look(at)
        reminder = possible(new_reminder(self._unused_id(), asked, at.now))
        self._queue.add(reminder)
        return reminder, self._save(at)

    def update(self, reminder_id: str, asked: Asked, at: Reading) -> tuple[Reminder, Trouble | None]:
        """Change one; gives it, and why it is not saved. Raises ImpossibleReminder, and LookupError."""
        self._storage.look(at)
        if (queued := self._queue.find(reminder_id)) is None:
            raise LookupError(reminder_id)
        after = possible(changed(queued.own, asked, at.now))
        if after != queued.own:
            self._queue.change(after, at.now)
        return queued.reminder, self._save(at)

    def cancel(self, reminder_id: str, at: Reading) -> tuple[PendingReminder | None, Trouble | None]:
        """Remove one; gives what it was, None where there is none, and why that is not saved."""
        self._storage.look(at)
        queued = self._queue.cancel(reminder_id)
        return (None, None) if queued is None else (as_it_stands(queued), self._save(at))

    def _unused_id(self) -> str:
        """An id for a new reminder (7.6)."""
        while (reminder_id := f"rem_{self._new_id()}") in self._queue:
            pass
        return reminder_id

    def _save(self, at: Reading) -> Trouble | None:
        problem = self._storage.reminders.save(at.now)
        self._queue.release_all(at.now)
        return problem
