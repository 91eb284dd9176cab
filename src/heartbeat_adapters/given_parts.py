"""What an embedder gives is checked when it is given, and not when it is first needed (9.6)."""

from __future__ import annotations

import os
from datetime import timedelta

from heartbeat_adapters.settings import Settings
from heartbeat_core.policy import Policy
from heartbeat_core.schedule.ambient_schedule import LONGEST_LENGTH, SHORTEST_INTERVAL, Schedule
from heartbeat_core.schedule.limits import Limits
from heartbeat_core.telling.parties import Parties
from heartbeat_core.times.moments import AgentZone

_TYPES: dict[str, tuple[type, ...]] = {
    "settings": (Settings,),
    "folder": (str, os.PathLike),
    "timezone": (str,),
    "agent": (str,),
    "zone": (AgentZone,),
    "defaults": (Schedule,),
    "policy": (Policy,),
    "limits": (Limits,),
    "parties": (Parties,),
    "answer_within": (timedelta,),
    "handler_timeout": (timedelta,),
}
_SUCH_AS = {
    "timezone": " such as Europe/Berlin",
    "answer_within": " such as timedelta(seconds=30)",
    "handler_timeout": " such as timedelta(hours=1)",
}
_METHODS = {
    "schedule_store": ("load", "look", "save", "close"),
    "reminder_store": ("load", "look", "save", "close"),
    "history": ("append", "newest_first", "close"),
    "transport": ("push", "ready"),
    "log": ("info", "warning", "exception"),
    "database": ("agent",),
    "clock": ("now", "monotonic", "call_at"),
}
_CALLED = {"handler": "that takes a wake", "new_id": "that gives an id"}
_NEEDED = ("handler", "timezone", "answer_within", "handler_timeout")


def check_parts(**parts: object) -> None:
    """Raise TypeError, naming the part and what it lacks; None stands for a part that was not given.

    Raises ValueError for a length of time that is not more than 0, and for an interval that none can have.
    """
    for name, part in parts.items():
        if part is not None or name in _NEEDED:
            _check_kind(name, part)
            _check_value(name, part)


def _check_kind(name: str, part: object) -> None:
    kind = type(part).__name__
    if name in _CALLED and not callable(part):
        raise TypeError(f"{name} must be a function {_CALLED[name]}, and is {kind}")
    if name in _TYPES and not isinstance(part, _TYPES[name]):
        wanted = " or ".join(each.__name__ for each in _TYPES[name])
        raise TypeError(f"{name} must be a {wanted}{_SUCH_AS.get(name, '')}, and is {kind}")
    lacks = [each for each in _METHODS.get(name, ()) if not callable(getattr(part, each, None))]
    if lacks:
        raise TypeError(f"{name} is {kind}, which has no {', '.join(lacks)}; see heartbeat_core.ports")


def _check_value(name: str, part: object) -> None:
    match part:
        case timedelta() if part <= timedelta(0):
            raise ValueError(f"{name} must be more than 0, and is {part}")
        case Schedule(interval=interval) if not SHORTEST_INTERVAL <= interval <= LONGEST_LENGTH:
            raise ValueError(f"{name} must have an interval of 60 s to 100 years, and has {interval}")
