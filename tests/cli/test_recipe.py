"""`heartbeat-mcpl recipe`: each block has the shape that its host documents, and works as it stands."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from heartbeat_adapters.testing.push_answers import CarefulHost
from heartbeat_adapters.testing.scripted_host import ScriptedHost
from heartbeat_cli import recipe as recipe_file
from heartbeat_cli.commands import cli
from heartbeat_cli.server_command import server_command

HOSTS = (
    "connectome",
    "claude-code",
    "mcpl-cc-bridge",
    "claude-desktop",
    "vscode",
    "cursor",
    "codex",
    "gemini-cli",
    "mcp",
)
WAKING = ("connectome", "mcpl-cc-bridge")
SERVERS_IN = {"vscode": "servers", "mcpl-cc-bridge": "servers", "codex": "mcp_servers"}
"""Where others have `mcpServers`."""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        "HEARTBEAT_CONFIG_FILE",
        "HEARTBEAT_REMINDERS_FILE",
        "HEARTBEAT_HISTORY_FILE",
        "AGENT_TIMEZONE",
    ):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result


def block(host: str, *before: str, after: tuple[str, ...] = ()) -> Any:
    text = run(*before, "recipe", "--host", host, *after).stdout
    return tomllib.loads(text) if host == "codex" else json.loads(text)


def server_in(host: str, printed: Any) -> dict[str, Any]:
    servers = printed[SERVERS_IN.get(host, "mcpServers")]
    assert list(servers) == ["heartbeat"]
    server = servers["heartbeat"]
    return dict(server["transport"] if host == "mcpl-cc-bridge" else server)


@pytest.mark.parametrize("host", HOSTS)
def test_a_server_is_a_command_with_arguments_and_a_flat_environment(host: str) -> None:
    server = server_in(host, block(host))
    assert os.path.isabs(server["command"])
    assert os.access(server["command"], os.X_OK)
    assert [server["command"], *server["args"]] == server_command()
    assert server["args"][-1] == "--stdio"
    assert all(isinstance(value, str) for value in server["env"].values())


@pytest.mark.parametrize("host", HOSTS)
def test_the_files_are_where_it_was_run_and_absolute(host: str, tmp_path: Path) -> None:
    """1.6: hosts start servers in a folder of their own choosing."""
    assert server_in(host, block(host))["env"] == {
        "HEARTBEAT_CONFIG_FILE": str(tmp_path / "heartbeat-config.json"),
        "HEARTBEAT_REMINDERS_FILE": str(tmp_path / "heartbeat-reminders.json"),
    }


def test_files_and_zone_may_be_given_before_the_command_after_it_or_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.2"""
    monkeypatch.setenv("HEARTBEAT_REMINDERS_FILE", "from/the/environment.json")
    printed = block("mcp", "--config-file", "before.json", after=("--timezone", "Asia/Tokyo"))
    assert server_in("mcp", printed)["env"] == {
        "HEARTBEAT_CONFIG_FILE": str(tmp_path / "before.json"),
        "HEARTBEAT_REMINDERS_FILE": str(tmp_path / "from/the/environment.json"),
        "AGENT_TIMEZONE": "Asia/Tokyo",
    }
    printed = block("mcp", "--config-file", "before.json", after=("--config-file", "/after.json"))
    assert server_in("mcp", printed)["env"]["HEARTBEAT_CONFIG_FILE"] == "/after.json"


def test_a_connectome_host_gets_its_feature_set_and_the_wake_policy_first() -> None:
    printed = block("connectome")
    assert set(printed) == {"mcpServers", "modules"}
    assert set(server_in("connectome", printed)) == {"command", "args", "env", "enabledFeatureSets"}
    assert server_in("connectome", printed)["enabledFeatureSets"] == ["heartbeat"]
    assert printed["modules"] == {
        "wake": {
            "policies": [
                {
                    "name": "heartbeat-wake",
                    "match": {"scope": ["mcpl:push-event"], "source": "heartbeat"},
                    "behavior": "always",
                }
            ]
        }
    }


def test_claude_code_gets_a_project_file_and_the_same_as_a_command() -> None:
    """A `.mcp.json` has `mcpServers`, each with its `type`; `claude mcp add-json` takes one of them."""
    result = run("recipe", "--host", "claude-code")
    printed = json.loads(result.stdout)
    assert set(printed) == {"mcpServers"}
    server = server_in("claude-code", printed)
    assert set(server) == {"type", "command", "args", "env"}
    assert server["type"] == "stdio"
    (command,) = [line for line in result.stderr.splitlines() if line.startswith("claude mcp ")]
    *words, added = shlex.split(command)
    assert words == ["claude", "mcp", "add-json", "heartbeat"]
    assert json.loads(added) == server


def test_the_bridge_in_claude_code_gets_a_transport_and_grants_what_a_wake_needs() -> None:
    """4.4: its `.mcpl-bridge.json` has `servers`, each with its `transport` and its `grant`."""
    printed = block("mcpl-cc-bridge")
    assert set(printed) == {"servers"}
    assert set(printed["servers"]["heartbeat"]) == {"transport", "grant", "reconnect"}
    assert set(server_in("mcpl-cc-bridge", printed)) == {"command", "args", "env"}
    assert printed["servers"]["heartbeat"]["grant"] == ["tools", "pushEvents"]


def test_the_bridge_in_claude_code_starts_the_server_again_when_it_has_ended() -> None:
    """It does so by itself only for servers on the network."""
    assert block("mcpl-cc-bridge")["servers"]["heartbeat"]["reconnect"] is True


