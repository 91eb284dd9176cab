"""The tool list as hosts hand it to a model's provider (3.3): plain schemas, made from what validates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from calling import RIGHT, TAKES, problems
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from heartbeat_adapters.testing import Bench
from heartbeat_core.tools import ALL_TOOLS, Tool, Toolbox, UnknownToolError
from heartbeat_core.tools.arguments import Arguments, schema_of

tools = pytest.mark.parametrize("tool", ALL_TOOLS, ids=lambda tool: tool.name)
properties = pytest.mark.parametrize(
    ("name", "shown"),
    [(name, shown) for tool in ALL_TOOLS for name, shown in tool.schema["properties"].items()],
)

KEYWORDS_OF_OBJECTS = {"type", "properties", "required"}
KEYWORDS_OF_VALUES = {"items", "type", "description", "enum", "minimum"}
"""What every provider takes: none refuses these, and grammars can be made of them."""


def walk(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from walk(inner)


def test_there_are_seven_tools_in_this_order() -> None:
    """3.3"""
    assert list(TAKES) == [
        "heartbeat_status",
        "heartbeat_configure",
        "heartbeat_trigger",
        "reminder_add",
        "reminder_update",
        "reminder_list",
        "reminder_cancel",
    ]


IN_ADD = (
    *("message", "inSeconds", "inMinutes", "inHours", "atIso", "everySeconds", "everyMinutes", "everyHours"),
    *("rrule", "timezone", "count", "until"),
    *("expiresAfterSeconds", "expiresAfterMinutes", "expiresAfterHours"),
)
IN_CONFIGURE = (
    *("intervalSeconds", "intervalMinutes", "intervalHours", "paused", "deliveryMode", "message"),
    *("activeHours", "activeDays", "nextInSeconds", "nextInMinutes", "nextInHours", "nextAtIso"),
)


def test_they_take_what_the_contract_says() -> None:
    """6.1 to 6.7, 10, 11.1, 12.1, 12.3, 14.3"""
    assert [" ".join(names) for names in TAKES.values()] == [
        "history",
        " ".join(IN_CONFIGURE),
        "",
        " ".join(IN_ADD),
        " ".join(("id", *IN_ADD)),
        "",
        "id",
    ]


@tools
def test_a_schema_is_valid_and_plain(tool: Tool[Any]) -> None:
    """3.3: a top-level `oneOf` or a `$ref` makes providers reject the tool."""
    Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["type"] == "object"
    assert set(tool.schema) == KEYWORDS_OF_OBJECTS  # `required` too where it is empty
    assert not [part for part in walk(tool.schema) if {"$ref", "$defs", "title", "default"} & set(part)]


@tools
def test_a_client_that_validates_refuses_no_name_that_a_call_ignores(tool: Tool[Any]) -> None:
    """6.9: so `additionalProperties` is left open, also where nothing is taken."""
    sent = {**RIGHT[tool.name], "verbosity": 1}
    assert not list(Draft202012Validator(tool.schema).iter_errors(sent))
    assert not problems(Bench(), tool.name, sent)


@properties
def test_every_argument_has_one_type_and_a_description(name: str, shown: dict[str, Any]) -> None:
    """3.3"""
    assert shown["type"] in ("number", "integer", "boolean", "string", "array"), name
    assert re.fullmatch(r"\S.{12,}[.…]", shown["description"])
    assert set(shown) <= KEYWORDS_OF_VALUES


NUMBERS = [
    (name, shown)
    for tool in ALL_TOOLS
    for name, shown in tool.schema["properties"].items()
    if shown["type"] == "number"
]
AS_IN_ADD = "As in reminder_add."


@pytest.mark.parametrize(("name", "shown"), NUMBERS, ids=[name for name, _ in NUMBERS])
def test_every_number_has_its_minimum_and_names_its_unit(name: str, shown: dict[str, Any]) -> None:
    """3.3"""
    (unit,) = (unit for unit in ("Seconds", "Minutes", "Hours") if name.endswith(unit))
    assert shown["minimum"] == 0
    assert unit.lower() in shown["description"].lower() or shown["description"] == AS_IN_ADD


def test_what_an_update_takes_is_described_where_the_model_read_it_already() -> None:
    """3.3, 11.1: the list is paid for in every turn."""
    (update,) = (tool for tool in ALL_TOOLS if tool.name == "reminder_update")
    shown = {name: it["description"] for name, it in update.schema["properties"].items()}
    del shown["id"]
    assert set(shown.values()) == {AS_IN_ADD}


def test_the_numbers_are_the_lengths() -> None:
    """6.2, 6.4"""
    in_add = ("in", "every", "expiresAfter")
    prefixes = ("interval", "nextIn", *in_add, *in_add)
    units = ("Seconds", "Minutes", "Hours")
    assert [name for name, _ in NUMBERS] == [prefix + unit for prefix in prefixes for unit in units]


def test_every_text_of_free_form_has_words_for_what_it_must_be() -> None:
    """6.8: a schema of a text says too little for a message."""
    for tool in ALL_TOOLS:
        shown = tool.schema["properties"].items()
        texts = {
            name for name, it in shown if it["type"] in ("string", "array", "integer") and "enum" not in it
        }
        assert set(tool.arguments.allowed) == texts


def test_what_is_required_and_what_is_one_of_few_is_said() -> None:
    """3.3"""
    schemas = {tool.name: tool.schema for tool in ALL_TOOLS}
    assert {name: schema["required"] for name, schema in schemas.items() if schema["required"]} == {
        "reminder_add": ["message"],
        "reminder_update": ["id"],
        "reminder_cancel": ["id"],
    }
    mode = schemas["heartbeat_configure"]["properties"]["deliveryMode"]
    assert mode["enum"] == ["message", "silent"]


@pytest.mark.parametrize(
    ("tool", "name", "words"),
    [
        ("heartbeat_configure", "intervalSeconds", "60 seconds or more"),
        ("heartbeat_configure", "message", "not blank, at most 100,000 characters"),
        ("reminder_add", "message", "not blank, at most 100,000 characters"),
        ("reminder_add", "inSeconds", "Not with atIso"),
        ("reminder_add", "atIso", "Without an offset it is in timezone, else in your own zone"),
        ("reminder_add", "atIso", "Not with a delay"),
        ("reminder_add", "everySeconds", "5 seconds or more"),
        ("reminder_add", "rrule", "without BYHOUR the time of day is that of atIso"),
        ("reminder_add", "until", "Not with count"),
    ],
)
def test_what_a_schema_cannot_say_is_said_in_the_description(tool: str, name: str, words: str) -> None:
    """3.3"""
    schemas = {tool.name: tool.schema for tool in ALL_TOOLS}
    assert words in schemas[tool]["properties"][name]["description"]


@tools
def test_titles_descriptions_and_hints_are_there(tool: Tool[Any]) -> None:
    """3.3"""
    assert tool.title != tool.name
    assert 30 < len(tool.description) < 1000
    read_only = tool.name in ("heartbeat_status", "reminder_list")
    assert tool.hints.read_only is read_only
    assert tool.hints.destructive is (tool.name == "reminder_cancel")
    assert tool.hints.idempotent is (
        tool.name not in ("heartbeat_trigger", "reminder_add", "reminder_update")
    )


@tools
def test_a_schema_that_an_embedder_changes_is_its_own(tool: Tool[Any]) -> None:
    """9.2: two instances in one process do not know of each other."""
    tool.schema["properties"]["sessionId"] = {"type": "string"}
    assert "sessionId" not in tool.schema["properties"]


# Schema and check are one

VALUES = st.one_of(
    st.booleans(),
    st.integers(-10, 10**7),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["message", "silent", "2026-02-01", "x", "5", "true"]),
    st.lists(st.integers(), min_size=1, max_size=1),  # an empty one asks for nothing (6.8)
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
)


@given(st.sampled_from([tool for tool in ALL_TOOLS if TAKES[tool.name]]), st.data())
@settings(deadline=None)
def test_what_the_schema_refuses_the_call_refuses_and_the_other_way_round(
    tool: Tool[Any], data: st.DataObject
) -> None:
    """3.3: sums, contradictions and what a text must hold are all that a schema has no words for."""
    name = data.draw(st.sampled_from(TAKES[tool.name]))
    sent = {**RIGHT[tool.name], name: data.draw(VALUES)}
    assume(tool.arguments.needs_some or sent[name] != 0)  # which asks for nothing (6.8)
    arguments: type[Arguments] = tool.arguments
    validator = Draft202012Validator(schema_of(arguments))
    by_schema = {error.path[0] for error in validator.iter_errors(sent)}
    said = problems(Bench(), tool.name, sent)
    by_call = {line.split()[0] for line in said if re.match(r"\w+ must be .+; .+ is ", line)}
    assert by_call == by_schema


def test_a_tool_that_is_not_there_raises_and_says_which_there_are() -> None:
    """3.4"""
    with pytest.raises(UnknownToolError, match='unknown tool "remind"; the tools are heartbeat_status, '):
        Bench().toolbox.call("remind")
    with pytest.raises(UnknownToolError) as error:
        Bench().toolbox.call("q" * 1_000_000)
    assert len(str(error.value)) < 300


def test_a_toolbox_gives_its_tools_in_order() -> None:
    """9.2"""
    assert [tool.name for tool in Toolbox(Bench().heartbeat)] == list(TAKES)
