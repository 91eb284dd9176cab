"""From what a model sent to checked arguments, or to everything that is wrong with it at once.

Lives here: what holds for the arguments of any tool (6.8, 6.9). May not: know one tool from another,
beyond what its model of arguments says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import to_json
from pydantic_core.core_schema import WithDefaultSchema

from heartbeat_core.slips import Slip, find_slips


class Arguments(BaseModel):
    """The arguments of one tool. The one source of the check and of the schema that hosts are shown.

    Names are as on the wire. An argument that was not sent is None.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    unsupported: ClassVar[Mapping[str, str]] = {}
    """Names, in lower case, that ask for what this tool cannot do, and what to use for it (6.9)."""

    @classmethod
    def names(cls) -> list[str]:
        """What the tool takes, in order."""
        return list(cls.model_fields)

    @classmethod
    def schema_shown(cls) -> dict[str, Any]:
        """The JSON schema as hosts take it: no `$ref`, no titles, no null beside a type (3.3)."""
        schema = cls.model_json_schema(schema_generator=_PlainSchema)
        schema.setdefault("properties", {})
        return {key: schema[key] for key in ("type", "properties", "required") if key in schema}


class _PlainSchema(GenerateJsonSchema):
    """Leaves out what only repeats the name, and that an argument not sent is None."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Accepted(Generic[A]):
    """A call whose arguments all apply; `ignored` are the names that the tool does not take."""

    arguments: A
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A call that changes nothing: every problem it has, one line each, without line breaks."""

    problems: tuple[str, ...]


Check = Callable[[A, Collection[str]], list[str]]
"""A tool's own check: given the arguments that are right each by itself, and the names of all that were sent,
the problems that they have together."""


def read_arguments(
    model: type[A], tool: str, sent: object, elsewhere: Mapping[str, Collection[str]], check: Check[A]
) -> Accepted[A] | Rejected:
    """Check what was sent to `tool`; `elsewhere` has, by tool, the names that the other tools take."""
    if sent is None:
        sent = {}
    if not isinstance(sent, Mapping):
        return Rejected((f"arguments must be a JSON object, not {_kind(sent)}{_HINTS.get(type(sent), '')}",))
    members = {str(name): _readable(value) for name, value in sent.items() if value is not None}
    problems, ignored = _judge_names(model, tool, members, elsewhere)
    arguments, wrong = _judge_values(model, members)
    problems += wrong
    problems += check(arguments, members)
    if ignored and len(ignored) == len(members) and model.model_fields:
        problems += [
            f"{quoted(ignored)} is no argument of {tool}, and nothing else was sent; {takes(model, tool)}"
        ]
    return Rejected(tuple(problems)) if problems else Accepted(arguments, tuple(ignored))


def takes(model: type[Arguments], tool: str) -> str:
    """What a tool takes, in words."""
    names = model.names()
    return f"{tool} takes {', '.join(names)}" if names else f"{tool} takes no arguments"


def _judge_names(
    model: type[Arguments], tool: str, members: Mapping[str, object], elsewhere: Mapping[str, Collection[str]]
) -> tuple[list[str], list[str]]:
    unsupported = [
        name for name in members if name not in model.model_fields and _plain(name) in model.unsupported
    ]
    problems = [
        f"{_shown_name(name)} is not supported: {model.unsupported[_plain(name)]}" for name in unsupported
    ]
    others = {name: None for names in elsewhere.values() for name in names}
    weighed = [name for name in members if name not in unsupported]
    slips, ignored = find_slips(weighed, model.names(), list(others))
    return problems + [_slip(slip, tool, elsewhere) for slip in slips], ignored


def _slip(slip: Slip, tool: str, elsewhere: Mapping[str, Collection[str]]) -> str:
    start = f"{_shown_name(slip.sent)} is no argument of {tool}"
    if slip.meant:
        return f"{start}; did you mean {' or '.join(slip.meant)}?"
    homes = [f"{name} of {' and '.join(_homes(name, elsewhere))}" for name in slip.elsewhere]
    return f"{start}; it looks like {' or '.join(homes)}"


def _homes(name: str, elsewhere: Mapping[str, Collection[str]]) -> list[str]:
    return [tool for tool, names in elsewhere.items() if name in names]


def _judge_values(model: type[A], members: Mapping[str, object]) -> tuple[A, list[str]]:
    """The arguments that are right each by itself, as a model, and what is wrong with the others."""
    known = {name: members[name] for name in model.model_fields if name in members}
    try:
        return model.model_validate(known), []
    except ValidationError as error:
        wrong = {str(problem["loc"][0]) for problem in error.errors(include_url=False)}
    properties = model.schema_shown()["properties"]
    right: dict[str, Any] = {name: value for name, value in known.items() if name not in wrong}
    problems = [_wrong_value(name, properties[name], known) for name in model.model_fields if name in wrong]
    return model.model_construct(**right), problems


def _wrong_value(name: str, schema: Mapping[str, Any], known: Mapping[str, object]) -> str:
    if name not in known:
        return f"{name} is missing; it must be {_allowed(schema)}"
    return f"{name} must be {_allowed(schema)}, not {_kind(known[name])}: {shown_value(known[name])}"


def _allowed(schema: Mapping[str, Any]) -> str:
    """What the schema of one argument allows, in words: so that check, schema and message are one."""
    match schema:
        case {"enum": values}:
            return " or ".join(f'"{value}"' for value in values)
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "number", "minimum": least, "maximum": most}:
            return f"a number from {least:g} to {most:.0f}"
        case {"maxLength": most}:
            return f"a text that is not blank, of at most {most:,} characters"
        case _:
            return "a text that is not blank"


_KINDS = {
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_HINTS: dict[type, str] = {str: ": send the object itself, not its JSON as a text"}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "something else")


def shown_value(value: object) -> str:
    """A value as it was sent, shortened, on one line."""
    text = to_json(value, inf_nan_mode="constants", fallback=str).decode()
    return text if len(text) <= 60 else f"{text[:57]}…"


def _shown_name(name: str) -> str:
    return name if name.isidentifier() and len(name) <= 60 else shown_value(name)


def quoted(names: Collection[str]) -> str:
    """Names as they were sent, in a row."""
    return ", ".join(_shown_name(name) for name in names)


def _plain(name: str) -> str:
    """A name without what tells `everyDays`, `every_days` and `EVERY-DAYS` apart."""
    return name.casefold().replace("_", "").replace("-", "")


def _readable(value: object) -> object:
    """A text with its lone surrogates replaced, since no file and no host could take them (2.1)."""
    return (
        value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(value, str)
        else value
    )
