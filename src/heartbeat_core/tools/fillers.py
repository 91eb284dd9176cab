"""Values that ask for nothing, as clients send them that must send every argument (6.8, fillers)."""

from __future__ import annotations

from collections.abc import Mapping

from heartbeat_core.times.lengths import UNITS
from heartbeat_core.tools.arguments import Arguments
from heartbeat_core.tools.texts import is_blank

_COUNTS = ("count", "history")


def without_fillers(model: type[Arguments], members: Mapping[str, object]) -> dict[str, object]:
    """What was sent, without the arguments that ask for nothing where another one says what to do.

    Where none does, all stays as it was sent: `inHours: 0` alone is no delay, and is refused as such. A tool
    that needs no argument is called without any.
    """
    if not members:
        return {}
    known = {name: members[name] for name in model.model_fields if name in members}
    about = {name: value for name, value in known.items() if name not in model.subject}
    idle = {name for name, value in about.items() if _is_filler(name, value)}
    asking = {_kind(name) for name in about.keys() - idle}
    if not asking and model.needs_some:
        return dict(members)
    summands = {name for name in idle if _kind(name) in asking and about[name] == 0}
    return {name: value for name, value in members.items() if name not in idle - summands}


def _kind(name: str) -> str:
    """Lengths that add up are of one kind, and every other argument is a kind of its own."""
    return next((name.removesuffix(unit) for unit in UNITS if name.endswith(unit)), name)


def _is_filler(name: str, value: object) -> bool:
    if isinstance(value, str):
        return is_blank(value)
    if isinstance(value, bool):
        return False
    return value == [] or (value == 0 and (_kind(name) != name or name in _COUNTS))
