"""The tools (section 6), as anything that has a model can offer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.heartbeat_tools import CONFIGURE, STATUS, TRIGGER
from heartbeat_core.tools.reminder_tools import ADD, CANCEL, LIST, UPDATE
from heartbeat_core.tools.shown import shown_value
from heartbeat_core.tools.tool import Hints, Reply, Tool

__all__ = ["ALL_TOOLS", "Hints", "Reply", "Tool", "Toolbox", "UnknownToolError"]

ALL_TOOLS: tuple[Tool[Any], ...] = (STATUS, CONFIGURE, TRIGGER, ADD, UPDATE, LIST, CANCEL)
"""In the order in which hosts show them."""

_TAKES = {tool.name: tuple(tool.arguments.model_fields) for tool in ALL_TOOLS}
_OTHERS_TAKE = {
    tool.name: {other: names for other, names in _TAKES.items() if other != tool.name} for tool in ALL_TOOLS
}


class UnknownToolError(LookupError):
    """No tool has that name; the message names those there are."""


class Toolbox:
    """The tools of one `Heartbeat`."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._tools = {tool.name: tool for tool in ALL_TOOLS}

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def call(self, name: str, arguments: object = None) -> Reply:
        """Call a tool with what a model sent for it. Raises UnknownToolError, and nothing else."""
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownToolError(
                f"unknown tool {shown_value(name)}; the tools are {', '.join(self._tools)}"
            )
        return tool.call(self._heartbeat, arguments, _OTHERS_TAKE[name])
