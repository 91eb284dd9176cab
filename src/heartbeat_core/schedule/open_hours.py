"""The hours in which beats of the schedule come: active hours without the operator's quiet hours."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from heartbeat_core.schedule.active_hours import ActiveHours
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.times.moments import LAST_MOMENT, AgentZone

_MOST_OPENINGS = 370
"""Openings that are looked at: a clock change can put one into quiet hours, but not every one of a year."""


@dataclass(frozen=True, slots=True)
class OpenHours:
    """Active hours with quiet hours cut out of them (12.2, 15.3). All moments are aware UTC."""

    active: ActiveHours
    limits: Limits
    zone: AgentZone

    def __bool__(self) -> bool:
        """Whether there is a time at which no beat comes."""
        return bool(self.active or self.limits.quiet)

    def include(self, moment: datetime) -> bool:
        """Whether a beat may come at that moment."""
        return self.active.includes(moment, self.zone) and not (
            self.limits.quiet and self.limits.quiet.includes(moment, self.zone)
        )

    def first_from(self, moment: datetime) -> datetime:
        """The first moment from `moment` on at which a beat may come; `LAST_MOMENT` where there is none."""
        if self.limits.swallow(self.active):
            return LAST_MOMENT  # as the search would find, in a hundredth of its time
        for _ in range(_MOST_OPENINGS):
            if not self.active.includes(moment, self.zone):
                moment = self.active.next_opening(moment, self.zone)
            awake = self.limits.end_of_quiet(moment, self.zone)
            if awake == moment:
                return moment
            moment = awake
        return LAST_MOMENT

    def end(self, moment: datetime) -> datetime:
        """When the hours end that `moment` lies in, exclusive; `moment` itself where it lies in none."""
        if not self.include(moment):
            return moment
        ends = [self.active.closing(moment, self.zone)] if self.active else []
        ends += [self.limits.quiet.next_opening(moment, self.zone)] if self.limits.quiet else []
        return min(ends, default=LAST_MOMENT)
