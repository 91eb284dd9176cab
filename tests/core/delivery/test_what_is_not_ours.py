"""Wakes while what is stored is another server's, or out of reach: 16.3 and 16.4."""

from __future__ import annotations

from datetime import timedelta

import pytest

from heartbeat_adapters.testing import (
    UTC_ZONE,
    CountingIds,
    FakeClock,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingLog,
    RecordingTransport,
)
from heartbeat_core.policy import Policy, Reason
from heartbeat_core.ports import Found
from heartbeat_core.schedule.ambient_schedule import DEFAULT_SCHEDULE, Schedule
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.wakes import Refused


class Ownership:
    """Whose it is, as the test says: at once by `reason`, or at the next look of a store by `at_a_look`."""

    look_every = timedelta(seconds=4)

    def __init__(self) -> None:
        self.reason: Reason | None = None
        self.at_a_look: tuple[Reason | None] | None = None

    def withheld(self) -> Reason | None:
        return self.reason


class LookedAt(MemoryScheduleStore):
    def __init__(self, ownership: Ownership) -> None:
        super().__init__()
        self.looks = 0
        self._ownership = ownership

    def look(self) -> Found[Schedule] | None:
        self.looks += 1
        if self._ownership.at_a_look is not None:
            [self._ownership.reason] = self._ownership.at_a_look
        return super().look()


class Server:
    def __init__(self, policy: Policy) -> None:
        self.ownership, self.clock, self.transport = Ownership(), FakeClock(), RecordingTransport()
        self.store = LookedAt(self.ownership)
        self.heartbeat = Heartbeat(
            clock=self.clock,
            transport=self.transport,
            schedule_store=self.store,
            reminder_store=MemoryReminderStore(),
            new_id=CountingIds(),
            log=RecordingLog(),
            zone=UTC_ZONE,
            policy=policy,
            ownership=self.ownership,
        )
        self.heartbeat.start()
        self.clock.settle()

    def call(self, tool: str, **arguments: object) -> str:
        text = Toolbox(self.heartbeat).call(tool, arguments).text
        self.clock.settle()
        return text


@pytest.fixture
def server() -> Server:
    return Server(Policy.open())


def test_a_beat_that_falls_due_meanwhile_is_owed_and_not_dropped(server: Server) -> None:
    """16.4, 8.2: the host had allowed it, so 4.9 would drop it."""
    server.ownership.reason = Reason.AWAY
    server.clock.advance(DEFAULT_SCHEDULE.interval + timedelta(minutes=5))
    assert server.transport.take() == []
    server.ownership.reason = None
    server.call("heartbeat_configure", message="!")
    assert len(server.transport.take()) == 1


def test_a_beat_whose_look_finds_all_well_again_is_sent(server: Server) -> None:
    """16.3: a lease that ran out and nobody took."""
    server.ownership.reason, server.ownership.at_a_look = Reason.AWAY, (None,)
    server.clock.advance(DEFAULT_SCHEDULE.interval + timedelta(seconds=1))
    assert len(server.transport.take()) == 1


def test_a_beat_whose_look_finds_that_the_agent_is_lost_is_not_sent(server: Server) -> None:
    """16.3"""
    server.ownership.at_a_look = (Reason.ELSEWHERE,)
    server.clock.advance(DEFAULT_SCHEDULE.interval + timedelta(seconds=1))
    assert server.transport.take() == []


def test_a_retry_whose_look_finds_that_the_agent_is_lost_is_not_sent(server: Server) -> None:
    """16.3, 4.14"""
    server.clock.advance(DEFAULT_SCHEDULE.interval)
    [beat] = server.transport.take()
    server.heartbeat.answered(beat, Refused("not now"))
    server.ownership.at_a_look = (Reason.ELSEWHERE,)
    server.clock.advance(timedelta(minutes=2))
    assert server.transport.take() == []


@pytest.mark.parametrize("reason", [Reason.AWAY, Reason.ELSEWHERE])
def test_reminders_and_triggers_wait_or_are_refused(reason: Reason, server: Server) -> None:
    """16.3, 16.4"""
    server.call("reminder_add", message="x", inMinutes=1)
    server.ownership.reason = reason
    assert f"delivery=BLOCKED ({reason.value})" in server.call("heartbeat_status")
    assert reason.value in server.call("heartbeat_trigger")
    server.clock.advance(timedelta(hours=1))
    assert server.transport.take() == []


def test_whose_it_is_is_looked_at_as_often_as_the_port_says(server: Server) -> None:
    """16.3: while nothing else happens, and only while it is not ours."""
    server.clock.advance(timedelta(minutes=1))
    looks = server.store.looks
    server.clock.advance(timedelta(minutes=1))
    assert server.store.looks == looks
    server.ownership.reason = Reason.ELSEWHERE
    server.clock.advance(timedelta(seconds=10))
    looks = server.store.looks
    server.clock.advance(timedelta(seconds=40))
    assert server.store.looks - looks == 10


def test_that_it_is_not_ours_any_more_is_noticed_within_10_s(server: Server) -> None:
    """16.3: with a lease of 10 s and what follows, within the 15 s of a successor's end."""
    server.clock.advance(timedelta(minutes=1))
    server.ownership.reason = Reason.ELSEWHERE
    looks = server.store.looks
    server.clock.advance(timedelta(seconds=10))
    assert server.store.looks > looks


def test_a_receipt_is_about_what_the_host_allows(server: Server) -> None:
    """4.5, 16.4"""
    server.ownership.reason = Reason.AWAY
    receipt = server.heartbeat.policy_requested({"effectiveCapabilities": ["tools", "pushEvents"]})
    assert receipt == {"accepted": True, "mode": "full", "unavailableFeatures": [], "notes": []}


def test_the_database_comes_before_what_the_host_says() -> None:
    """16.4, 4.8"""
    server = Server(Policy(mcp_only=True))
    server.ownership.reason = Reason.AWAY
    assert "BLOCKED (the database cannot be reached)" in server.call("heartbeat_status")
