"""A whole heartbeat over a database that goes away, or that another server has: 16.3 and 16.4."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from database_worlds import ZONE, StoredAgent

from heartbeat_adapters.testing import CountingIds, FakeClock, RecordingLog, RecordingTransport
from heartbeat_core.policy import Policy
from heartbeat_core.service import Heartbeat
from heartbeat_core.tools import Toolbox
from heartbeat_core.wakes import Taken

IDS = CountingIds()
"""For all servers, since ids never come twice."""


class Server:
    """A heartbeat over one agent of a database, whose host takes all that it is sent when it is asked."""

    def __init__(self, path: Path, clock: FakeClock) -> None:
        self.agent = StoredAgent(path)
        self.log = RecordingLog()
        self.clock = clock
        self.transport = RecordingTransport()
        self.heartbeat = Heartbeat(
            clock=clock,
            transport=self.transport,
            schedule_store=self.agent.schedule,
            reminder_store=self.agent.reminders,
            new_id=IDS,
            log=self.log,
            zone=ZONE,
            policy=Policy.open(),
            ownership=self.agent.served,
        )
        self.heartbeat.start()
        self.toolbox = Toolbox(self.heartbeat)

    def call(self, tool: str, **arguments: object) -> str:
        reply = self.toolbox.call(tool, arguments)
        self.clock.settle()
        return reply.text

    def pass_time(self, **length: float) -> None:
        self.clock.advance(timedelta(**length))

    def heard(self) -> list[str]:
        """What was sent since this was asked last; all of it is taken."""
        wakes = self.transport.take()
        for wake in wakes:
            self.heartbeat.answered(wake, Taken())
            self.clock.settle()
        return [wake.reminder_id or wake.due.isoformat() for wake in wakes]


@pytest.fixture
def server(path: Path) -> Iterator[Server]:
    one = Server(path, FakeClock())
    yield one
    one.heartbeat.stop()


class Away:
    """Takes a database away, and brings it back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.rename(path.with_name("away"))
        path.mkdir()

    def end(self) -> None:
        self.path.rmdir()
        self.path.with_name("away").rename(self.path)


def test_a_beat_that_falls_due_while_the_database_is_away_is_sent_once_when_it_is_back(
    server: Server, path: Path
) -> None:
    """16.4, 8.2"""
    server.call("heartbeat_configure", intervalHours=1)
    away = Away(path)
    server.pass_time(hours=3.5)
    assert server.heard() == []
    assert "delivery=BLOCKED (the database cannot be reached)" in server.call("heartbeat_status")
    away.end()
    server.pass_time(seconds=10)
    assert len(server.heard()) == 1
    assert "delivery=ok" in server.call("heartbeat_status")
    server.pass_time(minutes=30)
    assert len(server.heard()) == 1


def test_reminders_wait_while_the_database_is_away(server: Server, path: Path) -> None:
    """16.4, 7.1"""
    server.call("reminder_add", message="x", inMinutes=1)
    away = Away(path)
    assert "BLOCKED" in server.call("reminder_list") + server.call("heartbeat_configure", message="!")
    server.pass_time(minutes=5)
    assert server.heard() == []
    away.end()
    server.pass_time(seconds=10)
    assert len(server.heard()) == 1


def test_what_is_changed_while_the_database_is_away_is_said_to_be_unsaved_and_saved_when_it_is_back(
    server: Server, path: Path
) -> None:
    """16.4, 8.7"""
    server.call("reminder_add", message="before", inHours=10)
    away = Away(path)
    for reply in (
        server.call("reminder_add", message="meanwhile", inHours=20),
        server.call("heartbeat_configure", message="Meanwhile"),
    ):
        assert "not saved" in reply.lower()
        assert "cannot be reached (SQLITE_CANTOPEN" in reply
    away.end()
    server.pass_time(seconds=10)
    reply = server.call("reminder_list")
    assert "2 reminder(s)" in reply
    assert "cannot be reached" not in reply
    server.heartbeat.stop()
    again = Server(path, server.clock)
    assert "2 reminder(s)" in again.call("reminder_list")
    assert again.heartbeat.schedule.message == "Meanwhile"
    again.heartbeat.stop()


def test_a_database_that_is_away_at_the_start_is_taken_up_with_what_was_changed_on_top(
    server: Server, path: Path
) -> None:
    """16.4, 8.6"""
    server.call("reminder_add", message="before", inHours=10)
    server.call("heartbeat_configure", intervalHours=2, message="Before")
    server.heartbeat.stop()
    away = Away(path)
    late = Server(path, server.clock)
    late.call("reminder_add", message="meanwhile", inHours=20)
    late.call("heartbeat_configure", message="Meanwhile")
    late.pass_time(hours=1)
    away.end()
    late.pass_time(seconds=10)
    assert "2 reminder(s)" in late.call("reminder_list")
    assert late.heartbeat.schedule.message == "Meanwhile"
    assert late.heartbeat.schedule.interval == timedelta(hours=2)
    assert any("can be reached again" in line for line in late.log.lines)
    late.heartbeat.stop()


def test_who_does_not_have_the_agent_sends_nothing_and_takes_over_with_its_changes_on_top(
    server: Server, path: Path
) -> None:
    """16.3"""
    server.call("reminder_add", message="first", inMinutes=1)
    second = Server(path, FakeClock())
    assert "delivery=BLOCKED (another server has this agent)" in second.call("heartbeat_status")
    second.call("reminder_add", message="second", inMinutes=2)
    second.pass_time(hours=9)
    assert second.heard() == []
    server.heartbeat.stop()
    second.pass_time(seconds=10)
    assert "2 reminder(s)" in second.call("reminder_list")
    assert len(second.heard()) == 3
    second.heartbeat.stop()


def test_a_trigger_is_refused_while_the_database_is_away(server: Server, path: Path) -> None:
    """16.4, 6.3"""
    away = Away(path)
    server.call("heartbeat_configure", message="!")
    assert "the database cannot be reached" in server.call("heartbeat_trigger")
    assert server.heard() == []
    away.end()
