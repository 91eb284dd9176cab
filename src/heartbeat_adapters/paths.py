"""Where the files are, as absolute paths (1.6).

It is light to import: the log names them before anything else is loaded.
"""

from __future__ import annotations

import os

DEFAULT_CONFIG_FILE = "./heartbeat-config.json"
DEFAULT_REMINDERS_FILE = "./heartbeat-reminders.json"
HISTORY_NAME = "heartbeat-history.jsonl"
DEFAULT_AGENT = "default"
"""Whose rows of a database are meant where nobody says it (16.1)."""


def absolute_path(path: str) -> str:
    """An absolute path, `~` resolved; from the root where the working directory is gone. Never raises."""
    try:
        return os.path.abspath(os.path.expanduser(path))
    except OSError:
        return os.path.normpath(os.path.join("/", path))


def history_path(asked: str | None, config_file: str, reminders_file: str) -> str | None:
    """Where the history is: as asked, else beside the config file; None where it is off (14.2).

    An empty text turns it off. So does the path of another file, which its lines would spoil.
    """
    if asked == "":
        return None
    path = absolute_path(asked or os.path.join(os.path.dirname(config_file), HISTORY_NAME))
    return None if path in (config_file, reminders_file) else path