def test_claude_code_is_told_of_the_bridge_that_wakes_it() -> None:
    assert "--host mcpl-cc-bridge" in run("recipe", "--host", "claude-code").stderr


def test_cursor_gets_servers_with_their_type() -> None:
    printed = block("cursor")
    assert set(printed) == {"mcpServers"}
    assert set(server_in("cursor", printed)) == {"type", "command", "args", "env"}


def test_codex_gets_toml_and_the_same_as_a_command() -> None:
    """Its `config.toml` has `[mcp_servers.<name>]`; `codex mcp add` writes the same."""
    result = run("recipe", "--host", "codex")
    printed = tomllib.loads(result.stdout)
    assert set(printed) == {"mcp_servers"}
    server = server_in("codex", printed)
    assert set(server) == {"command", "args", "env"}
    (command,) = [line for line in result.stderr.splitlines() if line.startswith("codex mcp ")]
    words = shlex.split(command)
    assert words[:4] == ["codex", "mcp", "add", "heartbeat"]
    given, started = words[4 : words.index("--")], words[words.index("--") + 1 :]
    assert given[::2] == ["--env"] * len(server["env"])
    assert dict(word.split("=", 1) for word in given[1::2]) == server["env"]
    assert started == [server["command"], *server["args"]]


PATHS = ["/daten/Töchter/心跳.json", "/a b/🫀.json", '/q"uo\te	.json', "/del.json"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("charset", ["utf-8", "ascii"])
@pytest.mark.parametrize("host", ["codex", "mcp"])
def test_any_path_comes_through_in_any_encoding(host: str, charset: str, path: str) -> None:
    result = CliRunner(charset=charset).invoke(cli, ["recipe", "--host", host, "--config-file", path])
    text = result.stdout_bytes.decode(charset)
    printed = tomllib.loads(text) if host == "codex" else json.loads(text)
    assert server_in(host, printed)["env"]["HEARTBEAT_CONFIG_FILE"] == path


@pytest.mark.parametrize("host", HOSTS)
def test_it_is_said_that_two_sessions_need_files_of_their_own(host: str) -> None:
    said = " ".join(run("recipe", "--host", host).stderr.split())
    assert "Two sessions at once on the same two files get in each other's way" in said
    assert "another --config-file and --reminders-file" in said


@pytest.mark.parametrize("host", ["claude-desktop", "gemini-cli", "mcp"])
def test_claude_desktop_and_plain_hosts_get_servers_by_id_and_nothing_else(host: str) -> None:
    printed = block(host)
    assert set(printed) == {"mcpServers"}
    assert set(server_in(host, printed)) == {"command", "args", "env"}


def test_vs_code_gets_servers_with_their_type() -> None:
    """A `.vscode/mcp.json` has `servers`, where others have `mcpServers`."""
    printed = block("vscode")
    assert set(printed) == {"servers"}
    assert set(server_in("vscode", printed)) == {"type", "command", "args", "env"}
    assert server_in("vscode", printed)["type"] == "stdio"


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_printed_starts_the_server_from_any_folder(host: str, tmp_path: Path) -> None:
    """1.6, 4.5"""
    server = server_in(host, block(host))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [server["command"], *server["args"]]
    with ScriptedHost(command, cwd=elsewhere, env=server["env"], on_push=CarefulHost()) as scripted:
        scripted.initialize()
        assert scripted.update_policy()["mode"] == "full"
        assert not scripted.call("reminder_add", message="x", inHours=1).is_error
    assert (tmp_path / "heartbeat-reminders.json").exists()
    assert list(elsewhere.iterdir()) == []


def test_it_is_said_why_the_policy_comes_first_and_to_which_hosts_no_wake_will_come() -> None:
    said = {host: " ".join(run("recipe", "--host", host).stderr.split()) for host in HOSTS}
    assert "first one that matches decides" in said["connectome"]
    for host in HOSTS:
        assert ("takes tools, but no wakes" in said[host]) is (host not in WAKING)


def test_an_installation_that_will_not_last_is_called_that(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cleared away" not in run("recipe", "--host", "mcp").stderr
    monkeypatch.setattr(sys, "executable", "/home/somebody/.cache/uv/archive-v0/Xyz/bin/python")
    assert "cleared away" in run("recipe", "--host", "mcp").stderr


def test_where_there_is_no_console_script_the_module_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3.11")
    assert server_command() == ["/usr/bin/python3.11", "-m", "heartbeat_cli", "--stdio"]


def test_without_a_host_it_says_which_there_are() -> None:
    result = CliRunner().invoke(recipe_file.recipe, [])
    assert result.exit_code == 2
    assert all(host in result.output for host in HOSTS)


def test_paths_with_letters_of_any_language_stay_readable() -> None:
    result = run("recipe", "--host", "mcp", "--config-file", "/daten/Töchter/心跳.json")
    assert "/daten/Töchter/心跳.json" in result.stdout


@pytest.mark.parametrize(("given", "printed"), [("told.jsonl", "told.jsonl"), ("", None)])
def test_the_history_file_is_printed_where_it_was_given_and_so_is_that_it_is_off(
    given: str, printed: str | None, tmp_path: Path
) -> None:
    """14.2"""
    env = server_in("mcp", block("mcp", after=("--history-file", given)))["env"]
    assert env["HEARTBEAT_HISTORY_FILE"] == ("" if printed is None else str(tmp_path / printed))


def test_the_history_file_is_not_printed_where_nobody_spoke_of_it() -> None:
    """14.2"""
    assert "HEARTBEAT_HISTORY_FILE" not in server_in("mcp", block("mcp"))["env"]
