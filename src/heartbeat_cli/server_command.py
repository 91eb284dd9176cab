"""How a host starts this very installation: a command with absolute paths, which needs no PATH (1.6)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_SCRIPT = "heartbeat-mcpl"
_PASSING = {".cache", "Caches", "archive-v0"}
"""Folders in the paths of installations that `uvx` and `pipx run` make, and clear away at some time."""


def server_command() -> list[str]:
    """The command and its arguments: the console script beside the interpreter, else the module."""
    script = Path(sys.executable).with_name(_SCRIPT)
    if script.is_file() and os.access(script, os.X_OK):
        return [str(script), "--stdio"]
    return [sys.executable, "-m", "heartbeat_cli", "--stdio"]


def may_vanish() -> bool:
    """Whether this installation looks like one that is cleared away at some time."""
    return not _PASSING.isdisjoint(Path(sys.executable).parts)
