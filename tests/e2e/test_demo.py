"""`heartbeat-mcpl demo` as a newcomer runs it."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from heartbeat_cli.demo import demo, run_demo
from heartbeat_cli.narration import Narration
from server_folder import SERVER


def test_the_demo_shows_every_wake_and_how_long_until_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.2, 4.10: a beat, a reminder, a recurring one twice; then it ends by itself and leaves no file."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(demo)
    assert result.exit_code == 0, result.output
    assert result.output.count("WAKE, a heartbeat: [current") == 1
    assert result.output.count("WAKE, a reminder: [reminder rem_") == 3
    assert len(re.findall(r"next wake, .*, in \d\.\d s", result.output)) == 3
    assert "All 4 wakes came." in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    assert "\x1b" not in result.output
    assert list(tmp_path.iterdir()) == []


class Terminal(io.StringIO):
    """A terminal that shows ASCII only."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def say_a_wake(monkeypatch: pytest.MonkeyPatch, **env: str) -> str:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"TERM": "xterm"} | env).items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    narration = Narration(terminal)
    for seconds in (2.0, 1.0):
        narration.countdown(seconds, "next wake")
    narration.paragraph("Heard · 🫀")
    return terminal.getvalue()


def test_on_a_terminal_the_countdown_stays_on_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what the terminal cannot show is replaced, not fatal."""
    shown = say_a_wake(monkeypatch)
    assert shown.split("\r\x1b[K")[1:-1] == [
        "          ... next wake in 2.0 s",
        "          ... next wake in 1.0 s",
    ]
    assert shown.endswith("\r\x1b[K\nHeard - ?\n")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_plain_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    """NO_COLOR is set, or the terminal knows no escapes."""
    assert say_a_wake(monkeypatch, **env) == "          ... next wake in 2.0 s\n\nHeard - ?\n"


def test_a_demo_whose_server_does_not_answer_says_why_and_exits_with_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The end of the server's own log is the reason."""
    assert run_demo(io.StringIO(), server=(sys.executable, "-c", "raise SystemExit('no such thing')")) == 1
    assert "no such thing" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_demo_its_server_and_its_files(tmp_path: Path, number: signal.Signals) -> None:
    """One line, exit code 130, nothing left; in the C locale, too."""
    env = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    command = [*SERVER, "demo"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        seen = b""
        while b"next wake" not in seen:
            line = running.stdout.readline()
            assert line, seen
            seen += line
        assert len(list(tmp_path.iterdir())) == 1
        running.send_signal(number)
        rest, errors = running.communicate(timeout=10)
    assert running.returncode == 130
    assert rest.decode("ascii").strip().startswith("Stopped.")
    assert errors == b""
    assert list(tmp_path.iterdir()) == []
    (pid,) = re.findall(r"process (\d+)", seen.decode("ascii"))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
