"""What an embedder gives is checked when it is given, and not when it is first needed (9.6)."""

from __future__ import annotations

from heartbeat_core.policy import Policy
from heartbeat_core.schedule.ambient_schedule import Schedule

_TYPES = {"timezone": str, "defaults": Schedule, "policy": Policy}
_METHODS = {
    "schedule_store": ("load", "look", "save", "close"),
    "reminder_store": ("load", "look", "save", "close"),
    "history": ("append", "newest_first", "close"),
    "log": ("info", "warning", "exception"),
    "clock": ("now", "monotonic", "call_at"),
}


def check_parts(*, handler: object, **parts: object) -> None:
    """Raise TypeError, naming the part and what it lacks; None stands for a part that was not given."""
    if not callable(handler):
        raise TypeError(f"handler must be a function that takes a wake, and is {_kind(handler)}")
    for name, part in parts.items():
        needed = _TYPES.get(name)
        if part is not None and needed is not None and not isinstance(part, needed):
            raise TypeError(f"{name} must be a {needed.__name__}, and is {_kind(part)}")
        lacks = [each for each in _METHODS.get(name, ()) if not callable(getattr(part, each, None))]
        if part is not None and lacks:
            missing = ", ".join(lacks)
            raise TypeError(f"{name} is {_kind(part)}, which has no {missing}; see heartbeat_core.ports")


def _kind(part: object) -> str:
    return type(part).__name__
