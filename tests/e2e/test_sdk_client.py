"""The official MCP client of Python, which was written by others, connects, lists and calls (3.6)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from server_folder import SERVER, ServerFolder

BOUND = 30


def run(folder: ServerFolder, mode: str, script: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Connect, run the script, and leave; all of it within a bound."""

    async def connected() -> None:
        command, *arguments = *SERVER, "--stdio", *options
        server = StdioServerParameters(command=command, args=arguments, cwd=folder.path)
        with anyio.fail_after(BOUND):
            async with Client(server, mode=mode) as client:
                await script(client)

    anyio.run(connected)


async def say(client: Client, tool: str, error: bool = False, **arguments: object) -> str:
    """Call a tool and give its text, which is the one block there is."""
    result = await client.call_tool(tool, dict(arguments))
    assert isinstance(result, CallToolResult)
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert bool(result.is_error) is error, block.text
    return block.text


async def list_tools(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert len(tools) == 7
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False


async def call_them_all(client: Client) -> None:
    assert "host is MCP-only" in await say(client, "heartbeat_status")
    assert (await say(client, "heartbeat_configure", intervalHours=2)).startswith("Updated. ")
    assert "host is MCP-only" in await say(client, "heartbeat_trigger", error=True)
    added = await say(client, "reminder_add", message="tea", inMinutes=5)
    (reminder_id,) = re.findall(r"rem_\w+", added)
    assert "(~7200s)" in await say(client, "reminder_update", id=reminder_id, inHours=2)
    assert reminder_id in await say(client, "reminder_list")
    assert "0 reminder(s) remain" in await say(client, "reminder_cancel", id=reminder_id)


async def list_and_call(client: Client) -> None:
    await list_tools(client)
    await call_them_all(client)


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_connects_lists_and_calls(folder: ServerFolder, mode: str) -> None:
    """3.2, 3.3, 3.6, 17.5: `auto`, its default, asks `server/discover` first and needs no handshake then."""
    run(folder, mode, list_and_call)
    assert folder.config["intervalSeconds"] == 7200


def test_the_official_client_falls_back_where_a_handshake_is_wanted(folder: ServerFolder) -> None:
    """17.4"""
    run(folder, "auto", list_and_call, "--handshake")
    assert folder.config["intervalSeconds"] == 7200


async def _see_who_it_is(client: Client, seen: list[str]) -> None:
    assert client.server_info is not None
    seen.append(client.server_info.name)
    seen.append(client.protocol_version)


@pytest.mark.parametrize(
    ("mode", "options", "newest"),
    [
        ("auto", (), "2026-07-28"),
        ("auto", ("--handshake",), "2025-11-25"),
        ("legacy", (), "2025-11-25"),
    ],
)
def test_the_official_client_learns_who_the_server_is(
    folder: ServerFolder, mode: str, options: tuple[str, ...], newest: str
) -> None:
    """3.1, 17.3, 17.4: the newest version that both speak."""
    seen: list[str] = []
    run(folder, mode, partial(_see_who_it_is, seen=seen), *options)
    assert seen == ["heartbeat-mcpl", newest]
