"""The fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from file_worlds import DEFAULTS, ZONE, Lines

from heartbeat_adapters.files.json_stores import JsonReminderStore, JsonScheduleStore


@pytest.fixture
def log() -> Lines:
    return Lines()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return tmp_path / "reminders.json"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


@pytest.fixture
def store(rows: Path, log: Lines) -> Iterator[JsonReminderStore]:
    reminders = JsonReminderStore(str(rows), ZONE, log)
    yield reminders
    reminders.close()


@pytest.fixture
def schedules(config: Path, log: Lines) -> Iterator[JsonScheduleStore]:
    schedule = JsonScheduleStore(str(config), DEFAULTS, ZONE, log)
    yield schedule
    schedule.close()
