"""What every history owes the core."""

from __future__ import annotations

from pathlib import Path

import pytest

from heartbeat_adapters.embedded.volatile_history import VolatileHistory
from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.testing import HistorySuite, MemoryHistory
from heartbeat_core.ports import History


class TestMemoryHistory(HistorySuite):
    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.history = MemoryHistory()

    def make_history(self) -> History:
        return self.history

    def break_saving(self, why: str | None) -> None:
        self.history.fail_with = why


class TestVolatileHistory(HistorySuite):
    """The one in memory that is embedded where no folder is given (14.5)."""

    @pytest.fixture(autouse=True)
    def empty(self) -> None:
        self.history = VolatileHistory()

    def make_history(self) -> History:
        return self.history


class TestJsonLinesHistory(HistorySuite):
    """The file (14.2)."""

    @pytest.fixture(autouse=True)
    def in_a_folder(self, tmp_path: Path) -> None:
        self.path = str(tmp_path / "history.jsonl")

    def make_history(self) -> History:
        return JsonLinesHistory(self.path)
