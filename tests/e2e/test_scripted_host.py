"""The shipped scripted host itself: what it says when a server does not do as it should."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from heartbeat_adapters.testing.push_answers import (
    Accept,
    CarefulHost,
    Error,
    ForgetfulHost,
    NoAnswer,
    PushAnswer,
    ReceivedWake,
    Refuse,
    answer_members,
    refuse_empty,
)
from heartbeat_adapters.testing.scripted_host import (
    Direction,
    HostError,
    NotInTimeError,
    NotJsonRpcError,
    ScriptedHost,
    ServerEndedError,
    UnexpectedWakeError,
)

ECHO = "for line in sys.stdin: print(line, end='', flush=True)"


def server(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys, json, signal, os\n{code}"]


def push(event_id: str = "e1", text: str | None = "hi", **origin: Any) -> dict[str, Any]:
    content = [] if text is None else [{"type": "text", "text": text}]
    params = {
        "featureSet": "heartbeat",
        "eventId": event_id,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "origin": {"source": "heartbeat", **origin},
        "payload": {"content": content},
    }
    return {"jsonrpc": "2.0", "id": 7, "method": "push/event", "params": params}


def wake(event_id: str = "e1", text: str | None = "hi", **origin: Any) -> ReceivedWake:
    return ReceivedWake.from_request(push(event_id, text, **origin))


# The host


def test_a_wait_that_is_too_long_shows_the_end_of_the_log() -> None:
    code = "print('about to hang', file=sys.stderr, flush=True)\nfor line in sys.stdin: pass"
    with ScriptedHost(server(code)) as host:
        host.wait_for_log("about to hang")
        with pytest.raises(NotInTimeError, match="about to hang"):
            host.request("ping", timeout=0.01)
        with pytest.raises(NotInTimeError, match="still runs"):
            host.wait(0.01)


def test_a_server_that_ends_is_reported_with_its_exit_code_and_log() -> None:
    with ScriptedHost(server("sys.exit('out of ideas')")) as host:
        assert host.wait() == 1
        with pytest.raises(ServerEndedError, match=r"exit code 1.*\n.*out of ideas"):
            host.initialize()


def test_a_line_that_is_no_json_rpc_is_an_error() -> None:
    code = "print('hello', flush=True)\nsys.stdin.read()"
    with ScriptedHost(server(code)) as host, pytest.raises(NotJsonRpcError, match="hello"):
        host.listen(10)


def test_a_wake_where_none_may_come_is_an_error() -> None:
    code = f"print(json.dumps({push()}), flush=True)\nsys.stdin.read()"
    with ScriptedHost(server(code)) as host, pytest.raises(UnexpectedWakeError, match="e1"):
        host.no_wake_for(0.5)


def test_a_wake_that_lacks_something_is_an_error() -> None:
    with ScriptedHost(server(ECHO)) as host:
        host.send({"jsonrpc": "2.0", "id": 1, "method": "push/event", "params": {}})
        with pytest.raises(NotJsonRpcError, match="lacks"):
            host.next_wake()


def test_wakes_are_answered_in_order_while_something_else_is_waited_for() -> None:
    with ScriptedHost(server(ECHO), on_push=lambda wake: Accept(wake.event_id)) as host:
        for name in ("a", "b"):
            host.send(push(name))
        host.send({"jsonrpc": "2.0", "id": 0, "result": "pong"})
        assert host.response_to(0) == "pong"
        assert [host.next_wake().event_id, host.next_wake().event_id] == ["a", "b"]
        answers = [host.read_message()["result"]["inferenceId"] for _ in range(2)]
        assert answers == ["a", "b"]


def test_responses_are_matched_by_id_and_type_and_the_rest_is_kept() -> None:
    with ScriptedHost(server(ECHO)) as host:
        for odd_id in (True, 1.0, "1"):
            host.send({"jsonrpc": "2.0", "id": odd_id, "result": "other"})
        host.send({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no", "data": 5}})
        with pytest.raises(HostError, match=r"no \(-1\)") as error:
            host.response_to(1)
        assert error.value.data == 5
        assert [host.read_message()["id"] for _ in range(3)] == [True, 1.0, "1"]
        assert [crossing.direction for crossing in host.transcript].count(Direction.TO_HOST) == 4


def test_a_host_that_does_not_read_goes_on_where_it_stopped() -> None:
    with ScriptedHost(server("print('[1]', flush=True)\nsys.stdin.read()")) as host:
        host.server.reading = False
        with pytest.raises(NotInTimeError):
            host.read_message(0.1)
        host.server.reading = True
        assert host.read_message() == [1]


def test_a_server_that_ignores_sigterm_is_killed() -> None:
    code = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('[]', flush=True)\nsignal.pause()"
    with ScriptedHost(server(code)) as host:
        assert host.read_message() == []
    assert host.server.wait(0) == -9


def test_what_is_said_to_a_server_that_has_ended_is_dropped() -> None:
    with ScriptedHost(
        server("sys.stdin.close(); os.close(0); print('[]', flush=True); signal.pause()")
    ) as host:
        assert host.read_message() == []
        host.notify("anything")
        host.close_stdin()
        host.notify("anything")
        host.kill()
        assert host.wait() == -9


# Its ways to answer


def test_a_careful_host_checks_grant_feature_set_emptiness_and_duplicate_in_that_order() -> None:
    def code(host: CarefulHost, received: ReceivedWake) -> object:
        answer = host(received)
        return answer.code if isinstance(answer, Error) else answer

    assert code(CarefulHost(granted=(), enabled=()), wake(text=None)) == -32002
    assert code(CarefulHost(enabled=()), wake(text=None)) == -32001
    host = CarefulHost()
    assert code(host, wake(text=" ")) == -32602
    assert isinstance(host(wake()), Accept)
    assert host(wake()) == Refuse("duplicate")
    assert code(host, wake(text=None)) == -32602
    assert [heard.text for heard in host.heard] == ["hi"]


def test_the_silent_marker_counts_under_the_right_server_id_only() -> None:
    silent = wake(text=None, silent=True)
    assert isinstance(CarefulHost()(silent), Accept)
    assert isinstance(CarefulHost(server_id="other")(silent), Error)
    assert isinstance(CarefulHost()(wake(text=None, silent="true")), Error)
    assert isinstance(refuse_empty(silent), Error)
    assert isinstance(refuse_empty(wake()), Accept)


def test_a_feature_set_that_the_host_does_not_know_is_refused() -> None:
    request = push()
    request["params"]["featureSet"] = "other"
    answer = CarefulHost()(ReceivedWake.from_request(request))
    assert answer == Error(-32003, "unknown feature set", {"featureSet": "other"})


def test_the_ids_that_a_host_has_seen_are_forgotten_all_at_once() -> None:
    host = CarefulHost()
    for number in range(1000):
        host(wake(f"e{number}"))
    assert host(wake("e0")) == Refuse("duplicate")
    host(wake("one more"))
    assert isinstance(host(wake("e0")), Accept)


def test_a_forgetful_host_takes_a_wake_says_nothing_and_knows_it_again() -> None:
    host = ForgetfulHost()
    assert host(wake()) == NoAnswer()
    assert host(wake()) == Refuse("duplicate")
    assert len(host.heard) == 1


@pytest.mark.parametrize(
    ("answer", "members"),
    [
        (Accept(), {"result": {"accepted": True}}),
        (Accept("i"), {"result": {"accepted": True, "inferenceId": "i"}}),
        (Refuse("asleep"), {"result": {"accepted": False, "reason": "asleep"}}),
        (Error(-1, "no"), {"error": {"code": -1, "message": "no"}}),
        (Error(-1, "no", 5), {"error": {"code": -1, "message": "no", "data": 5}}),
    ],
)
def test_answers_on_the_wire(answer: Accept | Refuse | Error, members: dict[str, object]) -> None:
    assert answer_members(answer) == members


def test_an_answer_to_a_wake_left_open_goes_out_later() -> None:
    def nothing(_: ReceivedWake) -> PushAnswer:
        return NoAnswer()

    with ScriptedHost(server(ECHO), on_push=nothing) as host:
        host.send(push())
        received = host.next_wake()
        host.answer(received, Refuse("asleep"))
        assert host.read_message() == {"jsonrpc": "2.0", "id": 7, **answer_members(Refuse("asleep"))}
