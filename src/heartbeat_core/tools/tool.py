"""What a tool is: what the model is told about it, what it takes, and what a call of it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from heartbeat_core.service import Heartbeat
from heartbeat_core.tools.arguments import Arguments, schema_of, takes
from heartbeat_core.tools.names import Elsewhere
from heartbeat_core.tools.reading import Accepted, Rejected, read_arguments
from heartbeat_core.tools.shown import shown_names
from heartbeat_core.tools.wording import with_notes

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the agent reads: one text, and whether the call was refused and so changed nothing."""

    text: str
    is_error: bool = False


def refusal(problems: Iterable[str]) -> Reply:
    """The reply to a call that is refused for these problems, one line each."""
    return Reply("\n".join(["Refused, and nothing was changed:", *problems]), is_error=True)


@dataclass(frozen=True, slots=True)
class Hints:
    """What is true of a tool, as MCP's annotations have it (3.3)."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool. `check` gives the problems that arguments have together; `act` does what the call asks."""

    name: str
    title: str
    description: str
    arguments: type[A]
    hints: Hints
    act: Callable[[Heartbeat, A], Reply]
    check: Callable[[Heartbeat, A, Mapping[str, object]], list[str]] = lambda *_: []

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, an object; the caller's own to change.

        Without maximums: every agent pays for the list in every turn, and none comes near a hundred years.
        """
        schema = deepcopy(schema_of(self.arguments))
        for argument in schema["properties"].values():
            argument.pop("maximum", None)
        return schema

    def read(self, heartbeat: Heartbeat, sent: object, elsewhere: Elsewhere) -> Accepted[A] | Rejected:
        """Check what was sent, and do nothing yet; `elsewhere` as in `call`."""
        return read_arguments(self.arguments, self.name, sent, elsewhere, partial(self.check, heartbeat))

    def call(self, heartbeat: Heartbeat, sent: object, elsewhere: Elsewhere) -> Reply:
        """Check what was sent and do it, or refuse it whole; `elsewhere`: what other tools take, by tool."""
        result = self.read(heartbeat, sent, elsewhere)
        if isinstance(result, Rejected):
            reply = refusal(result.problems)
        else:
            reply = self.act(heartbeat, result.arguments)
        return Reply(with_notes(reply.text, self._notes(result.ignored)), reply.is_error)

    def _notes(self, ignored: tuple[str, ...]) -> list[str]:
        if not ignored:
            return []
        were = "was" if len(ignored) == 1 else "were"
        return [f"{shown_names(ignored)} {were} ignored; {takes(self.arguments, self.name)}"]
