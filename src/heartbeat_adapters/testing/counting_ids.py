"""Ids in order, for tests that want to know them beforehand."""

from __future__ import annotations


class CountingIds:
    """Implements `heartbeat_core.ports.NewId`: gives `1`, `2`, `3`, …, never the same twice."""

    def __init__(self) -> None:
        self.given = 0

    def __call__(self) -> str:
        """The next id."""
        self.given += 1
        return str(self.given)
