"""`heartbeat-mcpl check`: what it finds in each state of things, and that it leaves them as they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from heartbeat_adapters.files.file_lock import FileLock, Grip
from heartbeat_adapters.files.history_file import JsonLinesHistory
from heartbeat_adapters.files.lock_holder import lock_holder
from heartbeat_adapters.files.system_calls import SystemCalls
from heartbeat_cli import check_server, server_command
from heartbeat_cli.commands import cli
from heartbeat_core.history import Ending, HistoryLine, WakeKind
from heartbeat_core.times.moments import from_epoch_ms
from server_folder import ServerFolder, epoch_ms, row

SERVER_STEPS = ["handshake", "policy", "tools", "wake", "end"]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, folder: ServerFolder) -> None:
    monkeypatch.chdir(folder.path)
    for name in (
        *("HEARTBEAT_CONFIG_FILE", "HEARTBEAT_REMINDERS_FILE", "HEARTBEAT_HISTORY_FILE", "AGENT_TIMEZONE"),
    ):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments])


class Report:
    """What `check --json` found."""

    def __init__(self, *arguments: str) -> None:
        result = run("--json", *arguments)
        self.exit_code = result.exit_code
        self.all: dict[str, Any] = json.loads(result.stdout)
        self.steps: dict[str, dict[str, Any]] = {step["step"]: step for step in self.all["steps"]}
        assert self.all["ok"] is (self.exit_code == 0)

    def verdict(self, step: str) -> str:
        return str(self.steps[step]["verdict"])


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the server out, where a test is about the files."""
    monkeypatch.setattr(check_server, "ScriptedHost", _no_server)


def _no_server(*_: object, **__: object) -> None:
    raise OSError("left out")


def snapshot(path: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.iterdir()}


# All of it


def test_where_all_is_well_each_step_says_so_and_the_exit_code_is_0(folder: ServerFolder) -> None:
    folder.write_config(message="Anything left open?")
    folder.write_reminders(row("rem_1", due_in=3600))
    result = run()
    assert result.exit_code == 0, result.output
    lines = [line for line in result.output.splitlines() if line and not line.startswith(" ")]
    assert [line.split()[:2] for line in lines[:10]] == [
        ["ok", step] for step in ["version", "zone", "schedule", "reminders", "history", *SERVER_STEPS]
    ]
    assert lines[10].startswith("All is well")
    assert "Anything left open?" in result.output


def test_machines_get_the_same_as_one_json_object(folder: ServerFolder) -> None:
    folder.write_config()
    folder.write_reminders(row("rem_1", due_in=3600), row("rem_2", due_in=7200))
    report = Report()
    assert (report.exit_code, report.all["ok"]) == (0, True)
    assert report.steps["reminders"] == {
        "step": "reminders",
        "verdict": "ok",
        "what": report.steps["reminders"]["what"],
        "toDo": None,
        "path": str(folder.reminders_file),
        "inUse": False,
        "inUseBy": None,
        "reminders": 2,
        "overdue": 0,
    }
    assert report.steps["handshake"]["command"] == server_command.server_command()


def test_a_first_start_is_well_and_named_as_one(folder: ServerFolder) -> None:
    report = Report()
    assert report.exit_code == 0
    assert (report.verdict("schedule"), report.verdict("reminders")) == ("note", "note")
    assert "first start" in report.steps["schedule"]["toDo"]
    assert list(folder.path.iterdir()) == []


def test_the_files_are_as_they_were_whatever_is_in_them(folder: ServerFolder) -> None:
    folder.config_file.write_bytes(b'{"intervalSeconds": 1, "paused": "no"}')
    folder.write_reminders(row("rem_1", due_in=-60), row("rem_1"), {"id": 7})
    before = snapshot(folder.path)
    assert run().exit_code == 1
    assert snapshot(folder.path) == before


