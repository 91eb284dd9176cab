"""The peer, for all inputs: what the clauses say of any value, batch, number and bytes."""

from __future__ import annotations

import json
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from scripted_peer import Message, Side, call

from heartbeat_adapters.wire.jsonrpc import INVALID_REQUEST

texts = st.text(st.characters() | st.sampled_from("\ud800\udfff\ufffd\u2028\n"), max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
methods = st.sampled_from(["echo", "object", "break", "refuse", "nothing", "circle", ""])
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | st.just("2.0") | values,
        "id": values,
        "method": methods | values,
        "params": values,
        "result": values,
        "error": values,
        "more": values,
    },
)


def expected(message: object) -> tuple[str, object]:
    """What 2.2 to 2.5 say of one message: silence, or the kind of answer and the id."""
    if not isinstance(message, dict):
        return "invalid", None
    if "method" not in message and ("result" in message or "error" in message):
        return "silence", None
    sent_id = message.get("id")
    readable = isinstance(sent_id, str | int | float) and not isinstance(sent_id, bool)
    echoed = sent_id if readable else None
    valid = (
        message.get("jsonrpc") == "2.0"
        and (readable or "id" not in message)
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params"), dict | list | None)
    )
    if not valid:
        return "invalid", echoed
    return ("served", echoed) if "id" in message else ("silence", None)


def kind(answer: Message) -> tuple[str, object]:
    error = answer.get("error")
    invalid = isinstance(error, dict) and error["code"] == INVALID_REQUEST
    return ("invalid" if invalid else "served"), answer["id"]


@given(messages | values)
def test_every_value_is_answered_as_the_clauses_say(value: object) -> None:
    """2.2, 2.4, 2.5, 2.6"""
    side = Side()
    answer = side.send(json.dumps(value))
    if not isinstance(value, list):
        wanted = expected(value)
        assert (("silence", None) if answer is None else kind(cast("Message", answer))) == wanted
    elif not value:
        assert kind(cast("Message", answer)) == ("invalid", None)
    else:
        wanted_list = [one for one in map(expected, value) if one[0] != "silence"]
        assert [kind(one) for one in cast("list[Message]", answer or [])] == wanted_list


@given(st.lists(messages, min_size=1, max_size=5))
def test_every_batch_is_answered_as_its_elements_are(batch: list[object]) -> None:
    """2.6"""
    singly = [Side().send(json.dumps(message)) for message in batch]
    assert (Side().send(json.dumps(batch)) or []) == [answer for answer in singly if answer is not None]


@given(st.binary() | st.text('[]{}",:0123456789eE.+-\\utrfnalsdx ').map(str.encode))
def test_any_bytes_are_survived(line: bytes) -> None:
    """2.2"""
    side = Side()
    side.send(line)
    assert cast("Message", side.send(call()))["result"] == {}


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False))
def test_any_number_is_echoed_as_it_was_written(number: object) -> None:
    """2.4"""
    text = str(number).lstrip("+")
    answer = Side().line(call(text))
    assert answer == f'{{"jsonrpc":"2.0","id":{text},"result":{{}}}}'
