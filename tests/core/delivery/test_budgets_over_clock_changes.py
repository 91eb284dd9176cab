"""What a budget knows after a restart does not depend on what the clock said meanwhile (15.3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from limited_benches import DAY, HOUR, WrittenHistory, line

from heartbeat_core.delivery.allowance import Allowance
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import AgentZone

NOW = datetime(2026, 3, 15, 9, tzinfo=UTC)


@pytest.mark.parametrize("first", [NOW - 2 * DAY, NOW - HOUR])
def test_a_wake_counts_though_the_clock_was_set_back_after_a_restart(first: datetime) -> None:
    """15.3: a time later than now counts as now."""
    history = WrittenHistory()
    history.lines.append(line(first))
    allowance = Allowance(Limits(max_wakes_per_day=1), AgentZone("UTC", UTC))
    allowance.restore(history, NOW)
    assert allowance.wait(first - HOUR) is not None


def test_a_wake_counts_behind_one_that_left_while_the_clock_was_set_back() -> None:
    """15.3: for any 86,400 s, across a restart."""
    history = WrittenHistory()
    history.lines.extend([line(NOW - HOUR), line(NOW - 3 * DAY)])
    allowance = Allowance(Limits(max_wakes_per_day=1), AgentZone("UTC", UTC))
    allowance.restore(history, NOW)
    assert allowance.wait(NOW) is not None
