"""The system's zone: whatever `date` understands is understood here too, and what cannot be is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import TZPATH

import pytest

from heartbeat_adapters.system_time.zones import ZonePlaces, agent_zone
from heartbeat_core.times.moments import AgentZone, show

SUMMER = datetime(2026, 7, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOWHERE = ZonePlaces("/nowhere/localtime", "/nowhere/timezone")


@pytest.fixture(autouse=True)
def _no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)


def zone_file(name: str) -> Path:
    return next(path for folder in TZPATH if (path := Path(folder, name)).is_file())


@pytest.fixture
def places(tmp_path: Path) -> ZonePlaces:
    return ZonePlaces(str(tmp_path / "localtime"), str(tmp_path / "timezone"))


def shown(zone: AgentZone) -> str:
    return show(SUMMER, zone)


def system_zone(places: ZonePlaces) -> AgentZone:
    """The system's zone, found without a warning."""
    zone, warning = agent_zone(None, places)
    assert warning is None
    return zone


def set_tz(monkeypatch: pytest.MonkeyPatch, value: str) -> AgentZone:
    monkeypatch.setenv("TZ", value)
    return system_zone(NOWHERE)


# /etc/localtime


def test_a_localtime_that_is_a_link_is_the_zone_that_it_leads_to(places: ZonePlaces) -> None:
    """1.2"""
    os.symlink(zone_file("Asia/Tokyo"), places.localtime)
    assert shown(system_zone(places)) == "2026-07-01T21:00:00+09:00 [Asia/Tokyo]"


def test_a_link_to_a_posix_zone_is_the_zone_of_that_name(places: ZonePlaces) -> None:
    """1.2"""
    os.symlink("/usr/share/zoneinfo/posix/Asia/Tokyo", places.localtime)
    assert system_zone(places).name == "Asia/Tokyo"


def test_a_copied_localtime_is_known_by_its_content(places: ZonePlaces) -> None:
    """1.2: as containers have it; nothing else names the zone."""
    Path(places.localtime).write_bytes(zone_file("America/New_York").read_bytes())
    assert shown(system_zone(places)) == "2026-07-01T08:00:00-04:00 [America/New_York]"


def test_a_zone_that_is_alone_in_its_country_is_known_by_its_content_too(places: ZonePlaces) -> None:
    """1.2: the list of zones has nothing more to say of it."""
    Path(places.localtime).write_bytes(zone_file("Asia/Kabul").read_bytes())
    assert system_zone(places).name == "Asia/Kabul"


def test_a_copied_localtime_goes_by_the_name_that_the_system_gives_its_content(places: ZonePlaces) -> None:
    """1.2: several names have one content."""
    Path(places.localtime).write_bytes(zone_file("US/Eastern").read_bytes())
    Path(places.timezone).write_text("US/Eastern\n")
    assert system_zone(places).name == "US/Eastern"


def test_a_name_that_does_not_go_with_the_copied_localtime_is_not_believed(places: ZonePlaces) -> None:
    """1.2: `date` goes by the content too."""
    Path(places.localtime).write_bytes(zone_file("Asia/Tokyo").read_bytes())
    Path(places.timezone).write_text("Europe/Berlin\n")
    assert shown(system_zone(places)) == "2026-07-01T21:00:00+09:00 [Asia/Tokyo]"


def test_a_copied_localtime_of_no_known_zone_is_shown_by_its_offset(places: ZonePlaces) -> None:
    """1.2, 5.1"""
    altered = zone_file("Europe/Berlin").read_bytes().replace(b"CEST", b"XEST")
    Path(places.localtime).write_bytes(altered)
    zone = system_zone(places)
    assert shown(zone) == "2026-07-01T14:00:00+02:00 [+02:00]"
    assert show(SUMMER + timedelta(days=182), zone) == "2026-12-30T13:00:00+01:00 [+01:00]"


@pytest.mark.parametrize("damage", ["garbage", "cut", "folder", "pipe", "empty", "dangling"])
def test_a_localtime_that_cannot_be_used_is_warned_of_and_what_is_used_instead_is_named(
    places: ZonePlaces, damage: str
) -> None:
    """1.2"""
    path = Path(places.localtime)
    match damage:
        case "garbage":
            path.write_bytes(b"Europe/Berlin" * 100)
        case "cut":
            path.write_bytes(zone_file("Asia/Tokyo").read_bytes()[:70])
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "empty":
            path.touch()
        case _:
            path.symlink_to("nowhere")
    Path(places.timezone).write_text("Asia/Seoul\n")
    zone, warning = agent_zone(None, places)
    assert zone.name == "Asia/Seoul"
    assert warning == (
        f"{places.localtime} leads to no time zone that can be read; "
        "times are read and shown in Asia/Seoul instead"
    )


def test_a_system_that_says_nothing_has_utc_and_no_warning(places: ZonePlaces) -> None:
    """1.2"""
    assert shown(system_zone(places)) == "2026-07-01T12:00:00+00:00 [UTC]"


def test_a_timezone_file_alone_is_believed(places: ZonePlaces) -> None:
    """1.2"""
    Path(places.timezone).write_text("Europe/Berlin\n# set by the installer\n")
    assert system_zone(places).name == "Europe/Berlin"


