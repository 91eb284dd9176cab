"""The text of the two files: bytes to values, as much of them as can be used, and back.

This reading of JSON gives up as little as it can, where `json_text` gives up whatever is no JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring

from heartbeat_adapters.json_text import without_lone_surrogates


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, and what is wrong with how it was written; None where nothing is."""

    value: object
    flaw: str | None = None


def parse(data: bytes) -> Parsed | str:
    """Read JSON, or say why it is none, in words that go on from the file's name.

    A byte-order mark is no flaw, nor is half of a surrogate pair, as JavaScript writes it; both halves
    and bytes that are not UTF-8 are read as U+FFFD. NaN and the infinities come through as such.
    """
    try:
        text, flaw = data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
        flaw = "it has bytes that are not UTF-8, which are read as U+FFFD"
    if not data.strip():
        return "it is empty"
    try:
        return Parsed(_loads(without_lone_surrogates(text)), flaw)
    except json.JSONDecodeError as why:
        return f"it is not JSON: {why.msg} in line {why.lineno}, column {why.colno}"
    except RecursionError:
        return "it is nested too deeply"


def _loads(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # An integer of more digits than Python reads. As an infinity it costs only its own row.
        return json.loads(text, parse_int=_any_integer)


def _any_integer(digits: str) -> int | float:
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def can_be_written(value: object) -> bool:
    """Whether a value that was read can be written back: not so NaN, and what is nested too deeply."""
    try:
        _any_value(value, 2)
    except (ValueError, RecursionError):
        return False
    return True


def object_text(members: Mapping[str, object]) -> bytes:
    """Write one object as a file, indented for people."""
    return _utf8(f"{_object(members, 0)}\n")


def row_text(members: Mapping[str, object]) -> bytes:
    """Write one object as a row of a list, to be joined by `BETWEEN_ROWS`."""
    return _utf8(f"  {_object(members, 2)}")


BETWEEN_ROWS = b",\n"


def rows_text(rows: Iterable[bytes]) -> list[bytes]:
    """Write a list of objects as a file, in pieces, from the pieces of the join of what `row_text` gave."""
    pieces = [b"[\n", *rows, b"\n]\n"]
    return pieces if len(pieces) > 2 else [b"[]\n"]


def _object(members: Mapping[str, object], depth: int) -> str:
    # `json.dumps` indents in Python, value by value; one line a member is much cheaper by hand.
    indent = " " * (depth + 2)
    lines = [f"{encode_basestring(name)}: {_value(value, depth + 2)}" for name, value in members.items()]
    return f"{{\n{indent}" + f",\n{indent}".join(lines) + f"\n{indent[2:]}}}"


def _value(value: object, depth: int) -> str:
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int:
        return str(value)
    return "null" if value is None else _any_value(value, depth)


def _any_value(value: object, depth: int) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
    return text.replace("\n", "\n" + " " * depth)


def _utf8(text: str) -> bytes:
    # Half a surrogate pair has no UTF-8; what `backslashreplace` writes is its JSON escape.
    return text.encode("utf-8", "backslashreplace")
