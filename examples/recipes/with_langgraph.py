"""A LangGraph agent with a heartbeat: it gets the tools, and a wake goes into its thread.

The model is a stand-in with a script. Put yours in its place, with `bind_tools(tools)`.
"""

import asyncio

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_core import Wake


def tools_of(heartbeat: EmbeddedHeartbeat) -> list[StructuredTool]:
    """The seven tools as LangChain takes them."""

    def tool(name: str, description: str, schema: dict[str, object]) -> StructuredTool:
        async def call(**arguments: object) -> str:  # async, since plain functions would run in threads
            reply = heartbeat.call(name, arguments)
            if reply.is_error:
                raise ToolException(reply.text)
            return reply.text

        return StructuredTool(
            name=name,
            description=description,
            args_schema=schema,
            coroutine=call,
            handle_tool_error=True,
        )

    return [tool(each.name, each.description, each.schema) for each in heartbeat.tools]


async def stand_in(messages: list[AnyMessage]) -> AIMessage:
    """Act as a model would that wants to be woken, and gets its first call wrong."""
    last = messages[-1]
    arguments = {"message": "The tea has drawn.", "inSeconds": 1}
    if isinstance(last, ToolMessage):
        if last.status != "error":
            return AIMessage("I will tell you.")
    elif str(last.content).startswith("[reminder"):
        return AIMessage("Your tea has drawn.")
    else:
        arguments = {"message": "The tea has drawn.", "inSecond": 1}
    call = {"name": "reminder_add", "args": arguments, "id": f"call_{len(messages)}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


async def main() -> None:
    """Ask for one thing, and live until the agent was woken for it."""
    thread = RunnableConfig(configurable={"thread_id": "tea"})
    one_at_a_time = asyncio.Lock()
    woken = asyncio.Event()

    async def think(state: MessagesState) -> dict[str, list[AIMessage]]:
        return {"messages": [await stand_in(state["messages"])]}

    async def hear(text: str) -> None:
        async with one_at_a_time:
            print(f"> {text}")
            state = await graph.ainvoke({"messages": [HumanMessage(text)]}, thread)
            print(f"< {state['messages'][-1].content}")

    async def wake(wake: Wake) -> None:
        await hear(wake.text or "(a silent heartbeat)")
        woken.set()

    heartbeat = embed(wake)
    builder = StateGraph(MessagesState)
    builder.add_node("think", think)
    builder.add_node("tools", ToolNode(tools_of(heartbeat)))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", tools_condition)
    builder.add_edge("tools", "think")
    graph = builder.compile(checkpointer=InMemorySaver())
    async with heartbeat:
        await hear("Tell me when the tea has drawn.")
        await woken.wait()


asyncio.run(main())
