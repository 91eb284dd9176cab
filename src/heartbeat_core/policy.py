"""The policy gate: what the host has granted, and why a wake is not deliverable (4.2 to 4.8).

`Policy` is a value: each word of the host gives the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

FEATURE_SET = "heartbeat"
NEEDED_CAPABILITIES = ("tools", "pushEvents")
"""What the feature set `heartbeat` uses, in the order in which it is declared (4.1)."""


def matches(pattern: str, path: str) -> bool:
    """Whether `pattern` matches `path`: segment by segment, `*` for exactly one whole segment (4.3)."""
    wanted, actual = pattern.split("."), path.split(".")
    return len(wanted) == len(actual) and all(w in ("*", a) for w, a in zip(wanted, actual, strict=True))


def _any_matches(patterns: Sequence[str], path: str) -> bool:
    return any(matches(pattern, path) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Update:
    """The params of one `featureSets/update`, checked (4.2). None for a list that was not sent."""

    effective: tuple[str, ...] | None = None
    denied: tuple[str, ...] | None = None
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why the params of a `featureSets/update` cannot be a policy: one sentence for the host's maker.

    `disabled` is what of them counts all the same where they came as a Notification (4.7).
    """

    problem: str
    disabled: tuple[str, ...] = ()


_MEMBERS = {
    "effectiveCapabilities": "effective",
    "deniedCapabilities": "denied",
    "enabled": "enabled",
    "disabled": "disabled",
}


def read_update(params: object) -> Update | Malformed:
    """Check the params of a `featureSets/update`; unknown members are ignored, None counts as absent."""
    if params is None:
        return Update()
    if not isinstance(params, Mapping):
        return Malformed("params must be an object")
    wrong = [name for name in _MEMBERS if name in params and not _is_text_list(params[name])]
    if wrong:
        problem = f"{' and '.join(wrong)} must be a list of strings"
        return Malformed(problem, _texts_in(params.get("disabled")))
    update = Update(**{field: tuple(params[name]) for name, field in _MEMBERS.items() if name in params})
    both = sorted(set(update.effective or ()) & set(update.denied or ()))
    if both:
        problem = f"{', '.join(both)} cannot be in both effectiveCapabilities and deniedCapabilities"
        return Malformed(problem, update.disabled or ())
    return update


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _texts_in(value: object) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


class Reason(Enum):
    """Why no wake is deliverable, in the order in which 4.8 gives them; the value is the one wording.

    The first two are no word of the host's: what is stored cannot be relied on (16.3, 16.4).
    """

    AWAY = "the database cannot be reached"
    ELSEWHERE = "another server has this agent"
    MCP_ONLY = "host is MCP-only"
    NO_REQUEST = "no valid featureSets/update Request in force (none yet, or the last was malformed)"
    ONLY_NOTIFIED = "host sent featureSets/update only as a Notification"
    NOT_GRANTED = "capability not granted"
    DISABLED = "feature set disabled by the host"
    NOT_ENABLED = "feature set not among those enabled"


_REMEDIES = {
    Reason.AWAY: "see what the log says of the database",
    Reason.ELSEWHERE: "stop the other server, or wait until it ends",
    Reason.MCP_ONLY: "use a host that speaks MCPL to be woken",
    Reason.NO_REQUEST: "the host must send featureSets/update as a Request after initialize",
    Reason.ONLY_NOTIFIED: "the host must send featureSets/update as a Request, with an id",
    Reason.NOT_GRANTED: "allow that for this server in the host's settings",
    Reason.DISABLED: f"take {FEATURE_SET} out of the host's disabled feature sets",
    Reason.NOT_ENABLED: f"add {FEATURE_SET} to the host's enabled feature sets",
}


@dataclass(frozen=True, slots=True)
class Blocked:
    """That no wake is deliverable, and why. `str()` is the wording used everywhere (4.8)."""

    reason: Reason
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.missing:
            return f"{self.reason.value}: {', '.join(self.missing)}"
        return self.reason.value

    @property
    def remedy(self) -> str:
        """What the operator can do about it."""
        return _REMEDIES[self.reason]

    @property
    def for_good(self) -> bool:
        """Whether this host will never deliver a wake, as it stands (7.5)."""
        return self.reason in (Reason.MCP_ONLY, Reason.ONLY_NOTIFIED)


@dataclass(frozen=True)
class Policy:
    """What the host allows, as its last word stands.

    `grant` is the policy in force: the last Request, if it was valid, less what Notifications took away
    since. `requested`: a Request has come, valid or not; `notified`: a Notification has; `settled`: a valid
    Request has. `withheld` is a reason that no host can lift (16.3, 16.4).
    """

    mcp_only: bool = False
    grant: Update | None = None
    requested: bool = False
    notified: bool = False
    settled: bool = False
    withheld: Reason | None = None

    @classmethod
    def open(cls) -> Policy:
        """The policy of an agent in the same process: all that there is, without an exchange (9.2)."""
        return cls().requested_with(Update(effective=NEEDED_CAPABILITIES))

    def requested_with(self, update: Update | Malformed) -> Policy:
        """A Request came: it replaces everything before it; a malformed one clears the grant (4.2)."""
        if isinstance(update, Malformed):
            return replace(self, grant=None, requested=True)
        return replace(self, grant=update, requested=True, settled=True)

    def notified_with(self, update: Update | Malformed) -> Policy:
        """A Notification came: all that it can do is disable more of what is in force (4.7)."""
        policy = replace(self, notified=True)
        if policy.grant is None:
            return policy
        if not _any_matches(update.disabled or (), FEATURE_SET):
            return policy  # whatever else it disables decides nothing here, and would only pile up
        return replace(policy, grant=replace(policy.grant, disabled=(FEATURE_SET,)))

    @cached_property
    def blocked(self) -> Blocked | None:
        """Why no wake is deliverable, the first reason of 4.8 that holds; None when one is."""
        if self.withheld is not None:
            return Blocked(self.withheld)
        if self.mcp_only:
            return Blocked(Reason.MCP_ONLY)
        if self.grant is None:
            only_notified = self.notified and not self.requested
            return Blocked(Reason.ONLY_NOTIFIED if only_notified else Reason.NO_REQUEST)
        missing = self.missing_capabilities
        if missing:
            return Blocked(Reason.NOT_GRANTED, missing)
        if _any_matches(self.grant.disabled or (), FEATURE_SET):
            return Blocked(Reason.DISABLED)
        if self.grant.enabled is not None and not _any_matches(self.grant.enabled, FEATURE_SET):
            return Blocked(Reason.NOT_ENABLED)
        return None

    @property
    def missing_capabilities(self) -> tuple[str, ...]:
        """The capabilities that the feature set needs and the policy in force does not grant (4.3)."""
        granted = (self.grant.effective if self.grant else None) or ()
        return tuple(path for path in NEEDED_CAPABILITIES if not _any_matches(granted, path))


def receipt(policy: Policy) -> dict[str, object]:
    """The answer to a valid Request, as MCPL 0.5 has it (4.5)."""
    blocked = policy.blocked
    if blocked is None:
        return {"accepted": True, "mode": "full", "unavailableFeatures": [], "notes": []}
    lost = {
        "featureSet": FEATURE_SET,
        "missingCapabilities": list(policy.missing_capabilities),
        "effect": "disabled",
    }
    note = f"No heartbeat and no reminder will reach the agent: {blocked}. The tools keep answering."
    return {"accepted": True, "mode": "degraded", "unavailableFeatures": [lost], "notes": [note]}
