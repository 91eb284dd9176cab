"""A real server over a database, and what it refuses to start with: 16.1."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from server_folder import SERVER, ServerFolder


def run(*options: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Start a server whose host ends at once."""
    return subprocess.run(
        [*SERVER, "--stdio", *options],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", **env},
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_all_is_kept_in_the_database_and_no_file_is_made(folder: ServerFolder) -> None:
    """16.1"""
    options = ["--database", "sqlite:///data/agents.db", "--agent", "Ada"]
    with folder.host(options=options) as host:
        host.initialize()
        host.initialized()
        host.update_policy()
        host.call("reminder_add", message="Tea", inHours=1)
    with folder.host(options=options) as host:
        host.initialize()
        host.initialized()
        assert "1 reminder(s)" in host.call("reminder_list").text
    with folder.host(options=options[:2]) as host:
        host.initialize()
        host.initialized()
        assert "No reminders" in host.call("reminder_list").text
    assert folder.names == {"data"}
    with closing(sqlite3.connect(folder.path / "data" / "agents.db")) as database:
        assert database.execute("SELECT agent, message FROM heartbeat_reminders").fetchall() == [
            ("Ada", "Tea")
        ]


def test_the_log_names_the_database_and_the_agent_and_says_that_files_are_not_used(tmp_path: Path) -> None:
    """16.1"""
    ran = run(
        *("--database", f"sqlite:///{tmp_path}/a.db", "--agent", "Ada"),
        cwd=Path("/"),
        HEARTBEAT_CONFIG_FILE="/nowhere/c.json",
    )
    assert ran.returncode == 0
    assert f"schedule, reminders and history in the database {tmp_path}/a.db for agent Ada\n" in ran.stderr
    assert ran.stderr.count("are not used, since a database is") == 1


def test_variables_say_the_same(tmp_path: Path) -> None:
    """16.1, 1.2"""
    ran = run(cwd=tmp_path, HEARTBEAT_DATABASE="sqlite:///b.db", HEARTBEAT_AGENT="Bob")
    assert f"{tmp_path}/b.db for agent Bob\n" in ran.stderr
    assert "are not used" not in ran.stderr
    assert (tmp_path / "b.db").exists()
    assert "heartbeat-config.json" in run(cwd=tmp_path, HEARTBEAT_DATABASE="", HEARTBEAT_AGENT="").stderr


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://user:s3cret@host/x", "has a scheme that is not known here"),
        ("sqlite+aiosqlite:///x.db", "with a driver behind its +"),
        ("sqlite://:memory:", "three slashes"),
        ("sqlite:///:memory:", "what is in memory only is gone"),
        ("sqlite:///", "names no file"),
        ("sqlite://x.db", "three slashes"),
        ("sqlite:///x.db?mode=ro", "has options, and takes none"),
        ("s3cret", "is no URL"),
    ],
)
def test_a_url_that_names_no_database_is_exit_code_2_and_says_what_to_give(
    url: str, said: str, tmp_path: Path
) -> None:
    """16.1: not with the URL itself, in which there may be a password."""
    ran = run("--database", url, cwd=tmp_path)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "sqlite:///" in ran.stderr or "%3F" in ran.stderr
    assert "s3cret" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a" * 201, "two\nlines", "tab\there"])
def test_a_name_that_no_agent_can_have_is_exit_code_2(name: str, tmp_path: Path) -> None:
    """16.1"""
    ran = run("--database", "sqlite:///x.db", "--agent", name, cwd=tmp_path)
    assert ran.returncode == 2
    assert "1 to 200 characters" in ran.stderr


def test_an_agent_without_a_database_is_exit_code_2(tmp_path: Path) -> None:
    """16.1"""
    ran = run("--agent", "Ada", cwd=tmp_path)
    assert ran.returncode == 2
    assert "--agent (HEARTBEAT_AGENT) needs --database" in ran.stderr


def test_tables_of_a_newer_version_are_exit_code_2(tmp_path: Path) -> None:
    """16.1"""
    assert run("--database", "sqlite:///x.db", cwd=tmp_path).returncode == 0
    with closing(sqlite3.connect(tmp_path / "x.db")) as database, database:
        database.execute("UPDATE heartbeat_version SET version = 99")
    ran = run("--database", "sqlite:///x.db", cwd=tmp_path)
    assert ran.returncode == 2
    assert "its tables are of version 99" in ran.stderr
    assert "install a newer heartbeat-mcpl" in ran.stderr


def test_a_database_that_cannot_be_reached_starts_all_the_same(tmp_path: Path) -> None:
    """16.1, 16.4"""
    (tmp_path / "x.db").mkdir()
    ran = run("--database", "sqlite:///x.db", cwd=tmp_path)
    assert ran.returncode == 0
    assert "cannot be reached (SQLITE_CANTOPEN" in ran.stderr


def test_a_second_server_is_told_that_another_has_the_agent(folder: ServerFolder) -> None:
    """16.3"""
    options = ["--database", "sqlite:///agents.db"]
    with folder.host(options=options) as first:
        first.handshake()
        assert "delivery=ok" in first.call("heartbeat_status").text
        with folder.host(options=options) as second:
            second.handshake()
            refused = "delivery=BLOCKED (another server has this agent)"
            assert refused in second.call("heartbeat_status").text


@pytest.mark.parametrize("command", ["check", "history"])
def test_what_looks_at_files_alone_does_not_answer_for_a_database(command: str, tmp_path: Path) -> None:
    """16.1"""
    ran = subprocess.run(
        [*SERVER, command],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HEARTBEAT_DATABASE": "sqlite:///x.db"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 2
    assert f"{command} looks at files alone" in ran.stderr
    assert list(tmp_path.iterdir()) == []
