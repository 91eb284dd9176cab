"""A block of configuration as TOML, which Python reads and does not write.

It writes tables of words and lists of words, which is what a recipe has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping


def as_toml(table: Mapping[str, object], /, *, ascii_only: bool = False) -> str:
    """Write a table, with the tables in it after its other members, as TOML asks."""
    return "\n".join(_lines(table, "", ascii_only))


def _lines(table: Mapping[str, object], path: str, ascii_only: bool) -> Iterator[str]:
    members = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    if path and (members or not table):
        yield f"[{path}]"
    for name, value in members.items():
        yield f"{name} = {_value(value, ascii_only)}"
    for name, value in table.items():
        if isinstance(value, Mapping):
            if members:
                yield ""
            yield from _lines(value, f"{path}.{name}" if path else name, ascii_only)


def _value(value: object, ascii_only: bool) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_value(each, ascii_only) for each in value)}]"
    # JSON's escapes are TOML's too. Pairs of surrogates are not, and TOML takes no raw DEL.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "".join(c if c.isascii() else f"\\U{ord(c):08x}" for c in text) if ascii_only else text
