"""How a host answers the wakes that it is sent, for `ScriptedHost` and whoever else plays a host.

A way to answer is a callable: it is given a wake as it arrived, and it returns one of the answers here.

    ScriptedHost(command, on_push=CarefulHost())
    ScriptedHost(command, on_push=lambda wake: Refuse("asleep"))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

FEATURE_SET = "heartbeat"
SERVER_ID = "heartbeat"
"""The id under which a host's recipe has the server; the silent marker is good for this one only."""


@dataclass(frozen=True, slots=True)
class ReceivedWake:
    """One `push/event` request as the host received it (4.10).

    `text` is what the agent would read, None where there is nothing to read. `timestamp` is ISO 8601,
    UTC. `params` are all of them, as parsed; `request_id` is what an answer has to carry.
    """

    event_id: str
    text: str | None
    origin: Mapping[str, Any]
    timestamp: str
    params: Mapping[str, Any]
    request_id: Any

    @classmethod
    def from_request(cls, request: Mapping[str, Any]) -> ReceivedWake:
        """Read a `push/event` request; raises KeyError or TypeError where it is none."""
        params = request["params"]
        texts = [block["text"] for block in params["payload"]["content"] if block["type"] == "text"]
        return cls(
            event_id=params["eventId"],
            text="\n".join(texts) if texts else None,
            origin=params["origin"],
            timestamp=params["timestamp"],
            params=params,
            request_id=request["id"],
        )

    @property
    def reminder_id(self) -> str | None:
        """The id of the reminder that this is a wake of; None for a beat."""
        return self.origin.get("reminderId")

    @property
    def has_silent_marker(self) -> bool:
        """Whether this is what hosts that know silent wakes take for one."""
        return (
            self.params.get("featureSet") == FEATURE_SET
            and self.origin.get("source") == "heartbeat"
            and self.origin.get("silent") is True
            and self.params["payload"]["content"] == []
        )


# Answers


@dataclass(frozen=True, slots=True)
class Accept:
    """The host takes the wake. Some hosts say which run of the model it belongs to."""

    inference_id: str | None = None


@dataclass(frozen=True, slots=True)
class Refuse:
    """The host answers `accepted: false`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Error:
    """The host answers with a JSON-RPC error."""

    code: int
    message: str
    data: object = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The host says nothing; `ScriptedHost.answer` may say something later."""


PushAnswer = Accept | Refuse | Error | NoAnswer
OnPush = Callable[[ReceivedWake], PushAnswer]


def answer_members(answer: Accept | Refuse | Error) -> dict[str, Any]:
    """Give what an answer adds to a JSON-RPC response: its `result` or its `error`."""
    match answer:
        case Accept(None):
            return {"result": {"accepted": True}}
        case Accept(inference_id):
            return {"result": {"accepted": True, "inferenceId": inference_id}}
        case Refuse(reason):
            return {"result": {"accepted": False, "reason": reason}}
        case Error(code, message, None):
            return {"error": {"code": code, "message": message}}
        case Error(code, message, data):
            return {"error": {"code": code, "message": message, "data": data}}


# Ways to answer


def accept(wake: ReceivedWake) -> PushAnswer:  # noqa: ARG001
    """Accept everything, and look for no duplicates, as simple bridges do."""
    return Accept()


def leave_unanswered(wake: ReceivedWake) -> PushAnswer:  # noqa: ARG001
    """Answer nothing: a host that is paused. Answer later, in any order, with `ScriptedHost.answer`."""
    return NoAnswer()


def refuse_empty(wake: ReceivedWake) -> PushAnswer:
    """Refuse what has nothing to read, whatever marks it; accept the rest."""
    return Accept() if _is_visible(wake) else _EMPTY


_EMPTY = Error(-32602, "payload.content is visibly empty", {"field": "payload.content"})


def _is_visible(wake: ReceivedWake) -> bool:
    content = wake.params["payload"]["content"]
    return any(block["type"] != "text" or block["text"].strip() for block in content)


class CarefulHost:
    """Checks a push as a full MCPL 0.5 host does: grant, feature set, emptiness, duplicate; then accepts.

    `heard` is what the agent has heard, in order. An event id is used up by acceptance alone. Keep one
    for several servers or several lives of one: the ids that it has seen belong to the host.
    """

    def __init__(
        self,
        granted: Collection[str] = ("pushEvents", "tools"),
        enabled: Collection[str] = (FEATURE_SET,),
        server_id: str = SERVER_ID,
    ) -> None:
        self.granted = granted
        self.enabled = enabled
        self.server_id = server_id
        self.heard: list[ReceivedWake] = []
        self._seen: set[str] = set()

    def __call__(self, wake: ReceivedWake) -> PushAnswer:
        """Answer one push."""
        objection = self._objection(wake)
        if objection is not None:
            return objection
        if len(self._seen) >= _REMEMBERED_IDS:
            self._seen.clear()
        self._seen.add(wake.event_id)
        self.heard.append(wake)
        return Accept(f"inference-{len(self.heard)}")

    def _objection(self, wake: ReceivedWake) -> PushAnswer | None:
        feature_set = wake.params.get("featureSet")
        if "pushEvents" not in self.granted:
            return Error(-32002, "capability not granted", {"capability": "pushEvents"})
        if feature_set != FEATURE_SET:
            return Error(-32003, "unknown feature set", {"featureSet": feature_set})
        if feature_set not in self.enabled:
            return Error(-32001, "feature set not enabled", {"featureSet": feature_set})
        if not _is_visible(wake) and not (self.server_id == SERVER_ID and wake.has_silent_marker):
            return _EMPTY
        return Refuse("duplicate") if wake.event_id in self._seen else None


_REMEMBERED_IDS = 1000


class ForgetfulHost(CarefulHost):
    """Takes a wake and loses the answer to it; a repeat is answered as the duplicate that it is."""

    def __call__(self, wake: ReceivedWake) -> PushAnswer:
        """Answer one push, or take it and say nothing."""
        answer = super().__call__(wake)
        return NoAnswer() if isinstance(answer, Accept) else answer
