"""What each kind of host takes as configuration, and where it belongs.

Lives here: the shapes, and the words that go with each. May not: printing, or finding out any path.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

SERVER_ID = "heartbeat"
"""Hosts know silent wakes by this id, and wake policies match it (6.11)."""

Block = dict[str, object]


@dataclass(frozen=True, slots=True)
class Server:
    """How a host is to start the server."""

    command: Sequence[str]
    env: Mapping[str, str]

    @property
    def members(self) -> Block:
        """As every host takes it."""
        return {"command": self.command[0], "args": list(self.command[1:]), "env": dict(self.env)}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one kind of host takes. `words` say where the block belongs; `wakes`, whether it speaks MCPL."""

    block: Callable[[Server], Block]
    words: str
    wakes: bool = False
    shell: Callable[[Server], str] | None = None
    """The command that does the same, where there is one."""


NO_WAKES = (
    "This host takes tools, but no wakes, unless it speaks MCPL: the agent can set reminders, which are "
    "kept, and none will fire here. The replies of the tools say so."
)


def _mcp_servers(**more: object) -> Callable[[Server], Block]:
    return lambda server: {"mcpServers": {SERVER_ID: {**server.members, **more}}}


def _typed(server: Server) -> Block:
    return {"type": "stdio", **server.members}


def _connectome(server: Server) -> Block:
    wake_policy = {
        "name": "heartbeat-wake",
        "match": {"scope": ["mcpl:push-event"], "source": SERVER_ID},
        "behavior": "always",
    }
    return {
        **_mcp_servers(enabledFeatureSets=["heartbeat"])(server),
        "modules": {"wake": {"policies": [wake_policy]}},
    }


def _claude_code(server: Server) -> Block:
    return {"mcpServers": {SERVER_ID: _typed(server)}}


def _claude_code_shell(server: Server) -> str:
    return f"claude mcp add-json {SERVER_ID} {shlex.quote(json.dumps(_typed(server), ensure_ascii=False))}"


def _vscode(server: Server) -> Block:
    return {"servers": {SERVER_ID: _typed(server)}}


RECIPES: Mapping[str, Recipe] = {
    "connectome": Recipe(
        _connectome,
        "Merge this into the recipe of the agent, and restart the host. The wake policy goes first of all "
        "policies: the first one that matches decides, so one above it that skips push events, as those for "
        "busy channels do, would skip these too, and the agent would sleep through every wake. Keep the id "
        f"{SERVER_ID!r}: the policy matches it, and silent heartbeats are known by it. Without "
        '"enabledFeatureSets" the tools work and no wake is sent.',
        wakes=True,
    ),
    "claude-code": Recipe(
        _claude_code,
        "Save this as .mcp.json in the folder of the project, or merge it into the one that is there. For "
        "yourself alone, run there instead:",
        shell=_claude_code_shell,
    ),
    "claude-desktop": Recipe(
        _mcp_servers(),
        "Merge this into claude_desktop_config.json, which Settings, Developer, Edit Config opens (on macOS "
        "it is in ~/Library/Application Support/Claude), and restart the app.",
    ),
    "vscode": Recipe(
        _vscode,
        "Save this as .vscode/mcp.json in the folder of the workspace, or merge it into the one there.",
    ),
    "mcp": Recipe(
        _mcp_servers(), 'Merge this into the configuration of the host, where its "mcpServers" are.'
    ),
}
"""By the name under which each is asked for."""
