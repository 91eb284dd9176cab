"""What can be set from outside, as one model (1.2).

The command line reads the environment, so that an embedding program is asked for nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from heartbeat_adapters.paths import DEFAULT_AGENT, DEFAULT_CONFIG_FILE, DEFAULT_REMINDERS_FILE, absolute_path
from heartbeat_core.service import ANSWER_WITHIN

AbsolutePath = Annotated[str, AfterValidator(absolute_path)]


class Settings(BaseModel):
    """How one server runs. Paths are made absolute; `timezone` is an IANA name, None for the system's.

    Without a `history_file` no history is kept. Where there is a `database`, a URL (16.1), it keeps what is
    `agent`'s in place of all files.
    """

    model_config = ConfigDict(frozen=True, validate_default=True)

    config_file: AbsolutePath = DEFAULT_CONFIG_FILE
    reminders_file: AbsolutePath = DEFAULT_REMINDERS_FILE
    history_file: AbsolutePath | None = None
    database: str | None = None
    agent: str = DEFAULT_AGENT
    timezone: str | None = None
    answer_within: timedelta = Field(default=ANSWER_WITHIN, gt=timedelta(0))
