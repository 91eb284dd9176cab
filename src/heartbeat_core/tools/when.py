"""Times that a call names: what is wrong with one, in words (6.5)."""

from __future__ import annotations

from heartbeat_core.service import Heartbeat
from heartbeat_core.times.moments import AgentZone, NotATime, parse_local, show
from heartbeat_core.tools.shown import shown_value


def time_problems(name: str, at: str, heartbeat: Heartbeat, zone: AgentZone | None = None) -> list[str]:
    """What is wrong with a time sent as `name`; without an offset it is in `zone`, else in the agent zone."""
    try:
        parse_local(at, zone or heartbeat.zone)
    except NotATime as error:
        return [f"{name} {error}; it was {shown_value(at)}, and it is now {show_now(heartbeat)}"]
    return []


def show_now(heartbeat: Heartbeat) -> str:
    """The time as the agent reads it."""
    return show(heartbeat.now, heartbeat.zone)
