"""What is said at `initialize`: which protocol, who this is, what it can do (3.1, 4.1).

It keeps no state. It is light to import, so that `initialize` can be answered before the rest is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from heartbeat_core.version import __version__

PROTOCOL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MCPL_VERSION = "0.5"
SERVER_INFO: Mapping[str, str] = {"name": "heartbeat-mcpl", "title": "Heartbeat", "version": __version__}

_INSTRUCTIONS = (
    "You are woken by this server: at an interval that you set with heartbeat_configure, and by reminders "
    "that you leave yourself with reminder_add. heartbeat_status shows how you are woken, and whether wakes "
    "can reach you at all; reminder_list and reminder_cancel show and remove reminders. Everything you set "
    "is kept across restarts."
)
INSTRUCTIONS_WITHOUT_WAKES = (
    "This server keeps a heartbeat schedule and reminders for you, but this host cannot be sent wakes: no "
    "heartbeat will come, and no reminder will fire. What you set with heartbeat_configure and reminder_add "
    "is kept. Look at heartbeat_status and reminder_list yourself to see what is due."
)
_FEATURE_SET = {
    "description": "Wakes the agent at an interval that it sets, and with reminders that it left itself.",
    "uses": ["tools", "pushEvents"],
    "rollback": False,
}


@dataclass(frozen=True, slots=True)
class Host:
    """What the host said of itself. `mcpl_version` is () where it said none that can be read."""

    protocol_version: str
    speaks_mcpl: bool
    mcpl_version: tuple[int, ...]


def read_hello(params: Mapping[str, object]) -> Host:
    """Read the params of `initialize`; what is missing or odd counts as not said."""
    asked = params.get("protocolVersion")
    version = asked if isinstance(asked, str) and asked in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[-1]
    capabilities = params.get("capabilities")
    return Host(
        version, advertises_mcpl(capabilities), _mcpl_version(_member(_mcpl(capabilities), "version"))
    )


def advertises_mcpl(capabilities: object) -> bool:
    """Whether a host with these capabilities speaks MCPL (4.1)."""
    mcpl = _mcpl(capabilities)
    return mcpl is not None and mcpl is not False


def _mcpl(capabilities: object) -> object:
    return _member(_member(capabilities, "experimental"), "mcpl")


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None


def _mcpl_version(said: object) -> tuple[int, ...]:
    """`"0.5"` as (0, 5), which has an order; () is older than everything."""
    matches = isinstance(said, str) and re.fullmatch(r"(\d{1,6})(?:\.(\d{1,6}))*", said, re.ASCII)
    return tuple(int(part) for part in str(said).split(".")) if matches else ()


def hello_back(host: Host) -> dict[str, object]:
    """The answer to `initialize`."""
    capabilities: dict[str, object] = {"tools": {}}
    if host.speaks_mcpl:
        capabilities["experimental"] = {"mcpl": _mcpl_answer(host)}
    return {
        "protocolVersion": host.protocol_version,
        "capabilities": capabilities,
        "serverInfo": dict(SERVER_INFO),
        "instructions": _INSTRUCTIONS if host.speaks_mcpl else INSTRUCTIONS_WITHOUT_WAKES,
    }


def _mcpl_answer(host: Host) -> dict[str, object]:
    # Hosts older than 0.5 read a list only.
    keyed = host.mcpl_version >= (0, 5)
    feature_sets = {"heartbeat": _FEATURE_SET} if keyed else [{"name": "heartbeat", **_FEATURE_SET}]
    return {"version": MCPL_VERSION, "pushEvents": True, "featureSets": feature_sets}
