"""How to test an agent of your own that wakes itself: months pass in milliseconds, on a fake clock.

Run it with pytest. The agent under test is a plain class; nothing is mocked.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_adapters.testing import Bench, FakeClock
from heartbeat_adapters.testing.passing_time import pass_time
from heartbeat_core import Answer, Refused, Taken, Wake

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class PlantAgent:
    """The agent under test: it has itself reminded of this and that, and sleeps until six."""

    def __init__(self) -> None:
        self.heard: list[tuple[datetime, str]] = []

    def begin(self, heartbeat: EmbeddedHeartbeat) -> None:
        """Set what it wants to be woken for."""
        heartbeat.call("heartbeat_configure", {"intervalHours": 6, "message": "look around"})
        heartbeat.call("reminder_add", {"message": "water the plants", "inHours": 9, "everyHours": 72})
        heartbeat.call("reminder_add", {"message": "call the dentist", "inHours": 3})

    async def wake(self, wake: Wake) -> Refused | None:
        """Deal with one wake."""
        if wake.sent_at.hour < 6:
            return Refused("asleep until six")
        self.heard.append((wake.sent_at, (wake.text or "").rpartition("] ")[2]))
        return None

    def times_of(self, what: str) -> list[datetime]:
        """When it heard something."""
        return [when for when, heard in self.heard if heard == what]


def live(agent: PlantAgent, days: float, check: Callable[[EmbeddedHeartbeat], None] = lambda _: None) -> None:
    """Let an agent live for some days from New Year on, and look at its heartbeat at the end."""

    async def life() -> None:
        clock = FakeClock(NEW_YEAR)
        async with embed(agent.wake, clock=clock) as heartbeat:
            agent.begin(heartbeat)
            await pass_time(heartbeat, clock, timedelta(days=days))
            check(heartbeat)

    asyncio.run(life())


def test_in_a_month_it_waters_its_plants_every_three_days_at_nine() -> None:
    """A month is over before you have noticed."""
    agent = PlantAgent()
    live(agent, days=30)
    times = agent.times_of("water the plants")
    assert len(times) == 10
    assert {when.hour for when in times} == {9}


def test_it_looks_around_three_times_a_day_and_not_at_night() -> None:
    """A heartbeat that was refused is dropped: the next comes at its time."""
    agent = PlantAgent()
    live(agent, days=30)
    assert {when.hour for when in agent.times_of("look around")} == {6, 12, 18}


def test_what_it_is_reminded_of_at_night_it_hears_in_the_morning() -> None:
    """A reminder that was refused is tried again, at least every hour."""
    agent = PlantAgent()
    live(agent, days=1)
    (when,) = agent.times_of("call the dentist")
    assert when.hour == 6


def test_a_reminder_that_was_refused_says_why_it_waits() -> None:
    """The agent can read it too: this is what the tool shows."""

    def check(heartbeat: EmbeddedHeartbeat) -> None:
        assert "asleep until six" in heartbeat.call("reminder_list").text

    live(PlantAgent(), days=4 / 24, check=check)


def test_the_same_without_a_loop_for_an_agent_that_is_not_async() -> None:
    """`Bench` is a whole heartbeat on fakes: clock, host and storage, with restarts and crashes."""

    def host(wake: Wake) -> Answer:
        return Refused("asleep until six") if wake.sent_at.hour < 6 else Taken()

    bench = Bench(host=host, clock=FakeClock(NEW_YEAR))
    bench.call("reminder_add", message="call the dentist", inHours=3)
    bench.pass_time(hours=4)
    bench.restart()
    bench.pass_time(hours=3)
    assert [wake.sent_at.hour for wake in bench.heard] == [6]
