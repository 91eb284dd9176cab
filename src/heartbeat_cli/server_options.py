"""What the command line and the environment say about the server that is to run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the command line and the environment say. `answer_within` is in seconds, paths are absolute."""

    config_file: str
    reminders_file: str
    history_file: str | None
    timezone: str | None
    answer_within: float
    handshake: bool
    verbose: bool
