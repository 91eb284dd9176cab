"""The examples run as they stand, and show what they promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
AT_MOST = 60


def run(*command: str, folder: Path) -> str:
    """Run Python in a folder of its own, with warnings as errors; gives what it printed.

    On stderr there is at most the log of a server that it started.
    """
    ran = subprocess.run(
        [sys.executable, "-W", "error", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=AT_MOST,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert all(line.startswith("[heartbeat-mcpl] ") for line in ran.stderr.splitlines()), ran.stderr
    return ran.stdout


def example(name: str, folder: Path) -> str:
    return run(str(EXAMPLES / name), folder=folder)


def test_the_ten_lines_set_a_reminder_and_hear_it(tmp_path: Path) -> None:
    """9.2"""
    first, second = example("ten_lines.py", tmp_path).splitlines()
    assert first.startswith("Reminder rem_")
    assert second.startswith("[reminder rem_")
    assert second.endswith("] Take the tea out.")
    assert sorted(path.name for path in (tmp_path / "data").glob("*.json")) == [
        "heartbeat-config.json",
        "heartbeat-reminders.json",
    ]


def test_the_ten_lines_are_about_ten() -> None:
    """9.2"""
    text = (EXAMPLES / "ten_lines.py").read_text(encoding="utf-8").split('"""', 2)[2]
    lines = [line for line in text.splitlines() if line.strip() and '"""' not in line]
    assert len(lines) <= 13


def test_the_agent_loop_calls_tools_and_is_woken_by_what_they_set(tmp_path: Path) -> None:
    """9.2"""
    shown = example("agent_loop.py", tmp_path)
    steps = [
        "> Tell me in two seconds",
        "  reminder_add {",
        "  Reminder rem_",
        "> [reminder rem_",
        "The tea has drawn.",
        "  heartbeat_trigger {}",
        "  Heartbeat fired. ",
        "> [current time: ",
        "< Nothing is left to do. Good night.",
    ]
    place = 0
    for step in steps:
        place = shown.index(step, place) + len(step)
    assert list(tmp_path.iterdir()) == []


def test_a_program_without_a_loop_calls_the_core_itself(tmp_path: Path) -> None:
    """9.2"""
    first, second = example("synchronous.py", tmp_path).splitlines()
    assert first.startswith("Reminder rem_")
    assert second.endswith("] Take the tea out.")


@pytest.mark.parametrize(
    "path", sorted(set(EXAMPLES.rglob("*.py")) - {EXAMPLES / "test_my_agent.py"}), ids=lambda path: path.name
)
def test_what_runs_for_long_uses_no_fake(path: Path) -> None:
    """9.6: a log for tests grows without bound, for instance; `test_my_agent.py` alone is a test"""
    text = path.read_text(encoding="utf-8")
    assert "heartbeat_adapters.testing import" not in text


def test_the_official_client_connects_lists_and_calls(tmp_path: Path) -> None:
    """3.6"""
    shown = example("sdk_client.py", tmp_path)
    assert "heartbeat-mcpl 0" in shown
    assert "reminder_cancel: " in shown
    assert "interval=7200s" in shown
    assert "no reminder will fire on this host" in shown


def test_the_tests_of_an_agent_pass(tmp_path: Path) -> None:
    """9.3"""
    tests = str(EXAMPLES / "test_my_agent.py")
    shown = run("-m", "pytest", "-q", "-p", "no:cacheprovider", tests, folder=tmp_path)
    assert "5 passed" in shown


def test_the_picture_of_the_readme_is_what_the_example_draws(tmp_path: Path) -> None:
    """14.4: and it shows an evening that went wrong."""
    run(str(EXAMPLES.parent / "scripts" / "history_picture.py"), "history.svg", folder=tmp_path)
    drawn = (tmp_path / "history.svg").read_text()
    assert drawn == (EXAMPLES.parent / "docs" / "history.svg").read_text()
    assert "3 refused" in drawn
