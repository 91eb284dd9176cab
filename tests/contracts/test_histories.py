"""What every history owes the core."""

from __future__ import annotations

import pytest

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
