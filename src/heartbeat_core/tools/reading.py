"""From what a model sent to checked arguments, or to everything that is wrong with it at once (6.8, 6.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from heartbeat_core.tools.arguments import Arguments, takes
from heartbeat_core.tools.fillers import without_fillers
from heartbeat_core.tools.names import Elsewhere, judge_names
from heartbeat_core.tools.shown import kind_of, readable, shown_names, shown_value
from heartbeat_core.tools.values import judge_values

A = TypeVar("A", bound=Arguments)

_MOST_MEMBERS = 2_000
"""Each unknown name is weighed against each known one, while no wake can leave."""


@dataclass(frozen=True, slots=True)
class Accepted(Generic[A]):
    """A call whose arguments all apply; `ignored` are the names that the tool does not take."""

    arguments: A
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A call that changes nothing: every problem it has, one line each, without line breaks."""

    problems: tuple[str, ...]
    ignored: tuple[str, ...] = ()


Check = Callable[[A, Mapping[str, object]], list[str]]
"""A tool's own check: given the arguments that are right each by itself, and all that was sent by name,
the problems that they have together."""


def read_arguments(
    model: type[A], tool: str, sent: object, elsewhere: Elsewhere, check: Check[A]
) -> Accepted[A] | Rejected:
    """Check what was sent to `tool`; `elsewhere` has, by tool, the names that the other tools take."""
    if sent is None:
        sent = {}
    if not isinstance(sent, Mapping):
        return Rejected((_not_an_object(model, tool, sent),))
    if len(sent) > _MOST_MEMBERS:
        return Rejected((f"{len(sent)} arguments were sent, which is too many; {takes(model, tool)}",))
    members, problems = _members(sent)
    members = without_fillers(model, members)
    name_problems, ignored = judge_names(model, tool, members, elsewhere)
    arguments, value_problems = judge_values(model, members)
    problems += name_problems + value_problems + check(arguments, members)
    if ignored and len(ignored) == len(members) and model.model_fields and model.needs_some:
        problems.append(_nothing_else(model, tool, ignored))
        ignored = []
    return Rejected(tuple(problems), tuple(ignored)) if problems else Accepted(arguments, tuple(ignored))


def _members(sent: Mapping[object, object]) -> tuple[dict[str, object], list[str]]:
    """What was sent by name, null left out (6.8), and what is wrong with names that are no texts.

    JSON has no other names, but an agent in the same process is not bound to it.
    """
    named = {name: value for name, value in sent.items() if value is not None}
    odd = [name for name in named if not isinstance(name, str)]
    members = {
        readable(name): readable(value) if isinstance(value, str) else value
        for name, value in named.items()
        if isinstance(name, str)
    }
    return members, [f"{shown_value(name)} is no name of an argument: it must be a text" for name in odd]


def _not_an_object(model: type[Arguments], tool: str, sent: object) -> str:
    wrong = f"arguments must be a JSON object, and {shown_value(sent)} is {kind_of(sent)}"
    hint = ": send the object itself, not its JSON as a text" if isinstance(sent, str) else ""
    return f"{wrong}{hint}; {takes(model, tool)}"


def _nothing_else(model: type[Arguments], tool: str, ignored: list[str]) -> str:
    names = ", ".join(model.model_fields)
    return f"{tool} does not take {shown_names(ignored)}, and nothing else was sent; it takes {names}"
