"""Where the two files are, as absolute paths (1.6).

It is light to import: the log names both before anything else is loaded.
"""

from __future__ import annotations

import os

DEFAULT_CONFIG_FILE = "./heartbeat-config.json"
DEFAULT_REMINDERS_FILE = "./heartbeat-reminders.json"


def absolute_path(path: str) -> str:
    """An absolute path, `~` resolved; from the root where the working directory is gone. Never raises."""
    try:
        return os.path.abspath(os.path.expanduser(path))
    except OSError:
        return os.path.normpath(os.path.join("/", path))
