"""Hostile input for the server, made from a seed, and what has to come of each line of it.

`Fuzzer`, which makes inputs, and `answers_to`, which reads the clauses of section 2 a second
time, independently of the server.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded: the same seed is the same input
from typing import Any, NoReturn

from heartbeat_core.tools import ALL_TOOLS

LONGEST_LINE = 4 * 1024 * 1024
MOST_IN_A_BATCH = 1_000
NO_ID = None

TOOLS = [tool.name for tool in ALL_TOOLS]
ARGUMENTS = sorted({name for tool in ALL_TOOLS for name in tool.arguments.model_fields})
METHODS = [
    "ping",
    "initialize",
    "tools/list",
    "tools/call",
    "featureSets/update",
    "notifications/initialized",
    "notifications/cancelled",
    "server/discover",
    "resources/list",
    "push/event",
    "",
]
TEXTS = [
    "",
    "heartbeat",
    "a\u2028b\r\n",
    "Grüße 🫀",
    "\ud800",
    "\udc00\ud800",
    "x" * 2000,
    "\x00\x1b[2J",
    "\ufeff",
]
NUMBERS = ["0", "-0", "1", "1.0", "-1", "1e400", "-1E400", "1e-400", "9" * 700, "0.1", "9007199254740993"]


class Written(str):
    """A number as it was written, which ids have to keep (2.4)."""

    __slots__ = ()


# What has to come of a line


def answers_to(data: bytes) -> list[list[object]]:
    """The lines that answer these lines: for each the ids in it, `NO_ID` for null."""
    answers = [answer_to(line.removesuffix(b"\r")) for line in data.split(b"\n")]
    return [ids for ids in answers if ids]


def answer_to(line: bytes) -> list[object]:
    text = line.decode("utf-8", "replace").strip(" \t\r\n")
    if len(line) > LONGEST_LINE:
        return [NO_ID]
    if not text:
        return []
    try:
        value = parsed(text)
    except (ValueError, RecursionError):
        return [NO_ID]
    if not isinstance(value, list):
        return answer_to_one(value)
    if not 0 < len(value) <= MOST_IN_A_BATCH:
        return [NO_ID]
    return [message_id for message in value for message_id in answer_to_one(message)]


def answer_to_one(message: object) -> list[object]:
    if not isinstance(message, dict):
        return [NO_ID]
    if "method" not in message and ("result" in message or "error" in message):
        return []
    message_id = message.get("id")
    has_id = isinstance(message_id, str)  # a number is a `Written`
    valid = (
        type(message.get("jsonrpc")) is str
        and message["jsonrpc"] == "2.0"
        and type(message.get("method")) is str
        and isinstance(message.get("params"), dict | list | None)
    )
    if valid and "id" not in message:
        return []
    return [(type(message_id), message_id) if has_id else NO_ID]


def parsed(text: str) -> Any:
    """JSON as strictly as 2.2 has it, with numbers as they were written."""
    return json.loads(text, parse_int=Written, parse_float=Written, parse_constant=_refuse)


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


# Inputs


class Fuzzer:
    """Makes inputs: bytes that end with a newline, one line or many."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        self._kinds: list[tuple[int, Callable[[], bytes]]] = [
            (20, self._garbage),
            (30, self._mutated),
            (20, self._message),
            (15, self._tool_call),
            (10, self._sensible_call),
            (2, self._sensible_policy),
            (8, self._batch),
            (6, self._stray_response),
            (3, self._flood),
            (2, self._nested),
            (1, self._huge),
        ]

    def next_input(self) -> bytes:
        """The next one."""
        weights = [weight for weight, _ in self._kinds]
        (_, kind), *_ = self._random.choices(self._kinds, weights)
        return kind() + self._random.choice([b"\n", b"\n", b"\n", b"\r\n", b"\n\n \t\n"])

    def chunks_of(self, data: bytes) -> list[bytes]:
        """The same bytes in pieces, cut anywhere."""
        if self._random.random() < 0.8:
            return [data]
        cut = self._random.randrange(len(data) + 1)
        return [data[:cut], data[cut:]]

    def answer_to_wake(self, request_id: object) -> bytes:
        """What the host says of a wake: of all that it may say, something; nothing at all included."""
        members = self._random.choice(
            [
                '"result":{"accepted":true}',
                '"result":{"accepted":false,"reason":"duplicate"}',
                '"result":{"accepted":false,"reason":"empty content"}',
                '"result":null',
                '"error":{"code":-32602,"message":"empty"}',
                '"error":null',
                '"error":[1],"result":[2]',
                "",
            ]
        )
        return f'{{"jsonrpc":"2.0","id":{request_id},{members}}}\n'.encode() if members else b""

    # Kinds

    def _garbage(self) -> bytes:
        length = self._random.choice([1, 5, 50, 500])
        if self._random.random() < 0.5:
            return self._random.randbytes(length)
        return bytes(
            self._random.choices(b'{}[]",:\\0123eE-+.tfn \r\n\xef\xbb\xbf\xed\xa0\x80\xff', k=length)
        )

    def _message(self) -> bytes:
        """Anything between a valid request and no message at all."""
        members = {
            "jsonrpc": self._random.choice(['"2.0"'] * 8 + ["2.0", '"1.0"', "null"]),
            "id": self._id(),
            "method": self._random.choice([json.dumps(self._random.choice(METHODS))] * 9 + [self._json()]),
            "params": self._json(),
        }
        for name in [*members]:
            if self._random.random() < 0.1:
                del members[name]
        names = [*members]
        self._random.shuffle(names)
        return self._object({name: members[name] for name in names}).encode("utf-8", "surrogatepass")

    def _request(self, method: str, params: str) -> str:
        return f'{{"jsonrpc":"2.0","id":{self._valid_id()},"method":{json.dumps(method)},"params":{params}}}'

    def _tool_call(self) -> bytes:
        names = self._random.sample(ARGUMENTS, self._random.randrange(4))
        arguments = self._object({name: self._json(2) for name in names})
        name = json.dumps(self._random.choice(TOOLS))
        call = self._request("tools/call", self._object({"name": name, "arguments": arguments}))
        return call.encode("utf-8", "surrogatepass")

    def _sensible_call(self) -> bytes:
        """One that works, or would if the thing that it names were there."""
        name, arguments = self._random.choice(
            [
                ("heartbeat_status", "{}"),
                ("heartbeat_trigger", "{}"),
                ("heartbeat_configure", '{"deliveryMode":"silent","intervalMinutes":5}'),
                ("heartbeat_configure", '{"deliveryMode":"message","paused":false,"message":"ä"}'),
                ("reminder_add", '{"message":"soon","inSeconds":0.001}'),
                ("reminder_add", '{"message":"often","everySeconds":5}'),
                ("reminder_list", "{}"),
                ("reminder_cancel", '{"id":"rem_nope"}'),
            ]
        )
        return self._request("tools/call", f'{{"name":"{name}","arguments":{arguments}}}').encode()

    def _sensible_policy(self) -> bytes:
        return self._request("featureSets/update", '{"effectiveCapabilities":["*"]}').encode()

    def _mutated(self) -> bytes:
        """A valid request with some bytes of it changed, doubled, dropped or swapped."""
        data = bytearray(
            self._random.choice([self._tool_call, self._sensible_call, self._message, self._policy])()
        )
        for _ in range(self._random.randrange(1, 4)):
            at = self._random.randrange(len(data)) if data else 0
            length = self._random.randrange(4)
            piece = bytes(data[at : at + length])
            new = self._random.choice(
                [b"", piece * 2, self._random.randbytes(length), b'"', b"\\", b"[", b"{"]
            )
            data[at : at + length] = new
        return bytes(data)

    def _policy(self) -> bytes:
        lists = ['["*"]', '["pushEvents","tools"]', '["heartbeat"]', "[]", "null", '"*"', "[1]"]
        names = ["effectiveCapabilities", "deniedCapabilities", "enabled", "disabled"]
        chosen = self._random.sample(names, self._random.randrange(4))
        params = self._object({name: self._random.choice(lists) for name in chosen})
        return self._request("featureSets/update", params).encode()

    def _batch(self) -> bytes:
        kinds = [self._message, self._tool_call, self._sensible_call, self._stray_response, self._policy]
        if self._random.random() < 0.1:
            count = self._random.choice([0, MOST_IN_A_BATCH, MOST_IN_A_BATCH + 1])
            return b"[" + b",".join(self._request("ping", "{}").encode() for _ in range(count)) + b"]"
        elements = [self._random.choice(kinds)() for _ in range(self._random.randrange(1, 12))]
        return b"[" + b",".join(elements) + b"]"

    def _stray_response(self) -> bytes:
        result = self._random.choice(['"result"', '"error"'])
        return f'{{"jsonrpc":"2.0","id":{self._id()},{result}:{self._json()}}}'.encode(
            "utf-8", "surrogatepass"
        )

    def _flood(self) -> bytes:
        return "\n".join(self._request("ping", "{}") for _ in range(500)).encode()

    def _nested(self) -> bytes:
        levels = self._random.choice([50, 90, 100_000])
        opening, closing = self._random.choice([("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
        ends = self._random.choice([closing * levels, ""])
        return self._request("tools/call", opening * levels + "0" + ends).encode()

    def _huge(self) -> bytes:
        """Lines of about a mebibyte, and some that are longer than is read."""
        size = self._random.choice([1_000_000, 1_000_000, LONGEST_LINE + 2])
        piece = self._random.choice(['"', "[],", "9", "\\ud800", "ä", " "])
        inner = (piece * (size // len(piece.encode()) + 1)).encode()
        if piece in ('"', "[],", "9", " "):
            return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[' + inner + b"0]}"
        return self._request("ping", '["').encode()[:-1] + inner + b'"]}'

    # Pieces

    def _object(self, members: dict[str, str]) -> str:
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"

    def _valid_id(self) -> str:
        """An id that no other request has."""
        self._count += 1
        kinds = ["{}", '"{}"', "{}.0", "-{}", "{}e7", '"\\ud800{}"', '"ü\\u2028{}"', "{}" + "0" * 650]
        return self._random.choice(kinds).format(self._count)

    def _id(self) -> str:
        return self._valid_id() if self._random.random() < 0.6 else self._json(1)

    def _json(self, depth: int = 3) -> str:
        """Some value, often one that means something here."""
        kind = self._random.randrange(8 if depth else 5)
        if kind == 0:
            return self._random.choice(["null", "true", "false"])
        if kind == 1:
            return self._random.choice(NUMBERS)
        if kind == 2:
            return str(self._random.randrange(100_000))
        if kind <= 4:
            return json.dumps(self._random.choice(TEXTS + METHODS + TOOLS), ensure_ascii=kind == 3)
        inner = [self._json(depth - 1) for _ in range(self._random.randrange(4))]
        if kind == 5:
            return f"[{','.join(inner)}]"
        names = [
            *ARGUMENTS,
            "name",
            "arguments",
            "capabilities",
            "protocolVersion",
            "effectiveCapabilities",
            "x",
        ]
        return self._object({self._random.choice(names): value for value in inner})
