"""A server that is measured: its command, and a folder with its two files."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

INHERITED = ("PATH", "HOME", "LANG", "USER")
"""What hosts hand on of their environment; without PYTHON…, so that bytecode is cached as it is for them."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """What is started, and where its files are. `name` is what the table calls it."""

    name: str
    command: tuple[str, ...]
    folder: Path

    @property
    def reminders_file(self) -> Path:
        """The file that it keeps its reminders in."""
        return self.folder / "reminders.json"

    @property
    def environment(self) -> dict[str, str]:
        """What a host tells it: the recipe's variables, and little else."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        files = {
            "HEARTBEAT_CONFIG_FILE": str(self.folder / "config.json"),
            "HEARTBEAT_REMINDERS_FILE": str(self.reminders_file),
        }
        return {**inherited, **files, "AGENT_TIMEZONE": "UTC"}

    def starts_with(self, due: Iterable[float]) -> None:
        """Let its next life find reminders that are due at these epoch seconds, and no config."""
        (self.folder / "config.json").unlink(missing_ok=True)
        rows = [_row(number, at) for number, at in enumerate(due)]
        self.reminders_file.write_text(json.dumps(rows, indent=2) + "\n")


FAR_AWAY = 4_000_000_000.0
"""Epoch seconds that no benchmark lives to see."""


def far_away(count: int) -> list[float]:
    """Due times of reminders that only have to be there."""
    return [FAR_AWAY + number for number in range(count)]


def _row(number: int, due: float) -> dict[str, object]:
    return {
        "id": f"rem_{number:016x}",
        "message": f"Reminder {number}: look whether what was left open is done, and say so.",
        "createdAt": 1_750_000_000_000,
        "fireAt": round(due * 1000),
        "everySeconds": None,
    }


def our_command() -> tuple[str, ...]:
    """This server, as recipes start it: by its console script where it is installed."""
    script = Path(sys.executable).with_name("heartbeat-mcpl")
    start = (str(script),) if script.exists() else (sys.executable, "-m", "heartbeat_cli")
    return (*start, "--stdio")


def contestant(name: str, command: Iterable[str], folder: Path) -> Contestant:
    """Make a contestant with a folder of its own within `folder`."""
    return Contestant(name, tuple(command), Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder)))
