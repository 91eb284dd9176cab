"""A whole agent: it hears its user and its wakes in one queue, thinks with a model, and calls tools.

The model is a stand-in with a script, so that this runs by itself in some seconds. It is called as the
common model APIs are: with messages and tools, for a text or calls of tools. Put yours in its place.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_core import Wake

Message = Mapping[str, Any]


@dataclass
class ToolCall:
    """What a model wants called: the arguments are JSON, as most APIs have them."""

    id: str
    name: str
    arguments: str


@dataclass
class Turn:
    """What a model gives: something to say, or tools to be called first."""

    text: str = ""
    calls: Sequence[ToolCall] = ()


class StandInModel:
    """Acts as a model would that wants to be woken; knows its lines by heart."""

    def __init__(self) -> None:
        self._turns = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[Message]) -> Turn:
        """Go on from the last message."""
        assert len(tools) == 7
        self._turns += 1
        last = messages[-1]
        if last["role"] == "tool":
            return Turn(text="Done. I will hear of it.")
        if "in two seconds" in last["content"]:
            return self._call("reminder_add", message="The tea has drawn.", inSeconds=2)
        if last["content"].startswith("[reminder"):
            return self._call("heartbeat_trigger")
        return Turn(text="Nothing is left to do. Good night.")

    def _call(self, name: str, **arguments: object) -> Turn:
        return Turn(calls=[ToolCall(f"call_{self._turns}", name, json.dumps(arguments))])


class Agent:
    """One agent, with one conversation."""

    def __init__(self) -> None:
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._model = StandInModel()
        self._messages: list[Message] = []

    def wake(self, wake: Wake) -> None:
        """Hear a wake; it is called while the model may be in the middle of something.

        Taken means here: it is in the queue. To have it come again when the program dies before the agent
        has dealt with it, give back a future instead, and set its result afterwards.
        """
        self.inbox.put_nowait({"role": "user", "content": wake.text or "(a silent heartbeat)"})

    async def live(self, heartbeat: EmbeddedHeartbeat) -> None:
        """Deal with what is heard, one message after the other, until there is nothing left to do."""
        said = ""
        while "Good night" not in said:
            message = await self.inbox.get()
            print(f"> {message['content']}")
            said = await self._answer(message, heartbeat)
            print(f"< {said}")

    async def _answer(self, message: Message, heartbeat: EmbeddedHeartbeat) -> str:
        tools = [
            {"name": tool.name, "description": tool.description, "parameters": tool.schema}
            for tool in heartbeat.tools
        ]
        self._messages.append(message)
        while (turn := await self._model.complete(self._messages, tools)).calls:
            self._messages.append({"role": "assistant", "content": turn.text, "calls": turn.calls})
            for call in turn.calls:
                reply = heartbeat.call(call.name, json.loads(call.arguments))
                print(f"  {call.name} {call.arguments}\n  {reply.text}")
                self._messages.append({"role": "tool", "call_id": call.id, "content": reply.text})
        self._messages.append({"role": "assistant", "content": turn.text})
        return turn.text


async def main() -> None:
    """Let the user say one thing, and see what the agent makes of it."""
    agent = Agent()
    agent.inbox.put_nowait({"role": "user", "content": "Tell me in two seconds that the tea has drawn."})
    async with embed(agent.wake) as heartbeat:
        await agent.live(heartbeat)


asyncio.run(main())
