"""The tools over the real wire, called by the official client, which validates what it is given.

What only the whole way through can show: schemas as listed, texts as they arrive. The rules
are proved in `tests/core/tools`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from heartbeat_core.tools import ALL_TOOLS
from server_folder import SERVER, ServerFolder

BOUND = 30

Say = Callable[..., Awaitable[tuple[bool, str]]]


def talk(folder: ServerFolder, script: Callable[[Client, Say], Awaitable[None]]) -> None:
    """Connect the official client to a server in the folder, within a bound."""

    async def connected() -> None:
        command, *arguments = *SERVER, "--stdio"
        server = StdioServerParameters(command=command, args=arguments, cwd=folder.path)
        with anyio.fail_after(BOUND):
            async with Client(server) as client:

                async def say(tool: str, arguments: dict[str, Any] | None = None) -> tuple[bool, str]:
                    result = await client.call_tool(tool, arguments)
                    assert isinstance(result, CallToolResult)
                    (block,) = result.content
                    assert isinstance(block, TextContent)
                    return bool(result.is_error), block.text

                await script(client, say)

    anyio.run(connected)


def test_the_list_that_arrives_is_valid_and_what_the_tools_say_of_themselves(folder: ServerFolder) -> None:
    """3.3"""

    async def script(client: Client, _: Say) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in ALL_TOOLS]
        for there, here in zip(listed, ALL_TOOLS, strict=True):
            Draft202012Validator.check_schema(there.input_schema)
            assert (there.title, there.description, there.input_schema) == (
                here.title,
                here.description,
                here.schema,
            )
            assert there.annotations is not None
            assert there.annotations.destructive_hint is here.hints.destructive

    talk(folder, script)


def test_calls_are_applied_whole_or_refused_with_every_problem(folder: ServerFolder) -> None:
    """6, 6.8, 6.9"""

    async def script(_: Client, say: Say) -> None:
        refused, text = await say(
            "heartbeat_configure", {"intervalHours": "2", "mode": "silent", "paused": None}
        )
        assert refused
        assert text.split("\n") == [
            "Refused, and nothing was changed:",
            "mode is no argument of heartbeat_configure; did you mean deliveryMode?",
            'intervalHours must be a number from 0 to 876600; "2" is a text: send 2',
        ]
        refused, text = await say("heartbeat_configure", {"intervalHours": 2, "deliveryMode": "silent"})
        assert (refused, text[:50]) == (False, "Updated. Heartbeat ACTIVE | mode=silent | interval")
        assert folder.config["intervalSeconds"] == 7200
        refused, text = await say("reminder_add", {"message": "tea", "inMinutes": 5, "sound": "gong"})
        assert not refused
        assert "\nNote: sound was ignored; reminder_add takes message, " in text
        reminder_id = re.findall(r"rem_\w+", text)[0]
        assert (await say("reminder_cancel", {"reminderId": reminder_id}))[0]
        assert reminder_id in (await say("reminder_list"))[1]
        assert (await say("reminder_cancel", {"id": reminder_id}))[1].startswith(
            f"Cancelled {reminder_id}. 0 "
        )

    talk(folder, script)


@pytest.mark.parametrize(
    "arguments",
    [
        {"message": "x", "inSeconds": 10**400},
        {"message": "x", "inSeconds": True},
        {"message": "\u2028\u200b", "inSeconds": 1},
        {"message": "x" * 100_001, "inSeconds": 1},
        {f"{number}".ljust(1000, "n"): 1 for number in range(1000)},
    ],
    ids=["huge", "boolean", "blank", "long", "names"],
)
def test_what_is_out_of_every_bound_is_refused_and_the_server_goes_on(
    folder: ServerFolder, arguments: dict[str, Any]
) -> None:
    """6.8, 6.9"""

    async def script(_: Client, say: Say) -> None:
        refused, text = await say("reminder_add", arguments)
        assert refused
        assert len(text) < 20_000
        assert (await say("reminder_list"))[1] == "No reminders set."

    talk(folder, script)
