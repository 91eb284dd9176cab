"""`ServerFolder`: the two files of a real server, and hosts that start it on them, one after the other."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from heartbeat_adapters.testing.push_answers import OnPush, accept
from heartbeat_adapters.testing.scripted_host import ScriptedHost

SERVER = (sys.executable, "-m", "heartbeat_cli")


class ServerFolder:
    """A folder in which servers run, as a host's own folder is: the files are where the defaults say."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "heartbeat-config.json"
        self.reminders_file = path / "heartbeat-reminders.json"

    def host(
        self, on_push: OnPush = accept, *, options: Sequence[str] = (), bare: bool = False
    ) -> ScriptedHost:
        """Start a server and a host for it; `bare` leaves `--stdio` out, as several hosts do (1.5)."""
        command = [*SERVER, *(() if bare else ("--stdio",)), *options]
        return ScriptedHost(command, cwd=self.path, env={"AGENT_TIMEZONE": "Europe/Berlin"}, on_push=on_push)

    @property
    def config(self) -> dict[str, Any]:
        """What the config file holds."""
        return json.loads(self.config_file.read_bytes())  # type: ignore[no-any-return]

    @property
    def reminders(self) -> list[dict[str, Any]]:
        """What the reminders file holds."""
        return json.loads(self.reminders_file.read_bytes())  # type: ignore[no-any-return]

    def write_config(self, **members: object) -> None:
        """Write the config file as the reference does; what is left out is as a fresh start has it."""
        whole = {"intervalSeconds": 14400, "paused": False, "message": "Look around.", **members}
        self.config_file.write_text(json.dumps({"deliveryMode": "message", "nextFireAt": None} | whole))

    def write_reminders(self, *rows: dict[str, object]) -> None:
        """Write the reminders file."""
        self.reminders_file.write_text(json.dumps(rows, indent=2, ensure_ascii=False), encoding="utf-8")

    @property
    def names(self) -> set[str]:
        """The names of what lies in the folder, without its locks and its history."""
        names = {path.name for path in self.path.iterdir() if not path.name.endswith(".lock")}
        return names - {"heartbeat-history.jsonl"}


def row(
    reminder_id: str, due_in: float = 0.0, every: float | None = None, message: str = ""
) -> dict[str, object]:
    """Make a row of the reminders file, due so many seconds from now and set an hour before."""
    due = epoch_ms(due_in)
    return {
        "id": reminder_id,
        "message": message or reminder_id,
        "createdAt": due - 3_600_000,
        "fireAt": due,
        "everySeconds": every,
    }


def epoch_ms(seconds_from_now: float) -> int:
    """The time then, as the files have it."""
    return int((time.time() + seconds_from_now) * 1000)  # noqa: TID251 - a real server reads it
