"""The operator's limits as options and variables, for the server, `check` and `recipe` (15.1)."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from heartbeat_adapters.testing.push_answers import CarefulHost
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from heartbeat_cli.commands import cli
from heartbeat_cli.limit_options import limits_of, with_limit_options
from heartbeat_cli.server_command import server_command
from heartbeat_core.schedule.limits import Limits

OPTIONS = {
    "--min-interval": "HEARTBEAT_MIN_INTERVAL",
    "--max-wakes-per-hour": "HEARTBEAT_MAX_WAKES_PER_HOUR",
    "--max-wakes-per-day": "HEARTBEAT_MAX_WAKES_PER_DAY",
    "--max-reminders": "HEARTBEAT_MAX_REMINDERS",
    "--quiet-hours": "HEARTBEAT_QUIET_HOURS",
}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HEARTBEAT_CONFIG_FILE", "HEARTBEAT_REMINDERS_FILE", "AGENT_TIMEZONE", *OPTIONS.values()):
        monkeypatch.delenv(name, raising=False)


def read(*arguments: str, **env: str) -> Limits | None:
    """The limits that a command with these words and variables runs on."""
    found: list[Limits | None] = []

    @click.command()
    @with_limit_options
    @click.pass_context
    def command(ctx: click.Context) -> None:
        found.append(limits_of(ctx))

    result = CliRunner().invoke(command, arguments, env=env)
    assert result.exit_code == 0, result.output
    return found[0]


def refused(*arguments: str, **env: str) -> list[str]:
    """The lines on stderr of a server that does not start."""
    ran = subprocess.run(
        [*server_command(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    return ran.stderr.splitlines()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("1.5h", 5400), ("90", 90), ("0.5", 0.5), (" 2m ", 120), ("0.001s", 0.001)],
)
def test_a_length_is_read_in_seconds_minutes_or_hours(text: str, seconds: float) -> None:
    """15.1, 5.3"""
    assert read("--min-interval", text) == Limits(min_interval=timedelta(seconds=seconds))


def test_every_limit_is_an_option_and_a_variable_and_the_option_wins() -> None:
    """15.1, 1.2"""
    values = ("15m", "6", "40", "0", "22:00-7:00")
    all_set = Limits(timedelta(minutes=15), 6, 40, 0, "22:00-07:00")
    assert read(*(word for pair in zip(OPTIONS, values, strict=True) for word in pair)) == all_set
    assert read(**dict(zip(OPTIONS.values(), values, strict=True))) == all_set
    assert read("--max-reminders", "3", HEARTBEAT_MAX_REMINDERS="4") == Limits(max_reminders=3)


def test_none_is_on_by_default_and_an_empty_variable_is_none() -> None:
    """15.1, 1.2"""
    assert read() is None
    assert read(**dict.fromkeys(OPTIONS.values(), "")) is None


WRONG = {
    "--min-interval": "| |0|0s|-5s|abc|15 m|15M|1d|1e3|nan|inf|0.0001|٣|1h30m|9999999999h",
    "--max-wakes-per-hour": "|0|-1|1.0|1.5|six|1_0|٣|+1",
    "--max-wakes-per-day": "|0|-1",
    "--max-reminders": "|-1|0.5|many",
    "--quiet-hours": "|22|22:00|22-7|22:00-22:00|25:00-07:00|always|00:00-24:00|22:00-07:00 MO",
}
"""By option, values that cannot be read; the first of each is empty."""


@pytest.mark.parametrize(
    ("option", "text"), [(name, text) for name, texts in WRONG.items() for text in texts.split("|")]
)
def test_a_value_that_cannot_be_read_stops_the_start_with_code_2_and_one_line(option: str, text: str) -> None:
    """15.1: an empty option too."""
    result = CliRunner().invoke(cli, ["--stdio", option, text])
    assert result.exit_code == 2
    (line,) = result.output.splitlines()
    assert line.startswith(f"Error: {option} ({OPTIONS[option]}) must be ")
    assert len(line) < 250


def test_a_server_with_bad_limits_says_each_on_a_line_and_serves_nobody() -> None:
    """15.1"""
    lines = refused("--min-interval", "soon", "--max-reminders", "", HEARTBEAT_QUIET_HOURS="at\nnight")
    assert [line.split()[1] for line in lines] == ["--min-interval", "--max-reminders", "--quiet-hours"]
    assert lines[-1].endswith(r"and is 'at\nnight'")


def test_a_server_keeps_its_agent_to_them_and_says_so_in_the_log(tmp_path: Path) -> None:
    """15.1, 15.2, 15.4"""
    command = [*server_command(), "--min-interval", "15m"]
    with ScriptedHost(
        command, env={"HEARTBEAT_MAX_WAKES_PER_HOUR": "1"}, cwd=tmp_path, on_push=CarefulHost()
    ) as host:
        host.initialize()
        host.initialized()
        host.update_policy()
        shown = " | limits=min-interval 900s, max-wakes-per-hour 1 | "
        assert shown in host.call("heartbeat_status").text
        assert "min-interval 900s" in host.call("heartbeat_configure", intervalMinutes=5).text
        assert not host.call("heartbeat_trigger").is_error
        assert host.next_wake().origin["reason"] == "manual"
        assert "max-wakes-per-hour 1" in host.call("heartbeat_trigger").text
        host.close_stdin()
        assert host.wait() == 0
        assert any(
            "limits of the operator: min-interval 900s, max-wakes-per-hour 1" in line
            for line in host.log_lines
        )


def test_no_limit_loads_nothing_before_the_first_answer() -> None:
    """15.1, 1.6: what costs time to import is imported where a limit is set."""
    code = (
        "import sys, click\n"
        "from heartbeat_cli.limit_options import limits_of, with_limit_options\n"
        "command = with_limit_options(click.pass_context(lambda ctx: limits_of(ctx)))\n"
        "click.command()(command).main([], standalone_mode=False)\n"
        "late = ('dateutil', 'fractions', 'heartbeat_core.schedule.limits')\n"
        "print([name for name in late if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"


# The other commands


def test_recipe_prints_them_as_variables_wherever_they_were_given() -> None:
    """15.1"""
    arguments = ["--quiet-hours", "22:00-07:00", "recipe", "--host", "mcp", "--max-reminders", "50"]
    result = CliRunner().invoke(cli, arguments, env={"HEARTBEAT_MIN_INTERVAL": "15m"})
    env = json.loads(result.stdout)["mcpServers"]["heartbeat"]["env"]
    assert {name: value for name, value in env.items() if name in OPTIONS.values()} == {
        "HEARTBEAT_MIN_INTERVAL": "15m",
        "HEARTBEAT_MAX_REMINDERS": "50",
        "HEARTBEAT_QUIET_HOURS": "22:00-07:00",
    }


@pytest.mark.parametrize(
    ("before", "after", "printed"),
    [
        (["--max-reminders", "1"], [], "1"),
        (["--max-reminders", "1"], ["--max-reminders", "2"], "2"),
        ([], [], "9"),
    ],
)
def test_the_last_option_wins_and_each_wins_over_the_variable(
    before: list[str], after: list[str], printed: str
) -> None:
    """15.1, 1.2"""
    arguments = [*before, "recipe", "--host", "mcp", *after]
    result = CliRunner().invoke(cli, arguments, env={"HEARTBEAT_MAX_REMINDERS": "9"})
    assert json.loads(result.stdout)["mcpServers"]["heartbeat"]["env"]["HEARTBEAT_MAX_REMINDERS"] == printed


@pytest.mark.parametrize("command", [["check"], ["recipe", "--host", "mcp"]])
def test_other_commands_refuse_what_the_server_would_refuse(command: list[str]) -> None:
    """15.1"""
    result = CliRunner().invoke(cli, [*command, "--max-reminders", "x"])
    assert result.exit_code == 2
    assert result.output.startswith("Error: --max-reminders")
