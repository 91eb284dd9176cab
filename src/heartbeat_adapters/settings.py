"""What can be set from outside, as one model (1.2).

Lives here: the settings, their defaults and what they are made into. May not: read the environment,
which is the CLI's to do, so that an embedding program is asked for nothing.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

DEFAULT_CONFIG_FILE = "./heartbeat-config.json"
DEFAULT_REMINDERS_FILE = "./heartbeat-reminders.json"


def _absolute(path: str) -> str:
    try:
        return os.path.abspath(os.path.expanduser(path))
    except OSError:  # the working directory is gone, and nothing depends on it (1.6)
        return os.path.normpath(os.path.join("/", path))


AbsolutePath = Annotated[str, AfterValidator(_absolute)]


class Settings(BaseModel):
    """How one server runs. Paths are made absolute; `timezone` is an IANA name, None for the system's."""

    model_config = ConfigDict(frozen=True, validate_default=True)

    config_file: AbsolutePath = DEFAULT_CONFIG_FILE
    reminders_file: AbsolutePath = DEFAULT_REMINDERS_FILE
    timezone: str | None = None
    answer_within: timedelta = Field(timedelta(seconds=30), gt=timedelta(0))
