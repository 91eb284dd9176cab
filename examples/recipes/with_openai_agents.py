"""An agent of the OpenAI Agents SDK with a heartbeat: it gets the tools, and a wake starts a run.

The model is a stand-in with a script. Put the name of yours in its place: `Agent(model="gpt-5", ...)`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, FunctionTool, ModelResponse, Runner, SQLiteSession, Usage, set_tracing_disabled
from agents.models.interface import Model
from agents.tool_context import ToolContext
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_core import Wake


def tools_of(heartbeat: EmbeddedHeartbeat) -> list[FunctionTool]:
    """The seven tools as the SDK takes them."""

    def tool(name: str, description: str, schema: dict[str, object]) -> FunctionTool:
        async def call(_: ToolContext[Any], arguments: str) -> str:
            return heartbeat.call(name, json.loads(arguments or "{}")).text

        # The schemas have members that may be left out, which the strict ones of the API may not have.
        return FunctionTool(name, description, schema, call, strict_json_schema=False)

    return [tool(each.name, each.description, each.schema) for each in heartbeat.tools]


class StandIn(Model):
    """Acts as a model would that wants to be woken."""

    async def get_response(self, *_: Any, **asked: Any) -> ModelResponse:
        assert len(asked["tools"]) == 6
        last = asked["input"][-1]
        if last.get("type") == "function_call_output":
            return _response(_text("I will tell you."))
        if last["content"].startswith("[reminder"):
            return _response(_text("Your tea has drawn."))
        arguments = json.dumps({"message": "The tea has drawn.", "inSeconds": 1})
        return _response(
            ResponseFunctionToolCall(
                name="reminder_add", arguments=arguments, call_id="call_1", type="function_call"
            )
        )

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def _response(item: Any) -> ModelResponse:
    return ModelResponse(output=[item], usage=Usage(), response_id=None)


def _text(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, annotations=[], type="output_text")
    return ResponseOutputMessage(
        id="msg", content=[content], role="assistant", status="completed", type="message"
    )


async def main() -> None:
    """Ask for one thing, and live until the agent was woken for it."""
    set_tracing_disabled(True)  # there is nobody to send traces to
    session = SQLiteSession("my agent")
    one_at_a_time = asyncio.Lock()
    woken = asyncio.Event()

    async def hear(text: str) -> None:
        async with one_at_a_time:
            print(f"> {text}")
            result = await Runner.run(agent, text, session=session)
            print(f"< {result.final_output}")

    async def wake(wake: Wake) -> None:
        await hear(wake.text or "(a silent heartbeat)")
        woken.set()

    heartbeat = embed(wake)
    agent: Agent[Any] = Agent(name="Tea", model=StandIn(), tools=[*tools_of(heartbeat)])
    async with heartbeat:
        await hear("Tell me when the tea has drawn.")
        await woken.wait()
    session.close()


asyncio.run(main())
