"""How many wakes may leave within any window of time, and when the next one may (15.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime

from heartbeat_core.schedule.limits import Budget
from heartbeat_core.times.lengths import MILLISECOND


class WakeBudget:
    """One budget, and when the last wakes of it left: as many as it allows, no more are kept.

    Times are on the wall clock. One that a clock which was set back has put ahead counts as now.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._sent: deque[datetime] = deque(maxlen=budget.most)

    def restore(self, sent: Iterable[datetime]) -> None:
        """Count wakes that left before this process began, in any order."""
        self._sent.extend(sorted([*self._sent, *sent]))

    def count(self, now: datetime) -> None:
        """A wake leaves."""
        self._keep_behind(now)
        self._sent.append(now)

    def free_at(self, now: datetime, ahead: int = 0) -> datetime:
        """When a wake may leave that `ahead` others leave before; `now` where it may at once."""
        self._keep_behind(now)
        first = len(self._sent) + ahead - self.budget.most
        if first < 0:
            return now
        # The one that makes room; of others that are still to leave nobody knows when.
        leaves_at = self._sent[first] if first < len(self._sent) else now
        # History cuts times to the millisecond: a wake may have left that much after its time there.
        return max(now, leaves_at + self.budget.window + MILLISECOND)

    def _keep_behind(self, now: datetime) -> None:
        if self._sent and self._sent[-1] > now:
            self._sent = deque((min(sent, now) for sent in self._sent), self.budget.most)
