"""How what was sent, or what is kept, is shown to the agent: on one line, and cut where it is long (6.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic_core import to_json

_LONGEST_MESSAGE = 500
_LONGEST_VALUE = 60
MOST_NAMES = 50
"""How many names one reply lists; a call may send thousands, and hosts cut long results."""

_BREAKS = {
    ord(char): char.encode("unicode_escape").decode("ascii")
    for char in map(chr, [*range(32), *range(127, 160), 0x2028, 0x2029])
}
"""Everything that some reader takes for the end of a line, and the other control characters."""


def on_one_line(text: str) -> str:
    """A text with its line breaks escaped."""
    # Nothing that is printable is among them, and asking is far cheaper than looking at each character.
    return text if text.isprintable() else text.translate(_BREAKS)


def quoted(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    """A text in quotes, on one line, cut after `longest` characters with how many it has (6.1)."""
    if len(text) <= longest:
        return f'"{on_one_line(text)}"'
    return f'"{on_one_line(text[:longest])}…" (the first {longest} of {len(text)} characters)'


def shown_id(reminder_id: str) -> str:
    """A reminder's id; one that somebody wrote into the file by hand may be anything."""
    return on_one_line(reminder_id[:_LONGEST_MESSAGE])


def shown_value(value: object) -> str:
    """A value as it was sent, in JSON, shortened, on one line. Never raises."""
    if isinstance(value, str):
        return quoted(readable(value), _LONGEST_VALUE)
    try:
        text = on_one_line(to_json(value, inf_nan_mode="constants").decode())
    except (ValueError, TypeError, RecursionError):  # Only an agent in the same process can send such.
        return "what was sent"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def shown_name(name: str) -> str:
    """A name as it was sent, in quotes where it does not look like one."""
    return name if name.isidentifier() and len(name) <= _LONGEST_VALUE else quoted(name, _LONGEST_VALUE)


def shown_names(names: Collection[str]) -> str:
    """Names as they were sent, in a row; of very many the first, and how many more there are."""
    first = [shown_name(name) for _, name in zip(range(MOST_NAMES), names, strict=False)]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def either(names: Collection[str]) -> str:
    """Known names to choose from: `a, b or c`."""
    return _in_a_row(names, "or")


def all_of(names: Collection[str]) -> str:
    """Known names together: `a, b and c`."""
    return _in_a_row(names, "and")


def _in_a_row(names: Collection[str], last_word: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {last_word} {last}" if others else last


def kind_of(value: object) -> str:
    """Which type of JSON a value is, in words."""
    match value:
        case str():
            return "a text"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return "no JSON value"


def readable(text: str) -> str:
    """A text with its lone surrogates replaced, since no file and no host could take them (2.1)."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
