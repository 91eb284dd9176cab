"""Arguments that add up to a length: `inMinutes` and `inHours`, `everySeconds`, `intervalHours`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.schedule.ambient_schedule import LONGEST_LENGTH
from heartbeat_core.times.lengths import UNITS, from_ms, in_seconds, total
from heartbeat_core.times.moments import LAST_MOMENT, AgentZone, is_expressible
from heartbeat_core.tools.shown import shown_value

_LONGEST = int(in_seconds(LONGEST_LENGTH))

Seconds = Annotated[float, Field(ge=0, le=_LONGEST)] | SkipJsonSchema[None]
Minutes = Annotated[float, Field(ge=0, le=_LONGEST // 60)] | SkipJsonSchema[None]
Hours = Annotated[float, Field(ge=0, le=_LONGEST // 3600)] | SkipJsonSchema[None]


def whole(value: object) -> object:
    """A number that is whole as an integer: JSON tells 2.0 and 2 apart, and its schemas do not."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, slots=True)
class AddedUp:
    """The arguments of a tool that add up to one length: those named `prefix` and a unit.

    `called` is what the length is to the agent, `least_shown` how its least is said, and `otherwise` what
    to do for a shorter one.
    """

    prefix: str
    called: str
    least: timedelta
    least_shown: str
    otherwise: str

    def names(self, sent: Collection[str]) -> list[str]:
        """Which of them were sent, right or wrong."""
        return [self.prefix + unit for unit in UNITS if self.prefix + unit in sent]

    def length(self, arguments: BaseModel) -> timedelta | None:
        """What they add up to, rounded to the millisecond (5.3); None if none was sent."""
        values = {unit: getattr(arguments, self.prefix + unit) for unit in UNITS}
        parts = {unit: value for unit, value in values.items() if value is not None}
        return from_ms(total(parts)) if parts else None

    def sum(self, arguments: BaseModel, sent: Collection[str]) -> timedelta | None:
        """What they add up to; None where none was sent, or one of them is wrong by itself."""
        names = self.names(sent)
        is_known = bool(names) and all(getattr(arguments, name) is not None for name in names)
        return self.length(arguments) if is_known else None

    def problems(
        self, arguments: BaseModel, sent: Mapping[str, object], now: datetime, zone: AgentZone
    ) -> list[str]:
        """What is wrong with the sum, as it would be kept: too short, or too long (6.8)."""
        names = self.names(sent)
        length = self.sum(arguments, sent)
        if length is None:
            return []
        sums = " + ".join(f"{name} {shown_value(sent[name])}" for name in names)
        start = f"{sums} {'comes' if len(names) == 1 else 'come'} to {in_seconds(length)} s"
        if not self.least <= length <= LONGEST_LENGTH:
            bounds = f"{self.least_shown}, and at most 100 years ({_LONGEST} s)"
            hint = f"; {self.otherwise}" if length < self.least else ""
            return [f"{start}, which is out of range; {self.called} must be {bounds}{hint}"]
        if length > LAST_MOMENT - now or not is_expressible(now + length, zone):
            return [f"{start}, which is out of range: from now that is past the year 9999"]
        return []
