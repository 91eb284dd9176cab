"""The peer, from outside: bytes of one line in, the line to write back out."""

from __future__ import annotations

import gc
import json
from datetime import timedelta
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_peer import Message, Side, call, parsed

from heartbeat_adapters.json_text import DEEPEST, NotJson, read
from heartbeat_adapters.wire.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MOST_PENDING,
    PARSE_ERROR,
    RpcError,
)
from heartbeat_core.telling.throttled_log import BURST


def ignore(_answer: object) -> None:
    pass


@pytest.fixture
def side() -> Side:
    return Side()


# What a line may be


def test_a_request_is_answered_with_its_result(side: Side) -> None:
    """2.1"""
    assert side.send(call(params='{"a":1}')) == {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}


def test_what_is_not_ascii_is_escaped_on_its_way_out(side: Side) -> None:
    """2.1: hosts split lines at U+2028, which JSON allows raw."""
    assert side.line(call(params='["\u2028é😀"]')) == (
        '{"jsonrpc":"2.0","id":1,"result":["\\u2028\\u00e9\\ud83d\\ude00"]}'
    )


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \r", b"\xef\xbb\xbf", b"\xef\xbb\xbf \r"])
def test_a_blank_line_is_skipped(side: Side, blank: bytes) -> None:
    """2.1"""
    assert side.send(blank) is None


def test_a_byte_order_mark_is_skipped_at_the_start_and_nowhere_else(side: Side) -> None:
    """2.1"""
    marked = b"\xef\xbb\xbf" + call().encode()
    assert side.send(marked) is not None
    assert side.code(marked) == (PARSE_ERROR, None)


def test_bytes_that_are_not_utf_8_are_read_as_replacement_characters(side: Side) -> None:
    """2.1: a call that can be answered is answered."""
    side.line(b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"caf\xe9":"\xff"}}')
    assert side.handlers.requests == [("echo", {"caf\ufffd": "\ufffd"})]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"\ud800", "\ufffd"),
        (r"\uDFFF\uD800", "\ufffd\ufffd"),
        (r"\ud83d\ude00\ude00", "😀\ufffd"),
        (r"\ud83d\u0041", "\ufffdA"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\ufffd"),
        (r"\ud83d\\ude00", "\ufffd\\ude00"),
    ],
)
def test_a_lone_surrogate_is_read_as_a_replacement_character(side: Side, sent: str, read: str) -> None:
    """2.1: in names as in values, before a handler sees it."""
    side.line(call(params=f'{{"{sent}":"{sent}"}}'))
    assert side.handlers.requests == [("echo", {read: read})]


def test_no_lone_surrogate_leaves(side: Side) -> None:
    """2.1: paths that are not UTF-8 come to us with surrogates in them, and strict hosts refuse those."""
    line = side.peer.request("x", {"\udcff": "\ud800 😀"}, ignore)
    assert parsed_request(line)["params"] == {"\ufffd": "\ufffd 😀"}


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "{",
        '{"jsonrpc":"2.0","id":1,"method":"echo"',
        call(params="[NaN]"),
        call(params="[Infinity]"),
        call(params="[-Infinity]"),
        call(params="[01]"),
        call(params="['a']"),
        call(params='["a\tb"]'),
        call() + call(),
        "\x00",
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
        call(params='["' + "\\" * 3 + '"]'),
    ],
)
def test_a_line_that_is_not_json_is_a_parse_error_and_the_next_is_served(side: Side, line: str) -> None:
    """2.2"""
    assert side.code(line) == (PARSE_ERROR, None)
    assert side.send(call()) is not None
    assert side.log == []


def test_a_hundred_levels_are_read_whole(side: Side) -> None:
    """2.2"""
    nested = '{"a":[' * 50 + "]}" * 50
    answer = side.line(call(params=nested))
    assert answer is not None
    assert nested in answer


def test_brackets_in_strings_are_not_depth(side: Side) -> None:
    """2.2"""
    text = '"[{' * 200_000 + '\\"'
    assert cast("Message", side.send(call(params=json.dumps([text]))))["result"] == [text]


OPENERS = {"[": "]", '{"[{":': "}", '["]]\\"[",': "]", '{"a":"\\\\","\\\\":': "}"}


@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1])
@given(pattern=st.lists(st.sampled_from([*OPENERS]), min_size=1, max_size=5))
def test_depth_is_counted_as_a_parser_counts_it(levels: int, pattern: list[str]) -> None:
    """2.2: brackets in strings are none, whatever is escaped there."""
    opened = (pattern * levels)[:levels]
    text = "".join(opened) + "0" + "".join(OPENERS[part] for part in reversed(opened))
    if levels > DEEPEST:
        with pytest.raises(NotJson):
            read(text)
    else:
        assert read(text) == json.loads(text)


