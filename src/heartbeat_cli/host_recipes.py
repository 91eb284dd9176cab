"""What each kind of host takes as configuration, and where it belongs."""

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
    """What one kind of host takes.

    `words` say where the block belongs; `wakes`, whether the host speaks MCPL; `toml`, whether it reads
    TOML, where others read JSON.
    """

    block: Callable[[Server], Block]
    words: str
    wakes: bool = False
    toml: bool = False
    shell: Callable[[Server], str] | None = None
    """The command that does the same, where there is one."""


NO_WAKES = (
    "This host takes tools, but no wakes, unless it speaks MCPL: the agent can set reminders, which are "
    "kept, and none will fire here. The replies of the tools say so."
)

ONE_SESSION = (
    "Two sessions at once on the same two files get in each other's way, since only the first keeps them: "
    "give each session its own, with a block printed under another --config-file and --reminders-file."
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


def _bridge(server: Server) -> Block:
    # By default the bridge grants what this server never asks for, the user's prompts among it, and does not
    # start a server on stdio again that has ended.
    entry = {"transport": server.members, "grant": ["tools", "pushEvents"], "reconnect": True}
    return {"servers": {SERVER_ID: entry}}


def _codex(server: Server) -> Block:
    return {"mcp_servers": {SERVER_ID: server.members}}


def _codex_shell(server: Server) -> str:
    env = [word for name, value in server.env.items() for word in ("--env", f"{name}={value}")]
    return shlex.join(["codex", "mcp", "add", SERVER_ID, *env, "--", *server.command])


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
        "Save this as .mcp.json in the folder of the project, or merge it into the one that is there. To be "
        "woken in Claude Code, use the bridge that --host mcpl-cc-bridge is for. For yourself alone, run "
        "this there, and save nothing:",
        shell=_claude_code_shell,
    ),
    "mcpl-cc-bridge": Recipe(
        _bridge,
        "Save this as .mcpl-bridge.json in the folder of the project, or merge it into "
        "~/.claude/mcpl-bridge/config.json, which is read where the project has none. It is for the plugin "
        "mcpl-bridge of Claude Code (https://github.com/anima-research/mcpl-cc-bridge), which hosts MCPL "
        "servers. Start Claude Code with --dangerously-load-development-channels "
        "plugin:mcpl-bridge@mcpl-bridge-dev: without it the tools work and no wake starts a turn.",
        wakes=True,
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
    "cursor": Recipe(
        _claude_code,
        "Save this as .cursor/mcp.json in the folder of the project, or merge it into the one there. For all "
        "projects it is ~/.cursor/mcp.json.",
    ),
    "codex": Recipe(
        _codex,
        "Add this to ~/.codex/config.toml. A project that Codex trusts may have it in its own "
        ".codex/config.toml. The same for all projects is done by:",
        toml=True,
        shell=_codex_shell,
    ),
    "gemini-cli": Recipe(
        _mcp_servers(),
        "Merge this into ~/.gemini/settings.json, or for one project into .gemini/settings.json in its "
        "folder. Gemini CLI starts no server in a folder that it does not trust. `gemini mcp list` tells "
        "whether it is connected.",
    ),
    "mcp": Recipe(
        _mcp_servers(), 'Merge this into the configuration of the host, where its "mcpServers" are.'
    ),
}
"""By the name under which each is asked for."""
