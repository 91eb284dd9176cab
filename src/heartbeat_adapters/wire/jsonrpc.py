"""A JSON-RPC 2.0 peer without I/O: a line comes in, the line to write back comes out.

It does all of section 2 but for the cutting into lines. `stdio` gives it lines; `mcp` is its `Handlers`
and sends its requests.

    peer = Peer(handlers, WireLog(log, clock))
    answer = peer.receive(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')   # a line to write, or None
    line = peer.request("push/event", {...}, on_answer)                  # a line to write
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Protocol, TypeGuard

from heartbeat_adapters.json_text import (
    NotJson,
    read,
    read_as_written,
    write,
    write_exactly,
)
from heartbeat_adapters.wire.wire_log import WireLog

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MOST_IN_A_BATCH = 1_000
MOST_PENDING = 10_000

Params = dict[str, object] | list[object] | None
"""What a request or notification came with; None where `params` is absent or null."""


class RpcError(Exception):
    """An error as the wire has it: raised by handlers for what they expect, and given to `OnAnswer`."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data


_AsWritten = Callable[[], object]  # reads a message once more, see `_id_text`

OnAnswer = Callable[[object], None]
"""Called once, with the `result` of the other side as JSON has it, or with an `RpcError`."""


class Handlers(Protocol):
    """What the other side may call."""

    def request(self, method: str, params: Params) -> object:
        """Give the result, any JSON value.

        Raises RpcError for what is expected: METHOD_NOT_FOUND for an unknown method, whatever its
        params are; INVALID_PARAMS, see `object_params`. Anything else that it raises is logged with its
        traceback and answered INTERNAL_ERROR (2.8).
        """

    def notification(self, method: str, params: Params) -> None:
        """Take note; an unknown one is ignored. What it raises is logged."""

    def unreadable(self, method: str) -> None:
        """Take note that a request's params were a scalar, which has been refused already (2.2)."""


def object_params(params: Params) -> dict[str, object]:
    """Give the params of a method that takes an object, empty where absent. Raises RpcError (2.2)."""
    if isinstance(params, list):
        raise RpcError(INVALID_PARAMS, "Invalid params: an object is expected, not a list")
    return params or {}


