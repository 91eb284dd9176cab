"""The values of a call: which are right each by itself, and the words for those that are not (6.8).

The words are made from the schema that hosts are shown, so check, schema and message cannot differ. No word
of the validating library shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticCustomError, from_json

from heartbeat_core.tools.arguments import Arguments, schema_of
from heartbeat_core.tools.shown import kind_of, readable, shown_value
from heartbeat_core.tools.units import whole

A = TypeVar("A", bound=Arguments)

_KINDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a boolean",
    "array": "a list",
}
_LONGEST_GUESSED = 60
_TRUTHS: Mapping[str, bool] = {"yes": True, "on": True, "1": True, "no": False, "off": False, "0": False}
FAULT = "fault"
"""The type of what a validator of ours has against a value; the library has none of that name."""


def fault(words: str) -> PydanticCustomError:
    """What a validator raises to say, after the value and `is`, what is wrong with it."""
    return PydanticCustomError(FAULT, "{words}", {"words": words})


def judge_values(model: type[A], members: Mapping[str, object]) -> tuple[A, list[str]]:
    """Give the arguments that are right each by itself, as a model, and what is wrong with the others."""
    sent = {name: members[name] for name in model.model_fields if name in members}
    verdict = _verdict(model, sent)
    if not isinstance(verdict, dict):
        return verdict, []
    right: dict[str, Any] = {name: value for name, value in sent.items() if name not in verdict}
    wrong = [name for name in model.model_fields if name in verdict]
    return model.model_construct(**right), [_problem(model, name, sent, verdict[name]) for name in wrong]


def _verdict(model: type[A], sent: Mapping[str, object]) -> A | dict[str, str | None]:
    """The arguments, or what is wrong by name: our own words for it, None where the schema says it."""
    try:
        return model.model_validate(sent)
    except ValidationError as error:
        faults = error.errors(include_url=False)
    # An argument that may be left out has two: that of its type, and that the value is not null either.
    ours = {str(it["loc"][0]): it["msg"] for it in faults if it["type"] == FAULT}
    return {str(it["loc"][0]): None for it in faults} | ours


def _problem(model: type[Arguments], name: str, sent: Mapping[str, object], words: str | None) -> str:
    schema = schema_of(model)["properties"][name]
    allowed = f"must be {model.allowed.get(name) or _allowed(schema)}"
    if name not in sent:
        return f"{name} is missing; it {allowed}"
    value = sent[name]
    words = words or _wrong_with(value, schema)
    guesses = _guesses(value, any_text=name in model.any_text)
    meant = next((guess for guess in guesses if _would_do(model, name, guess)), None)
    hint = "" if meant is None else f": send {shown_value(meant)}"
    return f"{name} {allowed}; {shown_value(value)} is {words}{hint}"


def _allowed(schema: Mapping[str, Any]) -> str:
    """What the schema of one argument allows, in words; for a text, `Arguments.allowed` has them."""
    if "enum" in schema:
        return " or ".join(shown_value(value) for value in schema["enum"])
    if schema["type"] == "boolean":
        return "true or false"
    return f"a number from {schema['minimum']} to {schema['maximum']}"


def _wrong_with(value: object, schema: Mapping[str, Any]) -> str:
    kind, wanted = kind_of(value), schema["type"]
    if wanted == "integer" and kind == "a number":
        return "out of range" if isinstance(whole(value), int) else "not whole"
    if kind != _KINDS[wanted]:
        return kind
    if kind == "a list":
        return "a list of other things"
    return "neither" if "enum" in schema else "out of range"


def _guesses(value: object, *, any_text: bool) -> Iterator[object]:
    """What was probably meant by a value of a wrong type, or by a text that is none of the few allowed."""
    match value:
        case str() if len(value) <= _LONGEST_GUESSED:
            yield from _meant_by_text(readable(value).strip().lower())
        case int() | float():  # and bool, which is an int too
            yield from _meant_by_number(value, any_text=any_text)
        case [str() as text] if len(text) <= _LONGEST_GUESSED:
            yield readable(text)
            yield from _guesses(text, any_text=any_text)
        case [int() | float() as number]:
            yield number
            yield from _guesses(number, any_text=any_text)


def _meant_by_text(text: str) -> Iterator[object]:
    yield text
    with suppress(ValueError):
        yield from_json(text)
    if text in _TRUTHS:
        yield _TRUTHS[text]


def _meant_by_number(value: float, *, any_text: bool) -> Iterator[object]:
    if any_text and len(text := shown_value(value)) <= _LONGEST_GUESSED:
        yield text
    if value in (0, 1):
        yield bool(value)


def _would_do(model: type[Arguments], name: str, guess: object) -> bool:
    verdict = _verdict(model, {name: guess})
    return not isinstance(verdict, dict) or name not in verdict
