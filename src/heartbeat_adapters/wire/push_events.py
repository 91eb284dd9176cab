"""A wake as the params of a `push/event`, and the host's response as an `Answer` (4.10, 4.11)."""

from __future__ import annotations

from dataclasses import replace

from heartbeat_adapters.wire.jsonrpc import RpcError
from heartbeat_core.policy import FEATURE_SET
from heartbeat_core.times.moments import to_utc_text
from heartbeat_core.wakes import LONGEST_REASON, Answer, Refused, Taken, Wake

_LONG_TEXT = 500


def push_event_params(wake: Wake) -> dict[str, object]:
    """The params of the `push/event` that carries a wake."""
    content = [] if wake.text is None else [{"type": "text", "text": wake.text}]
    return {
        "featureSet": FEATURE_SET,
        "eventId": wake.event_id,
        "timestamp": to_utc_text(wake.sent_at),
        "origin": dict(wake.origin),
        "payload": {"content": content},
    }


def without_long_text(wake: Wake) -> Wake:
    """What of a wake is kept until its answer comes: thousands may be out, and a text can be long (2.7)."""
    return wake if len(wake.text or "") <= _LONG_TEXT else replace(wake, text="")


def read_answer(result: object) -> Answer:
    """What the host's response says: a result, or an `RpcError`."""
    if isinstance(result, RpcError):
        return Refused(result.message[:LONGEST_REASON], result.code)
    if not isinstance(result, dict) or result.get("accepted") is not False:
        inference = result.get("inferenceId") if isinstance(result, dict) else None
        return Taken(inference[:LONGEST_REASON] if isinstance(inference, str) else None)
    reason = result.get("reason")
    return Refused(reason[:LONGEST_REASON] if isinstance(reason, str) and reason else "no reason given")
