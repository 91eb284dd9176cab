"""The book of reminders: which is waiting, due, out or held, and what of it is not saved yet.

Lives here: the delivery of each reminder's present firing (section 7), cheap at 100,000. May not:
send, save, log, word anything for the agent. The service calls it with the two clocks' readings:
`now` is the wall clock; `ticks` is the monotonic one, on which waiting for an answer is measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from heartbeat_core.entry import Entry, Held, Out, Untried
from heartbeat_core.event_ids import IdUse
from heartbeat_core.lengths import MILLISECOND
from heartbeat_core.ordered import Ordered
from heartbeat_core.reminders import Reminder, next_due, phase_of, started_anew, was_put_off
from heartbeat_core.retries import tried_again_at
from heartbeat_core.turns import Turns
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake, is_duplicate

MOST_OUT = 32
"""So many reminder wakes are out at a time (7.4)."""


class Outcome(Enum):
    """What an answer, or none, has done to a reminder."""

    TAKEN = "taken"
    HELD = "held"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A wake whose answer is awaited: of which reminder, for which due time, until when."""

    id: str
    deadline: timedelta
    due: datetime
    sent_at: datetime


class Book:
    """All reminders, by id and in order of due time."""

    def __init__(self) -> None:
        self.unsaved: dict[str, Reminder | None] = {}
        """What changed since it was last saved, by id; None for a reminder that is gone."""
        self._entries: dict[str, Entry] = {}
        self._awaited: dict[int, _Awaited] = {}
        self._by_due: Ordered[datetime] = Ordered()
        self._turns = Turns(self._entries.__getitem__)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, reminder_id: str) -> bool:
        return reminder_id in self._entries

    def __iter__(self) -> Iterator[Entry]:
        """The entries in order of due time."""
        return (self._entries[reminder_id] for reminder_id in self._by_due)

    @property
    def last_due(self) -> datetime | None:
        """The latest due time of all."""
        last = self._by_due.last
        return last[0] if last else None

    # What changes the book

    def adopt(
        self, reminders: Sequence[Reminder], now: datetime, clock_was_at: datetime | None = None
    ) -> None:
        """Make these the reminders, as if read at start, with what is unsaved on top (8.8).

        One that stands as it stood keeps how its delivery stands; a wake that is out stays out, also
        where its row was gone for a while. `clock_was_at` is what the clock is known to have come to
        before it was set back, where it was.
        """
        known = self._entries
        awaited = {wake.id: wake for wake in self._awaited.values()}
        rows = {reminder.id: reminder for reminder in reminders}
        for reminder_id, mine in self.unsaved.items():
            rows.pop(reminder_id, None) if mine is None else rows.update({reminder_id: mine})
        entries = {r.id: _adopted(r, known.get(r.id), awaited.get(r.id), now) for r in rows.values()}
        self._entries.clear()
        self._entries.update(entries)
        for entry in entries.values():
            every = entry.reminder.every
            # As in `clock_set_back`: one whose wake was sent is left to 7.3.
            if every is not None and not entry.tries and was_put_off(entry.reminder, clock_was_at, now):
                self._start_anew(entry, every, now)
        self._index_all()

    def _index_all(self) -> None:
        self._by_due.clear()
        self._by_due.add_all((e.reminder.due, e.reminder.id) for e in self._entries.values())
        self._turns.rebuild(self._entries.values())

    def add(self, reminder: Reminder) -> Entry:
        """Put in a reminder that is new."""
        entry = self._entries[reminder.id] = Entry(reminder)
        self.unsaved[reminder.id] = reminder
        self._by_due.add(reminder.due, reminder.id)
        self._turns.put(entry)
        return entry

    def cancel(self, reminder_id: str) -> Entry | None:
        """Take a reminder out; None where there is none. A wake of it that is out stays out."""
        entry = self._entries.get(reminder_id)
        if entry is not None:
            self._turns.take(entry)
            self._drop(entry)
        return entry

    def release_all(self, now: datetime) -> None:
        """Let every held reminder be tried once more (7.3)."""
        self._turns.release_all(now)

    def clock_set_back(self, by: timedelta, now: datetime) -> None:
        """Bring recurring reminders near that only a clock set back by `by` has put far away (5.2).

        A recurring one whose wake was sent is past its time, whatever the clock says now, and left to 7.3;
        a one-shot keeps its instant. Whoever waits to be tried again waits no longer than before.
        """
        for entry in self._entries.values():
            entry.clock_set_back(by, now)
            every = entry.reminder.every
            if every is None or entry.tries:
                continue
            away = entry.reminder.due - now
            if away > every >= away - by:
                self._start_anew(entry, every, now)
        self._index_all()

    def _start_anew(self, entry: Entry, every: timedelta, now: datetime) -> None:
        self._remember_phase(entry, every)
        due = started_anew(every, now, entry.used_phases)
        entry.reminder = self.unsaved[entry.reminder.id] = replace(entry.reminder, due=due)

    # Sending, and what comes of it

    def next_wake(self, now: datetime) -> tuple[datetime, Entry] | None:
        """The reminder to be sent next, and when: at once where that is not after `now` (7.4).

        None while as many are out as may be, or none is there to be sent.
        """
        return None if len(self._awaited) >= MOST_OUT else self._turns.next(now)

    def sent(self, wake: Wake, deadline: timedelta) -> None:
        """A reminder's wake was handed to the transport; its answer is late from `deadline`."""
        entry = self._entries[str(wake.reminder_id)]
        self._turns.take(entry)
        entry.state = Out(wake.sent_at, entry.held)
        entry.tries += 1
        entry.id_use.sent += 1
        self._awaited[wake.number] = _Awaited(entry.reminder.id, deadline, entry.reminder.due, wake.sent_at)

    @property
    def next_deadline(self) -> timedelta | None:
        """When the first wake that is out has had its time, on the monotonic clock."""
        first = next(iter(self._awaited.values()), None)  # all have as long: the first sent is the first late
        return None if first is None else first.deadline

    def time_out(self, reason: str, now: datetime, ticks: timedelta) -> list[Reminder]:
        """Hold the reminders whose wakes had no answer in time (7.3); gives those."""
        held = []
        for number in [n for n, wake in self._awaited.items() if wake.deadline <= ticks]:
            wake = self._awaited.pop(number)
            entry = self._entries.get(wake.id)
            if entry is None:
                continue
            if entry.reminder.due == wake.due:
                self._hold(entry, reason, now)
                held.append(entry.reminder)
            else:
                entry.state = Untried()
            self._turns.put(entry)
        return held

    def answered(self, wake: Wake, answer: Answer, now: datetime) -> Outcome:
        """The host answered a reminder's wake, early, late, or after the reminder went its way."""
        in_time = self._awaited.pop(wake.number, None) is not None
        entry = self._entries.get(str(wake.reminder_id))
        if entry is None:
            return Outcome.NOTHING
        self._turns.take(entry)
        outcome = Outcome.NOTHING
        if entry.reminder.due == wake.due:
            outcome = self._judge(entry, answer, in_time, now)
        elif in_time:
            entry.state = Untried()
        if entry.reminder.id in self._entries:
            self._turns.put(entry)
        return outcome

    def _judge(self, entry: Entry, answer: Answer, in_time: bool, now: datetime) -> Outcome:
        used_up = entry.id_use.is_used_up(one_is_out=not in_time and isinstance(entry.state, Out))
        if isinstance(answer, Taken) or (is_duplicate(answer) and not used_up):
            self._take(entry, in_time, now)
            return Outcome.TAKEN
        # A late refusal changes nothing (7.3), but it is one: the host may have used the id up with it.
        entry.id_use.refused += isinstance(answer, Refused)
        if not in_time:
            return Outcome.NOTHING
        if is_duplicate(answer):
            self._freshen(entry)
            self._hold(entry, "the host refused it and then called it a duplicate", now)
            return Outcome.HELD
        assert isinstance(answer, Refused | Failed)
        self._hold(entry, str(answer), now)
        return Outcome.HELD

    def _take(self, entry: Entry, in_time: bool, now: datetime) -> None:
        """A one-shot that was heard is gone; a recurring one moves on, and starts a new firing (7.2)."""
        reminder = entry.reminder
        if reminder.every is None:
            self._drop(entry)
            return
        due = entry.own_due
        if due > now:
            self._remember_phase(entry, reminder.every)
        self._move(entry, next_due(due, reminder.every, now, entry.used_phases))
        if not in_time and isinstance(entry.state, Out):
            entry.state = Out(entry.state.sent_at)  # a later try at what was heard is still out
        else:
            entry.state = Untried()
        entry.tries, entry.id_use, entry.nudge = 0, IdUse(), timedelta(0)

    def _hold(self, entry: Entry, reason: str, now: datetime) -> None:
        assert isinstance(entry.state, Out)
        since = now if entry.state.held is None else entry.state.held.since
        held = Held(since, reason, tried_again_at(entry.reminder, since, entry.state.sent_at, now))
        entry.state = entry.waiting_for_its_instant(held, now)

    def _freshen(self, entry: Entry) -> None:
        """Give the firing a fresh event id, in a way that the file keeps: by a millisecond (4.11)."""
        self._move(entry, entry.reminder.due + MILLISECOND)
        entry.nudge += MILLISECOND
        entry.id_use = IdUse()

    # How an entry changes

    def _remember_phase(self, entry: Entry, every: timedelta) -> None:
        entry.used_phases |= {phase_of(entry.own_due, every)}

    def _move(self, entry: Entry, due: datetime) -> None:
        self._by_due.remove(entry.reminder.due, entry.reminder.id)
        entry.reminder = replace(entry.reminder, due=due)
        self._by_due.add(due, entry.reminder.id)
        self.unsaved[entry.reminder.id] = entry.reminder

    def _drop(self, entry: Entry) -> None:
        del self._entries[entry.reminder.id]
        self._by_due.remove(entry.reminder.due, entry.reminder.id)
        self.unsaved[entry.reminder.id] = None


def _adopted(reminder: Reminder, known: Entry | None, awaited: _Awaited | None, now: datetime) -> Entry:
    """The entry of a row that was read: as it stands, or afresh where its times are others."""
    if known is not None and (known.reminder.due, known.reminder.every) == (reminder.due, reminder.every):
        known.reminder = reminder
        return known
    fresh = Entry(reminder, id_use=IdUse(sent_before=reminder.due <= now))
    if awaited is not None:
        fresh.state = Out(awaited.sent_at)
        fresh.tries = fresh.id_use.sent = int(awaited.due == reminder.due)
    return fresh
