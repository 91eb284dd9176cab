"""The wakes of reminders that are out, and until when their answers are waited for (7.3, 7.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from heartbeat_core.wakes import Wake


@dataclass(frozen=True, slots=True)
class AwaitedWake:
    """A wake whose answer is awaited: of which reminder, for which due time, until when.

    `sent_at` moves with a clock that is set back (5.2); that of the wake does not. The wake is kept without
    its text, which may be long.
    """

    id: str
    deadline: timedelta
    due: datetime
    sent_at: datetime
    wake: Wake


class AwaitedWakes:
    """All wakes that are out, by number, the first sent first."""

    def __init__(self) -> None:
        self._by_number: dict[int, AwaitedWake] = {}

    def __len__(self) -> int:
        return len(self._by_number)

    def __contains__(self, wake: Wake) -> bool:
        return wake.number in self._by_number

    @property
    def wakes(self) -> list[Wake]:
        """All of them, without their texts."""
        return [awaited.wake for awaited in self._by_number.values()]

    @property
    def by_id(self) -> dict[str, AwaitedWake]:
        """For each reminder the last that is out."""
        return {awaited.id: awaited for awaited in self._by_number.values()}

    @property
    def next_deadline(self) -> timedelta | None:
        """When the first one has had its time, on the monotonic clock."""
        first = next(
            iter(self._by_number.values()), None
        )  # all have as long: the first sent is the first late
        return None if first is None else first.deadline

    def add(self, wake: Wake, deadline: timedelta) -> None:
        """A wake was handed to the transport."""
        without_text = replace(wake, text="")
        reminder_id = str(wake.reminder_id)
        self._by_number[wake.number] = AwaitedWake(
            reminder_id, deadline, wake.due, wake.sent_at, without_text
        )

    def take(self, wake: Wake) -> bool:
        """An answer came: wait no longer; gives whether it was waited for."""
        return self._by_number.pop(wake.number, None) is not None

    def take_late(self, ticks: timedelta) -> list[AwaitedWake]:
        """Wait no longer for those whose time is over; gives them."""
        late = [number for number, awaited in self._by_number.items() if awaited.deadline <= ticks]
        return [self._by_number.pop(number) for number in late]

    def forget(self, reminder_id: str) -> None:
        """Wait for no wake of that reminder any more: an answer will have no effect (11.3)."""
        self._by_number = {n: awaited for n, awaited in self._by_number.items() if awaited.id != reminder_id}

    def clock_set_back(self, by: timedelta) -> None:
        """Keep in mind how long ago each was sent, on the clock of now (5.2)."""
        for number, awaited in self._by_number.items():
            self._by_number[number] = replace(awaited, sent_at=awaited.sent_at - by)
