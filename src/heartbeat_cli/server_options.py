"""What the command line and the environment say about the server that is to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heartbeat_core.schedule.limits import Limits


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the command line and the environment say.

    `answer_within` is in seconds, paths are absolute. `limits` are the operator's; None where none is set.
    """

    config_file: str
    reminders_file: str
    history_file: str | None
    timezone: str | None
    answer_within: float
    limits: Limits | None
    handshake: bool
    verbose: bool
