"""The container: every provider can be built, and what is misspelled is caught before it does nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from dependency_injector import providers

from heartbeat_adapters.container import Container, random_id
from heartbeat_adapters.settings import Settings
from heartbeat_adapters.testing import (
    CountingIds,
    FakeClock,
    MemoryReminderStore,
    MemoryScheduleStore,
    RecordingLog,
    RecordingTransport,
)
from heartbeat_core import DEFAULT_SCHEDULE, Heartbeat, Policy, Schedule, Toolbox
from heartbeat_core.service import ANSWER_WITHIN


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        config_file=str(tmp_path / "config.json"),
        reminders_file=str(tmp_path / "reminders.json"),
        history_file=str(tmp_path / "history.jsonl"),
        timezone="Europe/Berlin",
        answer_within=ANSWER_WITHIN,
    )


def container(settings: Settings, **given: Any) -> Container:
    return Container(
        settings=settings, clock=FakeClock(), transport=RecordingTransport(), log=RecordingLog(), **given
    )


MAY_BE_NONE = ("in_beat", "served_agent")


@pytest.mark.parametrize("name", [name for name in vars(Container()) if name not in MAY_BE_NONE])
def test_every_provider_builds(settings: Settings, name: str) -> None:
    """9.2: a misspelled argument of a factory would show only here."""
    built = getattr(container(settings), name)()
    assert built is not None


@pytest.mark.parametrize("name", [name for name in vars(Container()) if name != "in_beat"])
def test_every_provider_builds_over_a_database(settings: Settings, name: str, tmp_path: Path) -> None:
    """9.2, 16.1"""
    built = getattr(container(settings.model_copy(update={"database": f"sqlite:///{tmp_path}/a.db"})), name)()
    assert built is not None


def test_both_stores_of_a_container_are_of_one_agent(settings: Settings, tmp_path: Path) -> None:
    """16.3: one claim, and wakes wait while it is not ours."""
    parts = container(settings.model_copy(update={"database": f"sqlite:///{tmp_path}/a.db"}))
    heartbeat = parts.heartbeat()
    heartbeat.start()
    served = parts.served_agent()
    assert served is not None
    assert served.withheld() is None
    assert heartbeat.schedule_notices() == heartbeat.reminders_notices() == []
    heartbeat.stop()


def test_what_is_built_is_built_once_and_runs(settings: Settings) -> None:
    """9.2"""
    parts = container(settings, policy=Policy.open())
    heartbeat, toolbox = parts.heartbeat(), parts.toolbox()
    assert isinstance(heartbeat, Heartbeat)
    assert isinstance(toolbox, Toolbox)
    assert parts.heartbeat() is heartbeat
    heartbeat.start()
    assert "ACTIVE" in toolbox.call("heartbeat_status").text
    heartbeat.stop()


def test_two_containers_share_nothing(settings: Settings) -> None:
    """9.2"""
    one, two = container(settings), container(settings)
    for name, provider in vars(one).items():
        if isinstance(provider, providers.Singleton) and name not in MAY_BE_NONE:
            assert getattr(one, name)() is not getattr(two, name)()


@pytest.mark.parametrize("misspelled", ["setings", "scheduleStore", "store", "timezone"])
def test_a_part_that_there_is_not_is_refused(settings: Settings, misspelled: str) -> None:
    """9.2"""
    with pytest.raises(TypeError, match=misspelled):
        container(settings, **{misspelled: object()})


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("settings", {}, "settings must be a Settings, and is dict"),
        ("clock", 1, "clock is int, which has no now, monotonic, call_at"),
        ("transport", print, "transport is builtin_function_or_method, which has no push, ready"),
        ("log", print, "which has no info, warning, exception"),
        ("zone", "Europe/Berlin", "zone must be a AgentZone, and is str"),
        ("policy", {}, "policy must be a Policy"),
        ("defaults", {}, "defaults must be a Schedule"),
        ("schedule_store", {}, "schedule_store is dict, which has no load, look, save, close"),
        ("reminder_store", {}, "reminder_store is dict, which has no load, look, save, close"),
        ("new_id", "abc", "new_id must be a function that gives an id, and is str"),
        ("parties", "agent", "parties must be a Parties"),
    ],
)
def test_a_part_that_is_not_what_it_has_to_be_is_refused_when_it_is_given(
    name: str, part: object, said: str
) -> None:
    """9.6"""
    given: dict[str, Any] = {name: part}
    with pytest.raises(TypeError, match=re.escape(said)):
        Container(**given)


def test_type_checkers_see_a_part_that_there_is_not_and_one_of_a_wrong_kind() -> None:
    """9.4: where they did not, they would call these comments unused"""
    with pytest.raises(TypeError, match="clok"):
        Container(clok=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="zone must be"):
        Container(zone="Europe/Berlin")  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", ["settings", "clock", "transport", "log"])
def test_a_part_that_is_missing_is_named_when_it_is_needed(settings: Settings, missing: str) -> None:
    """9.2"""
    needed: dict[str, Any] = {
        "settings": settings,
        "clock": FakeClock(),
        "transport": RecordingTransport(),
        "log": RecordingLog(),
    }
    del needed[missing]
    with pytest.raises(Exception, match=rf'"Container\.{missing}" is not defined'):
        Container(**needed).heartbeat()


def test_every_part_can_be_given(settings: Settings) -> None:
    """9.2"""
    saved = Schedule(timedelta(hours=1), False, "from my store", DEFAULT_SCHEDULE.mode)
    schedules, reminders, ids = MemoryScheduleStore(saved), MemoryReminderStore(), CountingIds()
    parts = container(settings, schedule_store=schedules, reminder_store=reminders, new_id=ids)
    parts.heartbeat().start()
    assert parts.heartbeat().schedule.message == "from my store"
    parts.toolbox().call("reminder_add", {"message": "x", "inHours": 1})
    assert list(reminders.saved) == ["rem_1"]


def test_defaults_are_what_a_fresh_start_runs_on_and_what_a_file_leaves_out(settings: Settings) -> None:
    """8.1, 9.2"""
    defaults = Schedule(timedelta(minutes=5), False, "mine", DEFAULT_SCHEDULE.mode)
    for content in (None, '{"intervalSeconds": 300}'):
        if content is not None:
            Path(settings.config_file).write_text(content)
        heartbeat = container(settings, defaults=defaults).heartbeat()
        heartbeat.start()
        assert (heartbeat.schedule.interval, heartbeat.schedule.message) == (timedelta(minutes=5), "mine")
        heartbeat.stop()


def test_an_unknown_zone_is_a_warning_and_not_a_failed_start() -> None:
    """1.2"""
    log = RecordingLog()
    parts = Container(settings=Settings(timezone="Mars/Olympus", answer_within=ANSWER_WITHIN), log=log)
    assert parts.zone().name
    assert any("Mars/Olympus" in line for line in log.lines)


def test_random_ids_are_short_and_never_the_same() -> None:
    """7.6"""
    ids = {random_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(each) == 16 and each.isalnum() and each.isascii() for each in ids)


def test_no_web_framework_that_happens_to_be_installed_is_loaded(tmp_path: Path) -> None:
    """9.2, and decision 12: FastAPI nearly doubles the time that loading takes."""
    frameworks = ["fastapi", "fast_depends", "starlette", "werkzeug"]
    for name in frameworks:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    code = (
        "import sys\n"
        "from heartbeat_adapters.container import Container\n"
        "from heartbeat_adapters.settings import Settings\n"
        "from heartbeat_adapters.testing import FakeClock, RecordingLog, RecordingTransport\n"
        "parts = Container(settings=Settings(timezone='UTC'), clock=FakeClock(), log=RecordingLog())\n"
        "parts.transport.override(RecordingTransport())\n"
        "parts.toolbox()\n"
        f"print([name for name in {frameworks!r} if name in sys.modules])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
