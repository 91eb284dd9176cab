"""A log that keeps its lines, for tests that read what an operator would."""

from __future__ import annotations

import sys


class RecordingLog:
    """Implements `heartbeat_core.ports.Log`: every line lands in `lines`, warnings with `WARNING: `."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def info(self, msg: str, /) -> None:
        """Keep the line."""
        self.lines.append(msg)

    def warning(self, msg: str, /) -> None:
        """Keep the line, marked as a warning."""
        self.lines.append(f"WARNING: {msg}")

    def exception(self, msg: str, /) -> None:
        """Keep the line, marked as a warning, with the exception that is handled."""
        self.lines.append(f"WARNING: {msg}: {sys.exception()!r}")
