"""Arguments that add up to a length: `inMinutes` and `inHours`, `everySeconds`, `intervalHours`.

Lives here: the number types of such arguments, their sum, and the words for a sum out of range.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from heartbeat_core.lengths import UNITS, from_ms, in_seconds, total
from heartbeat_core.schedule import LONGEST_LENGTH

_LONGEST = int(in_seconds(LONGEST_LENGTH))

Seconds = Annotated[float, Field(ge=0, le=_LONGEST)] | SkipJsonSchema[None]
Minutes = Annotated[float, Field(ge=0, le=_LONGEST // 60)] | SkipJsonSchema[None]
Hours = Annotated[float, Field(ge=0, le=_LONGEST // 3600)] | SkipJsonSchema[None]


def length_of(arguments: BaseModel, prefix: str) -> timedelta | None:
    """What the arguments that start with `prefix` add up to, to the millisecond; None if none was sent."""
    sent = {unit: getattr(arguments, prefix + unit) for unit in UNITS}
    parts = {unit: value for unit, value in sent.items() if value is not None}
    return from_ms(total(parts)) if parts else None


def names_sent(prefix: str, sent: Collection[str]) -> list[str]:
    """Which of the arguments that start with `prefix` were sent, right or wrong."""
    return [prefix + unit for unit in UNITS if prefix + unit in sent]


def length_problems(
    arguments: BaseModel, prefix: str, sent: Collection[str], least: timedelta, least_shown: str
) -> list[str]:
    """What is wrong with the sum: less than `least`, or more than 100 years (6.8).

    Where one of its parts is wrong by itself, nobody knows the sum.
    """
    names = names_sent(prefix, sent)
    length = length_of(arguments, prefix)
    if length is None or any(getattr(arguments, name) is None for name in names):
        return []
    if least <= length <= LONGEST_LENGTH:
        return []
    allowed = f"{least_shown} and at most 100 years ({_LONGEST} s)"
    return [f"{' + '.join(names)} must add up to {allowed}, not to {in_seconds(length)} s"]
