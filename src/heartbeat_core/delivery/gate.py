"""What the host allows, and when the log has to say that it has not said so (4.2 to 4.8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from heartbeat_core.policy import Blocked, Malformed, Policy, Update, read_update
from heartbeat_core.ports import Ownership
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.times.clock_readings import Reading

_POLICY_WITHIN = timedelta(seconds=10)
"""How long after its hello a host may take to send a policy, before a line in the log says that none came."""


class Gate:
    """The policy in force, and the log's words about each change of it."""

    def __init__(self, policy: Policy, log: OperatorLog, ownership: Ownership | None = None) -> None:
        self.granted = policy
        """What the host allows, as its last word stands."""
        self._ownership = ownership
        self.silence_due: timedelta | None = None
        """When a host that has sent no policy is worth a line, on the monotonic clock."""
        self._log = log

    @property
    def policy(self) -> Policy:
        """What may be sent: as the host allows it, unless what is stored stands against it (16.3, 16.4)."""
        reason = None if self._ownership is None else self._ownership.withheld()
        return self.granted if reason is None else replace(self.granted, withheld=reason)

    @property
    def blocked(self) -> Blocked | None:
        """Why no wake is deliverable; None when one is."""
        return self.policy.blocked

    def host_arrived(self, at: Reading, *, speaks_mcpl: bool) -> None:
        """The host said hello; one that does not speak MCPL can never be sent a wake (4.1)."""
        self.granted = Policy(mcp_only=not speaks_mcpl)
        self.silence_due = at.ticks + _POLICY_WITHIN if speaks_mcpl else at.ticks

    def requested(self, params: object, at: Reading) -> Update | Malformed:
        """A `featureSets/update` Request sets the policy; gives what it says (4.2)."""
        update = read_update(params)
        self.silence_due = None
        self.granted = self.granted.requested_with(update)
        self._log.requested(update, self.blocked, at.ticks)
        return update

    def notified(self, params: object, at: Reading) -> None:
        """A `featureSets/update` Notification can take away, and never give (4.7)."""
        in_force = self.granted.grant is not None
        update = read_update(params)
        self.silence_due = None
        self.granted = self.granted.notified_with(update)
        self._log.notified(update, self.blocked, at.ticks, in_force=in_force)

    def say_silence(self, at: Reading) -> None:
        """The host has had its time."""
        self.silence_due = None
        if self.blocked is not None:
            self._log.no_policy(self.blocked, at.ticks)
