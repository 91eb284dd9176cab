"""The server under the official MCP client: connect, list the tools, call some.

Needs `pip install mcp`, 2.0 or newer. An MCP client without MCPL takes no wakes: the tools work, what is
set is kept, and the replies say that nothing will fire here.
"""

import sys
import tempfile

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent


async def call(client: Client, tool: str, **arguments: object) -> None:
    """Call a tool, and show what an agent would read."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    print(f"{tool} {arguments or ''}\n  " + "\n".join(texts).replace("\n", "\n  "))


async def main() -> None:
    """Run a server in a folder of its own for as long as the conversation lasts."""
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "heartbeat_cli", "--stdio"], cwd=folder
        )
        async with Client(server) as client:
            assert client.server_info is not None
            print(f"{client.server_info.name} {client.server_info.version}")
            for tool in (await client.list_tools()).tools:
                print(f"  {tool.name}: {tool.title}")
            await call(client, "heartbeat_configure", intervalHours=2)
            await call(client, "reminder_add", message="Water the plants.", everyHours=24)
            await call(client, "reminder_list")


anyio.run(main)
