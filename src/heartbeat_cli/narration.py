"""What the demo tells on the terminal: who says what to whom, in words, as it crosses the wire.

Where stdout is no terminal, or NO_COLOR is set, it is plain text without colours and without a moving
countdown. What the terminal's encoding does not have is shown as `?`.
"""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import click

from heartbeat_adapters.testing.push_answers import ReceivedWake
from heartbeat_adapters.testing.scripted_host import Crossing, Direction

_WIDEST = 100
_NARROWEST = 50
_CLEAR_LINE = "\r\x1b[K"
_COLOURS = {"agent": "green", "host": "cyan", "server": "yellow"}


class Narration:
    """Writes to `stream`, and makes sense of what crosses a wire in the order in which it crosses."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        unwanted = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self._plain = unwanted or not stream.isatty()
        self._width = min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)
        self._asked: dict[Any, Mapping[str, Any]] = {}
        self._counting = False

    def title(self, text: str, **roles: str) -> None:
        """Say what this is, and who takes part."""
        self._write(*textwrap.wrap(text, self._width), "")
        for name, role in roles.items():
            self._entry(f"  {name:8}", name, role)

    def paragraph(self, text: str) -> None:
        """Say something beside the conversation."""
        self._write("", *textwrap.wrap(text, self._width))

    def as_it_is(self, lines: Iterable[str]) -> None:
        """Say lines that are laid out already."""
        self._write("", *lines)

    def countdown(self, seconds: float, to: str) -> None:
        """Say how long until something comes; on a terminal, call it again and again."""
        text = f"          ... {to} in {max(seconds, 0.0):.1f} s"
        if self._plain:
            if not self._counting:
                self._write(text)
        else:
            self._stream.write(_CLEAR_LINE + self._printable(text[: self._width - 1]))
            self._stream.flush()
        self._counting = True

    def crossing(self, crossing: Crossing) -> None:
        """Tell of one message, as the scripted host sees it cross."""
        message = crossing.message
        if not isinstance(message, dict):
            said = crossing.direction.value, f"something that is no message: {crossing.line[:60]!r}"
        elif "method" in message:
            self._asked[crossing.direction, message.get("id")] = message
            said = _request(message)
        else:
            asked_by = _OTHER[crossing.direction]
            said = _response(self._asked.pop((asked_by, message.get("id")), {}), message)
        speakers, words = said
        self._entry(f"{crossing.at:5.1f} s  {speakers:17}", speakers.split()[0], words)

    def _entry(self, margin: str, speaker: str, words: str) -> None:
        lines = words.splitlines()
        indent = " " * len(margin)
        wrapped = [textwrap.wrap(line, self._width - len(margin), break_on_hyphens=False) for line in lines]
        first, *rest = [part for parts in wrapped for part in parts] or [""]
        self._write(self._coloured(margin, speaker) + first, *(indent + line for line in rest))

    def _coloured(self, text: str, speaker: str) -> str:
        return text if self._plain else click.style(text, fg=_COLOURS.get(speaker), bold=True)

    def _write(self, *lines: str) -> None:
        if self._counting and not self._plain:
            self._stream.write(_CLEAR_LINE)
        self._counting = False
        self._stream.write("".join(f"{self._printable(line)}\n" for line in lines))
        self._stream.flush()

    def _printable(self, text: str) -> str:
        encoding = self._stream.encoding or "ascii"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            return text.translate(_PLAINER).encode(encoding, "replace").decode(encoding)
        return text


_PLAINER = str.maketrans({"·": "-", "…": "..."})
_OTHER = {Direction.TO_SERVER: Direction.TO_HOST, Direction.TO_HOST: Direction.TO_SERVER}


def _request(message: Mapping[str, Any]) -> tuple[str, str]:
    """Who says to whom, and what, where something is asked or announced."""
    match message:
        case {"method": "tools/call", "params": {"name": tool, "arguments": arguments}}:
            shown = ", ".join(f"{name}={json.dumps(value)}" for name, value in arguments.items())
            return "agent -> server", f"{tool}({shown})"
        case {"method": "push/event"}:
            wake = ReceivedWake.from_request(message)
            kind = "a heartbeat" if wake.reminder_id is None else "a reminder"
            return "server -> agent", f"WAKE, {kind}: {wake.text or '(silent: nothing to read)'}"
        case {"method": str(method)}:
            return "host -> server", f"{_METHODS.get(method, '')} ({method})".lstrip()
        case _:
            return "host -> server", "(something else)"


_METHODS = {
    "initialize": "Hello. I speak MCP for tools, and MCPL for wakes.",
    "notifications/initialized": "Good, let us begin.",
    "featureSets/update": "My policy: you may offer tools, and you may wake the agent.",
}


def _response(asked: Mapping[str, Any], message: Mapping[str, Any]) -> tuple[str, str]:
    """Who answers whom, and what."""
    match asked.get("method"), message:
        case "push/event", {"result": {"accepted": False, "reason": reason}}:
            return "host -> server", f"Refused: {reason}."
        case "push/event", {"result": _}:
            return "host -> server", "Taken: the agent hears it."
        case _, {"error": {"message": problem}}:
            return "server -> host", f"That cannot be done: {problem}"
        case "initialize", {"result": {"serverInfo": {"name": name, "version": version}}}:
            return "server -> host", f"Hello. I am {name} {version}. I have tools, and wakes to send."
        case "featureSets/update", {"result": {"mode": "full"}}:
            return "server -> host", "Understood: all that I do works under it. (receipt: mode full)"
        case "tools/call", {"result": {"content": [{"text": text}, *_]}}:
            return "server -> agent", str(text)
        case _:
            return "server -> host", "(an answer)"
