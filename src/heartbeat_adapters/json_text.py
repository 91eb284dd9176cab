"""One JSON text: read as strictly as 2.1 and 2.2 have it, written as ASCII.

Python's `json` is laxer or weaker there: NaN, lone surrogates, depth, integers of any size, numbers as they
were written (2.4).
"""

from __future__ import annotations

import contextlib
import gc
import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NoReturn

DEEPEST = 256
"""Levels that are read; more is no JSON to us, long before a parser's stack is in danger (2.2)."""

LONGEST_INTEGER = 640
"""Digits that are read: the least that Python can be set to refuse, and quick to convert."""

LONG_TEXT = 64 * 1024
"""Characters from which on the garbage collector is held back while a text is read."""

# Possessive, and a string without its end goes to the end of the text: linear whatever the text is.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_STEP = bytes(1 if byte in b"[{" else 255 for byte in range(256))  # up a level, or down: -1 as a byte
_NO_BRACKETS = bytes(set(range(256)) - set(b"[{}]"))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Alternatives in this order: a whole pair, half a pair, all that is neither, as much of it as there is (an
# escaped backslash among it, so that what follows one is not taken for an escape).
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|(?:[^\\]++|\\(?!u[dD][89a-fA-F]).)++",
    re.DOTALL,
)


class NotJson(ValueError):
    """The text is not JSON; the message says where and why."""


def read(text: str) -> object:
    """Read one JSON value; lone surrogates in strings and names become U+FFFD.

    An integer of more than `LONGEST_INTEGER` digits loses those after: it stays an integer beyond every
    range, at no cost that grows with the square of its length. Raises NotJson.
    """
    if _too_deep(text):
        raise NotJson(f"nested deeper than {DEEPEST} levels")
    return _decode(_lenient, without_lone_surrogates(text))


def read_as_written(text: str) -> object:
    """Read once more what `read` has taken, with each number as its text and lone surrogates kept."""
    return _decode(_exact, text)


def write(value: object) -> str:
    """Write a value in ASCII on one line. Raises ValueError or TypeError for what JSON cannot say."""
    return without_lone_surrogates(_encode(value))


def write_exactly(text: str) -> str:
    """Write a string in ASCII with its lone surrogates, which only an id may have (2.4)."""
    return _encode(text)


def without_lone_surrogates(text: str) -> str:
    """Replace the escapes of lone surrogates in a JSON text by that of U+FFFD."""
    if _SURROGATE.search(text) is None:
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def _too_deep(text: str) -> bool:
    """Whether it opens more levels than `DEEPEST`: a running sum, since a loop takes a second for 4 MiB."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = _STRING.sub("", text).encode("utf-8", "surrogatepass")
    steps = memoryview(brackets.translate(_STEP, _NO_BRACKETS)).cast("b")
    return max(accumulate(steps), default=0) > DEEPEST


def _decode(decoder: json.JSONDecoder, text: str) -> object:
    try:
        with _held_back_collector() if len(text) > LONG_TEXT else contextlib.nullcontext():
            value: object = decoder.decode(text)
    except json.JSONDecodeError as problem:
        raise NotJson(f"{problem.msg} at character {problem.pos + 1}") from None
    except RecursionError:
        raise NotJson("nested too deep") from None
    return value


@contextlib.contextmanager
def _held_back_collector() -> Iterator[None]:
    """Keep the collector from going through a million young lists again and again: none is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _integer(digits: str) -> int:
    return int(digits if len(digits) <= LONGEST_INTEGER else digits[:LONGEST_INTEGER])


def _refuse(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is not JSON")


_lenient = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse)
_exact = json.JSONDecoder(parse_int=str, parse_float=str)
# What is written here was read as JSON, or made of literals: it holds nothing that holds itself.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
