"""What section 7 and the beats of 4.9, 4.12, 5.2, 6.11 and 8.2 ask for, written a second time.

An independent model that is told what happened and notes in `wrong` whatever the core does
against it. It shares no rule with the core: plain lists and loops, nothing indexed. May not: drive
anything (`test_delivery_model` does). `now` is the wall clock, `ticks` the monotonic one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from model_history import KnownPast, name
from series_model import Series

from heartbeat_core.reminders.recurrence import Calendar, Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import Schedule
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


def next_wait(since: datetime, now: datetime) -> datetime:
    """1, 5, 15 and 60 minutes after since, then hourly: the first that is after now."""
    minutes = [1, 5, 15, *range(60, 60 * 24 * 400, 60)]
    return next(at for m in minutes if (at := since + timedelta(minutes=m)) > now)


def series_of(reminder: Reminder) -> Series:
    recurrence = reminder.recurrence
    every = recurrence.every if isinstance(recurrence, Interval) else None
    rule = recurrence.rule.text if isinstance(recurrence, Calendar) else None
    return Series(every, rule, reminder.start or reminder.due, reminder.last)


def says_duplicate(answer: Answer) -> bool:
    return isinstance(answer, Refused) and answer.code is None and answer.reason == "duplicate"


@dataclass
class Expected:
    """One reminder and its present firing. `base` is the due time without what a fresh id moved it by.

    `phase` is the same as far as this process knows: what the file keeps has that millisecond in it.
    `anew` is the first moment that a firing may have after its times started anew, or were moved: the
    millisecond is the core's to choose, and is read back from it. `anchor` is what the row says that the
    series counts from, `used` the times of it that were heard since the start.
    """

    id: str
    message: str
    created: datetime
    due: datetime
    series: Series
    base: datetime
    phase: datetime
    anchor: datetime | None = None
    expires: timedelta | None = None
    used: set[datetime] = field(default_factory=set)
    left: set[datetime] = field(default_factory=set)
    """Due times that wakes carried, of firings that the agent moved away."""
    older: bool = False
    tries: int = 0
    id_tries: int = 0
    refusals: int = 0
    held: bool = False
    first_held: datetime | None = None
    retry: datetime | None = None
    idle_since: datetime | None = None
    """Since when nothing has come of it: what has expired is given up in the core's next step after it."""
    released: bool = False
    anew: datetime | None = None

    def row(self) -> Reminder:
        series = self.series
        given = (series.recurrence, self.anchor, series.last, self.expires)
        return Reminder(self.id, self.message, self.created, self.due, *given)

    @property
    def every(self) -> timedelta | None:
        return self.series.every

    def next_firing(self, due: datetime) -> None:
        """The firing that stands is over, and the next one is due."""
        if self.every is not None:
            self.anchor, self.series.start = None, due
        self.due = self.base = self.phase = due
        while self.due in self.left:
            self.due += MS
        self.older = self.held = self.released = False
        self.tries = self.id_tries = self.refusals = 0
        self.first_held = self.retry = self.idle_since = None

    def first_unheard(self, after: datetime) -> datetime | None:
        return next((at for at in self.series.times(after) if at not in self.used), None)


@dataclass
class Out:
    """A wake that is out. `passes`: whether a beat passes its id on when nobody answers."""

    wake: Wake
    deadline: timedelta
    passes: bool = True


@dataclass
class IdHistory:
    """What came of one event id of beats: its attempts, and whether any was answered since the last."""

    sent: int = 0
    refused: int = 0
    out: bool = False
    answered: bool = False


@dataclass
class Thing:
    """One beat to hear. `ids`: that of its attempts, and that of the messages in a silent one's place."""

    ids: dict[str, str | None] = field(default_factory=lambda: {"own": None, "fallback": None})
    since: datetime | None = None
    taken: bool = False
    given_up: bool = False


@dataclass
class BeatOut:
    wake: Wake
    thing: Thing
    deadline: timedelta


@dataclass
class Beat:
    """The countdown and what is asked for. `asked` has the mode of each triggered beat."""

    interval: timedelta
    paused: bool
    mode: str
    message: str
    next: datetime | None
    owed: bool = False
    asked: list[str] = field(default_factory=list)
    fallback: bool = False
    newest: int = -1
    thing: Thing | None = None
    again: datetime | None = None
    """When the newest is tried again, if that is before the next one."""
    left: dict[str, str] = field(default_factory=dict)
    histories: dict[str, IdHistory] = field(default_factory=dict)
    out: dict[int, BeatOut] = field(default_factory=dict)


