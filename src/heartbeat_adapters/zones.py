"""The agent zone: the one that was asked for, else the system's, else UTC (1.2).

Lives here: finding out. May not: what a zone is used for.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from dateutil import tz

from heartbeat_core.moments import AgentZone

UTC_ZONE = AgentZone("UTC", UTC)
_ZONE_FOLDER = "zoneinfo/"
_NAME = re.compile(r"(?!localtime$|posixrules$)\w[\w+-]*(/\w[\w+-]*)*", re.ASCII)
"""An IANA name: what the agent is shown; POSIX rules, file names and the system's own aliases are none."""


def agent_zone(asked: str | None) -> tuple[AgentZone, str | None]:
    """The zone to use, and a warning where `asked` is no zone that is known here."""
    zone = known_zone(asked) if asked else None
    if zone is not None:
        return zone, None
    instead = _system_zone()
    if not asked:
        return instead, None
    return instead, f"unknown time zone {asked!r}; times are read and shown in {instead.name} instead"


def known_zone(name: str) -> AgentZone | None:
    """The zone of that IANA name, None where none is known here."""
    rules = _rules(name)
    return None if rules is None else AgentZone(name, rules)


def _rules(name: str) -> tzinfo | None:
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        pass
    # Where the system has no zone data, dateutil may have brought some. It would also read POSIX rules.
    return tz.gettz(name) if "/" in name else None


def _system_zone() -> AgentZone:
    for name in (_from_environment(), _from_link("/etc/localtime"), _from_file("/etc/timezone")):
        zone = known_zone(name) if name else None
        if zone is not None:
            return zone
    return UTC_ZONE


def _from_environment() -> str:
    name = os.environ.get("TZ", "").removeprefix(":")
    return _name_of(name) if name.startswith("/") else name


def _from_link(path: str) -> str:
    return _name_of(os.path.realpath(path)) if os.path.islink(path) else ""


def _from_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(200).strip()
    except OSError:
        return ""


def _name_of(path: str) -> str:
    """`America/New_York` of `/usr/share/zoneinfo/America/New_York`."""
    return path.partition(_ZONE_FOLDER)[2]
