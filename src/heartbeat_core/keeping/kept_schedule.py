"""The schedule in memory and in its store, kept together (8.2 to 8.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from heartbeat_core.keeping.guarded_store import GuardedStore
from heartbeat_core.keeping.store_status import StoreStatus
from heartbeat_core.ports import ScheduleStore, Trouble
from heartbeat_core.schedule import ambient_schedule as scheduling
from heartbeat_core.schedule.ambient_schedule import Schedule, ScheduleChange
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.schedule.open_hours import OpenHours
from heartbeat_core.telling.operator_log import OperatorLog
from heartbeat_core.times.moments import AgentZone

_MOVES_THE_NEXT_BEAT = {"interval", "paused", "active", "next_beat"}
"""Members that move the next beat when they are set (6.2, 12.2, 12.3)."""


class KeptSchedule:
    """The schedule in force, and its store."""

    def __init__(
        self, store: ScheduleStore, defaults: Schedule, zone: AgentZone, log: OperatorLog, limits: Limits
    ) -> None:
        self.current = defaults
        self.status = StoreStatus("the schedule", log)
        self._store = store
        self._guarded = GuardedStore(store)
        self._defaults = defaults
        self._zone = zone
        self._limits = limits
        self._stored: Schedule | None = None
        """What was last read or saved: what memory has beyond it was changed here. None: nothing of use."""
        self._agent_set: set[str] = set()
        """The members that the agent set since: they stay on top of what another server kept (8.6)."""
        self._agent_set_active: set[str] = set()
        """Those of its active hours, likewise."""

    @property
    def differs(self) -> bool:
        """Whether there is something to save."""
        return self.current != self._stored

    def load(self, now: datetime) -> datetime | None:
        """Read what was saved, and take up its countdown; gives when it was last written, where known."""
        found = self._guarded.load()
        self.status.read(found)
        self._adopt(found.content, now)
        return found.saved_at

    def look(self, now: datetime) -> None:
        """Look whether something else changed it, or gave it free, and take that over (8.6, 8.8)."""
        was_in_use = self.status.in_use
        found = self.status.look(self._guarded.look)
        if found is None or found.in_use:
            return
        if found.content is None and not was_in_use:
            self._stored = None
            self.save(now)
        else:
            self._adopt(found.content, now, self._with_what_was_set if was_in_use else self._with_ours)

    def _adopt(
        self, stored: Schedule | None, now: datetime, on_top: Callable[[Schedule], Schedule] | None = None
    ) -> None:
        """Go on from what is stored, with what was changed here on top of it, if something was."""
        schedule = stored or self.current
        schedule = on_top(schedule) if on_top else schedule
        self.current = scheduling.taken_up(schedule, now, self._zone, self._limits)
        self._stored = stored
        if not self.status.in_use:
            self.save(now)

    def _with_ours(self, theirs: Schedule) -> Schedule:
        """What a stranger wrote, with what could not be saved on top (8.7, 8.8)."""
        if self.status.unsaved is None:
            return theirs
        return scheduling.merged(self.current, self._stored or self._defaults, theirs)

    def _with_what_was_set(self, theirs: Schedule) -> Schedule:
        """What another server kept, with what the agent set here meanwhile on top (8.6).

        The beats of this server are no change of the agent's: a countdown is ours only where the agent was
        told one that it had begun itself.
        """
        names = self._agent_set.copy()
        if names & _MOVES_THE_NEXT_BEAT:
            names |= {"next_beat", "next_is_asked"}
        mine = {name: getattr(self.current, name) for name in names - {"active"}}
        active = {name: getattr(self.current.active, name) for name in self._agent_set_active}
        return replace(theirs, **mine, active=replace(theirs.active, **active))

    def configure(self, change: ScheduleChange, now: datetime) -> tuple[bool, Trouble | None]:
        """Change what the agent asked for; gives whether that is new, and why it is not saved, if so."""
        before = self.current
        after = scheduling.changed(before, change, now, self._zone, self._limits)
        if after != before or self.status.in_use:
            self._agent_set |= change.names
            self._agent_set_active |= change.active.names
        return (False, None) if after == before else (True, self.change(after, now))

    def advance(self, now: datetime) -> None:
        """Go on to the first of its times after now (8.2)."""
        self.change(scheduling.advanced(self.current, now, self._zone, self._limits), now)

    def move_to_opening(self, now: datetime) -> None:
        """Put the next beat off to the next opening (12.2)."""
        self.change(scheduling.moved_to_opening(self.current, now, self._zone, self._limits), now)

    def bring_near(self, now: datetime) -> None:
        """Bring the next beat near where a clock that was set back has put it off (5.2)."""
        self.change(scheduling.brought_near(self.current, now, self._zone, self._limits), now)

    def times_passed(self, now: datetime) -> int:
        """How many beats have passed beside the one that is due (13.1)."""
        return scheduling.times_passed(self.current, now, self._zone, self._limits)

    def is_open(self, now: datetime) -> bool:
        """Whether beats of the schedule may come now (12.1, 15.3)."""
        return OpenHours(self.current.active, self._limits, self._zone).include(now)

    def change(self, schedule: Schedule, now: datetime) -> Trouble | None:
        """Make this the schedule, and save it; why that failed, if it did."""
        self.current = schedule
        return self.save(now)

    def save(self, now: datetime) -> Trouble | None:
        """Save what is not saved yet; why that failed, if it did."""
        if not self.differs:
            return None
        problem = self._guarded.save(lambda: self._store.save(self.current))
        self.status.saved(problem)
        if problem is None:
            self._stored = self.current
            self._agent_set.clear()
            self._agent_set_active.clear()
            return None
        self.look(now)  # that failed for what somebody else has done, perhaps
        return problem if self.differs else None

    def close(self) -> None:
        """Let go of the store."""
        self.status.closed(self._guarded.close())
