"""The official inspector, the client of JavaScript's SDK, connects, lists and calls in CLI mode (3.6).

That client against a real server. Needs Node.js and npm, and says so where they are missing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from clients_of_others import installed, not_to_be_had, run

from server_folder import SERVER, ServerFolder

pytestmark = pytest.mark.timeout(900)  # installs what it tests

INSPECTOR = "@modelcontextprotocol/inspector@1.0.3"
"""The newest that runs on Node.js 20 too; it works there, though it says that it wants 22."""

ANSWERED_WITHIN = 60.0


@pytest.fixture(scope="module")
def inspector(pytestconfig: pytest.Config) -> list[str]:
    """The command that starts the inspector in CLI mode."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        not_to_be_had("there is no node and npm here")
    home = installed(pytestconfig, "inspector-1.0.3", install)
    return [str(home / "node_modules" / ".bin" / "mcp-inspector"), "--cli"]


def install(home: Path) -> None:
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retry-mintimeout=1000")
    run("npm", "install", "--prefix", str(home), *quiet, INSPECTOR)


def ask(inspector: list[str], folder: ServerFolder, *arguments: str) -> Any:
    """One run of the inspector, which starts a server, asks it one thing and prints the result."""
    done = subprocess.run(
        [*inspector, *SERVER, "--stdio", *arguments],
        cwd=folder.path,
        capture_output=True,
        timeout=ANSWERED_WITHIN,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_the_inspector_lists_the_tools(inspector: list[str], folder: ServerFolder) -> None:
    """3.3, 3.6"""
    tools = ask(inspector, folder, "--method", "tools/list")["tools"]
    assert len(tools) == 7
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)


def test_the_inspector_calls_a_tool_and_its_change_is_kept(
    inspector: list[str], folder: ServerFolder
) -> None:
    """3.4, 3.6: numbers arrive as numbers, since the inspector reads the schema."""
    call = ("--method", "tools/call", "--tool-name", "reminder_add", "--tool-arg")
    result = ask(inspector, folder, *call, "message=tea", "inMinutes=5")
    assert result["isError"] is False
    assert result["content"][0]["text"].startswith("Reminder rem_")
    assert [reminder["message"] for reminder in folder.reminders] == ["tea"]
