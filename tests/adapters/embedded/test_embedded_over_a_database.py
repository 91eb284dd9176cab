"""Heartbeats of one process that share a database: 9.6, 16.1."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from heartbeat_adapters import Database, embed
from heartbeat_adapters.testing import FakeClock, pass_time
from heartbeat_core.wakes import Wake


async def ignore(wake: Wake) -> None:
    """Take it."""


async def _two_agents_share(url: str) -> None:
    database, heard = Database(url), list[str]()

    async def hear(wake: Wake) -> None:
        heard.append(wake.text or "")

    clock = FakeClock()
    ada = embed(hear, database=database, agent="ada", clock=clock)
    bob = embed(hear, database=database, agent="bob", clock=clock)
    async with ada, bob:
        ada.add("Tea.", after=timedelta(minutes=1))
        bob.add("Coffee.", after=timedelta(minutes=2))
        bob.add("Later.", after=timedelta(days=400))
        assert [each.reminder.message for each in ada.snapshot().reminders] == ["Tea."]
        await pass_time((ada, bob), clock, timedelta(minutes=5))
    assert [text.rpartition("] ")[2] for text in heard] == ["Tea.", "Coffee."]
    async with embed(ignore, database=Database(url), agent="bob") as again:
        assert [each.reminder.message for each in again.snapshot().reminders] == ["Later."]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_agents_share_a_database_and_know_nothing_of_each_other(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """9.6, 9.2"""
    sqlite = f"sqlite:///{tmp_path}/agents.db"
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else sqlite
    asyncio.run(_two_agents_share(url))


def test_a_folder_beside_a_database_is_refused(tmp_path: Path) -> None:
    """9.6"""
    database = Database(f"sqlite:///{tmp_path}/a.db")
    with pytest.raises(ValueError, match="not both"):
        embed(ignore, database=database, folder=tmp_path)


def test_an_agent_without_a_database_is_refused() -> None:
    """9.6, 16.1"""
    with pytest.raises(ValueError, match="give database too"):
        embed(ignore, agent="ada")


@pytest.mark.parametrize("name", ["", "a\nb", "a" * 201])
def test_what_is_no_name_of_an_agent_is_refused(name: str, tmp_path: Path) -> None:
    """16.1"""
    with pytest.raises(ValueError, match="1 to 200 characters"):
        embed(ignore, database=Database(f"sqlite:///{tmp_path}/a.db"), agent=name)


def test_what_is_no_database_is_refused() -> None:
    """9.6"""
    with pytest.raises(TypeError, match="database is str"):
        embed(ignore, database="sqlite:///a.db")  # type: ignore[arg-type]


def test_a_url_that_names_no_database_is_refused_without_being_said_again() -> None:
    """16.1"""
    with pytest.raises(ValueError, match="scheme") as raised:
        Database("mysql://me:s3cret@host/x")
    assert "s3cret" not in str(raised.value)
