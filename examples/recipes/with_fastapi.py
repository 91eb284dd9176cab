"""A FastAPI application with two agents, each with a heartbeat, which live as long as the application.

Run it with `uvicorn with_fastapi:app`. Each agent keeps its files in a folder of its own.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from heartbeat_adapters import EmbeddedHeartbeat, embed
from heartbeat_core import Wake

NAMES = ("ada", "ben")


class Agent:
    """Hears its wakes; this is where it would think."""

    def __init__(self, name: str) -> None:
        self.heard: list[str] = []
        self.heartbeat: EmbeddedHeartbeat = embed(self.wake, folder=f"data/{name}", timezone="Europe/Berlin")

    async def wake(self, wake: Wake) -> None:
        """Hear one wake."""
        self.heard.append(wake.text or "(a silent heartbeat)")


agents: dict[str, Agent] = {}


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Start both heartbeats before the first request, and stop them after the last."""
    async with AsyncExitStack() as running:
        for name in NAMES:
            agents[name] = Agent(name)
            await running.enter_async_context(agents[name].heartbeat)
        yield


app = FastAPI(lifespan=lifespan)


class Note(BaseModel):
    """What an agent is to be reminded of."""

    message: str
    seconds: float


def agent_named(name: str) -> Agent:
    """The agent of that name."""
    if name not in agents:
        raise HTTPException(404, f"there is no agent {name}")
    return agents[name]


# `async def` throughout: a plain function would run in a thread, and a heartbeat is called on its loop.


@app.post("/{name}/reminders")
async def remind(name: str, note: Note) -> dict[str, str]:
    """Set a reminder, and give its id."""
    try:
        after = timedelta(seconds=note.seconds)
        return {"id": agent_named(name).heartbeat.add(note.message, after=after).id}
    except ValueError as error:  # in the tool's words
        raise HTTPException(422, str(error)) from error


@app.get("/{name}/status")
async def status(name: str) -> dict[str, str]:
    """Show how the agent is woken."""
    return {"status": agent_named(name).heartbeat.call("heartbeat_status").text}


@app.get("/{name}/heard")
async def heard(name: str) -> list[str]:
    """Show what it was woken with."""
    return agent_named(name).heard
