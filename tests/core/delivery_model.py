"""What section 7 and the beats of 4.9, 4.12, 5.2, 6.11 and 8.2 ask for, written a second time.

Lives here: an independent model that is told what happened and notes in `wrong` whatever the core does
against it. It shares no rule with the core: plain lists and loops, nothing indexed. May not: drive
anything (`test_delivery_model` does). `now` is the wall clock, `ticks` the monotonic one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from heartbeat_core.reminders import Reminder
from heartbeat_core.schedule import Schedule
from heartbeat_core.wakes import Answer, Failed, Refused, Taken, Wake

MS = timedelta(milliseconds=1)
DEADLINE = timedelta(seconds=30)
MOST_OUT = 32
NEVER = timedelta.max


def floor_ms(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def next_of(first: datetime, every: timedelta, now: datetime) -> datetime:
    """The first of first, first + every, … that is after now."""
    return first if first > now else first + ((now - first) // every + 1) * every


def says_duplicate(answer: Answer) -> bool:
    return isinstance(answer, Refused) and answer.code is None and answer.reason == "duplicate"


@dataclass
class Expected:
    """One reminder and its present firing. `base` is the due time without what a fresh id moved it by.

    `phase` is the same as far as this process knows: what the file keeps has that millisecond in it.
    `anew` is the first moment that a firing may have after its times started anew: the millisecond is
    the core's to choose, and is read back from it.
    """

    id: str
    message: str
    created: datetime
    due: datetime
    every: timedelta | None
    base: datetime
    phase: datetime
    older: bool = False
    tries: int = 0
    id_tries: int = 0
    refusals: int = 0
    held: bool = False
    first_held: timedelta | None = None
    retry: timedelta | None = None
    released: bool = False
    anew: datetime | None = None

    def row(self) -> Reminder:
        return Reminder(self.id, self.message, self.created, self.due, self.every)


@dataclass
class Out:
    """A wake that is out. `passes`: whether a beat passes its id on when nobody answers."""

    wake: Wake
    deadline: timedelta
    passes: bool = True


@dataclass
class Beat:
    """The countdown and what is asked for."""

    interval: timedelta
    paused: bool
    mode: str
    message: str
    next: datetime | None
    owed: bool = False
    asked: int = 0
    fallback: bool = False
    newest: int = -1
    passed_on: str | None = None
    out: dict[int, Out] = field(default_factory=dict)


class Model:
    """The truth about one server's reminders and beats, over restarts and crashes."""

    def __init__(self, *, uses_up: bool, schedule: Schedule, now: datetime) -> None:
        self.wrong: list[str] = []
        self.uses_up = uses_up
        self.reason: str | None = "nothing is known yet"
        self.settled = False
        self.room = True
        self.reminders: dict[str, Expected] = {}
        self.out: dict[int, Out] = {}
        self.on_disk: set[str] = set()
        self.starts = 0
        self.host_starts = 0
        self.event_ids: dict[tuple[str, datetime], str] = {}
        self.bases: dict[tuple[str, datetime], datetime] = {}
        self.done: dict[tuple[str, datetime], int] = {}
        """Firings that were heard or given up, and during which start."""
        self.heard: Counter[tuple[str, datetime, int]] = Counter()
        self.beat_ids: set[str] = set()
        self.start_schedule(schedule, now)

    def note(self, problem: str) -> None:
        self.wrong.append(problem)

    # Time

    def tick(self, now: datetime, ticks: timedelta) -> None:
        """Note what has come by now without anybody's doing."""
        for number, out in list(self.out.items()):
            if out.deadline <= ticks:
                del self.out[number]
                r = self.reminders.get(str(out.wake.reminder_id))
                if r is not None and r.due == out.wake.due:
                    self.hold(r, now, out.deadline)
        beat = self.beat
        for number, out in sorted(beat.out.items(), key=lambda pair: pair[1].deadline):
            if out.deadline <= ticks:
                del beat.out[number]
                if out.passes:
                    beat.passed_on = out.wake.event_id
        if self.reason is None:
            return
        beat.asked, beat.fallback = 0, False
        if beat.next is not None and beat.next <= now and not beat.owed:
            if self.settled:
                beat.next = next_of(beat.next, beat.interval, now)
            else:
                beat.owed = True

    def clock_set(self, by: timedelta, now: datetime) -> None:
        """The wall clock was moved by `by`, and is `now`."""
        if by >= timedelta(0):
            return
        for r in self.reminders.values():
            if r.held and self.is_to_come(r, now):
                r.held = r.released = False
                r.first_held = r.retry = None
            if r.every is not None and self.untried(r) and r.due - now > r.every >= r.due - now + by:
                self.start_anew(r, now)
        beat = self.beat
        if beat.next is not None and beat.next - now > beat.interval:
            beat.next, beat.owed = floor_ms(now) + beat.interval, False

    def start_anew(self, r: Expected, now: datetime) -> None:
        assert r.every is not None
        r.anew = r.due = r.base = r.phase = floor_ms(now) + r.every

    def read_back(self, r: Expected, due: datetime) -> None:
        """The core has chosen the millisecond of a firing that started anew."""
        assert r.anew is not None
        if not r.anew <= due <= r.anew + 200 * MS:  # a millisecond for each phase used before
            self.note(f"{r.id} starts anew at {due}, not at {r.anew}")
        if self.done.get((r.id, due)) == self.starts and not self.uses_up:
            self.note(f"{r.id} at {due}: that event id was used before the clock was set back")
        r.due = r.base = r.phase = due
        r.anew = None

    # Reminders

    def outs_of(self, reminder_id: str) -> list[Out]:
        return [out for out in self.out.values() if out.wake.reminder_id == reminder_id]

    def untried(self, r: Expected) -> bool:
        """Whether no wake of the present firing was sent yet."""
        return not r.held and not any(out.wake.due == r.due for out in self.outs_of(r.id))

    def may_go(self, r: Expected, now: datetime, ticks: timedelta) -> bool:
        if self.outs_of(r.id):
            return False
        if self.untried(r):
            return r.due <= now
        return r.released or (r.retry is not None and r.retry <= ticks)

    def add(self, reminder: Reminder, *, older: bool = False) -> Expected:
        key = (reminder.id, reminder.due)
        r = Expected(
            reminder.id,
            reminder.message,
            reminder.created,
            reminder.due,
            reminder.every,
            base=self.bases.get(key, reminder.due),
            phase=reminder.due,
            older=older,
        )
        self.reminders[reminder.id] = r
        return r

    def release_all(self) -> None:
        for r in self.reminders.values():
            if r.held and not self.outs_of(r.id):
                r.released, r.retry = True, None

    def is_to_come(self, r: Expected, now: datetime) -> bool:
        """A one-shot keeps its instant, also where the clock was set back behind it once it was sent."""
        return r.every is None and r.base > now

    def hold(self, r: Expected, now: datetime, ticks: timedelta) -> None:
        if self.is_to_come(r, now):
            r.held = r.released = False
            r.first_held = r.retry = None
            return
        r.held, r.released = True, False
        if r.first_held is None:
            r.first_held = ticks
        if r.every is not None:
            r.retry = ticks + r.every
            return
        minutes = [1, 5, 15, *range(60, 60 * 24 * 400, 60)]
        r.retry = next(at for m in minutes if (at := r.first_held + timedelta(minutes=m)) > ticks)

    def take(self, r: Expected, answer: Answer, now: datetime) -> None:
        if not any((r.id, r.base, start) in self.heard for start in range(self.host_starts + 1)) and not (
            self.uses_up and says_duplicate(answer)
        ):
            self.note(f"{r.id} at {r.base} counts as taken and was never heard")
        self.done[r.id, r.due] = self.starts
        if r.every is None:
            del self.reminders[r.id]
            return
        if r.phase <= now:
            r.due = r.base = r.phase = next_of(r.phase, r.every, now)
        else:
            self.start_anew(r, now)
        r.older = r.held = r.released = False
        r.tries = r.id_tries = r.refusals = 0
        r.first_held = r.retry = None

    def answered(self, wake: Wake, answer: Answer, now: datetime, ticks: timedelta) -> bool:
        """The host answered; gives whether what is stored has to change."""
        self.tick(now, ticks)
        if wake.reminder_id is None:
            self.beat_answered(wake, answer)
            return False
        in_time = self.out.pop(wake.number, None) is not None
        r = self.reminders.get(wake.reminder_id)
        if r is None or r.due != wake.due:
            return False
        others = r.id_tries - 1 - len(self.outs_of(r.id))
        used_up = not r.older and 0 < r.refusals == others
        if isinstance(answer, Taken) or (says_duplicate(answer) and not used_up):
            self.take(r, answer, now)
            return True
        r.refusals += isinstance(answer, Refused)
        if not in_time:
            return False
        self.hold(r, now, ticks)
        if says_duplicate(answer):
            self.done[r.id, r.due] = self.starts
            r.due += MS
            self.bases[r.id, r.due] = r.base
            r.id_tries = r.refusals = 0
            return True
        return False

    def pushed(self, wake: Wake, now: datetime, ticks: timedelta) -> None:
        """A wake leaves: may it, now, with this id?"""
        self.tick(now, ticks)
        if self.reason is not None:
            self.note(f"{wake.event_id} was sent while {self.reason}")
        if not self.room:
            self.note(f"{wake.event_id} was sent while there was no room")
        if wake.sent_at != now:
            self.note(f"{wake.event_id} says that it was sent at {wake.sent_at}, not {now}")
        if wake.reminder_id is None:
            self.beat_pushed(wake, now, ticks)
        else:
            self.reminder_pushed(wake, now, ticks)

    def reminder_pushed(self, wake: Wake, now: datetime, ticks: timedelta) -> None:
        r = self.reminders.get(str(wake.reminder_id))
        if r is None:
            self.note(f"{wake.event_id} was sent for a reminder that is not there")
            return
        if r.due != wake.due:
            self.note(f"{wake.event_id} was sent for {wake.due}, not {r.due}")
        if self.outs_of(r.id):
            self.note(f"{wake.event_id} was sent while a wake of it was out")
        elif not self.may_go(r, now, ticks):
            early = "early" if self.untried(r) else "though it is held and nothing released it"
            self.note(f"{wake.event_id} was sent {early}")
        if len(self.out) >= MOST_OUT:
            self.note(f"{wake.event_id} was sent with {len(self.out)} out")
        for other in self.reminders.values():
            first = self.untried(other) and self.may_go(other, now, ticks)
            if first and other is not r and (r.held or other.due < r.due):
                self.note(f"{wake.event_id} was sent before {other.id}, whose turn it was")
        self.check_event_id(r, wake)
        self.check_words(r, wake, now)
        r.tries += 1
        r.id_tries += 1
        r.released, r.retry = False, None
        self.out[wake.number] = Out(wake, ticks + DEADLINE)

    def check_event_id(self, r: Expected, wake: Wake) -> None:
        key = (r.id, r.due)
        if self.event_ids.setdefault(key, wake.event_id) != wake.event_id:
            self.note(f"{key} had the event id {self.event_ids[key]} and now has {wake.event_id}")
        if [k for k, event_id in self.event_ids.items() if event_id == wake.event_id and k != key]:
            self.note(f"{wake.event_id} is the id of something else")
        # Of a host that uses ids up, the milliseconds next to a due time may be used up too.
        if self.done.get(key) == self.starts and not self.uses_up:
            self.note(f"{wake.event_id} is the id of something that is over")
        self.bases.setdefault(key, r.base)

    def check_words(self, r: Expected, wake: Wake, now: datetime) -> None:
        text = wake.text or ""
        kind = f"[reminder {r.id}, {'set ' if r.every is None else 'repeats every '}"
        late = ", due " in text.partition(" · current time: ")[0]
        if not (text.startswith(kind) and text.endswith(f"] {r.message}")):
            self.note(f"{wake.event_id} says {text}")
        if late != (now - r.due >= timedelta(minutes=1)):
            self.note(f"{wake.event_id} is {now - r.due} late and says {text}")
        if wake.origin != {"source": "reminder", "reminderId": r.id, "recurring": r.every is not None}:
            self.note(f"{wake.event_id} has the origin {wake.origin}")

    def reminder_heard(self, wake: Wake) -> None:
        """The agent hears a reminder: the host let it through."""
        reminder_id = str(wake.reminder_id)
        key = (reminder_id, self.bases.get((reminder_id, wake.due), wake.due), self.host_starts)
        self.heard[key] += 1
        if self.heard[key] > 1:
            self.note(f"{key} was heard {self.heard[key]} times")

    # A stranger, and restarts

    def edited(self, rows: Iterable[Reminder], now: datetime) -> None:
        """A stranger's rows were taken over, with nothing unsaved on top."""
        known, self.reminders = self.reminders, {}
        for row in rows:
            before = known.get(row.id)
            if before is not None and (before.due, before.every) == (row.due, row.every):
                before.message, before.created = row.message, row.created
                self.reminders[row.id] = before
                continue
            self.done = {key: start for key, start in self.done.items() if key[0] != row.id}
            self.add(row, older=row.due <= now)
        self.on_disk = set(self.reminders)
        self.put_off(now, None, timedelta(0))

    def put_off(self, now: datetime, beat: datetime | None, interval: timedelta) -> None:
        """When rows were added, and the beat, tell of a clock that was set back meanwhile (5.2)."""
        for r in self.reminders.values():
            was_at = [r.created, *([beat] if beat is not None and beat - now > interval else [])]
            far = r.every and max(was_at) > now and r.due - now > r.every >= r.due - max(was_at)
            if far and self.untried(r):
                self.start_anew(r, now)

    def started(self, rows: Iterable[Reminder], schedule: Schedule, now: datetime) -> None:
        """A server started on what is stored, after a stop or a crash."""
        self.starts += 1
        self.reason, self.settled, self.room = "no Request came yet", False, True
        self.out = {}
        self.reminders = {}
        for row in rows:
            self.add(row, older=row.due <= now)
        self.on_disk = set(self.reminders)
        self.put_off(now, schedule.next_beat, schedule.interval)
        self.start_schedule(schedule, now)

    def host_started(self) -> None:
        """The host forgot what it had seen."""
        self.host_starts += 1

    # Beats

    def start_schedule(self, saved: Schedule, now: datetime) -> None:
        coming = saved.next_beat
        if saved.paused:
            coming = None
        elif coming is None or coming - now > saved.interval:
            coming = floor_ms(now) + saved.interval
        self.beat = Beat(saved.interval, saved.paused, saved.mode.value, saved.message, coming)

    def configure(
        self, now: datetime, interval: timedelta | None, paused: bool | None, mode: str | None
    ) -> None:
        beat = self.beat
        if (interval or beat.interval) != beat.interval or (paused is not None and paused != beat.paused):
            beat.interval = interval or beat.interval
            beat.paused = beat.paused if paused is None else paused
            beat.next, beat.owed = (None if beat.paused else floor_ms(now) + beat.interval), False
        beat.mode = mode or beat.mode

    def beat_pushed(self, wake: Wake, now: datetime, ticks: timedelta) -> None:
        beat, fallback = self.beat, "silentFallback" in wake.origin
        silent = beat.mode == "silent" and not fallback
        if fallback:
            if not beat.fallback:
                self.note(f"{wake.event_id} is a second try that nobody needs")
            beat.fallback = False
        elif wake.origin["reason"] == "manual":
            if beat.asked == 0:
                self.note(f"{wake.event_id} was not triggered")
            beat.asked -= 1
        else:
            if beat.next is None or beat.next > now:
                self.note(f"{wake.event_id} is a beat that is not due: {beat.next}")
            else:
                beat.next, beat.owed = next_of(beat.next, beat.interval, now), False
        expected = None if fallback else beat.passed_on
        if expected is None and wake.event_id in self.beat_ids:
            self.note(f"{wake.event_id} was the id of an earlier beat")
        if expected is not None and wake.event_id != expected:
            self.note(f"{wake.event_id} should carry {expected}, of a beat that was not answered")
        if not fallback:
            beat.passed_on = None
        if silent is not (wake.text is None) or silent is not (wake.origin.get("silent") is True):
            self.note(f"{wake.event_id} has the text {wake.text} and the origin {wake.origin}")
        self.beat_ids.add(wake.event_id)
        beat.newest = wake.number
        beat.out[wake.number] = Out(wake, ticks + DEADLINE)

    def beat_answered(self, wake: Wake, answer: Answer) -> None:
        beat = self.beat
        was_out = beat.out.pop(wake.number, None)
        if isinstance(answer, Failed):
            if was_out is not None and was_out.passes:
                beat.passed_on = wake.event_id
            return
        in_time = was_out is not None
        if beat.passed_on == wake.event_id:
            beat.passed_on = None
        for out in beat.out.values():
            out.passes = out.passes and out.wake.event_id != wake.event_id
        empty = isinstance(answer, Refused) and answer.code == -32602
        if wake.text is None and empty and in_time and wake.number == beat.newest and self.reason is None:
            beat.fallback = True

    # What has to be so whenever everything that can happen has happened

    def check_settled(self, now: datetime, ticks: timedelta) -> None:
        self.tick(now, ticks)
        if self.reason is not None or not self.room:
            return
        waiting = [r.id for r in self.reminders.values() if self.may_go(r, now, ticks)]
        if waiting and len(self.out) < MOST_OUT:
            self.note(f"{waiting} could go and were not sent, with {len(self.out)} out")
        beat = self.beat
        if beat.next is not None and beat.next <= now:
            self.note(f"the beat of {beat.next} was not sent")
        if beat.asked or beat.fallback:
            self.note("a beat that was asked for was not sent")
