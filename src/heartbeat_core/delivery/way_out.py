"""The one place that wakes leave from, and what may leave (15.3)."""

from __future__ import annotations

from datetime import datetime, timedelta

from heartbeat_core.delivery.allowance import Allowance, Wait
from heartbeat_core.ports import Transport
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.times.clock_readings import Reading
from heartbeat_core.times.moments import AgentZone, show
from heartbeat_core.wakes import Wake


class WayOut:
    """Numbers wakes, and hands them to the transport. This is the only caller of `Transport.push`."""

    def __init__(
        self,
        transport: Transport,
        limits: Limits,
        zone: AgentZone,
        log: OperatorLog,
        answer_within: timedelta,
    ) -> None:
        self.allowance = Allowance(limits, zone)
        self.answer_within = answer_within
        """How long an answer is waited for, monotonic."""
        self._transport = transport
        self._zone = zone
        self._log = log
        self._wakes = 0

    @property
    def has_room(self) -> bool:
        """Whether the transport takes another wake."""
        return self._transport.ready()

    def next_number(self) -> int:
        """The number of the next wake, by which it is told from all others of this process."""
        self._wakes += 1
        return self._wakes

    def push(self, wake: Wake, at: Reading) -> None:
        """Hand a wake over."""
        if (wait := self.allowance.count(at.now)) is not None:
            self._log.limit_reached(wait.limit, show(wait.until, self._zone), at.ticks)
        self._transport.push(wake)


def not_before(wait: Wait | None, when: datetime) -> datetime:
    """When something happens that has to wait, where anything makes it wait."""
    return when if wait is None else max(when, wait.until)