class Peer:
    """One side of a conversation."""

    def __init__(self, handlers: Handlers, log: WireLog) -> None:
        self._handlers = handlers
        self._log = log
        self._at_start = True
        self._last_id = 0
        self._pending: dict[float, OnAnswer] = {}

    def receive(self, line: bytes) -> str | None:
        """Take one line without its newline; give the line to write back, or None. Never raises."""
        line = line.removeprefix(b"\xef\xbb\xbf") if self._at_start else line
        self._at_start = False
        text = line.decode("utf-8", "replace").strip(" \t\r\n")
        if not text:
            return None
        try:
            value = read(text)
        except NotJson as problem:
            return self._error_line("null", RpcError(PARSE_ERROR, f"Parse error: {problem}"))
        written = partial(read_as_written, text)
        # Once for a whole batch, which may have a thousand ids that are not to be told from their values.
        return self._batch(value, cache(written)) if isinstance(value, list) else self._one(value, written)

    def line_too_long(self) -> str:
        """Give the line to write back for a line that was longer than is read (2.3)."""
        self._at_start = False
        return self._error_line("null", _invalid("the line is longer than 4 MiB"))

    def request(self, method: str, params: Mapping[str, object], on_answer: OnAnswer) -> str:
        """Give the line that asks the other side; `on_answer` is called when its response comes.

        Responses may come in any order or never; past `MOST_PENDING` the oldest are forgotten.
        """
        line = write({"jsonrpc": "2.0", "id": self._last_id + 1, "method": method, "params": params})
        self._last_id += 1
        self._pending[self._last_id] = on_answer
        if len(self._pending) > MOST_PENDING:
            del self._pending[next(iter(self._pending))]
        return line

    def _batch(self, messages: list[object], written: _AsWritten) -> str | None:
        if not messages:
            return self._error_line("null", _invalid("the batch is empty"))
        if len(messages) > MOST_IN_A_BATCH:
            return self._error_line("null", _invalid(f"the batch has more than {MOST_IN_A_BATCH} elements"))
        answers = [self._one(message, partial(_element, written, n)) for n, message in enumerate(messages)]
        lines = [answer for answer in answers if answer is not None]
        return f"[{','.join(lines)}]" if lines else None

    def _one(self, message: object, written: _AsWritten) -> str | None:
        if not isinstance(message, dict):
            return self._error_line("null", _invalid("not an object"))
        if "method" not in message and ("result" in message or "error" in message):
            self._answered(message)
            return None
        id_text = _id_text(message.get("id"), written)
        try:
            method, params = self._valid(message)
            if "id" not in message:
                self._logging(lambda: self._handlers.notification(method, params))
                return None
            result = write(self._handlers.request(method, params))
        except Exception as error:
            return self._error_line(id_text, error)
        return f'{{"jsonrpc":"2.0","id":{id_text},"result":{result}}}'

    def _valid(self, message: dict[str, object]) -> tuple[str, Params]:
        method, params = message.get("method"), message.get("params")
        if message.get("jsonrpc") != "2.0":
            raise _invalid('"jsonrpc" must be "2.0"')
        if "id" in message and not _is_id(message["id"]):
            raise _invalid('"id" must be a string or a number')
        if not isinstance(method, str):
            raise _invalid('"method" must be a string')
        if params is None or isinstance(params, dict | list):
            return method, params
        if "id" in message:
            self._logging(lambda: self._handlers.unreadable(method))
        raise _invalid('"params" must be an object or a list')

    def _answered(self, response: dict[str, object]) -> None:
        sent = response.get("id")
        on_answer = self._pending.pop(sent, None) if _is_number(sent) else None
        if on_answer is None:
            text = f"ignored a response to no request that is out (id {repr(sent)[:100]})"
            self._log.say("stray response", text)
        else:
            self._logging(lambda: on_answer(_answer(response)))

    def _logging(self, step: Callable[[], None]) -> None:
        """Do what nobody waits for an answer to."""
        try:
            step()
        except Exception as error:
            self._log.broken(error)

    def _error_line(self, id_text: str, error: Exception) -> str:
        """Turn an exception into an error on the wire: the one place that does (2.8)."""
        if not isinstance(error, RpcError):
            self._log.broken(error)
            error = RpcError(INTERNAL_ERROR, "Internal error")
        body: dict[str, object] = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        try:
            return f'{{"jsonrpc":"2.0","id":{id_text},"error":{write(body)}}}'
        except Exception as worse:
            return self._error_line(id_text, worse)


def _invalid(why: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"Invalid Request: {why}")


def _is_number(value: object) -> TypeGuard[float]:
    return type(value) is int or type(value) is float  # and no bool, which is an int too


def _is_id(value: object) -> bool:
    return type(value) is str or _is_number(value)


def _id_text(value: object, written: _AsWritten) -> str:
    """The id byte for byte as it was sent (2.4), "null" where none can be read.

    Nearly all ids can be told from their value. `-0`, `1.0`, `1E400`, endless integers and strings that
    had lone surrogates cannot: for those the message is read once more.
    """
    if not _is_id(value):
        return "null"
    if type(value) is int and value and abs(value) < _LONG:
        return str(value)
    if type(value) is str and "\ufffd" not in value:
        return write(value)
    message = written()
    exact = str(message["id"]) if isinstance(message, dict) else ""
    return write_exactly(exact) if type(value) is str else exact


def _element(batch: _AsWritten, index: int) -> object:
    messages = batch()
    return messages[index] if isinstance(messages, list) else None


_LONG = 10**600  # below it an integer was read whole


def _answer(response: dict[str, object]) -> object:
    """A response as `OnAnswer` takes it, an error where it is malformed."""
    error = response.get("error")
    if error is None and "result" in response:
        return response["result"]
    if not isinstance(error, dict):
        return RpcError(INTERNAL_ERROR, f"malformed response: its error is {repr(error)[:200]}")
    code, message = error.get("code"), error.get("message")
    return RpcError(
        code if type(code) is int else INTERNAL_ERROR,
        message if isinstance(message, str) else "no message",
        error.get("data"),
    )
