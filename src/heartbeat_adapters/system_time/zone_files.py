"""Zones that come as bytes or as a rule, and the name of a zone that is known by its bytes alone (1.2)."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import struct
import zoneinfo
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

_LONGEST_FILE = 1 << 20  # zone files have some kilobytes
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_RULE_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_RULE_OFFSET = r"[+-]?\d{1,2}(?::\d\d){0,2}"
_RULE = re.compile(
    rf"{_RULE_NAME}{_RULE_OFFSET}({_RULE_NAME}(?:{_RULE_OFFSET})?)?(,[MJ].+,[MJ].+)?", re.ASCII
)
"""Days that are counted from 0, the one kind that is not taken, are a day early in `zoneinfo`."""
_USUAL_CHANGES = ",M3.2.0,M11.1.0"
"""When clocks change where a rule does not say: what the C library takes, the rule of the United States."""

_SOME_MOMENTS = [datetime(2026, month, 15, tzinfo=UTC) for month in range(1, 13)]


def read_zone_file(path: str) -> bytes:
    """What a regular file holds, nothing where there is none: a pipe in its place would block."""
    with contextlib.suppress(OSError):
        fd = os.open(path, _READ)
        try:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                return os.read(fd, _LONGEST_FILE)
        finally:
            os.close(fd)
    return b""


def zone_in(data: bytes) -> ZoneInfo | None:
    """The zone that a TZif file holds, None where it is none."""
    try:
        zone = ZoneInfo.from_file(io.BytesIO(data))
        for moment in _SOME_MOMENTS:
            moment.astimezone(zone)
    except Exception:  # damaged files raise whatever they come upon
        return None
    return zone


def zone_of_rule(rule: str) -> ZoneInfo | None:
    """The zone of a POSIX rule, such as `CET-1CEST,M3.5.0,M10.5.0/3`, None where it is none.

    It is read as the end of a zone file that has nothing else. dateutil reads rules too, but `GMT+3` the
    wrong way round, and not all that are allowed.
    """
    shape = _RULE.fullmatch(rule)
    if shape is None:
        return None
    if shape[1] and not shape[2]:
        rule += _USUAL_CHANGES
    return zone_in(_block(0) + _block(1) + f"\n{rule}\n".encode())


def _block(types: int) -> bytes:
    """One of the two blocks of a zone file, without changes, with so many kinds of local time."""
    header = struct.pack(">4sc15x6l", b"TZif", b"3", 0, 0, 0, 0, types, 4 * types)
    return header + (struct.pack(">lbb", 0, 0, 0) + b"UTC\0") * types


def name_of_zone(data: bytes, likely: Iterable[str]) -> str:
    """The name of the zone whose file holds exactly this, the likely ones first; empty without one."""
    for folder in zoneinfo.TZPATH:
        for name in [*likely, "UTC", *_listed(folder)]:
            path = os.path.join(folder, name)
            if _size(path) == len(data) and read_zone_file(path) == data:
                return name
    return ""


def _listed(folder: str) -> Iterator[str]:
    """The zones of the world without their other names, so that Berlin is not called Stockholm."""
    for line in read_zone_file(os.path.join(folder, "zone1970.tab")).decode("utf-8", "replace").splitlines():
        columns = line.split("\t")
        if len(columns) > 2 and not line.startswith("#"):
            yield columns[2]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
