"""Not before when the next wake may leave, for what the operator has set (15.3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from heartbeat_core.delivery.wake_budget import WakeBudget
from heartbeat_core.ports import History
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import AgentZone

_NEVER = (datetime.min.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC))
_OUT_OF_ORDER = 64
"""Lines are written at the answer, so many may be in another order; a late answer is a second line."""


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
        self._awake = _NEVER
        """A stretch of time in which there are no quiet hours, its end exclusive: looked up once a day."""

    def restore(self, history: History, now: datetime) -> None:
        """Count the last wakes of which there is history, as many as the budgets can hold.

        They are told by their number, not by their age: a clock that is set back makes old ones young again.
        """
        if not self._budgets:
            return
        most = 2 * max(one.budget.most for one in self._budgets) + _OUT_OF_ORDER
        sent = (line.sent for line in history.newest_first() if line.sent is not None)
        counted = [min(each, now) for each in islice(sent, most)]
        for budget in self._budgets:
            budget.restore(counted)

    def wait(self, now: datetime, ahead: int = 0) -> Wait | None:
        """What the next wake waits for, after `ahead` others; None where it may leave now."""
        if not self.is_limited:
            return None
        until, limit = now, ""
        for one in self._budgets:
            if (free := one.free_at(now, ahead)) > until:
                until, limit = free, one.budget.limit
        if (awake := self._end_of_quiet(until)) > until:
            until, limit = awake, self._limits.named["quiet-hours"]
        return Wait(until, limit) if limit else None

    def wait_of(self, due: datetime, now: datetime) -> Wait | None:
        """What a wake that is due at that moment waits for, as things stand."""
        wait, moment = self.wait(now), max(due, now)
        if wait is not None and wait.until > moment:
            return wait
        awake = self._end_of_quiet(moment)
        return Wait(awake, self._limits.named["quiet-hours"]) if awake > moment else None

    def _end_of_quiet(self, moment: datetime) -> datetime:
        """The first moment from `moment` on that is not in quiet hours."""
        quiet = self._limits.quiet
        if quiet and not self._awake[0] <= moment < self._awake[1]:
            begins = self._limits.end_of_quiet(moment, self._zone)
            self._awake = begins, quiet.next_opening(begins, self._zone)
        return max(moment, self._awake[0])

    def count(self, now: datetime) -> Wait | None:
        """A wake leaves; gives what the next one waits for."""
        for budget in self._budgets:
            budget.count(now)
        return self.wait(now)
