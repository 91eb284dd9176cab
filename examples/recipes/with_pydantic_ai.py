"""A pydantic-ai agent with a heartbeat: it gets the tools, and a wake starts a run.

The model is a stand-in with a script. Put the name of yours in its place: `Agent("openai:gpt-5", ...)`.
"""

import asyncio

from pydantic_ai import Agent, ModelRetry, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_core import Wake


def tools_of(heartbeat: EmbeddedHeartbeat) -> list[Tool[object]]:
    """The seven tools as pydantic-ai takes them."""

    def tool(name: str, description: str, schema: dict[str, object]) -> Tool[object]:
        async def call(**arguments: object) -> str:  # async, since plain functions would run in threads
            reply = heartbeat.call(name, arguments)
            if reply.is_error:
                raise ModelRetry(reply.text)
            return reply.text

        return Tool.from_schema(call, name=name, description=description, json_schema=schema)

    return [tool(each.name, each.description, each.schema) for each in heartbeat.tools]


def stand_in(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Act as a model would that wants to be woken, and gets its first call wrong."""
    assert len(info.function_tools) == 6
    last = messages[-1].parts[-1]
    said = str(getattr(last, "content", ""))
    if said.startswith("Refused"):
        return ModelResponse(
            [ToolCallPart("reminder_add", {"message": "The tea has drawn.", "inSeconds": 1})]
        )
    if isinstance(last, ToolReturnPart):
        return ModelResponse([TextPart("I will tell you.")])
    if said.startswith("[reminder"):
        return ModelResponse([TextPart("Your tea has drawn.")])
    return ModelResponse([ToolCallPart("reminder_add", {"message": "The tea has drawn.", "inSecond": 1})])


async def main() -> None:
    """Ask for one thing, and live until the agent was woken for it."""
    history: list[ModelMessage] = []
    one_at_a_time = asyncio.Lock()
    woken = asyncio.Event()

    async def hear(text: str) -> None:
        async with one_at_a_time:
            print(f"> {text}")
            result = await agent.run(text, message_history=history)
            history[:] = result.all_messages()
            print(f"< {result.output}")

    async def wake(wake: Wake) -> None:
        await hear(wake.text or "(a silent heartbeat)")
        woken.set()

    heartbeat = embed(wake)
    # A call that is refused counts as a retry here, and the agent has one without this.
    agent = Agent(FunctionModel(stand_in), tools=tools_of(heartbeat), retries=5)
    async with heartbeat:
        await hear("Tell me when the tea has drawn.")
        await woken.wait()


asyncio.run(main())
