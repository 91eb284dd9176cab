"""Everything that can happen to a server, in any order, against the model of `delivery_model`.

A few thousand steps, the same at each run. Many more, and different ones each time:

    HEARTBEAT_MODEL_EXAMPLES=3000 pytest tests/core/delivery/test_delivery_model.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import hypothesis.strategies as st
from delivery_model import NEVER, Expected, Model, floor_ms
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from model_history import name
from model_host import Host
from model_replies import check_list, check_status
from model_words import BOTH, DISABLED, INTENTS, MCP_ONLY, NO_REQUEST, ONLY_NOTIFIED, REQUESTS
from series_model import CALENDARS, Series

from heartbeat_adapters.testing import (
    UTC_ZONE,
    CountingIds,
    FakeClock,
    MemoryHistory,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingLog,
)
from heartbeat_core.policy import Policy
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule, ScheduleChange
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.wakes import Answer, Wake
from recurring import recurring

MANY = int(os.environ.get("HEARTBEAT_MODEL_EXAMPLES", "0"))

DELAYS = (timedelta(milliseconds=1), timedelta(seconds=7), timedelta(minutes=1), timedelta(hours=3))
RECURRENCES = (timedelta(seconds=5), timedelta(seconds=61.001), timedelta(hours=1), timedelta(days=1))

EXPIRIES = (None, None, None, timedelta(milliseconds=1), timedelta(seconds=45), timedelta(hours=2))


def how_soon(delay: timedelta, due: datetime) -> dict[str, object]:
    """As a delay, or as a time where that is past."""
    if delay > timedelta(0):
        return {"inSeconds": delay.total_seconds()}
    return {"atIso": due.isoformat(timespec="milliseconds")}


def how_often(every: timedelta | str | None) -> dict[str, object]:
    if every is None:
        return {}
    return {"rrule": every} if isinstance(every, str) else {"everySeconds": every.total_seconds()}


class DeliveryMachine(RuleBasedStateMachine):
    """The rules: each is something that the world can do to a server."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.host = Host(self)
        self.ids = CountingIds()
        self.log = RecordingLog()
        self.schedule_store = MemoryScheduleStore()
        self.reminder_store = MemoryReminderStore()
        self.history = MemoryHistory()
        self.schedule_store.now = self.reminder_store.now = self.clock.now
        self.sync_by = timedelta(0)
        """From when on what is stored has to be what the model has; NEVER while saves fail."""
        self.deleted: list[Reminder] = []
        self.drift = timedelta(0)

    # The world

    def boot(self) -> None:
        self.heartbeat = Heartbeat(
            clock=self.clock,
            transport=self.host,
            schedule_store=self.schedule_store,
            reminder_store=self.reminder_store,
            new_id=self.ids,
            log=self.log,
            zone=UTC_ZONE,
            defaults=Schedule(timedelta(hours=4), False, "look around", DeliveryMode.MESSAGE),
            policy=Policy(),
            history=self.history,
        )
        self.toolbox = Toolbox(self.heartbeat)
        self.heartbeat.start()

    def call(self, tool: str, **arguments: object) -> str:
        self.heartbeat.flush()
        soon = self.clock.monotonic() + timedelta(milliseconds=100)
        if self.sync_by <= soon and not self.reminder_store.fail_with:  # what failed once waits for its time
            self.check_stored()
        reply = self.toolbox.call(tool, arguments)
        assert not reply.is_error, reply.text
        if tool.startswith("reminder_"):
            self.told(reply.text)
        return reply.text

    def told(self, reply: str) -> None:
        """What was given up is told once (10.5)."""
        self.model.tick(self.clock.now(), self.clock.monotonic())
        told = set(re.findall(r"Note: (\w+) was not heard: due ", reply))
        assert told <= self.model.unheard, f"{told} is told of, not {self.model.unheard}"
        self.model.unheard -= self.model.unheard if "more reminders were not heard" in reply else told

    def answer(self, wake: Wake, answer: Answer) -> None:
        self.host.rested()
        self.heartbeat.answered(wake, answer)
        model = self.model
        if model.answered(wake, answer, self.clock.now(), self.clock.monotonic()):
            self.stored_within(timedelta(milliseconds=100))
        self.read_back()

    def read_back(self) -> None:
        """Where the model leaves the millisecond to the core, take the core's."""
        for entry in self.heartbeat.reminders:
            r = self.model.reminders.get(entry.reminder.id)
            if r is not None and r.anew is not None:
                self.model.read_back(r, entry.reminder.due)

    def stored_within(self, time: timedelta) -> None:
        if self.reminder_store.fail_with:
            self.sync_by = NEVER
        else:
            due = self.clock.monotonic() + time
            self.sync_by = max(min(self.sync_by, due), self.clock.monotonic()) if self.is_unsynced() else due

    def is_unsynced(self) -> bool:
        return self.sync_by > self.clock.monotonic()

    def settle(self) -> None:
        self.clock.settle()
        self.check()

    # Rules: the agent

    @initialize(
        uses_up=st.booleans(),
        knows_silent=st.booleans(),
        speaks=st.integers(0, 19).map(bool),
        request=st.sampled_from([None, *REQUESTS[:3], *REQUESTS[:1] * 6]),
    )
    def begin(
        self, uses_up: bool, knows_silent: bool, speaks: bool, request: tuple[object, str | None] | None
    ) -> None:
        self.host.uses_up, self.host.knows_silent = uses_up, knows_silent
        first = Schedule(timedelta(hours=4), False, "look around", DeliveryMode.MESSAGE)
        self.model = Model(uses_up=uses_up, schedule=first, now=self.clock.now())
        self.boot()
        self.arrive(speaks=speaks)
        if request is not None and speaks:
            self.request(request)
        self.settle()

    def arrive(self, *, speaks: bool) -> None:
        self.heartbeat.host_arrived(speaks_mcpl=speaks)
        self.mcp_only = not speaks
        self.requested = self.notified = False
        self.model.reason = NO_REQUEST if speaks else MCP_ONLY

    @rule(
        first=st.sampled_from([None, *DELAYS, *(-d for d in DELAYS)]),
        every=st.sampled_from([None, None, None, *RECURRENCES, *CALENDARS]),
        count=st.sampled_from([1, 1, 1, 1, 1, 3, 40]),
        times=st.sampled_from([None, None, 1, 2, 3]),
        expires=st.sampled_from(EXPIRIES),
    )
    def add(
        self,
        first: timedelta | None,
        every: timedelta | str | None,
        count: int,
        times: int | None = None,
        expires: timedelta | None = None,
    ) -> None:
        if first is None and every is None:
            first = DELAYS[1]
        if len(self.model.reminders) + count > 60 or (count > 3 and every == RECURRENCES[0]):
            count = 1
        now = self.clock.now()
        arguments: dict[str, object] = {}
        if first is not None:
            due = floor_ms(now) + first if first > timedelta(0) else floor_ms(now + first)
            arguments |= how_soon(first, due)
        series, due = self.series_from(every, None if first is None else due)
        arguments |= how_often(every)
        if times is not None and series:
            arguments["count"] = times
            series.last = series.ended(times, due)
        if expires is not None:
            arguments["expiresAfterSeconds"] = expires.total_seconds()
        for _ in range(count):
            message = f"message {self.ids.given}"
            reply = self.call("reminder_add", message=message, **arguments)
            match = re.match(r"Reminder (rem_\w+) set: ", reply)
            assert match, reply
            assert ("will fire on this host" in reply or "reminders wait" in reply) == bool(self.model.reason)
            assert ("is not saved" in reply) == bool(self.reminder_store.fail_with), reply
            start = series.start if series.rule else None
            given = (series.recurrence, start, series.last, expires)
            self.model.add(Reminder(match[1], message, floor_ms(now), due, *given), now)
            self.changed()
        self.settle()

    def series_from(self, every: timedelta | str | None, first: datetime | None) -> tuple[Series, datetime]:
        """A series as if set now, and its first time."""
        now = self.clock.now()
        if not isinstance(every, str):
            due = floor_ms(now) + every if first is None and every is not None else first
            assert due is not None
            return Series(every, None, due), due
        start = first or now
        start += -timedelta(microseconds=start.microsecond) % timedelta(seconds=1)
        series = Series(None, every, start)
        due = series.after(max(now, start - timedelta(milliseconds=1)))
        assert due is not None
        return series, due

    @precondition(lambda self: self.model.reminders)
    @rule(
        data=st.data(),
        what=st.sampled_from([*DELAYS, *(-d for d in DELAYS), "say", 1, 2, *CALENDARS]),
        expires=st.sampled_from(EXPIRIES),
    )
    def update(self, data: st.DataObject, what: timedelta | str | int, expires: timedelta | None) -> None:
        """Say something else, move the firing, end the series after so many times, or begin another one."""
        self.change(data.draw(st.sampled_from(sorted(self.model.reminders))), what, expires)

    @precondition(lambda self: self.model.reminders)
    @rule(data=st.data(), every=st.sampled_from(RECURRENCES), ends=st.booleans())
    def begin_another_interval(self, data: st.DataObject, every: timedelta, ends: bool) -> None:
        r = self.model.reminders[data.draw(st.sampled_from(sorted(self.model.reminders)))]
        arguments = {"everySeconds": every.total_seconds(), "count": 2 if ends else None}

        def begin() -> None:
            series, due = self.series_from(every, None)
            series.last = series.ended(2, due) if ends else None
            if r.every != every or ends:
                self.model.begun(r, series, due)

        self.update_with(r, begin, arguments)

    def change(self, reminder_id: str, what: timedelta | str | int, expires: timedelta | None) -> None:
        r, now = self.model.reminders[reminder_id], self.clock.now()
        if isinstance(what, timedelta):
            due = floor_ms(now) + what if what > timedelta(0) else floor_ms(now + what)
            arguments = how_soon(what, due)
        elif isinstance(what, int):
            arguments = {"count": what} if r.series else {}
        else:
            arguments = (
                {"rrule": what} if what in CALENDARS else {"message": f"message {self.ids.given} again"}
            )

        def change() -> None:
            r.expires = expires or r.expires
            match what:
                case timedelta():
                    self.model.moved(r, due)
                case int() if r.series:
                    r.series.last = r.series.ended(what, r.phase)
                case str() if what in CALENDARS and what != r.series.rule:
                    self.model.begun(r, *self.series_from(what, None))
                case "say":
                    r.message = str(arguments["message"])

        arguments |= {} if expires is None else {"expiresAfterSeconds": expires.total_seconds()}
        if arguments:
            self.update_with(r, change, arguments)

    def update_with(self, r: Expected, change: Callable[[], None], arguments: Mapping[str, object]) -> None:
        before = r.row()
        reply = self.call("reminder_update", id=r.id, **arguments)
        change()
        r.idle_since = self.clock.now()
        self.read_back()
        assert reply.startswith("No changes. " if r.row() == before else "Updated "), reply
        self.changed()
        self.settle()

    def changed(self) -> None:
        """The list was changed by the agent: it is stored at once, and what is held is tried again."""
        self.model.release_all(self.clock.now())
        self.sync_by = NEVER if self.reminder_store.fail_with else self.clock.monotonic()

    @precondition(lambda self: self.model.reminders)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        reminder_id = data.draw(st.sampled_from(sorted(self.model.reminders)))
        row = self.reminder_store.saved.get(reminder_id)
        was_out = bool(self.model.outs_of(reminder_id))
        reply = self.call("reminder_cancel", id=reminder_id)
        assert f"{len(self.model.reminders) - 1} reminder(s) remain." in reply
        assert ("was sent already" in reply) == was_out
        if row is not None:
            self.deleted.append(row)
        del self.model.reminders[reminder_id]
        self.model.on_disk.discard(reminder_id)
        self.changed()
        self.settle()

    @rule(
        interval=st.sampled_from([None, 60, 3600, 14400]),
        paused=st.sampled_from([None, None, True, False]),
        mode=st.sampled_from([None, "silent", "message"]),
    )
    def configure(self, interval: int | None, paused: bool | None, mode: str | None) -> None:
        beat, now = self.model.beat, self.clock.now()
        length = None if interval is None else timedelta(seconds=interval)
        self.model.tick(now, self.clock.monotonic())
        before = (beat.interval, beat.paused, beat.mode)
        self.model.configure(now, length, paused, mode)
        if (interval, paused, mode) == (None, None, None):
            return
        reply = self.call("heartbeat_configure", intervalSeconds=interval, paused=paused, deliveryMode=mode)
        same = before == (beat.interval, beat.paused, beat.mode)
        assert reply.startswith("No changes. " if same else "Updated. "), reply
        self.settle()

    @rule()
    def trigger(self) -> None:
        self.heartbeat.flush()
        reply = self.toolbox.call("heartbeat_trigger", {})
        assert reply.is_error == bool(self.model.reason), reply
        if self.model.reason is None:
            self.model.beat.asked.append(self.model.beat.mode)
        else:
            assert self.model.reason in reply.text
        self.settle()

    # Rules: the host

    @precondition(lambda self: not self.mcp_only)
    @rule(request=st.sampled_from([*REQUESTS, *REQUESTS[:1] * 8]))
    def send_request(self, request: tuple[object, str | None]) -> None:
        self.request(request)
        self.settle()

    def request(self, request: tuple[object, str | None]) -> None:
        params, reason = request
        self.model.tick(self.clock.now(), self.clock.monotonic())
        receipt = self.heartbeat.policy_requested(params)
        self.requested = True
        self.model.reason = reason
        if reason is NO_REQUEST:
            assert not isinstance(receipt, dict)
            return
        self.model.settled = True
        assert isinstance(receipt, dict)
        assert receipt["mode"] == ("full" if reason is None else "degraded")
        if reason is None:
            self.model.release_all(self.clock.now())

    @rule(params=st.sampled_from([{"disabled": ["heartbeat"]}, {"effectiveCapabilities": BOTH}, "?", None]))
    def send_notification(self, params: object) -> None:
        self.model.tick(self.clock.now(), self.clock.monotonic())
        self.heartbeat.policy_notified(params)
        self.notified = True
        model = self.model
        if self.mcp_only:
            pass
        elif not self.requested:
            model.reason = ONLY_NOTIFIED
        elif params == {"disabled": ["heartbeat"]} and model.reason in (None, REQUESTS[5][1]):
            model.reason = DISABLED
        self.settle()

    @precondition(lambda self: self.host.inbox)
    @rule(data=st.data(), intent=st.sampled_from(INTENTS))
    def host_gets_to_one(self, data: st.DataObject, intent: str) -> None:
        wake = self.host.inbox[data.draw(st.integers(0, len(self.host.inbox) - 1))]
        self.host.turn(wake, intent)
        self.settle()

    @precondition(lambda self: self.host.inbox)
    @rule(intent=st.sampled_from(INTENTS), backwards=st.booleans())
    def host_gets_to_all(self, intent: str, backwards: bool) -> None:
        for wake in sorted(self.host.inbox, key=lambda w: w.number, reverse=backwards):
            self.host.turn(wake, intent)
        self.settle()

    @rule(intent=st.sampled_from([None, None, "take", "take", "refuse", "error"]))
    def host_answers_from_now_on(self, intent: str | None) -> None:
        self.host.always = intent

    @rule(full=st.sampled_from([True, False, False, False]))
    def the_transport_is(self, full: bool) -> None:
        self.model.room = not full
        if self.model.room:
            self.heartbeat.transport_ready()
        self.settle()

    # Rules: time

    @rule(
        by=st.sampled_from(
            [*(timedelta(seconds=s) for s in (0.001, 0.04, 0.1, 1, 4.999, 5, 29.999, 30, 31, 60))]
        )
    )
    def a_moment_passes(self, by: timedelta) -> None:
        self.clock.advance(by)
        self.check()

    @rule(
        by=st.sampled_from([timedelta(minutes=15), timedelta(hours=1), timedelta(hours=5), timedelta(days=2)])
    )
    def time_passes(self, by: timedelta) -> None:
        self.clock.advance(min(by, self.bearable()))
        self.check()

    def bearable(self) -> timedelta:
        """So long that what recurs does not make the test slow."""
        if self.model.reason is not None or not self.model.room:
            return timedelta(days=400)
        often = [r.every or timedelta(minutes=30) for r in self.model.reminders.values() if r.series]
        return min([self.model.beat.interval * 100, *(every * 60 for every in often)])

    @rule(
        by=st.sampled_from(
            [timedelta(seconds=s) for s in (-0.03, -0.051, -5, -65, -3600.001, -7200, -90000, 5, 3600, 90000)]
        ),
        suspend=st.booleans(),
    )
    def the_clock_jumps(self, by: timedelta, suspend: bool) -> None:
        model = self.model
        model.tick(self.clock.now(), self.clock.monotonic())
        self.drift += by
        if abs(self.drift) > timedelta(milliseconds=50):
            model.clock_set(self.drift, self.clock.now() + by)
            self.drift = timedelta(0)
        if any(r.anew for r in model.reminders.values()):
            self.stored_within(timedelta(milliseconds=100))
        if suspend and by > timedelta(0):
            self.clock.suspend(by)
        else:
            self.clock.set(self.clock.now() + by)
        self.heartbeat.transport_ready()  # where nothing is armed, the next call notices the change
        self.read_back()
        self.settle()

    # Rules: what is stored

    @rule(full=st.sampled_from([True, False, False, False]))
    def the_disk_is(self, full: bool) -> None:
        if full and self.reminder_store.fail_with is None and self.is_unsynced():
            self.sync_by = NEVER
        if not full and self.sync_by is NEVER:
            self.sync_by = self.clock.monotonic() + timedelta(seconds=60)
        self.reminder_store.fail_with = "the disk is full" if full else None

    @precondition(lambda self: not self.reminder_store.fail_with and not self.is_unsynced())
    @rule(data=st.data(), what=st.sampled_from(["remove", "move", "say", "recur", "restore", "new"]))
    def a_stranger_edits(self, data: st.DataObject, what: str) -> None:
        rows = dict(self.reminder_store.saved)
        now = floor_ms(self.clock.now())
        if what == "restore" and self.deleted:
            row = data.draw(st.sampled_from(self.deleted[-2:]))
            rows[row.id] = row
        elif what == "new":
            rows["mine"] = Reminder("mine", "by hand", now, now + data.draw(st.sampled_from(DELAYS)))
        elif rows:
            out = {str(o.wake.reminder_id) for o in self.model.out.values()} & set(rows)
            row = rows.pop(data.draw(st.sampled_from(sorted(out or rows))))
            match what:
                case "remove":
                    self.deleted.append(row)
                case "move":
                    due = now + data.draw(st.sampled_from([*DELAYS, *(-d for d in DELAYS)]))
                    rows[row.id] = replace(row, due=due)
                case "say":
                    rows[row.id] = replace(row, message="changed by hand")
                case _:
                    every = data.draw(st.sampled_from([None, *RECURRENCES]))
                    rows[row.id] = Reminder(row.id, row.message, row.created, row.due, recurring(every))
        self.reminder_store.edit(rows.values())
        self.model.edited(rows.values(), self.clock.now())
        self.heartbeat.configure(ScheduleChange())  # what a stranger wrote is looked at before each change
        self.what_started_anew_is_saved()
        self.add(DELAYS[3], None, 1)

    def what_started_anew_is_saved(self) -> None:
        if any(r.anew for r in self.model.reminders.values()):
            self.stored_within(timedelta(milliseconds=100))
        self.read_back()

    # Rules: several steps that only together are a trap

    @precondition(lambda self: not self.mcp_only)
    @rule(times=st.integers(1, 4), intent=st.sampled_from(["refuse", "refuse", "error"]))
    def the_host_refuses_again_and_again(self, times: int, intent: str) -> None:
        self.host.always = None
        for _ in range(times):
            self.send_request(REQUESTS[0])
            self.host_gets_to_all(intent, False)

    @precondition(lambda self: not self.mcp_only)
    @rule(intents=st.tuples(st.sampled_from(INTENTS), st.sampled_from(INTENTS)), backwards=st.booleans())
    def the_host_answers_after_the_second_try(self, intents: tuple[str, str], backwards: bool) -> None:
        self.host.always = None
        self.send_request(REQUESTS[0])
        first = list(self.host.inbox)
        self.a_moment_passes(timedelta(seconds=31))
        self.send_request(REQUESTS[0])
        second = [wake for wake in self.host.inbox if wake not in first]
        for wakes in (second, first) if backwards else (first, second):
            for wake in wakes:
                self.host.turn(wake, intents[wakes is first])
        self.settle()

    @precondition(lambda self: not self.mcp_only)
    @rule(intent=st.sampled_from(INTENTS))
    def beats_are_answered_late(self, intent: str) -> None:
        self.host.always = None
        self.send_request(REQUESTS[0])
        self.trigger()
        beats = [wake for wake in self.host.inbox if wake.reminder_id is None]
        self.a_moment_passes(timedelta(seconds=31))
        self.trigger()
        for wake in beats:
            self.host.turn(wake, intent)
        self.a_moment_passes(timedelta(seconds=31))
        self.trigger()

    @precondition(lambda self: not self.mcp_only)
    @rule(later=st.booleans(), by=st.sampled_from([timedelta(0), timedelta(seconds=30)]))
    def silent_beats_are_refused(self, later: bool, by: timedelta) -> None:
        self.host.always, self.host.knows_silent = None, False
        self.send_request(REQUESTS[0])
        self.configure(None, None, "silent")
        self.trigger()
        silent = [wake for wake in self.host.inbox if wake.text is None]
        if later:
            self.trigger()
        self.a_moment_passes(by)
        for wake in silent:
            self.host.turn(wake, "take")
        self.settle()

    @precondition(lambda self: not self.mcp_only)
    @rule()
    def the_disk_fails_and_has_room_again(self) -> None:
        self.host.always = None
        self.send_request(REQUESTS[0])
        self.the_disk_is(full=True)
        self.add(-DELAYS[2], None, 1)
        self.the_disk_is(full=False)
        self.host_gets_to_all("take", False)
        self.a_moment_passes(timedelta(milliseconds=100))

    @rule(beats=st.integers(1, 3), by=st.sampled_from([5, 65, 7200]))
    def what_recurs_is_heard_and_the_clock_goes_back(self, beats: int, by: int) -> None:
        self.host.always = "take"
        if all(r.every != RECURRENCES[0] for r in self.model.reminders.values()):
            self.add(None, RECURRENCES[0], 1)
        self.a_moment_passes(timedelta(seconds=5 * beats))
        self.the_clock_jumps(timedelta(seconds=-by), False)
        self.a_moment_passes(timedelta(seconds=10))

    @rule(intent=st.sampled_from([None, "take", "refuse"]), data=st.data())
    def a_row_goes_and_comes_back(self, intent: str | None, data: st.DataObject) -> None:
        self.host.always = intent
        self.add(-DELAYS[2], None, 1)
        for what in ("remove", "restore"):
            if not self.reminder_store.fail_with and not self.is_unsynced():
                self.a_stranger_edits(data, what)
        self.a_moment_passes(timedelta(seconds=30))

    # Rules: restarts

    @rule(
        crash=st.booleans(),
        host_too=st.booleans(),
        reads_on=st.booleans(),
        away=st.sampled_from([timedelta(0), timedelta(seconds=20), timedelta(hours=9), timedelta(hours=9)]),
        speaks=st.integers(0, 14).map(bool),
        request=st.sampled_from([None, *REQUESTS[:6], *REQUESTS[:1] * 6]),
        at_once=st.booleans(),
    )
    def restart(
        self,
        crash: bool,
        host_too: bool,
        reads_on: bool,
        away: timedelta,
        speaks: bool,
        request: tuple[object, str | None] | None,
        at_once: bool,
    ) -> None:
        if crash:
            self.clock.forget_all()
            self.model.past.lost += [name(wake) for wake in self.model.wakes_out]
        else:
            self.heartbeat.stop()
            if not self.reminder_store.fail_with:
                self.check_stored()
        self.check_on_disk()
        for wake in self.host.inbox if reads_on else []:
            self.host.think(wake, "take")
        self.host.inbox.clear()
        if host_too:
            self.host.seen.clear()
            self.model.host_started()
        self.clock.advance(away)
        saved = self.schedule_store.saved
        assert saved is not None
        written = max(
            filter(None, (self.schedule_store.saved_at, self.reminder_store.saved_at)), default=None
        )
        self.model.seen_ticks = self.clock.monotonic()
        self.model.started(self.reminder_store.saved.values(), saved, self.clock.now(), written)
        self.sync_by = self.clock.monotonic()
        self.drift = timedelta(0)
        self.boot()
        self.what_started_anew_is_saved()
        if not at_once:
            self.clock.settle()
        self.arrive(speaks=speaks)
        if request is not None and speaks:
            self.request(request)
        self.settle()

    # What has to be so after each step

    def check(self) -> None:
        model, now, ticks = self.model, self.clock.now(), self.clock.monotonic()
        model.check_settled(now, ticks)
        if model.gave_up:
            model.gave_up = False
            self.stored_within(timedelta(milliseconds=100))
            self.read_back()
        self.model.past.check(self.history.lines, self.model.wakes_out)
        self.check_memory()
        self.check_on_disk()
        if not self.reminder_store.fail_with and not self.is_unsynced():
            self.check_stored()
        self.check_schedule()
        check_status(self.toolbox.call("heartbeat_status", {}).text, self.model)
        check_list(self.call("reminder_list"), self.model, self.clock.now())
        assert not model.unheard, f"the agent was not told of {model.unheard}"
        self.host.rested()
        due = self.clock.next_due()
        assert due is None or due > now, f"the timer is armed for {due}, and it is {now}"
        assert not [line for line in self.log.lines if "unexpected" in line], self.log.lines
        assert not model.wrong, "\n".join(model.wrong)

    def check_memory(self) -> None:
        there = {e.reminder.id for e in self.heartbeat.reminders}
        assert there == set(self.model.reminders), f"there: {there}\nnot: {set(self.model.reminders)}"
        for entry in self.heartbeat.reminders:
            r = self.model.reminders[entry.reminder.id]
            assert entry.reminder == r.row(), f"there: {entry.reminder}\nnot: {r.row()}"

    def check_stored(self) -> None:
        rows = {r.id: r.row() for r in self.model.reminders.values()}
        assert self.reminder_store.saved == rows, f"stored: {self.reminder_store.saved}\nnot: {rows}"
        self.model.on_disk = set(rows)

    def check_on_disk(self) -> None:
        lost = self.model.on_disk & set(self.model.reminders) - set(self.reminder_store.saved)
        assert not lost, f"{lost} were stored and are not any more"

    def check_schedule(self) -> None:
        beat, schedule = self.model.beat, self.heartbeat.schedule
        assert schedule.next_beat == beat.next, f"the next beat: {schedule.next_beat}, not {beat.next}"
        assert self.schedule_store.saved == schedule

    def teardown(self) -> None:
        if not hasattr(self, "heartbeat") or self.model.wrong:
            return
        self.the_disk_is(full=False)
        self.a_moment_passes(timedelta(seconds=61))
        self.finish()

    def finish(self) -> None:
        """When the host takes what comes and wakes are deliverable, everything is heard, once."""
        self.host.always, self.host.knows_silent = "take", True
        if self.mcp_only:
            self.restart(False, False, False, timedelta(0), True, None, True)
        self.request(REQUESTS[4])
        self.settle()
        due = [r.due for r in self.model.reminders.values()]
        self.clock.advance(max([d - self.clock.now() for d in due] + [timedelta(seconds=31)]))
        self.check()
        now = self.clock.now()
        waiting = {(r.id, r.due) for r in self.model.reminders.values() if r.due <= now}
        self.the_transport_is(full=False)
        self.request(REQUESTS[0])
        self.settle()
        still = {(r.id, r.due) for r in self.model.reminders.values()} & waiting
        # A host that uses up what it refuses makes some wait for one more try.
        self.clock.advance(timedelta(seconds=66) if self.host.uses_up else timedelta(0))
        still &= {(r.id, r.due) for r in self.model.reminders.values()}
        assert not still, f"{still} were never heard"
        self.check()


def test_whatever_happens_no_wake_is_lost_or_heard_twice_or_sent_when_not_allowed() -> None:
    """4.2 to 4.13, 5.2, 6.6, 6.11, section 7, 8.2, 8.8: in every order in which things can happen."""
    run_state_machine_as_test(
        DeliveryMachine,
        settings=settings(
            max_examples=MANY or 120,
            stateful_step_count=100 if MANY else 50,
            derandomize=not MANY,
            deadline=None,
            phases=(Phase.generate,),
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
