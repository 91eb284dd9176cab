"""A package that is removed under a running server changes nothing: all was loaded at the start."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from heartbeat_adapters.testing.push_answers import CarefulHost
from heartbeat_adapters.testing.scripted_host import HostError, ScriptedHost

PACKAGES = (
    "heartbeat_cli",
    "heartbeat_adapters",
    "heartbeat_core",
    "annotated_types",
    "click",
    "dateutil",
    "dependency_injector",
    "pydantic",
    "pydantic_core",
    "six",
    "typing_extensions",
    "typing_inspection",
)

TELLING_WHAT_IS_LOADED_LATE = """
import os, sys
from heartbeat_adapters.wire.mcp import McpServer
from heartbeat_adapters.stdio.stderr_log import StderrLog

ready = False

def tell(event, details):
    if ready and event == "import":
        os.write(2, f"late: {details[0]}\\n".encode())

def info(log, msg, said=StderrLog.info):
    global ready
    said(log, msg)
    ready = ready or msg.startswith("ready")

def request(server, method, params, answer=McpServer.request):
    return [1][len(method)] + 1 if method == "break" else answer(server, method, params)

sys.addaudithook(tell)
StderrLog.info = info
McpServer.request = request
from heartbeat_cli.main import main
main()
"""


def copy_of_what_serves(folder: Path) -> Path:
    """A folder with all packages that a server needs, and nothing else."""
    for name in PACKAGES:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:  # not every version of pydantic has all of these
            continue
        origin = Path(found.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, folder / name)
        else:
            folder.mkdir(exist_ok=True)
            shutil.copy(origin, folder)
    return folder


def go_through_everything(host: ScriptedHost, config_file: Path) -> None:
    """Use all that a server has: tools, wakes, refusals, a damaged file."""
    assert host.update_policy()["mode"] == "full"
    assert "fired" in host.call("heartbeat_trigger").text
    assert host.next_wake().text is not None
    assert not host.call("reminder_add", message="Tee für 心", inSeconds=0.01).is_error
    assert host.next_wake().reminder_id is not None
    assert host.call("reminder_add", message="x", atIso="2026-02-30T25:00", days=1).is_error
    assert not host.call("reminder_list").is_error
    assert host.call("reminder_cancel", id="rem_x").is_error
    assert not host.call("heartbeat_configure", intervalHours=1.5, message="m").is_error
    config_file.write_bytes(b"\xef\xbb\xbf{damaged")
    assert "copied" in host.call("heartbeat_configure", paused=True).text


def test_a_server_whose_packages_are_removed_goes_on_as_before(tmp_path: Path) -> None:
    """1.2: a cleared cache of `uvx`, or an upgrade."""
    packages = copy_of_what_serves(tmp_path / "packages")
    command = [sys.executable, "-S", "-m", "heartbeat_cli", "--stdio"]
    env = {"PYTHONPATH": str(packages), "AGENT_TIMEZONE": "Europe/Berlin"}
    with ScriptedHost(command, cwd=tmp_path, env=env, on_push=CarefulHost()) as host:
        host.initialize()
        host.initialized()
        host.call("heartbeat_status")
        shutil.rmtree(packages)
        assert len(host.list_tools()) >= 6
        go_through_everything(host, tmp_path / "heartbeat-config.json")
        host.close_stdin()
        assert host.wait() == 0
    assert "No module" not in "".join(host.log_lines)


def test_nothing_is_loaded_once_a_server_is_ready(tmp_path: Path) -> None:
    """1.2: a failure that is logged with its traceback included, and what Python brings itself."""
    command = [sys.executable, "-c", TELLING_WHAT_IS_LOADED_LATE, "--stdio"]
    env = {"AGENT_TIMEZONE": "Europe/Berlin"}
    with ScriptedHost(command, cwd=tmp_path, env=env, on_push=CarefulHost()) as host:
        host.initialize()
        host.call("heartbeat_status")
        assert len(host.list_tools()) >= 6
        go_through_everything(host, tmp_path / "heartbeat-config.json")
        with pytest.raises(HostError):
            host.request("break")
        host.close_stdin()
        assert host.wait() == 0
    assert any("IndexError" in line for line in host.log_lines)
    assert [line for line in host.log_lines if line.startswith("late: ")] == []