def test_it_works_beside_a_server_that_runs_and_names_it(folder: ServerFolder) -> None:
    with folder.host() as host:
        host.handshake()
        host.call("reminder_add", message="later", inHours=1)
        before = snapshot(folder.path)
        report = Report()
        assert report.exit_code == 0
        for step in ("schedule", "reminders"):
            assert report.steps[step]["inUse"] is True
            assert report.steps[step]["inUseBy"] in (host.server.pid, None)
        assert snapshot(folder.path) == before
        host.call("reminder_add", message="and more", inHours=2)
    assert [reminder["message"] for reminder in folder.reminders] == ["later", "and more"]
    assert host.wakes == []


# The files


@pytest.mark.usefixtures("offline")
def test_overdue_reminders_are_counted_and_it_says_what_they_wait_for(folder: ServerFolder) -> None:
    folder.write_reminders(
        row("rem_1", due_in=-60), row("rem_2", due_in=-5, every=10), row("rem_3", due_in=60)
    )
    found = Report().steps["reminders"]
    assert (found["verdict"], found["reminders"], found["overdue"]) == ("note", 3, 2)
    assert "start the host" in found["toDo"]
    lock = FileLock(SystemCalls(), str(folder.reminders_file))
    assert lock.take() is Grip.HELD
    found = Report().steps["reminders"]
    assert (found["inUse"], found["inUseBy"]) == (True, os.getpid())
    assert "log of that server" in found["toDo"]
    lock.release()


@pytest.mark.usefixtures("offline")
def test_a_reminder_on_the_calendar_is_told_with_its_next_times(folder: ServerFolder) -> None:
    """10.2"""
    on_calendar = {"rrule": "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=4;BYHOUR=9", "timezone": "Europe/Berlin"}
    at = 2_000_000_000_000
    folder.write_reminders(row("rem_1", due_in=60), row("rem_2") | on_calendar | {"fireAt": at})
    found = Report("--timezone", "UTC").steps["reminders"]
    times = [
        "2033-05-18T03:33:20+00:00 [UTC]",
        "2034-05-04T07:00:00+00:00 [UTC]",
        "2035-05-04T07:00:00+00:00 [UTC]",
    ]
    repeats = f"{on_calendar['rrule']} [Europe/Berlin]"
    assert f"; rem_2 repeats {repeats}, next {', '.join(times)}" in found["what"]
    assert found["calendars"] == [{"id": "rem_2", "repeats": repeats, "next": times}]


@pytest.mark.usefixtures("offline")
def test_of_many_reminders_on_the_calendar_the_first_are_told_and_the_others_counted(
    folder: ServerFolder,
) -> None:
    daily = {"rrule": "FREQ=DAILY;BYHOUR=9", "timezone": "UTC", "untilAt": epoch_ms(0)}
    folder.write_reminders(*(row(f"rem_{number}", due_in=60) | daily for number in range(13)))
    found = Report().steps["reminders"]
    assert found["what"].endswith("; and 3 more on the calendar")
    assert [len(calendar["next"]) for calendar in found["calendars"]] == [1] * 10


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("members", "verdict", "said"),
    [
        ({"intervalSeconds": 5400}, "ok", "every 5400s, mode message"),
        ({"nextFireAt": 1_000_000_000_000}, "ok", "(overdue)"),
        ({"paused": True}, "note", "paused"),
        ({"deliveryMode": "silent"}, "note", "mode silent"),
        ({"activeHours": "8:00-22:00", "activeDays": ["mo"]}, "ok", "in the active hours 08:00-22:00 MO"),
        ({"activeHours": "nine to five"}, "failed", "activeHours is not one stretch of the day"),
    ],
)
def test_the_schedule_is_told(folder: ServerFolder, members: dict[str, Any], verdict: str, said: str) -> None:
    folder.write_config(**members)
    found = Report().steps["schedule"]
    assert found["verdict"] == verdict
    assert said in found["what"]


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not what a heartbeat writes (it is empty)"),
        (b"{", "not what a heartbeat writes (it is not JSON"),
        (b"7", "not what a heartbeat writes (it is not a JSON"),
        (b'[{"id": 7}, 8]', "not what a heartbeat writes (it is not a JSON object)"),
        (b'{"paused": 7}', "only in part (paused is neither true nor false)"),
        (b'{"message": "\xff"}', "only in part (it has bytes that are not UTF-8"),
    ],
)
def test_a_config_file_that_is_damaged_fails_and_it_says_how(
    folder: ServerFolder, content: bytes, said: str
) -> None:
    """8.5"""
    folder.config_file.write_bytes(content)
    found = Report().steps["schedule"]
    assert found["verdict"] == "failed"
    assert said in found["what"]
    assert "by hand" in found["toDo"]


