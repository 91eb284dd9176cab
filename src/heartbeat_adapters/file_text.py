"""The text of the two files: bytes to values, as much of them as can be used, and back.

Lives here: encodings, indentation, and a reading of JSON that gives up as little as it can, where
`json_text` gives up whatever is no JSON. May not: what values mean (`heartbeat_core.records`), files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

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


# The indenting encoder of `json` is Python; the plain one is C, and takes any separator.
_MEMBERS = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",\n  ", ": ")).encode
_ROW_MEMBERS = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",\n    ", ": ")).encode


def can_be_written(value: object) -> bool:
    """Whether a value that was read can be written back: not so NaN, and what is nested too deeply."""
    try:
        _ROW_MEMBERS(value)
    except (ValueError, RecursionError):
        return False
    return True


def object_text(members: Mapping[str, object]) -> bytes:
    """Write one object as a file, indented for people."""
    return _utf8(f"{{\n  {_MEMBERS(members)[1:-1]}\n}}\n")


def row_text(members: Mapping[str, object]) -> bytes:
    """Write one object as `rows_text` takes it."""
    return _utf8(f"  {{\n    {_ROW_MEMBERS(members)[1:-1]}\n  }}")


def rows_text(rows: Mapping[str, bytes]) -> bytes:
    """Write a list of objects as a file, from what `row_text` gave for each."""
    return b"[\n" + b",\n".join(rows.values()) + b"\n]\n" if rows else b"[]\n"


def _utf8(text: str) -> bytes:
    # Half a surrogate pair has no UTF-8; what `backslashreplace` writes is its JSON escape.
    return text.encode("utf-8", "backslashreplace")
