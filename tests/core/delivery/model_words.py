"""What a host can ask and do in the model, and the reason that each request leaves for not delivering."""

from __future__ import annotations

NO_REQUEST = "no valid featureSets/update Request in force (none yet, or the last was malformed)"
ONLY_NOTIFIED = "host sent featureSets/update only as a Notification"
MCP_ONLY = "host is MCP-only"
DISABLED = "feature set disabled by the host"
BOTH = ["tools", "pushEvents"]

REQUESTS: list[tuple[object, str | None]] = [
    ({"effectiveCapabilities": BOTH}, None),
    ({"effectiveCapabilities": ["*"], "enabled": ["*"], "deniedCapabilities": ["channels"]}, None),
    (None, "capability not granted: tools, pushEvents"),
    ({"effectiveCapabilities": ["tools", "push*"]}, "capability not granted: pushEvents"),
    ({"effectiveCapabilities": BOTH, "disabled": ["heartbeat"]}, DISABLED),
    ({"effectiveCapabilities": BOTH, "enabled": []}, "feature set not among those enabled"),
    ({"effectiveCapabilities": "*"}, NO_REQUEST),
    ([], NO_REQUEST),
]

INTENTS = ("take", "refuse", "error", "fail", "fail after hearing", "hear without a word", "lose")