class Model:
    """The truth about one server's reminders and beats, over restarts and crashes."""

    def __init__(self, *, uses_up: bool, schedule: Schedule, now: datetime) -> None:
        self.wrong: list[str] = []
        self.past = KnownPast()
        self.uses_up = uses_up
        self.reason: str | None = "nothing is known yet"
        self.settled = False
        self.room = True
        self.reminders: dict[str, Expected] = {}
        self.out: dict[int, Out] = {}
        self.set_back: dict[int, timedelta] = {}
        """By how much the clock was set back since a wake was sent that is out."""
        self.on_disk: set[str] = set()
        self.starts = 0
        self.host_starts = 0
        self.event_ids: dict[tuple[str, datetime], str] = {}
        self.bases: dict[tuple[str, datetime], datetime] = {}
        self.done: dict[tuple[str, datetime], int] = {}
        """Firings that were heard or given up, and during which start."""
        self.heard: Counter[tuple[str, datetime, int]] = Counter()
        self.unheard: set[str] = set()
        """Reminders that were given up and the agent was not told of."""
        self.seen_ticks = timedelta(0)
        """Up to when, on the monotonic clock, it was looked at what has expired."""
        self.gave_up = False
        """Whether something was given up since it was last asked, which is to be stored."""
        self.beat_ids: set[str] = set()
        self.start_schedule(schedule, now)

    def note(self, problem: str) -> None:
        self.wrong.append(problem)

    @property
    def wakes_out(self) -> list[Wake]:
        return [*(out.wake for out in self.out.values()), *(out.wake for out in self.beat.out.values())]

    # Time

    def tick(self, now: datetime, ticks: timedelta) -> None:
        """Note what has come by now without anybody's doing."""
        for number, out in list(self.out.items()):
            if out.deadline <= ticks:
                del self.out[number]
                r = self.reminders.get(str(out.wake.reminder_id))
                if r is not None and r.due == out.wake.due:
                    self.hold(r, out.wake, now - (ticks - out.deadline))
        self.expire(now, ticks, settled=False)
        beat = self.beat
        for number, beat_out in sorted(beat.out.items(), key=lambda pair: pair[1].deadline):
            if beat_out.deadline <= ticks:
                del beat.out[number]
                self.beat_not_taken(beat_out, now - (ticks - beat_out.deadline))
        if self.reason is None:
            return
        beat.asked, beat.fallback = [], False
        if beat.next is not None and beat.next <= now and not beat.owed:
            if self.settled:
                passed = (now - beat.next) // beat.interval
                self.past.dropped += [beat.next + n * beat.interval for n in range(passed + 1)]
                beat.next = next_of(beat.next, beat.interval, now)
                self.give_up_beat()
            else:
                beat.owed = True
        if self.again(now):
            assert beat.again is not None
            assert beat.thing is not None
            assert beat.thing.since is not None
            beat.again = next_wait(beat.thing.since, now)

    def again(self, now: datetime) -> bool:
        """Whether the newest beat is to be tried again now."""
        again, coming = self.beat.again, self.beat.next
        return again is not None and coming is not None and again <= now < coming

    def give_up_beat(self) -> None:
        """The next beat, a pause or a new interval: what was not taken is over, also while a try is out."""
        self.beat.again = None
        if self.beat.thing is not None:
            self.beat.thing.given_up = True

    def clock_set(self, by: timedelta, now: datetime) -> None:
        """The wall clock was moved by `by`, and is `now`."""
        if by >= timedelta(0):
            return
        for r in self.reminders.values():
            r.first_held = r.first_held and r.first_held + by
            r.retry = r.retry and r.retry + by
            r.idle_since = r.idle_since and r.idle_since + by
            if r.held and not self.outs_of(r.id) and self.is_to_come(r, now):
                r.retry, r.released = r.due, False
            self.bring_near(r, now - by, now)
        for number in self.out:
            self.set_back[number] = self.set_back.get(number, timedelta(0)) + by
        beat = self.beat
        if beat.next is not None and beat.next - now > beat.interval:
            beat.next, beat.owed = floor_ms(now) + beat.interval, False
        beat.again = beat.again and beat.again + by
        if beat.thing is not None:
            beat.thing.since = beat.thing.since and beat.thing.since + by

    def bring_near(self, r: Expected, was_at: datetime, now: datetime) -> None:
        """What recurs and was not sent comes near again, where only the clock has put it off (5.2, 10.3)."""
        if not self.untried(r):
            return
        if r.every is not None and r.due - now > r.every >= r.due - was_at:
            self.start_anew(r, now)
        if r.series.rule is not None:
            sooner = r.first_unheard(now)
            if sooner is not None and sooner < r.due:
                r.next_firing(sooner)
                r.anew = r.due

    def start_anew(self, r: Expected, now: datetime) -> None:
        assert r.every is not None
        r.next_firing(floor_ms(now) + r.every)
        r.anew = r.due

    def read_back(self, r: Expected, due: datetime) -> None:
        """The core has chosen the millisecond of a firing that started anew."""
        assert r.anew is not None
        if not r.anew <= due <= r.anew + 200 * MS:  # a millisecond for each phase used before
            self.note(f"{r.id} starts anew at {due}, not at {r.anew}")
        if self.done.get((r.id, due)) == self.starts and not self.uses_up:
            self.note(f"{r.id} at {due}: that event id was used before the clock was set back")
        r.anew = None
        if due == r.due:
            return
        r.due = r.base = r.phase = due
        if r.every is not None and r.anchor is None:
            r.series.start = due

    # Reminders

    def outs_of(self, reminder_id: str) -> list[Out]:
        return [out for out in self.out.values() if out.wake.reminder_id == reminder_id]

    def untried(self, r: Expected) -> bool:
        """Whether no wake of the present firing was sent yet."""
        return not r.held and not any(out.wake.due == r.due for out in self.outs_of(r.id))

    def may_go(self, r: Expected, now: datetime) -> bool:
        if self.outs_of(r.id):
            return False
        if self.untried(r):
            return r.due <= now
        return r.released or (r.retry is not None and r.retry <= now)

    def add(self, reminder: Reminder, now: datetime, *, older: bool = False) -> Expected:
        key = (reminder.id, reminder.due)
        r = Expected(
            reminder.id,
            reminder.message,
            reminder.created,
            reminder.due,
            series_of(reminder),
            base=self.bases.get(key, reminder.due),
            phase=reminder.due,
            anchor=reminder.start,
            expires=reminder.expires_after,
            older=older,
            idle_since=now,
        )
        self.reminders[reminder.id] = r
        return r

    def release_all(self, now: datetime) -> None:
        for r in self.reminders.values():
            if r.held and not self.outs_of(r.id):
                to_come = self.is_to_come(r, now)  # after a clock set back by too little to be one
                r.released, r.retry = not to_come, r.due if to_come else None

    def is_to_come(self, r: Expected, now: datetime) -> bool:
        """A one-shot keeps its instant, also where the clock was set back behind it once it was sent."""
        return not r.series and r.base > now

    def hold(self, r: Expected, wake: Wake, now: datetime) -> None:
        r.held, r.released, r.idle_since = True, False, now
        r.first_held = r.first_held or now
        r.retry = next_wait(r.first_held, now)
        if r.every is not None:
            r.retry = min(
                r.retry, floor_ms(wake.sent_at) + self.set_back.get(wake.number, timedelta(0)) + r.every
            )
        if r.series.rule is not None:
            sent_at = wake.sent_at + self.set_back.get(wake.number, timedelta(0))
            r.retry = min(filter(None, (r.retry, r.series.after(sent_at))))
        if self.is_to_come(r, now):
            r.retry = r.due

    def take(self, r: Expected, answer: Answer, now: datetime) -> None:
        if not any((r.id, r.base, start) in self.heard for start in range(self.host_starts + 1)) and not (
            self.uses_up and says_duplicate(answer)
        ):
            self.note(f"{r.id} at {r.base} counts as taken and was never heard")
        self.done[r.id, r.due] = self.starts
        r.used.add(r.phase)
        if r.every is not None and r.phase > now:
            self.start_anew(r, now)
            if r.series.last is not None and r.due > r.series.last:
                del self.reminders[r.id]
        else:
            self.go_on(r, r.series.after(now) if r.every is not None else r.first_unheard(now))

    def go_on(self, r: Expected, due: datetime | None) -> None:
        """The next firing; a reminder that has none is gone."""
        if due is None:
            del self.reminders[r.id]
        else:
            r.next_firing(due)

    def expire(self, now: datetime, ticks: timedelta, *, settled: bool) -> None:
        """What was not taken in its time is given up, unless a wake of it is out (10.5).

        Where the clock jumped over several times at once, one stands for them. What ends at this very moment
        does so once the core has settled.
        """
        jumped_to, self.seen_ticks = now - (ticks - self.seen_ticks), ticks
        for r in list(self.reminders.values()):
            while r.expires is not None and not self.outs_of(r.id) and r.id in self.reminders:
                ends = max(filter(None, (r.phase + r.expires, r.idle_since, jumped_to)))
                if r.phase + r.expires > now or not (ends < now or (settled and ends == now)):
                    break
                self.unheard.add(r.id)
                self.gave_up = True
                self.past.expired.append((r.id, r.phase))
                self.go_on(r, r.first_unheard(max(r.phase, ends - r.expires)))

    def moved(self, r: Expected, due: datetime) -> None:
        """The agent moved the firing that stands, and nothing else (11.2)."""
        anchor, start = r.anchor or r.phase, r.series.start
        if due != r.phase:
            self.another(r, due)
            if r.every is not None:
                r.anchor, r.series.start = anchor, start

    def begun(self, r: Expected, series: Series, due: datetime) -> None:
        """The agent began another series (11.2)."""
        r.series, r.anchor = series, None if series.rule is None else series.start
        if due != r.phase:
            self.another(r, due)

    def another(self, r: Expected, due: datetime) -> None:
        """Another firing stands: a new thing to hear (11.3)."""
        for number in [number for number, out in self.out.items() if out.wake.reminder_id == r.id]:
            self.past.let_go.add(name(self.out.pop(number).wake))
        if r.tries or r.older:
            r.left |= {r.phase + MS * step for step in range((r.due - r.phase) // MS + 1)}
        r.next_firing(due)
        r.anew = r.due

    def answered(self, wake: Wake, answer: Answer, now: datetime, ticks: timedelta) -> bool:
        """The host answered; gives whether what is stored has to change."""
        self.tick(now, ticks)
        if wake.reminder_id is None:
            self.beat_answered(wake, answer, now)
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
        if says_duplicate(answer):
            self.done[r.id, r.due] = self.starts
            r.due += MS
            self.bases[r.id, r.due] = r.base
            r.id_tries = r.refusals = 0
        self.hold(r, wake, now)
        return says_duplicate(answer)

    def pushed(self, wake: Wake, now: datetime, ticks: timedelta) -> None:
        """A wake leaves: may it, now, with this id?"""
        self.past.sent.append(wake)
        self.tick(now, ticks)
        self.expire(now, ticks, settled=True)
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
        elif not self.may_go(r, now):
            early = "early" if self.untried(r) else "though it is held and nothing released it"
            self.note(f"{wake.event_id} was sent {early}")
        if len(self.out) >= MOST_OUT:
            self.note(f"{wake.event_id} was sent with {len(self.out)} out")
        for other in self.reminders.values():
            first = self.untried(other) and self.may_go(other, now)
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
        what = f"repeats {r.series.recurrence}" if r.series else "set "
        kind = f"[reminder {r.id}, {what}"
        late = ", due " in text.partition(" · current time: ")[0]
        if not (text.startswith(kind) and text.endswith(f"] {r.message}")):
            self.note(f"{wake.event_id} says {text}")
        if late != (now - r.due >= timedelta(minutes=1)):
            self.note(f"{wake.event_id} is {now - r.due} late and says {text}")
        if wake.origin != {"source": "reminder", "reminderId": r.id, "recurring": bool(r.series)}:
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
            if before is not None and (before.due, before.series.recurrence) == (row.due, row.recurrence):
                before.message, before.created, before.expires = row.message, row.created, row.expires_after
                before.anchor, before.series.last, before.idle_since = row.start, row.last, now
                self.reminders[row.id] = before
                continue
            self.done = {key: start for key, start in self.done.items() if key[0] != row.id}
            self.add(row, now, older=row.due <= now)
        self.on_disk = set(self.reminders)
        self.put_off(now, None)

    def put_off(self, now: datetime, written: datetime | None) -> None:
        """When rows were added, and written, tell of a clock that was set back meanwhile (5.2)."""
        for r in self.reminders.values():
            was_at = max(now, written or now, *([r.created] if r.created < r.due else []))
            if was_at - now >= timedelta(seconds=10):
                self.bring_near(r, was_at, now)

    def started(
        self, rows: Iterable[Reminder], schedule: Schedule, now: datetime, written: datetime | None
    ) -> None:
        """A server started on what is stored, after a stop or a crash."""
        self.starts += 1
        self.reason, self.settled, self.room = "no Request came yet", False, True
        self.out, self.set_back, self.unheard = {}, {}, set()
        self.reminders = {}
        for row in rows:
            self.add(row, now, older=row.due <= now)
        self.on_disk = set(self.reminders)
        self.put_off(now, written)
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
            self.give_up_beat()
        beat.mode = mode or beat.mode

    def beat_pushed(self, wake: Wake, now: datetime, ticks: timedelta) -> None:
        beat, fallback = self.beat, "silentFallback" in wake.origin
        mode, thing = beat.mode, beat.thing
        if fallback:
            if not beat.fallback:
                self.note(f"{wake.event_id} is a second try that nobody needs")
            beat.fallback = False
        elif wake.origin["reason"] == "manual" and beat.asked:
            mode, thing = beat.asked.pop(0), self.new_thing()
        elif wake.origin["reason"] == "schedule" and beat.next is not None and beat.next <= now:
            beat.next, beat.owed = next_of(beat.next, beat.interval, now), False
            thing = self.new_thing()
        elif not self.again(now):
            self.note(f"{wake.event_id} is a beat that is not due: {beat.next}, {beat.again}")
        if thing is None:
            self.note(f"{wake.event_id} is a beat of which nothing is known")
            return
        silent = mode == "silent" and not fallback
        if not silent and not fallback and thing is not beat.thing and thing.ids["own"] is not None:
            thing.ids["fallback"] = None
        kind = "fallback" if fallback or (not silent and thing.ids["fallback"]) else "own"
        expected = thing.ids[kind]
        if expected is None and wake.event_id in self.beat_ids:
            self.note(f"{wake.event_id} was the id of an earlier beat")
        if expected is not None and wake.event_id != expected:
            self.note(f"{wake.event_id} should carry {expected}")
        thing.ids[kind] = wake.event_id
        if silent is not (wake.text is None) or silent is not (wake.origin.get("silent") is True):
            self.note(f"{wake.event_id} has the text {wake.text} and the origin {wake.origin}")
        self.beat_ids.add(wake.event_id)
        history = beat.histories.setdefault(wake.event_id, IdHistory())
        history.sent, history.out, history.answered = history.sent + 1, True, False
        beat.newest, beat.thing, beat.again = wake.number, thing, None
        beat.out[wake.number] = BeatOut(wake, thing, ticks + DEADLINE)

    def new_thing(self) -> Thing:
        """The next beat: it carries what the last ones left, where nobody has said a word since."""
        beat = self.beat
        if beat.thing is not None:
            for kind, event_id in beat.thing.ids.items():
                history = beat.histories.get(event_id or "", IdHistory(answered=True))
                if event_id is not None and not history.out and not history.answered:
                    beat.left[kind] = event_id
        left = {kind: one for kind, one in beat.left.items() if not beat.histories[one].answered}
        beat.left = {}
        return Thing({"own": left.get("own"), "fallback": left.get("fallback")})

    def beat_not_taken(self, out: BeatOut, now: datetime) -> None:
        beat, thing = self.beat, out.thing
        beat.histories[out.wake.event_id].out = False
        if thing is not beat.thing:
            kind = "fallback" if thing.ids["fallback"] == out.wake.event_id else "own"
            beat.left[kind] = out.wake.event_id
        elif not beat.paused and not thing.taken and not thing.given_up:
            thing.since = thing.since or now
            beat.again = next_wait(thing.since, now)

    def beat_answered(self, wake: Wake, answer: Answer, now: datetime) -> None:
        beat = self.beat
        out = beat.out.pop(wake.number, None)
        history = beat.histories.get(wake.event_id, IdHistory())
        others = history.sent - 1 - (out is None and history.out)
        used_up = 0 < history.refused == others
        history.answered = history.answered or not isinstance(answer, Failed)
        history.refused += isinstance(answer, Refused)
        if out is not None:
            history.out = False
        if isinstance(answer, Taken) or (says_duplicate(answer) and not used_up):
            if beat.thing is not None and wake.event_id in beat.thing.ids.values():
                beat.thing.taken, beat.again = True, None
            return
        if out is None:
            return
        empty = isinstance(answer, Refused) and answer.code == -32602
        if wake.text is None and empty and wake.number == beat.newest and self.reason is None:
            beat.fallback = True
            return
        if says_duplicate(answer):
            kind = next(kind for kind, one in out.thing.ids.items() if one == wake.event_id)
            out.thing.ids[kind] = None
        self.beat_not_taken(out, now)

    # What has to be so whenever everything that can happen has happened

    def check_settled(self, now: datetime, ticks: timedelta) -> None:
        self.tick(now, ticks)
        self.expire(now, ticks, settled=True)
        if self.reason is not None or not self.room:
            return
        waiting = [r.id for r in self.reminders.values() if self.may_go(r, now)]
        if waiting and len(self.out) < MOST_OUT:
            self.note(f"{waiting} could go and were not sent, with {len(self.out)} out")
        beat = self.beat
        if beat.next is not None and beat.next <= now:
            self.note(f"the beat of {beat.next} was not sent")
        if beat.asked or beat.fallback:
            self.note("a beat that was asked for was not sent")
        if self.again(now):
            self.note("a beat that was not taken was not tried again")
