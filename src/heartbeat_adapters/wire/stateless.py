"""MCP without a handshake, revision 2026-07-28: each request says all that is needed to answer it (17).

It keeps no state: one request tells nothing about the next. `mcp` asks here first. It is light to import,
so that `server/discover` can be answered before the core is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heartbeat_adapters.wire.handshake import (
    INSTRUCTIONS_WITHOUT_WAKES,
    PROTOCOL_VERSIONS,
    SERVER_INFO,
    advertises_mcpl,
)
from heartbeat_adapters.wire.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Params, RpcError

REVISION = "2026-07-28"
DISCOVER = "server/discover"
UNSUPPORTED_VERSION = -32022

_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"

_SERVED = (DISCOVER, "tools/list", "tools/call")
_CACHED: Mapping[str, object] = {"ttlMs": 3_600_000, "cacheScope": "public"}
"""An hour: what may be kept changes only with the installed version."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a request says of its sender, as it came."""

    version: object
    capabilities: object


def read_envelope(params: Params) -> Envelope | None:
    """Give what a request says of its sender; None for a request of an older revision (17.1)."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict) or _VERSION not in meta:
        return None
    return Envelope(meta[_VERSION], meta.get(_CAPABILITIES))


def check(method: str, envelope: Envelope, *, handshake: bool) -> None:
    """Raise RpcError for what this revision refuses (17.2).

    A probe that is answered keeps the client from ever sending `initialize`, without which no wake can
    reach it. So one that could be woken is told to fall back; with `handshake` each is (17.4).
    """
    if method == DISCOVER and (handshake or advertises_mcpl(envelope.capabilities)):
        raise _not_found(method)
    if not isinstance(envelope.version, str):
        raise RpcError(INVALID_PARAMS, f"Invalid params: _meta[{_VERSION!r}] must be a string")
    if not isinstance(envelope.capabilities, dict):
        raise RpcError(
            INVALID_PARAMS, f"Invalid params: _meta[{_CAPABILITIES!r}] must be there, and be an object"
        )
    if envelope.version != REVISION:
        raise _unsupported(envelope.version)
    if method not in _SERVED:
        raise _not_found(method)


def discovered() -> dict[str, object]:
    """The answer to `server/discover`, but for what each answer carries."""
    return {
        "supportedVersions": [REVISION],
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS_WITHOUT_WAKES,
    }


def as_answer(method: str, result: Mapping[str, object]) -> dict[str, object]:
    """A result with what this revision has in each (17.3)."""
    kept = {} if method == "tools/call" else _CACHED
    return {**result, "resultType": "complete", **kept, "_meta": {_SERVER_INFO: dict(SERVER_INFO)}}


def _unsupported(version: str) -> RpcError:
    # The older ones are among them, since a client that has only those then falls back to `initialize`.
    supported = [REVISION, *PROTOCOL_VERSIONS]
    text = f"Unsupported protocol version: without initialize, requests are served by {REVISION} only"
    return RpcError(UNSUPPORTED_VERSION, text, {"supported": supported, "requested": version})


def _not_found(method: str) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, f"Method not found: {method[:200]}")
