"""Fixtures and settings that several folders of tests use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from postgres_server import PostgresServer, missing, programs
from server_folder import ServerFolder

# So that an assertion of the shipped suites shows its values, as one of ours does.
pytest.register_assert_rewrite("heartbeat_adapters.testing.suites")

# On a busy machine the first example can take seconds by no fault of anybody's.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


@pytest.fixture
def folder(tmp_path: Path) -> ServerFolder:
    """An empty folder to start real servers in."""
    return ServerFolder(tmp_path)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL for the whole run."""
    found = programs()
    if found is None:
        missing("PostgreSQL")
    server = PostgresServer(found)
    yield server
    server.remove()


_NUMBERS = count(1)


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """The URL of an empty database."""
    return postgres.make_database(f"test_{next(_NUMBERS)}")