def test_a_timezone_file_that_names_no_zone_is_warned_of(places: ZonePlaces) -> None:
    """1.2"""
    Path(places.timezone).write_text("Mars/Olympus\n")
    zone, warning = agent_zone(None, places)
    assert zone.name == "UTC"
    assert warning is not None
    assert "says 'Mars/Olympus'" in warning


# TZ


@pytest.mark.parametrize("setting", ["Europe/Berlin", ":Europe/Berlin"])
def test_a_tz_that_is_a_name_is_that_zone(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    """1.2"""
    assert shown(set_tz(monkeypatch, setting)) == "2026-07-01T14:00:00+02:00 [Europe/Berlin]"


@pytest.mark.parametrize("colon", ["", ":"])
def test_a_tz_that_is_the_path_of_a_zone_is_that_zone(monkeypatch: pytest.MonkeyPatch, colon: str) -> None:
    """1.2"""
    assert set_tz(monkeypatch, f"{colon}{zone_file('Asia/Tokyo')}").name == "Asia/Tokyo"


def test_a_tz_that_is_the_path_of_a_copy_is_known_by_its_content(
    monkeypatch: pytest.MonkeyPatch, places: ZonePlaces
) -> None:
    """1.2: `TZ=:/etc/localtime` is usual, and saves the C library a look at that file."""
    Path(places.localtime).write_bytes(zone_file("Asia/Tokyo").read_bytes())
    assert set_tz(monkeypatch, f":{places.localtime}").name == "Asia/Tokyo"


RULES = [
    "CET-1CEST,M3.5.0,M10.5.0/3",
    ":CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0/2,M11.1.0/2",
    "<+0330>-3:30",
    "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
    "AEST-10AEDT,M10.1.0,M4.1.0/3",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "GMT+3",
    "JST-9",
    "CET-1CEST,J60/2,J300/3",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
]

AS_THE_SYSTEM_HAS_IT = """
import json, sys, time
print(json.dumps([time.localtime(at).tm_gmtoff for at in json.load(sys.stdin)]))
"""


@pytest.mark.parametrize("rule", RULES)
def test_a_tz_that_is_a_rule_is_what_the_c_library_makes_of_it(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    """1.2: for each hour of a year, and of a leap year, over all changes."""
    hours = [datetime(year, 1, 1, tzinfo=UTC) + n * HOUR for year in (2026, 2028) for n in range(8784)]
    expected = subprocess.run(
        [sys.executable, "-c", AS_THE_SYSTEM_HAS_IT],
        input=json.dumps([int(hour.timestamp()) for hour in hours]),
        env={"TZ": rule},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    ).stdout
    zone = set_tz(monkeypatch, rule)
    offsets = [hour.astimezone(zone.tzinfo).utcoffset() for hour in hours]
    assert [offset.total_seconds() for offset in offsets if offset is not None] == json.loads(expected)


def test_a_rule_that_does_not_say_when_clocks_change_has_the_usual_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1.2: those of the United States, as the C library has it, from the second Sunday in March."""
    zone = set_tz(monkeypatch, "CET-1CEST")
    changes = ["2026-03-08T00:59", "2026-03-08T01:00", "2026-11-01T00:00"]
    assert [show(datetime.fromisoformat(f"{at}Z"), zone)[-8:] for at in changes] == [
        "[+01:00]",
        "[+02:00]",
        "[+01:00]",
    ]


def test_a_time_in_a_zone_of_a_rule_is_shown_by_its_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    """5.1"""
    zone = set_tz(monkeypatch, "CET-1CEST,M3.5.0,M10.5.0/3")
    assert shown(zone) == "2026-07-01T14:00:00+02:00 [+02:00]"


@pytest.mark.parametrize(
    "setting",
    [
        "Mars/Olympus",
        "CET-1CEST,M3.5.0",
        "CET-1CEST,M13.5.0,M10.5.0/3",
        "C-1",
        "CET-1CEST,59/2,299/3",
        "CET-1,M3.5.0,M10.5.0/3",
        "nonsense",
        "/nowhere",
        "/etc/passwd",
        "/dev/zero",
    ],
)
def test_a_tz_that_is_no_zone_is_warned_of_and_what_is_used_instead_is_named(
    monkeypatch: pytest.MonkeyPatch, places: ZonePlaces, setting: str
) -> None:
    """1.2"""
    monkeypatch.setenv("TZ", setting)
    os.symlink(zone_file("Asia/Tokyo"), places.localtime)
    zone, warning = agent_zone(None, places)
    assert zone.name == "Asia/Tokyo"
    assert warning == (
        f"TZ is {setting!r}, which is no time zone that is known here; "
        "times are read and shown in Asia/Tokyo instead"
    )


def test_all_that_cannot_be_used_is_one_warning(monkeypatch: pytest.MonkeyPatch, places: ZonePlaces) -> None:
    """1.2"""
    monkeypatch.setenv("TZ", "nonsense")
    Path(places.localtime).touch()
    _, warning = agent_zone("Mars/Olympus", places)
    assert warning is not None
    assert all(part in warning for part in ("Mars/Olympus", "nonsense", places.localtime, "shown in UTC"))


def test_an_instead_without_a_name_is_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.2"""
    monkeypatch.setenv("TZ", "JST-9")
    _, warning = agent_zone("Mars/Olympus", NOWHERE)
    assert warning is not None
    assert warning.endswith("shown in the system's zone, which has no name here instead")
