"""A month with an agent that tries to break out, while clocks are set and the server restarts (15).

Each wake is judged as it leaves, by an account that the test keeps: no hour and no day holds more than the
budget, no wake leaves in quiet hours, and whose turn it is goes first.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import hypothesis.strategies as st
import pytest
from hypothesis import Phase, given, settings
from limited_benches import DAY, HOUR, MINUTE, SECOND, WrittenHistory, line

from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import AgentZone
from heartbeat_core.wakes import Answer, Refused, Taken, Wake

BERLIN = AgentZone("Europe/Berlin", ZoneInfo("Europe/Berlin"))
SPRING = datetime(2026, 3, 15, 9, tzinfo=UTC)
"""The clocks of Berlin change on the 29th of March."""
LIMITS = Limits(
    min_interval=timedelta(minutes=15),
    max_wakes_per_hour=5,
    max_wakes_per_day=40,
    max_reminders=300,
    quiet_hours="22:00-07:00",
)
ANSWERS: dict[str, Callable[[Wake], Answer | None]] = {
    "takes": lambda _: Taken(),
    "refuses": lambda _: Refused("not now"),
    "is silent": lambda _: None,
    "knows no silent wakes": lambda wake: Refused("no content", -32602) if wake.silent else Taken(),
    "takes beats": lambda wake: Taken() if wake.reminder_id is None else Refused("no"),
    "takes reminders": lambda wake: Refused("no") if wake.reminder_id is None else Taken(),
}


class Month:
    """The agent, the host, the operator's machine, and the account of what left."""

    def __init__(self) -> None:
        self.clock = FakeClock(SPRING)
        self.history = WrittenHistory()
        self.host = "takes"
        self.left: list[datetime] = []
        """When wakes left that count; one from after now counts as now."""
        self.set: set[str] = set()
        self.heard: set[str] = set()
        self.wrong: list[str] = []
        self.bench = Bench(
            clock=self.clock, zone=BERLIN, limits=LIMITS, history=self.history, host=self.answer
        )
        self.watch()

    def watch(self) -> None:
        """Judge each wake of the server that runs now, before it is with the host."""
        push = self.bench.transport.push

        def judged(wake: Wake) -> None:
            self.judge(wake)
            push(wake)

        self.bench.transport.push = judged  # type: ignore[method-assign]

    def answer(self, wake: Wake) -> Answer | None:
        answer = ANSWERS[self.host](wake)
        if isinstance(answer, Taken) and wake.reminder_id is not None:
            self.heard.add(wake.reminder_id)
        return answer

    def judge(self, wake: Wake) -> None:
        now = self.clock.now()
        self.note_clock()
        for window, most in ((HOUR, LIMITS.max_wakes_per_hour), (DAY, LIMITS.max_wakes_per_day)):
            if sum(now - each <= window for each in self.left) >= (most or 0):
                self.wrong.append(f"one too many at {now} in {window}")
        hour = now.astimezone(BERLIN.tzinfo).hour
        if hour >= 22 or hour < 7:
            self.wrong.append(f"a wake in quiet hours at {now}")
        self.judge_turn(wake, now)
        self.left.append(now)
        self.history.lines.append(line(now))

    def judge_turn(self, wake: Wake, now: datetime) -> None:
        """Reminders and beats that were not tried yet go in order of due time (7.4, 15.3)."""
        heartbeat = self.bench.heartbeat
        waiting = {one.reminder.id: one for one in heartbeat.reminders}
        dues = [one.reminder.due for one in waiting.values() if not (one.sent_at or one.held)]
        if wake.reminder_id is not None:
            if waiting[wake.reminder_id].held is not None:
                return
            dues += [heartbeat.schedule.next_beat or now]
        elif wake.due != heartbeat.schedule.next_beat:
            return  # triggered, or tried again
        if wake.due > min(dues, default=now):
            self.wrong.append(f"what was due {wake.due} left before what was due {min(dues)}")

    def note_clock(self) -> None:
        now = self.clock.now()
        self.left = [min(each, now) for each in self.left if now - each <= DAY]

    # What the agent tries

    def trigger(self) -> None:
        for _ in range(6):
            self.bench.call("heartbeat_trigger")

    def flood(self) -> None:
        when = (self.clock.now() + 2 * HOUR).isoformat()
        for count in range(60):
            self.add(message=f"flood {count}", atIso=when)

    def recur(self) -> None:
        self.add(message="as often as may be", everySeconds=5)
        self.add(message="every quarter", everyMinutes=15)

    def soon(self) -> None:
        self.bench.call("heartbeat_configure", intervalMinutes=1, nextInMinutes=1)
        self.bench.call("heartbeat_configure", intervalMinutes=15, paused=False)
        self.bench.call("heartbeat_configure", nextInMinutes=15)

    def silent(self) -> None:
        self.bench.call("heartbeat_configure", deliveryMode="silent", paused=False)

    def add(self, **arguments: object) -> None:
        reply = self.bench.call("reminder_add", **arguments)
        if not reply.is_error and "everyMinutes" not in arguments:
            self.set.add(reply.text.split()[1])

    def restart(self) -> None:
        self.bench.heartbeat.stop()
        self.bench.start()
        self.watch()

    def crash(self) -> None:
        if self.host != "is silent":  # what is out at a crash leaves no line, and does not count
            self.bench.crash()
            self.bench.start()
            self.watch()

    def deny(self) -> None:
        self.bench.deny()

    def allow(self) -> None:
        self.bench.allow()

    def set_clock(self, by: timedelta) -> None:
        now = self.clock.now() + by
        self.left = [min(each, now) for each in self.left]
        self.clock.set(now)

    def sleep(self, by: timedelta) -> None:
        self.clock.suspend(by)


