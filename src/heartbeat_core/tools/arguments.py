"""What the arguments of a tool are: one pydantic model each, source of the check and of the schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema


class Arguments(BaseModel):
    """The arguments of one tool. Names are as on the wire; an argument that was not sent is None.

    What a validator of ours has against a value is raised by `fault`.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    allowed: ClassVar[Mapping[str, str]] = {}
    """What an argument must be, in words, where its schema cannot say it all."""

    any_text: ClassVar[Collection[str]] = ()
    """Arguments whose text may say anything, so that a number sent for one is likely to be its text."""

    subject: ClassVar[Collection[str]] = ()
    """Arguments that say whom or what a call is about, and so never ask for nothing (6.8)."""

    needs_some: ClassVar[bool] = True
    """Whether a call that sends nothing asks for nothing (6.8, 6.9)."""

    unsupported: ClassVar[Mapping[str, str]] = {}
    """Names, in lower case, that ask for what this tool cannot do, and what to use for it (6.9)."""


@cache
def schema_of(model: type[Arguments]) -> dict[str, Any]:
    """The JSON schema as hosts take it (3.3): no `$ref`, no titles, no null beside a type. To read only.

    `required` is there also where nothing is: without it some clients do not call a tool strictly.
    """
    schema = model.model_json_schema(schema_generator=_PlainSchema)
    shown = {key: schema[key] for key in ("properties", "required") if key in schema}
    return {"type": "object", "properties": {}, "required": []} | shown


def takes(model: type[Arguments], tool: str) -> str:
    """What a tool takes, in words."""
    return f"{tool} takes {', '.join(model.model_fields) or 'no arguments'}"


class _PlainSchema(GenerateJsonSchema):
    """Leaves out what only repeats the name, and that an argument not sent is None."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False
