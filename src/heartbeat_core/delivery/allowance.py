"""Not before when the next wake may leave, for what the operator has set (15.3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from heartbeat_core.delivery.wake_budget import WakeBudget
from heartbeat_core.ports import History
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import AgentZone


@dataclass(frozen=True, slots=True)
class Wait:
    """That no wake may leave before `until`, aware UTC.

    `limit` is the one that ends last, as the agent reads it, such as `max-wakes-per-hour 6`.
    """

    until: datetime
    limit: str


class Allowance:
    """The wakes that the operator allows; asked before each wake, and told of each that leaves."""

    def __init__(self, limits: Limits, zone: AgentZone) -> None:
        self.is_limited = bool(limits.budgets or limits.quiet)
        """Whether a wake may ever have to wait; where not, nothing here costs anything."""
        self._limits = limits
        self._zone = zone
        self._budgets = [WakeBudget(budget) for budget in limits.budgets]

    def restore(self, history: History, now: datetime) -> None:
        """Count the wakes of which there is history, as far back as a budget reaches.

        Lines are in order of the time at which they were written, and a wake leaves before that.
        """
        if not self._budgets:
            return
        oldest = now - max(one.budget.window for one in self._budgets)
        recent = takewhile(lambda line: line.at >= oldest, history.newest_first())
        sent = [line.sent for line in recent if line.sent is not None]
        for budget in self._budgets:
            budget.restore(sent)

    def wait(self, now: datetime, ahead: int = 0) -> Wait | None:
        """What the next wake waits for, after `ahead` others; None where it may leave now."""
        if not self.is_limited:
            return None
        until, limit = now, ""
        for one in self._budgets:
            if (free := one.free_at(now, ahead)) > until:
                until, limit = free, one.budget.limit
        if (awake := self._limits.end_of_quiet(until, self._zone)) > until:
            until, limit = awake, self._limits.named["quiet-hours"]
        return Wait(until, limit) if limit else None

    def wait_of(self, due: datetime, now: datetime) -> Wait | None:
        """What a wake that is due at that moment waits for, as things stand."""
        wait, moment = self.wait(now), max(due, now)
        if wait is not None and wait.until > moment:
            return wait
        awake = self._limits.end_of_quiet(moment, self._zone)
        return Wait(awake, self._limits.named["quiet-hours"]) if awake > moment else None

    def count(self, now: datetime) -> Wait | None:
        """A wake leaves; gives what the next one waits for."""
        for budget in self._budgets:
            budget.count(now)
        return self.wait(now)
