"""What a tool is: what the model is told about it, what it takes, and what a call of it does.

Lives here: `Tool` and `Reply`, and the way from a call to a reply. May not: know one tool from another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments, Rejected, quoted, read_arguments, takes

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the agent reads: one text, and whether the call was refused and so changed nothing."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Hints:
    """What is true of a tool, as MCP's annotations have it (3.3)."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


@dataclass(frozen=True)
class Tool(Generic[A]):
    """One tool. `check` gives the problems that arguments have together; `act` does what the call asks."""

    name: str
    title: str
    description: str
    arguments: type[A]
    hints: Hints
    act: Callable[[Heartbeat, A], Reply]
    check: Callable[[Heartbeat, A, Collection[str]], list[str]] = lambda _heartbeat, _arguments, _sent: []

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, an object."""
        return self.arguments.schema_shown()

    def call(self, heartbeat: Heartbeat, sent: object, elsewhere: Mapping[str, Collection[str]]) -> Reply:
        """Check what was sent and do it, or refuse it whole; `elsewhere`: what other tools take, by tool."""

        def check(arguments: A, names: Collection[str]) -> list[str]:
            return self.check(heartbeat, arguments, names)

        result = read_arguments(self.arguments, self.name, sent, elsewhere, check)
        if isinstance(result, Rejected):
            return Reply("\n".join(["Refused, and nothing was changed:", *result.problems]), is_error=True)
        reply = self.act(heartbeat, result.arguments)
        if not result.ignored:
            return reply
        note = f"Note: {quoted(result.ignored)} was ignored; {takes(self.arguments, self.name)}."
        return Reply(f"{reply.text}\n{note}", reply.is_error)
