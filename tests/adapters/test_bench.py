"""The bench for tests of agents: it runs on stores of its user's own as well (9.8)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from heartbeat_adapters import JsonReminderStore, JsonScheduleStore, VolatileReminderStore
from heartbeat_adapters.testing import UTC_ZONE, Bench, MemoryReminderStore
from heartbeat_core import DEFAULT_SCHEDULE, Taken


def test_stores_of_your_own_keep_what_the_bench_does_over_restarts(tmp_path: Path) -> None:
    """9.8"""
    bench = Bench(
        host=lambda _: Taken(),
        schedule_store=JsonScheduleStore(str(tmp_path / "config.json"), DEFAULT_SCHEDULE, UTC_ZONE),
        reminder_store=JsonReminderStore(str(tmp_path / "reminders.json"), UTC_ZONE),
    )
    bench.call("heartbeat_configure", intervalHours=1)
    bench.call("reminder_add", message="tea", inHours=2)
    bench.restart()
    assert bench.heartbeat.schedule.interval == timedelta(hours=1)
    bench.pass_time(hours=3)
    assert [wake.reminder_id is not None for wake in bench.heard] == [False, False, True, False]
    bench.heartbeat.stop()


def test_the_store_in_memory_is_there_to_be_looked_into_and_no_other() -> None:
    """9.8: whoever gave one has it"""
    own = MemoryReminderStore()
    assert Bench(reminder_store=own).reminder_store is own
    bench = Bench(reminder_store=VolatileReminderStore())
    assert bench.schedule_store.saved is not None
    with pytest.raises(LookupError, match="VolatileReminderStore, which you gave it"):
        _ = bench.reminder_store
