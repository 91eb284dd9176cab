"""What is given to `embed` is checked when it is given, and used in place of the usual part (9.6)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from embedded_worlds import in_a_loop, reminders_in

from heartbeat_adapters import VolatileReminderStore, VolatileScheduleStore, embed
from heartbeat_core import DEFAULT_SCHEDULE


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folder": 3}, "folder must be a str or PathLike, and is int"),
        ({"folder": b"data"}, "folder must be a str or PathLike, and is bytes"),
        ({"timezone": 5}, "timezone must be a str such as Europe/Berlin, and is int"),
        ({"timezone": None}, "timezone must be a str such as Europe/Berlin, and is NoneType"),
        ({"defaults": {}}, "defaults must be a Schedule, and is dict"),
        ({"policy": "open"}, "policy must be a Policy, and is str"),
        (
            {"answer_within": 30},
            "answer_within must be a timedelta such as timedelta(seconds=30), and is int",
        ),
        (
            {"handler_timeout": 30},
            "handler_timeout must be a timedelta such as timedelta(hours=1), and is int",
        ),
        ({"log": object()}, "log is object, which has no info, warning, exception"),
        ({"clock": 1}, "clock is int, which has no now, monotonic, call_at"),
        ({"schedule_store": {}}, "schedule_store is dict, which has no load, look, save, close"),
        ({"reminder_store": {}}, "reminder_store is dict, which has no load, look, save, close"),
    ],
    ids=str,
)
def test_a_part_that_is_not_what_it_has_to_be_is_refused_when_it_is_given(
    given: dict[str, Any], said: str
) -> None:
    """9.6"""
    with pytest.raises(TypeError, match=re.escape(said)):
        embed(print, **given)


@pytest.mark.parametrize("handler", ["print", None])
def test_a_handler_that_cannot_be_called_is_refused_when_it_is_given(handler: Any) -> None:
    """9.6"""
    with pytest.raises(TypeError, match="handler must be a function that takes a wake, and is "):
        embed(handler)


@pytest.mark.parametrize("name", ["answer_within", "handler_timeout"])
@pytest.mark.parametrize("length", [timedelta(0), timedelta(seconds=-1)], ids=str)
def test_a_time_limit_is_more_than_nothing(name: str, length: timedelta) -> None:
    """9.5, 9.6"""
    given: dict[str, Any] = {name: length}
    with pytest.raises(ValueError, match=f"{name} must be more than 0, and is "):
        embed(print, **given)


@pytest.mark.parametrize("interval", [timedelta(0), timedelta(seconds=59), timedelta(days=40_000)], ids=str)
def test_defaults_have_an_interval_that_a_schedule_can_have(interval: timedelta) -> None:
    """9.6, 6.2: one of no length would be a loop without end"""
    with pytest.raises(ValueError, match="defaults must have an interval of 60 s to 100 years, and has "):
        embed(print, defaults=replace(DEFAULT_SCHEDULE, interval=interval))


def test_beside_a_folder_a_store_of_your_own_replaces_that_one_part(tmp_path: Path) -> None:
    """9.6"""
    schedules, reminders = VolatileScheduleStore(), VolatileReminderStore()

    async def run() -> None:
        async with embed(print, folder=tmp_path / "one", schedule_store=schedules) as first:
            first.configure(interval=timedelta(hours=1))
            first.add("tea", after=timedelta(hours=1))
        async with embed(print, folder=tmp_path / "two", reminder_store=reminders) as second:
            second.add("rent", after=timedelta(hours=1))

    in_a_loop(run)
    kept = schedules.load().content
    assert kept is not None
    assert kept.interval == timedelta(hours=1)
    assert [reminder.message for reminder in reminders.load().content or ()] == ["rent"]
    assert reminders_in(tmp_path / "one") == ["tea"]
    assert not (tmp_path / "one" / "heartbeat-config.json").exists()
    assert (tmp_path / "two" / "heartbeat-config.json").exists()
    assert not (tmp_path / "two" / "heartbeat-reminders.json").exists()


def test_a_folder_that_cannot_be_used_is_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """9.6: what goes wrong with storage is never silent"""

    async def run() -> None:
        async with embed(print, folder="/proc/nope"):
            pass

    in_a_loop(run)
    assert any("/proc/nope" in text for name, _, text in caplog.record_tuples if name == "heartbeat")