def test_a_line_of_a_million_lists_leaves_the_collector_as_it_was(side: Side) -> None:
    """2.6: it is refused in a moment, and afterwards garbage is collected again."""
    assert side.code("[" + "[]," * 1_300_000 + "[]]") == (INVALID_REQUEST, None)
    assert gc.isenabled()
    gc.disable()
    try:
        assert side.code("[" + "[]," * 100_000 + "[]]") == (INVALID_REQUEST, None)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_line_too_long_is_an_invalid_request(side: Side) -> None:
    """2.3"""
    answer = cast("Message", parsed(side.peer.line_too_long()))
    assert cast("Message", answer["error"])["code"] == INVALID_REQUEST
    assert answer["id"] is None


# What a message may be


@pytest.mark.parametrize(
    ("line", "answered_id"),
    [
        ("1", None),
        ("null", None),
        ('"ping"', None),
        ("{}", None),
        ('{"id":7}', 7),
        ('{"jsonrpc":"2.0","id":7}', 7),
        ('{"jsonrpc":"2.0","id":7,"method":null}', 7),
        ('{"jsonrpc":"2.0","id":7,"method":5}', 7),
        ('{"jsonrpc":"1.0","id":7,"method":"echo"}', 7),
        ('{"jsonrpc":2.0,"id":7,"method":"echo"}', 7),
        ('{"id":7,"method":"echo"}', 7),
        ('{"method":"echo"}', None),
        (call(id="null"), None),
        (call(id="true"), None),
        (call(id="false"), None),
        (call(id="{}"), None),
        (call(id="[1]"), None),
        (call(params="5"), 1),
        (call(params='"x"'), 1),
        (call(params="true"), 1),
        ('{"jsonrpc":"2.0","method":"echo","params":5}', None),
    ],
)
def test_what_is_no_valid_message_is_an_invalid_request_with_its_id(
    side: Side, line: str, answered_id: object
) -> None:
    """2.2, 2.4"""
    assert side.code(line) == (INVALID_REQUEST, answered_id)
    assert side.handlers.requests == side.handlers.notifications == []


@pytest.mark.parametrize(
    "id_text",
    [
        "0",
        "-0",
        "-1",
        "1.0",
        "1.50",
        "1e2",
        "1E400",
        "-0.0",
        "9" * 30,
        "1" + "0" * 5_000,
        '""',
        '"a b"',
        r'"\u00e9"',
        r'"\ud800x"',
        r'"\ufffd"',
    ],
)
@pytest.mark.parametrize("in_batch", [False, True])
def test_an_id_is_echoed_byte_for_byte(side: Side, id_text: str, in_batch: bool) -> None:
    """2.4"""
    start = f'{{"jsonrpc":"2.0","id":{id_text},'
    answer = side.line(f"[5,{call(id_text)}]" if in_batch else call(id_text))
    assert answer is not None
    assert start + '"result":{}}' in answer
    broken = side.line(call(id_text, method="break"))
    assert broken is not None
    assert broken.startswith(start)


def test_an_endless_integer_costs_little_and_is_still_an_integer_out_of_range(side: Side) -> None:
    """2.4"""
    side.line(call(params=f"[{'9' * 4_000_000},-{'9' * 4_000_000}]"))
    [(_, params)] = side.handlers.requests
    big, small = cast("list[int]", params)
    assert big > 10**400
    assert small < -(10**400)
    assert len(str(big)) < 1_000


@pytest.mark.parametrize("absent", [call(params="null"), '{"jsonrpc":"2.0","id":1,"method":"echo"}'])
def test_params_that_are_null_count_as_absent(side: Side, absent: str) -> None:
    """2.2"""
    side.line(absent)
    assert side.handlers.requests == [("echo", None)]


def test_a_list_where_a_method_takes_an_object_is_invalid_params(side: Side) -> None:
    """2.2"""
    assert side.code(call(method="object", params="[1]")) == (INVALID_PARAMS, 1)
    assert cast("Message", side.send(call(method="object", params="null")))["result"] == {}


def test_an_unknown_method_is_not_found_whatever_its_params_are(side: Side) -> None:
    """2.5"""
    assert side.code(call(method="nothing", params="[1]")) == (METHOD_NOT_FOUND, 1)


def test_a_request_with_scalar_params_is_made_known(side: Side) -> None:
    """2.2, and 4.2, where such a request takes a grant away."""
    side.line(call(method="policy", params="5"))
    side.line('{"jsonrpc":"2.0","method":"policy","params":5}')
    assert side.handlers.refused == ["policy"]


