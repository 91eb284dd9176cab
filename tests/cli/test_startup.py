"""What the server does before anything slow is loaded, and what it says at the start."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
SLOW = {"pydantic", "dependency_injector", "dateutil", "asyncio", "zoneinfo", "logging"}


PROBE_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
PROBE = {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": PROBE_META}}


def _run(
    arguments: list[str], folder: Path, stdin: bytes = b"", **environment: str
) -> tuple[int, list[str], str]:
    """Exit code, lines of stdout and the log of a server that is given all of its input at once."""
    ran = subprocess.run(
        [sys.executable, "-m", "heartbeat_cli", *arguments],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        timeout=30,
        check=False,
    )
    return ran.returncode, ran.stdout.decode().splitlines(), ran.stderr.decode()


@pytest.mark.parametrize("first", [HELLO, PROBE])
def test_the_first_request_is_answered_before_anything_slow_is_imported(first: dict[str, object]) -> None:
    """3.1, 17.2, and decision 8"""
    code = f"""
import sys
import heartbeat_cli.main, heartbeat_cli.serve
from heartbeat_adapters.wire.mcp import McpServer
from heartbeat_adapters.stdio.poll_loop import PollLoop
from heartbeat_adapters.stdio.stderr_log import StderrLog
from heartbeat_adapters.system_time.system_clock import SystemClock
from heartbeat_adapters.wire.wire_log import WireLog
class Output:
    def write_line(self, line): raise AssertionError(line)
    def room(self): return True
def start_core(): raise AssertionError("the core was opened")
log = WireLog(StderrLog(), SystemClock(PollLoop(print)))
server = McpServer(Output(), log, start_core)
assert '"result"' in server.peer.receive({json.dumps(first).encode()!r})
print(sorted({SLOW!r} & set(sys.modules)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


def test_the_log_names_version_zone_both_files_and_the_number_of_reminders(tmp_path: Path) -> None:
    """1.3, 1.6"""
    code, lines, log = _run(["--stdio"], tmp_path, json.dumps(HELLO).encode(), AGENT_TIMEZONE="Asia/Tokyo")
    assert (code, len(lines)) == (0, 1)
    assert "Asia/Tokyo" in log
    assert str(tmp_path / "heartbeat-config.json") in log
    assert str(tmp_path / "heartbeat-reminders.json") in log
    assert "0 reminders" in log
    assert all(line.startswith("[heartbeat-mcpl] ") for line in log.splitlines())


@pytest.mark.parametrize(("variable", "answered"), [("", True), ("0", True), ("1", False)])
def test_a_variable_has_every_probe_fall_back(tmp_path: Path, variable: str, answered: bool) -> None:
    """1.2, 17.4"""
    _, lines, _ = _run(["--stdio"], tmp_path, json.dumps(PROBE).encode(), HEARTBEAT_HANDSHAKE=variable)
    (answer,) = map(json.loads, lines)
    assert ("result" in answer) is answered
    assert answered or answer["error"]["code"] == -32601


@pytest.mark.parametrize("variable", ["", "elsewhere.json"])
def test_an_empty_variable_counts_as_unset(tmp_path: Path, variable: str) -> None:
    """1.2"""
    _, _, log = _run(["--stdio"], tmp_path, json.dumps(HELLO).encode(), HEARTBEAT_CONFIG_FILE=variable)
    assert str(tmp_path / (variable or "heartbeat-config.json")) in log


def test_an_option_wins_over_its_variable(tmp_path: Path) -> None:
    """1.2"""
    arguments = ["--stdio", "--config-file", "option.json", "--timezone", "Europe/Berlin"]
    environment = {"HEARTBEAT_CONFIG_FILE": "variable.json", "AGENT_TIMEZONE": "Asia/Tokyo"}
    _, _, log = _run(arguments, tmp_path, json.dumps(HELLO).encode(), **environment)
    assert str(tmp_path / "option.json") in log
    assert "Europe/Berlin" in log
    assert not (tmp_path / "variable.json").exists()


def test_an_unknown_zone_is_one_warning_that_names_it_and_the_zone_used_instead(tmp_path: Path) -> None:
    """1.2"""
    code, lines, log = _run(
        ["--stdio", "--timezone", "Mars/Olympus"], tmp_path, json.dumps(HELLO).encode(), TZ="UTC"
    )
    warnings = [line for line in log.splitlines() if "Mars/Olympus" in line]
    assert (code, len(lines), len(warnings)) == (0, 1, 1)
    assert "WARNING: " in warnings[0]
    assert "UTC" in warnings[0]


def test_a_tz_that_is_a_rule_is_the_zone_in_which_times_are_shown(tmp_path: Path) -> None:
    """1.2"""
    add = {"name": "reminder_add", "arguments": {"message": "x", "atIso": "2099-07-01T12:00"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": add}
    said = f"{json.dumps(HELLO)}\n{json.dumps(call)}\n".encode()
    _, lines, log = _run(["--stdio"], tmp_path, said, TZ="CET-1CEST,M3.5.0,M10.5.0/3")
    assert "next 2099-07-01T12:00:00+02:00 [+02:00]" in lines[1]
    assert "times in the system's zone, which has no name here" in log


def test_without_arguments_and_without_a_terminal_it_serves(tmp_path: Path) -> None:
    """1.5"""
    code, lines, _ = _run([], tmp_path, json.dumps(HELLO).encode())
    assert code == 0
    assert json.loads(lines[0])["result"]["serverInfo"]["name"] == "heartbeat-mcpl"


def test_without_arguments_on_a_terminal_it_prints_its_help_and_exits_with_2(tmp_path: Path) -> None:
    """1.5"""
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "heartbeat_cli"]
        ran = subprocess.run(
            command, stdin=theirs, capture_output=True, cwd=tmp_path, timeout=30, check=False
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert ran.returncode == 2
    assert b"--stdio" in ran.stdout
    assert not list(tmp_path.iterdir())


def test_version_and_help_explain_themselves(tmp_path: Path) -> None:
    code, lines, _ = _run(["--version"], tmp_path)
    assert (code, len(lines)) == (0, 1)
    code, lines, _ = _run(["--help"], tmp_path)
    text = "\n".join(lines)
    assert code == 0
    assert all(word in text for word in ("HEARTBEAT_CONFIG_FILE", "AGENT_TIMEZONE", "demo", "--verbose"))