@pytest.mark.usefixtures("offline")
def test_rows_that_would_not_load_are_named_but_not_all_of_a_thousand(folder: ServerFolder) -> None:
    """8.5"""
    broken: list[dict[str, object]] = [{"id": number} for number in range(1000)]
    folder.write_reminders(row("rem_1"), *broken)
    found = Report().steps["reminders"]
    assert found["verdict"] == "failed"
    assert "row 2: " in found["what"]
    assert "and 997 more" in found["what"]
    folder.reminders_file.write_text("{}")
    assert "not a JSON array" in Report().steps["reminders"]["what"]


@pytest.mark.usefixtures("offline")
def test_what_cannot_be_read_or_could_not_be_saved_fails(folder: ServerFolder) -> None:
    """8.4"""
    folder.config_file.mkdir()
    (folder.path / "file").touch()
    report = Report("--reminders-file", "file/below/reminders.json")
    assert "cannot be read (it is a folder)" in report.steps["schedule"]["what"]
    assert "no folder that this user may write to" in report.steps["folder"]["what"]
    assert report.exit_code == 1


@pytest.mark.usefixtures("offline")
def test_links_are_followed_to_the_file_and_its_lock(folder: ServerFolder) -> None:
    """8.3, 8.6"""
    real = folder.path / "real.json"
    real.write_text("[]")
    folder.reminders_file.symlink_to(real)
    lock = FileLock(SystemCalls(), str(real))
    assert lock.take() is Grip.HELD
    found = Report().steps["reminders"]
    assert (found["path"], found["inUse"]) == (str(folder.reminders_file), True)
    lock.release()


def test_a_lock_that_the_system_does_not_list_is_noticed_and_one_that_was_left_behind_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8.6"""
    path = str(tmp_path / "file.json")
    assert lock_holder(path) is None
    lock = FileLock(SystemCalls(), path)
    assert lock.take() is Grip.HELD
    monkeypatch.setattr("heartbeat_adapters.files.listed_locks._LIST", str(tmp_path / "no list"))
    holder = lock_holder(path)
    assert holder is not None
    assert (holder.pid, str(holder)) == (None, "a server that runs")
    lock.release()
    (tmp_path / ".file.json.lock").touch()
    assert lock_holder(path) is None


# The rest


@pytest.mark.usefixtures("offline")
def test_an_unknown_zone_fails_and_the_shells_own_is_not_what_a_server_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1.2, 1.6"""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert Report().steps["zone"]["zone"] != "Asia/Tokyo"
    assert os.environ["TZ"] == "Asia/Tokyo"
    assert Report("--timezone", "Europe/Berlin").steps["zone"]["zone"] == "Europe/Berlin"
    report = Report("--timezone", "Mars/Olympus")
    assert report.verdict("zone") == "failed"
    assert "Mars/Olympus" in report.steps["zone"]["what"]


def test_a_silent_schedule_wakes_silently(folder: ServerFolder) -> None:
    """6.11"""
    folder.write_config(deliveryMode="silent")
    report = Report()
    assert report.exit_code == 0
    assert "silent" in report.steps["wake"]["what"]


def test_what_is_overdue_does_not_pass_for_the_wake_that_was_triggered(folder: ServerFolder) -> None:
    folder.write_config(nextFireAt=1_000_000_000_000, message="The triggered one.")
    folder.write_reminders(*[row(f"rem_{number}", due_in=-60) for number in range(100)])
    report = Report()
    assert report.exit_code == 0
    assert "The triggered one." in report.steps["wake"]["what"]