def test_a_notification_is_taken_and_never_answered(side: Side) -> None:
    """2.5"""
    assert side.send('{"jsonrpc":"2.0","method":"note","params":{"a":1}}') is None
    assert side.handlers.notifications == [("note", {"a": 1})]


def test_a_notification_that_breaks_is_logged_and_not_answered(side: Side) -> None:
    """2.8"""
    assert side.send('{"jsonrpc":"2.0","method":"break"}') is None
    assert "KeyError" in side.log[0]


# Exceptions


@pytest.mark.parametrize("method", ["break", "circle", "infinite", "refuse badly"])
def test_an_unexpected_exception_is_an_internal_error_with_its_traceback_in_the_log(
    side: Side, method: str
) -> None:
    """2.8"""
    assert side.code(call(method=method)) == (INTERNAL_ERROR, 1)
    assert side.log[0].startswith("WARNING: an unexpected error: ")
    assert "Please report it: " in side.log[0]
    assert side.send(call()) is not None


def test_an_expected_error_carries_its_code_message_and_data(side: Side) -> None:
    """2.8"""
    answer = cast("Message", side.send(call(method="refuse")))
    assert answer["error"] == {"code": -32099, "message": "no", "data": {"why": "busy"}}
    assert side.log == []


# Batches


def test_a_batch_is_answered_by_one_array_in_order(side: Side) -> None:
    """2.6"""
    note, response = '{"jsonrpc":"2.0","method":"note"}', '{"jsonrpc":"2.0","id":9,"result":1}'
    unknown = call('"b"', "nothing")
    answers = side.send(f"[{call('1')},{note},3,[],{response},{unknown}]")
    assert [message["id"] for message in cast("list[Message]", answers)] == [1, None, None, "b"]


def test_a_batch_of_notifications_gets_no_line(side: Side) -> None:
    """2.6"""
    assert side.send('[{"jsonrpc":"2.0","method":"note"}]') is None


@pytest.mark.parametrize("batch", ["[]", " [ ] ", f"[{','.join([call()] * 1_001)}]", f"[{'1,' * 1_000}1]"])
def test_an_empty_batch_and_one_too_long_are_one_invalid_request(side: Side, batch: str) -> None:
    """2.6"""
    assert side.code(batch) == (INVALID_REQUEST, None)
    assert side.handlers.requests == []


def test_a_batch_of_a_thousand_is_answered_whole(side: Side) -> None:
    """2.6"""
    batch = ",".join(call(str(n)) for n in range(1_000))
    answers = cast("list[Message]", side.send(f"[{batch}]"))
    assert [answer["id"] for answer in answers] == list(range(1_000))


# Our own requests


def parsed_request(line: str) -> Message:
    assert line.isascii()
    assert line.isprintable()
    return cast("Message", json.loads(line))


def asked(side: Side) -> tuple[list[object], object]:
    """Answers to a request of ours, as they will come, and its id."""
    answers: list[object] = []
    line = side.peer.request("push/event", {"a": 1}, answers.append)
    request = parsed_request(line)
    assert request == {"jsonrpc": "2.0", "id": request["id"], "method": "push/event", "params": {"a": 1}}
    return answers, request["id"]


def test_an_answer_finds_its_request_once(side: Side) -> None:
    """2.5"""
    first, first_id = asked(side)
    second, second_id = asked(side)
    assert side.send(f'{{"jsonrpc":"2.0","id":{second_id},"result":{{"accepted":true}}}}') is None
    assert side.send(f'{{"jsonrpc":"2.0","id":{second_id},"result":null}}') is None
    assert side.send(f'{{"jsonrpc":"2.0","id":{first_id},"result":null}}') is None
    assert (first, second) == ([None], [{"accepted": True}])
    assert len(side.log) == 1


def test_the_host_may_use_the_ids_that_we_use(side: Side) -> None:
    """2.5"""
    answers, our_id = asked(side)
    assert cast("Message", side.send(call(str(our_id))))["id"] == our_id
    assert answers == []


@pytest.mark.parametrize("stray", ["999", '"1"', "true", "null", "[1]", "{}", "1.5", "1E400", "9" * 5_000])
def test_a_response_to_nothing_is_one_line_in_the_log(side: Side, stray: str) -> None:
    """2.5"""
    answers, _ = asked(side)
    assert side.send(f'{{"jsonrpc":"2.0","id":{stray},"result":1}}') is None
    assert answers == []
    assert len(side.log) == 1