AGENT = ("trigger", "flood", "recur", "soon", "silent")
WORLD = ("restart", "crash", "deny", "allow")
lengths = st.integers(1, 60 * 40).map(lambda minutes: minutes * MINUTE)
steps = st.one_of(
    st.sampled_from(AGENT),
    st.sampled_from(WORLD),
    st.sampled_from(list(ANSWERS)),
    st.tuples(st.sampled_from(["set back", "set forward", "sleep"]), lengths),
    lengths,
)


def live(month: Month, step: object) -> None:
    match step:
        case timedelta():
            month.clock.advance(step)
        case "set back", timedelta() as by:
            month.set_clock(-by)
        case "set forward", timedelta() as by:
            month.set_clock(by)
        case "sleep", timedelta() as by:
            month.sleep(by)
        case str() if step in ANSWERS:
            month.host = step
        case str():
            getattr(month, step)()
    month.clock.advance(SECOND)


@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(st.lists(steps, min_size=30, max_size=60))
def test_no_hour_and_no_day_holds_more_than_the_budget_and_nothing_is_lost(script: list[object]) -> None:
    """15.2, 15.3, 7.4"""
    month = Month()
    for step in script:
        live(month, step)
    assert month.wrong == []
    month.host = "takes"
    month.allow()
    month.bench.call("heartbeat_configure", paused=True)
    month.clock.advance(timedelta(days=40))
    assert month.wrong == []
    assert month.set <= month.heard


@pytest.mark.parametrize("host", ["takes", "refuses", "knows no silent wakes"])
def test_a_whole_month_of_trying_everything_at_every_hour_keeps_to_the_budget(host: str) -> None:
    """15.2, 15.3: with every kind of host, over a change of the clocks."""
    month = Month()
    month.host = host
    for day in range(31):
        for hour in range(24):
            month.trigger()
            if hour == 10:
                month.soon()
            if hour == day % 24:
                month.restart()
            month.clock.advance(HOUR)
        if day % 5 == 0:
            month.flood()
            month.recur()
    assert month.wrong == []
    assert len(month.history.lines) > 31 * 30  # and the budget is used
