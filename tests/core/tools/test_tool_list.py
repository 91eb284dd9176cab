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

tools = pytest.mark.parametrize("tool", ALL_TOOLS, ids=lambda tool: tool.name)
properties = pytest.mark.parametrize(
    ("name", "shown"),
    [(name, shown) for tool in ALL_TOOLS for name, shown in tool.schema["properties"].items()],
)

KEYWORDS_OF_OBJECTS = {"type", "properties", "required"}
KEYWORDS_OF_VALUES = {"items", "type", "description", "enum", "minimum", "maximum"}
"""What every provider takes: none refuses these, and grammars can be made of them."""


def walk(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from walk(inner)


def test_there_are_six_tools_in_this_order() -> None:
    """3.3"""
    assert list(TAKES) == [
        "heartbeat_status",
        "heartbeat_configure",
        "heartbeat_trigger",
        "reminder_add",
        "reminder_list",
        "reminder_cancel",
    ]


IN_CONFIGURE = (
    *("intervalSeconds", "intervalMinutes", "intervalHours", "paused", "deliveryMode", "message"),
    *("activeHours", "activeDays", "nextInSeconds", "nextInMinutes", "nextInHours", "nextAtIso"),
)


def test_they_take_what_the_contract_says() -> None:
    """6.1 to 6.7, 12.1, 12.3, 14.3"""
    assert [" ".join(names) for names in TAKES.values()] == [
        "history",
        " ".join(IN_CONFIGURE),
        "",
        "message inSeconds inMinutes inHours atIso everySeconds everyMinutes everyHours",
        "",
        "id",
    ]


@tools
def test_a_schema_is_valid_and_plain(tool: Tool[Any]) -> None:
    """3.3: a top-level `oneOf` or a `$ref` makes providers reject the tool."""
    Draft202012Validator.check_schema(tool.schema)
    assert tool.schema["type"] == "object"
    assert set(tool.schema) <= KEYWORDS_OF_OBJECTS
    assert not [part for part in walk(tool.schema) if {"$ref", "$defs", "title", "default"} & set(part)]


@properties
def test_every_argument_has_one_type_and_a_description(name: str, shown: dict[str, Any]) -> None:
    """3.3"""
    assert shown["type"] in ("number", "integer", "boolean", "string", "array"), name
    assert len(shown["description"]) > 30
    assert set(shown) <= KEYWORDS_OF_VALUES


NUMBERS = [
    (name, shown)
    for tool in ALL_TOOLS
    for name, shown in tool.schema["properties"].items()
    if shown["type"] == "number"
]


@pytest.mark.parametrize(("name", "shown"), NUMBERS, ids=[name for name, _ in NUMBERS])
def test_every_number_has_its_bounds_and_names_its_unit(name: str, shown: dict[str, Any]) -> None:
    """3.3, 6.8: at most 100 years"""
    seconds = {"Seconds": 1, "Minutes": 60, "Hours": 3600}
    (unit,) = (unit for unit in seconds if name.endswith(unit))
    assert shown["minimum"] == 0
    assert shown["maximum"] * seconds[unit] == 36525 * 86400
    assert isinstance(shown["maximum"], int)
    assert unit.lower() in shown["description"].lower()


def test_the_numbers_are_the_lengths() -> None:
    """6.2, 6.4"""
    prefixes = ("interval", "nextIn", "in", "every")
    units = ("Seconds", "Minutes", "Hours")
    assert [name for name, _ in NUMBERS] == [prefix + unit for prefix in prefixes for unit in units]


def test_every_text_of_free_form_has_words_for_what_it_must_be() -> None:
    """6.8: a schema of a text says too little for a message."""
    for tool in ALL_TOOLS:
        shown = tool.schema["properties"].items()
        texts = {name for name, it in shown if it["type"] in ("string", "array") and "enum" not in it}
        assert set(tool.arguments.allowed) == texts


def test_what_is_required_and_what_is_one_of_few_is_said() -> None:
    """3.3"""
    schemas = {tool.name: tool.schema for tool in ALL_TOOLS}
    assert {name: schema["required"] for name, schema in schemas.items() if "required" in schema} == {
        "reminder_add": ["message"],
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
        ("reminder_add", "inSeconds", "Not together with atIso"),
        ("reminder_add", "atIso", "Without an offset it is in your own time zone"),
        ("reminder_add", "atIso", "Not together with a delay"),
        ("reminder_add", "everySeconds", "5 seconds or more"),
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
    assert tool.hints.idempotent is (tool.name not in ("heartbeat_trigger", "reminder_add"))


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
    by_schema = {error.path[0] for error in Draft202012Validator(tool.schema).iter_errors(sent)}
    said = problems(Bench(), tool.name, sent)
    by_call = {line.split()[0] for line in said if re.match(r"\w+ must be .+; .+ is ", line)}
    assert by_call == by_schema


def test_a_tool_that_is_not_there_raises_and_says_which_there_are() -> None:
    """3.4"""
    with pytest.raises(UnknownToolError, match='there is no tool "remind"; there are heartbeat_status, '):
        Bench().toolbox.call("remind")
    with pytest.raises(UnknownToolError) as error:
        Bench().toolbox.call("q" * 1_000_000)
    assert len(str(error.value)) < 300


def test_a_toolbox_gives_its_tools_in_order() -> None:
    """9.2"""
    assert [tool.name for tool in Toolbox(Bench().heartbeat)] == list(TAKES)
