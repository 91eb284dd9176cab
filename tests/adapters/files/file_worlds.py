"""What the tests of this folder share."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from heartbeat_core.ports import Found
from heartbeat_core.reminders.recurrence import Interval
from heartbeat_core.reminders.reminder import Reminder
from heartbeat_core.schedule.ambient_schedule import DeliveryMode, Schedule
from heartbeat_core.times.moments import AgentZone

T = TypeVar("T")


ZONE = AgentZone("UTC", UTC)


NOON = datetime(2026, 10, 10, 12, tzinfo=UTC)


DEFAULTS = Schedule(timedelta(hours=4), False, "Look around", DeliveryMode.MESSAGE)


SCHEDULE = Schedule(timedelta(hours=1), False, "Hello", DeliveryMode.SILENT, NOON)


TEA = Reminder("rem_tea", "Tea 🍵", NOON, NOON + timedelta(hours=1))


CAT = Reminder("rem_cat", "Cat", NOON, NOON + timedelta(days=1), Interval(timedelta(seconds=90.5)))


TEA_ROW = b"""{
    "id": "rem_tea",
    "message": "Tea \xf0\x9f\x8d\xb5",
    "createdAt": 1791633600000,
    "fireAt": 1791637200000,
    "everySeconds": null
  }"""


TEA_FILE = b"[\n  " + TEA_ROW + b"\n]\n"


CONFIG_FILE = b"""{
  "intervalSeconds": 3600,
  "paused": false,
  "message": "Hello",
  "deliveryMode": "silent",
  "nextFireAt": 1791633600000
}
"""


@dataclass
class Lines:
    """A log that can be looked at."""

    warnings: list[str] = field(default_factory=list)
    infos: list[str] = field(default_factory=list)

    def info(self, msg: str, /) -> None:
        self.infos.append(msg)

    def warning(self, msg: str, /) -> None:
        self.warnings.append(msg)

    def exception(self, msg: str, /) -> None:
        raise AssertionError(msg)


def names(folder: Path) -> set[str]:
    """What is in a folder, locks of running servers apart."""
    return {entry.name for entry in folder.iterdir() if not entry.name.endswith(".lock")}


def copy_of(path: Path, data: bytes) -> Path:
    return path.with_name(f"{path.name}.unreadable-{hashlib.sha256(data).hexdigest()[:12]}")


def ids(found: Found[object] | None) -> list[str]:
    assert found is not None
    assert isinstance(found.content, list)
    return [reminder.id for reminder in found.content]


def undated(found: Found[T] | None) -> Found[T] | None:
    """What was found, whenever it was written."""
    return found and replace(found, saved_at=None)


def row(**members: object) -> str:
    return json.dumps(
        {"id": "rem_x", "message": "x", "createdAt": 1, "fireAt": 2, "everySeconds": None} | members
    )
