"""What the command line and the environment say about the server that is to run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heartbeat_core.schedule.limits import Limits


EXIT_UNUSABLE = 2
"""What was given cannot be used: somebody has to give or install something else."""


class CannotStart(Exception):
    """Something has to be given or installed before a server can start; the text says what."""


@dataclass(frozen=True, slots=True)
class DatabaseOption:
    """A database and whose rows of it: `title` names both in front of people, without password (16.1)."""

    url: str
    agent: str
    title: str


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the command line and the environment say.

    `answer_within` is in seconds, paths are absolute. `limits` are the operator's; None where none is set.
    With a `database` the files are not used, and `files_given` says that somebody named them all the same.
    """

    config_file: str
    reminders_file: str
    history_file: str | None
    files_given: bool
    database: DatabaseOption | None
    timezone: str | None
    answer_within: float
    limits: Limits | None
    handshake: bool
    verbose: bool