def test_a_server_that_does_not_start_fails_with_what_it_said_and_nothing_after_it_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = [sys.executable, "-c", "import sys; sys.exit('no module of that name')"]
    monkeypatch.setattr(check_server, "server_command", lambda: broken)
    report = Report()
    assert report.exit_code == 1
    assert report.verdict("handshake") == "failed"
    assert "no module of that name" in report.steps["handshake"]["what"]
    assert "install" in report.steps["handshake"]["toDo"]
    assert "policy" not in report.steps


def test_a_command_that_is_not_there_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_server, "server_command", lambda: ["/not/there", "--stdio"])
    report = Report()
    assert (report.exit_code, report.verdict("start")) == (1, "failed")
    assert "/not/there" in report.steps["start"]["what"]


def test_another_version_under_the_same_command_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_server, "__version__", "99.0")
    report = Report()
    assert report.verdict("handshake") == "failed"
    assert "99.0" in report.steps["handshake"]["what"]


def test_words_say_what_to_do_and_survive_a_terminal_without_the_letters(folder: ServerFolder) -> None:
    folder.config_file.write_bytes(b"{")
    ran = subprocess.run(
        [sys.executable, "-m", "heartbeat_cli", "check", "--reminders-file", "心跳.json"],
        cwd=folder.path,
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "??.json" in ran.stdout
    assert "-> mend it by hand" in " ".join(ran.stdout.split())
    assert ran.stdout.rstrip().endswith("what to do.")


def test_a_signal_ends_it_and_nothing_is_left_behind(folder: ServerFolder) -> None:
    """1.4"""
    temporary = folder.path / "temporary"
    temporary.mkdir()
    check = subprocess.Popen(
        [sys.executable, "-m", "heartbeat_cli", "check"],
        cwd=folder.path,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with check:
        assert check.stdout is not None
        assert check.stdout.readline().startswith("ok     version")
        check.send_signal(signal.SIGTERM)
        _, errors = check.communicate(timeout=30)
    assert (check.returncode, errors) == (130, "")
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("offline")
def test_it_says_when_the_last_wake_was_taken_and_how_many_failed_in_the_last_day(
    folder: ServerFolder,
) -> None:
    """14"""
    now = from_epoch_ms(SystemCalls.wall_clock_ns() // 1_000_000)
    hours = [(30, Ending.REFUSED), (5, Ending.REFUSED), (4, Ending.TAKEN), (3, Ending.DROPPED)]
    history = JsonLinesHistory(str(folder.path / "heartbeat-history.jsonl"))
    for ago, ending in hours:
        at = now - timedelta(hours=ago)
        history.append([HistoryLine(at, at, WakeKind.BEAT, ending)])
    history.close()
    found = Report().steps["history"]
    assert (found["verdict"], found["due"], found["failed"]) == ("note", 3, 2)
    assert datetime.fromisoformat(found["lastTaken"]) - (now - timedelta(hours=4)) < timedelta(seconds=1)


@pytest.mark.usefixtures("offline")
def test_a_history_without_failures_is_well_and_one_that_is_off_is_said() -> None:
    """14.2"""
    assert Report().verdict("history") == "ok"
    assert Report("--history-file", "").verdict("history") == "note"


# Limits


@pytest.mark.usefixtures("offline")
def test_limits_are_shown_where_there_are_any() -> None:
    """15.1"""
    assert "limits" not in Report().steps
    step = Report("--min-interval", "15m", "--quiet-hours", "22:00-07:00").steps["limits"]
    assert step["verdict"] == "ok"
    assert step["limits"] == ["min-interval 900s", "quiet-hours 22:00-07:00"]


def test_the_server_is_tried_without_limits_so_that_quiet_hours_fail_no_check() -> None:
    """15.1, 15.2: most of the day is quiet, whenever this runs."""
    report = Report("--quiet-hours", "00:00-23:59", "--max-reminders", "0")
    assert report.verdict("wake") == "ok"
