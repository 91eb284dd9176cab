"""The official MCP client of Python in its first major version connects, lists and calls (3.6).

That client, in an environment of its own, since it cannot be installed beside the second.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clients_of_others import installed, run

from server_folder import SERVER, ServerFolder

pytestmark = pytest.mark.timeout(900)  # installs what it tests

CLIENT = "mcp>=1.9,<2"
ANSWERED_WITHIN = 60.0

SCRIPT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        await session.send_ping()
        added = await session.call_tool("reminder_add", {"message": "tea", "inMinutes": 5})
        refused = await session.call_tool("reminder_add", {"message": "tea", "inMinuts": 5})
        print(json.dumps({
            "name": hello.serverInfo.name,
            "protocol": hello.protocolVersion,
            "tools": [tool.name for tool in tools],
            "added": [added.isError, added.content[0].text],
            "refused": [refused.isError, refused.content[0].text],
        }))

asyncio.run(asyncio.wait_for(main(), 50))
"""


@pytest.fixture(scope="module")
def client_python(pytestconfig: pytest.Config) -> Path:
    """The Python of an environment that has the client and nothing of ours."""
    return installed(pytestconfig, "sdk-v1", install) / "bin" / "python"


def install(home: Path) -> None:
    """With the pip outside, since some systems ship venv without it."""
    outside = str(Path(sys.base_prefix) / "bin" / "python3")
    run(outside, "-m", "venv", "--without-pip", str(home))
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    run(outside, "-m", "pip", "--python", str(home / "bin" / "python"), "install", *quiet, CLIENT)


def test_the_first_version_of_the_official_client_connects_lists_and_calls(
    client_python: Path, folder: ServerFolder
) -> None:
    """3.1, 3.3, 3.4, 3.6"""
    done = subprocess.run(
        [client_python, "-c", SCRIPT, *SERVER, "--stdio"],
        cwd=folder.path,
        capture_output=True,
        timeout=ANSWERED_WITHIN,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert (seen["name"], seen["protocol"]) == ("heartbeat-mcpl", "2025-11-25")
    assert len(seen["tools"]) == 7
    assert seen["added"][0] is False
    assert seen["refused"][0] is True
    assert "inMinutes" in seen["refused"][1]
    assert [reminder["message"] for reminder in folder.reminders] == ["tea"]