@pytest.mark.parametrize("in_batches", [False, True])
def test_two_thousand_responses_to_nothing_are_a_few_lines_and_a_count(side: Side, in_batches: bool) -> None:
    """2.5"""
    strays = [f'{{"jsonrpc":"2.0","id":{number},"result":1}}' for number in range(2_000)]
    for line in (
        [f"[{','.join(strays[n : n + 500])}]" for n in range(0, 2_000, 500)] if in_batches else strays
    ):
        assert side.send(line) is None
    assert len(side.log) == BURST
    side.clock.advance(timedelta(seconds=10))
    assert side.log[BURST:] == [
        f"{2_000 - BURST} more of this kind, the last: ignored a response to no request that is out (id 1999)"
    ]


@pytest.mark.parametrize(
    "line",
    ['{"jsonrpc":"2.0","method":"break"}', '{"jsonrpc":"2.0","id":1,"method":"break"}'],
    ids=["notification", "request"],
)
def test_what_goes_wrong_each_time_is_a_few_tracebacks_and_a_count(side: Side, line: str) -> None:
    """2.8: the log is to be read"""
    for _ in range(100):
        side.send(line)
    side.clock.advance(timedelta(seconds=10))
    assert len(side.log) == BURST + 1
    assert side.log[-1].startswith(f"WARNING: {100 - BURST} more of this kind, the last: an unexpected error")


def test_a_flood_of_strays_hides_no_error(side: Side) -> None:
    """2.5, 2.8"""
    for _ in range(100):
        side.send('{"jsonrpc":"2.0","id":99,"result":1}')
    side.send('{"jsonrpc":"2.0","method":"break"}')
    assert "KeyError" in side.log[-1]


@pytest.mark.parametrize("response", ['{"result":1}', '{"error":5}', '{"id":{},"result":1,"params":3}'])
def test_what_looks_like_a_response_is_never_answered(side: Side, response: str) -> None:
    """2.2"""
    assert side.send(response) is None
    assert side.send(f"[{response}]") is None


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ('"error":{"code":-32002,"message":"not granted","data":{"capability":"x"}}', -32002, "not granted"),
        ('"error":{"code":-1,"message":"no"},"result":1', -1, "no"),
        ('"error":{"code":-1,"message":"no"},"result":null', -1, "no"),
        ('"error":{}', INTERNAL_ERROR, "no message"),
        ('"error":{"code":"x","message":5}', INTERNAL_ERROR, "no message"),
        ('"error":{"code":true,"message":"m"}', INTERNAL_ERROR, "m"),
        ('"error":null', INTERNAL_ERROR, "malformed response: its error is None"),
        ('"error":"no"', INTERNAL_ERROR, "malformed response: its error is 'no'"),
        ('"error":[1E400]', INTERNAL_ERROR, "malformed response: its error is [inf]"),
    ],
)
def test_an_error_is_given_in_sane_form_however_it_came(
    side: Side, body: str, code: int, message: str
) -> None:
    """4.11"""
    answers, our_id = asked(side)
    assert side.send(f'{{"jsonrpc":"2.0","id":{our_id},{body}}}') is None
    [error] = answers
    assert isinstance(error, RpcError)
    assert (error.code, error.message) == (code, message)


def test_a_result_beside_an_error_that_is_null_is_a_result(side: Side) -> None:
    """4.11: JSON-RPC 1.0 wrote it so."""
    answers, our_id = asked(side)
    side.send(f'{{"id":{our_id},"result":{{}},"error":null}}')
    assert answers == [{}]


def test_the_oldest_requests_are_forgotten_when_too_many_are_out(side: Side) -> None:
    """2.7"""
    oldest, oldest_id = asked(side)
    second, second_id = asked(side)
    for _ in range(MOST_PENDING - 1):
        asked(side)
    for our_id in (oldest_id, second_id):
        side.send(f'{{"jsonrpc":"2.0","id":{our_id},"result":1}}')
    assert (oldest, second) == ([], [1])


def test_a_request_that_cannot_be_written_uses_nothing_up(side: Side) -> None:
    """2.7"""
    with pytest.raises(ValueError, match="JSON compliant"):
        side.peer.request("x", {"a": float("nan")}, ignore)
    answers, our_id = asked(side)
    side.send(f'{{"jsonrpc":"2.0","id":{our_id},"result":1}}')
    assert answers == [1]


def test_an_answer_that_breaks_its_taker_is_logged(side: Side) -> None:
    """2.8"""

    def break_down(_answer: object) -> None:
        raise KeyError("boom")

    our_id = parsed_request(side.peer.request("x", {}, break_down))["id"]
    assert side.send(f'{{"jsonrpc":"2.0","id":{our_id},"result":1}}') is None
    assert "KeyError" in side.log[0]
