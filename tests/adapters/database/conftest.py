"""The database of a test, with one agent in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from database_worlds import StoredAgent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agents.db"


@pytest.fixture
def agent(path: Path) -> Iterator[StoredAgent]:
    stored = StoredAgent(path)
    yield stored
    stored.close()
