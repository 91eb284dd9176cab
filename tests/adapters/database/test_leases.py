"""Who serves an agent in PostgreSQL, and what one that lost it may still do: 16.3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from database_worlds import CAT, SCHEDULE, TEA, StoredAgent, ids

from heartbeat_adapters.database import lease as leases
from heartbeat_adapters.database.lease import Instant, Lease
from heartbeat_core.policy import Reason
from postgres_server import PostgresServer


@pytest.fixture
def agent(postgres_url: str) -> Iterator[StoredAgent]:
    stored = StoredAgent(postgres_url)
    yield stored
    stored.close()


@pytest.fixture
def second(postgres_url: str) -> Iterator[StoredAgent]:
    stored = StoredAgent(postgres_url)
    yield stored
    stored.close()


def end_lease(postgres: PostgresServer, agent: StoredAgent) -> None:
    """Play the database's clock, by which the lease of who serves this agent has ended."""
    served = "SELECT worker FROM heartbeat_agents WHERE agent = 'default'"
    ended = f'UPDATE heartbeat_workers SET "validUntil" = 0 WHERE worker IN ({served})'
    postgres.sql(ended, url=str(agent.place))


def test_an_agent_that_is_served_is_nobody_elses(agent: StoredAgent, second: StoredAgent) -> None:
    """16.3"""
    agent.load()
    assert second.schedule.load().in_use
    assert second.served.withheld() is Reason.ELSEWHERE
    assert second.schedule.save(SCHEDULE) is not None


def test_an_agent_that_is_let_go_of_is_taken_at_the_next_look(
    agent: StoredAgent, second: StoredAgent
) -> None:
    """16.3, 8.6"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    second.load()
    agent.close()
    found = second.schedule.look()
    assert found is not None
    assert found.content == SCHEDULE
    assert ids(second.reminders.look()) == ["rem_tea"]
    assert second.served.withheld() is None


def test_who_has_lost_its_agent_saves_nothing_over_its_successor(
    agent: StoredAgent, second: StoredAgent, postgres: PostgresServer
) -> None:
    """16.3: every save demands the epoch."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    second.load()
    end_lease(postgres, agent)
    assert second.schedule.look() is not None
    assert ids(second.reminders.look()) == ["rem_tea"]
    assert second.reminders.save([CAT], [TEA.id]) is None
    assert agent.reminders.save([replace(TEA, message="Over it")], []) is not None
    assert agent.schedule.save(replace(SCHEDULE, message="Over it")) is not None
    rows = postgres.sql("SELECT id FROM heartbeat_reminders", url=str(agent.place))
    assert rows == [("rem_cat",)]
    found = agent.reminders.look()
    assert found is not None
    assert found.in_use
    assert agent.served.withheld() is Reason.ELSEWHERE


def test_a_look_finds_that_the_agent_is_lost(
    agent: StoredAgent, second: StoredAgent, postgres: PostgresServer
) -> None:
    """16.3: before each beat, also while the lease is taken to hold."""
    agent.load()
    agent.save(SCHEDULE, TEA)
    end_lease(postgres, agent)
    second.load()
    found = agent.schedule.look()
    assert found is not None
    assert found.in_use
    assert agent.served.withheld() is Reason.ELSEWHERE


def test_a_lease_that_ran_out_is_no_loss_where_nobody_took_the_agent(
    agent: StoredAgent, postgres: PostgresServer
) -> None:
    """16.3, 16.4"""
    agent.load()
    agent.save(SCHEDULE, TEA)
    end_lease(postgres, agent)
    session = agent.served.session
    assert isinstance(getattr(session, "lease", None), Lease)
    session.lease = None  # type: ignore[attr-defined] # as its renewal finds
    assert agent.served.withheld() is Reason.AWAY
    assert (agent.schedule.look(), agent.reminders.look()) == (None, None)
    assert agent.served.withheld() is None
    assert agent.reminders.save([CAT], []) is None


@pytest.mark.parametrize(
    ("ticks", "wall", "holds"),
    [
        (0, 0, True),
        (8, 8, True),
        (9, 9, False),
        (0, 9, False),
        (9, 0, False),
        (9, -3600, False),
        (0, 3600, False),
    ],
)
def test_a_lease_is_relied_on_by_whichever_clock_has_moved_on_further(
    ticks: float, wall: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16.3: one clock stands still in suspend, and the other can be set."""
    renewed = Instant(1000.0, 50_000.0)
    now = Instant(renewed.ticks + ticks, renewed.wall + wall)
    monkeypatch.setattr(leases.Instant, "now", staticmethod(lambda: now))
    assert Lease("w", renewed).is_valid() is holds


def test_agents_of_one_database_are_claimed_one_by_one(agent: StoredAgent, postgres_url: str) -> None:
    """16.3"""
    other = StoredAgent(postgres_url, "other")
    agent.load()
    assert other.load()[0].trouble is None
    assert (agent.served.withheld(), other.served.withheld()) == (None, None)
    other.close()


def test_a_worker_whose_own_lease_has_ended_claims_nothing_by_it(
    agent: StoredAgent, second: StoredAgent, postgres: PostgresServer
) -> None:
    """16.3: others would take the agent for free at once."""
    agent.load()
    assert second.schedule.load().in_use
    postgres.sql('UPDATE heartbeat_workers SET "validUntil" = 0', url=str(agent.place))
    assert second.schedule.look() is not None
    assert second.served.withheld() is Reason.AWAY
    assert second.schedule.look() is not None
    assert second.served.withheld() is None
