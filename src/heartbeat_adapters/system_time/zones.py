"""The agent zone: the one that was asked for, else the system's, else UTC (1.2)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from dateutil import tz

from heartbeat_adapters.system_time.zone_files import name_of_zone, read_zone_file, zone_in, zone_of_rule
from heartbeat_core.times.moments import AgentZone

UTC_ZONE = AgentZone("UTC", UTC)
_NAME = re.compile(r"(?!localtime$|posixrules$)\w[\w+-]*(/\w[\w+-]*)*", re.ASCII)
"""An IANA name: what the agent is shown; POSIX rules, file names and the system's own aliases are none."""
_IN_ZONE_FOLDER = re.compile(r"/zoneinfo[^/]*/(?:posix/|right/)?(.+)")


@dataclass(frozen=True, slots=True)
class ZonePlaces:
    """Where a system says what its zone is, beside `TZ`."""

    localtime: str = "/etc/localtime"
    """A link to a zone file, or a copy of one."""
    timezone: str = "/etc/timezone"
    """The zone's name."""


_PLACES = ZonePlaces()


def agent_zone(asked: str | None, places: ZonePlaces = _PLACES) -> tuple[AgentZone, str | None]:
    """The zone to use, and a warning where `asked`, or what the system says, cannot be used."""
    zone = known_zone(asked) if asked else None
    if zone is not None:
        return zone, None
    problems = [f"unknown time zone {asked!r}"] if asked else []
    instead = _system_zone(places, problems)
    if not problems:
        return instead, None
    return instead, f"{'; '.join(problems)}; times are read and shown in {instead.title} instead"


def known_zone(name: str) -> AgentZone | None:
    """The zone of that IANA name, None where none is known here."""
    rules = _rules(name)
    return None if rules is None else AgentZone(name, rules)


def find_zone(name: str) -> AgentZone | None:
    """The zone of an IANA name, case ignored, named as IANA spells it; None where none is known (10.2)."""
    return known_zone(_spelling().get(name.casefold(), name))


@cache
def _spelling() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def _rules(name: str) -> tzinfo | None:
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        pass
    # Where the system has no zone data, dateutil may have brought some. It would also read POSIX rules.
    return tz.gettz(name) if "/" in name else None


def _system_zone(places: ZonePlaces, problems: list[str]) -> AgentZone:
    """The first that can be used of what `date` looks at; what cannot be used goes into `problems`."""
    setting = os.environ.get("TZ", "").removeprefix(":")
    if setting:
        if (zone := _zone_of_setting(setting, places)) is not None:
            return zone
        problems.append(f"TZ is {setting!r}, which is no time zone that is known here")
    if os.path.lexists(places.localtime):
        if (zone := _zone_of_file(places.localtime, places)) is not None:
            return zone
        problems.append(f"{places.localtime} leads to no time zone that can be read")
    if name := _name_in(places.timezone):
        if (zone := known_zone(name)) is not None:
            return zone
        problems.append(f"{places.timezone} says {name!r}, which is no time zone that is known here")
    return UTC_ZONE


def _zone_of_setting(setting: str, places: ZonePlaces) -> AgentZone | None:
    """The zone of a `TZ` that is a path, a name or a rule, tried in the order of the C library."""
    if setting.startswith("/"):
        return _zone_of_file(setting, places)
    if (zone := known_zone(setting)) is not None:
        return zone
    rules = zone_of_rule(setting)
    return None if rules is None else AgentZone("", rules)


def _zone_of_file(path: str, places: ZonePlaces) -> AgentZone | None:
    """By the name of the zone file that it is or leads to, else by what is in it."""
    found = _IN_ZONE_FOLDER.search(os.path.realpath(path))
    name = found[1] if found and _NAME.fullmatch(found[1]) else ""
    if name and (zone := known_zone(name)) is not None:
        return zone
    data = read_zone_file(path)
    rules = zone_in(data)
    return None if rules is None else AgentZone(name or _name_of(data, places), rules)


def _name_of(data: bytes, places: ZonePlaces) -> str:
    likely = _name_in(places.timezone)
    return name_of_zone(data, [likely] if _NAME.fullmatch(likely) else [])


def _name_in(path: str) -> str:
    """What the first line of a file says."""
    text = read_zone_file(path).decode("utf-8", "replace")
    return text.partition("\n")[0].strip()[:200]
