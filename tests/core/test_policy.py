"""The policy gate as a pure rule (4.2 to 4.8): what the host says, and what follows from it."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from heartbeat_core.policy import Blocked, Malformed, Policy, Reason, Update, matches, read_update, receipt

BOTH = ["tools", "pushEvents"]


def requested(**params: object) -> Policy:
    return Policy().requested_with(read_update(params))


def reason_of(policy: Policy) -> Reason | None:
    return policy.blocked.reason if policy.blocked else None


# Patterns


@pytest.mark.parametrize(
    ("pattern", "path", "does"),
    [
        ("tools", "tools", True),
        ("*", "tools", True),
        ("*", "pushEvents", True),
        ("push*", "pushEvents", False),
        ("*Events", "pushEvents", False),
        ("pushEvents.*", "pushEvents", False),
        ("pushEvents", "pushEvents.heartbeat", False),
        ("*", "pushEvents.heartbeat", False),
        ("*.*", "pushEvents.heartbeat", True),
        ("Tools", "tools", False),
        ("", "tools", False),
        ("**", "tools", False),
    ],
)
def test_a_pattern_matches_a_path_segment_by_segment(pattern: str, path: str, does: bool) -> None:
    """4.3"""
    assert matches(pattern, path) is does


@given(st.lists(st.sampled_from(["a", "b", "*", "a*", ""]), min_size=1, max_size=4))
def test_a_star_for_each_segment_matches_every_path_of_as_many_segments_and_no_other(path: list[str]) -> None:
    """4.3"""
    stars = [".".join("*" * count) for count in range(1, 6)]
    assert [matches(pattern, ".".join(path)) for pattern in stars] == [len(path) == n for n in range(1, 6)]


# Requests


@pytest.mark.parametrize("effective", [BOTH, ["*"], ["other", "pushEvents", "tools"]])
def test_what_is_granted_is_deliverable(effective: list[str]) -> None:
    """4.3"""
    assert requested(effectiveCapabilities=effective).blocked is None


@pytest.mark.parametrize(
    ("effective", "missing"),
    [
        ([], ("tools", "pushEvents")),
        (["tools"], ("pushEvents",)),
        (["pushEvents"], ("tools",)),
        (["tools", "push*"], ("pushEvents",)),
        (["tools", "pushEvents.heartbeat"], ("pushEvents",)),
        (["*.*"], ("tools", "pushEvents")),
    ],
)
def test_what_is_not_granted_is_named(effective: list[str], missing: tuple[str, ...]) -> None:
    """4.3, 4.4, 4.8"""
    policy = requested(effectiveCapabilities=effective)
    assert policy.blocked == Blocked(Reason.NOT_GRANTED, missing)
    assert str(policy.blocked) == f"capability not granted: {', '.join(missing)}"


@pytest.mark.parametrize("params", [None, {}, {"enabled": ["heartbeat"]}])
def test_a_request_without_a_grant_is_valid_and_grants_nothing(params: object) -> None:
    """4.2, 4.3"""
    policy = Policy().requested_with(read_update(params))
    assert policy.settled
    assert policy.missing_capabilities == ("tools", "pushEvents")


def test_denied_capabilities_take_part_in_no_decision() -> None:
    """4.3"""
    assert requested(effectiveCapabilities=["*"], deniedCapabilities=["pushEvents"]).blocked is None


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        ({}, None),
        ({"enabled": ["heartbeat"]}, None),
        ({"enabled": ["*"]}, None),
        ({"enabled": []}, Reason.NOT_ENABLED),
        ({"enabled": ["other"]}, Reason.NOT_ENABLED),
        ({"enabled": ["heartbeat.*"]}, Reason.NOT_ENABLED),
        ({"disabled": []}, None),
        ({"disabled": ["other"]}, None),
        ({"disabled": ["heartbeat.*"]}, None),
        ({"disabled": ["heart*"]}, None),
        ({"disabled": ["heartbeat"]}, Reason.DISABLED),
        ({"disabled": ["*"]}, Reason.DISABLED),
        ({"enabled": ["heartbeat"], "disabled": ["heartbeat"]}, Reason.DISABLED),
        ({"enabled": [], "disabled": ["heartbeat"]}, Reason.DISABLED),
    ],
)
def test_the_feature_set_is_off_when_disabled_or_not_among_those_enabled(
    lists: dict[str, object], reason: Reason | None
) -> None:
    """4.4, and 4.8 for the order"""
    assert reason_of(requested(effectiveCapabilities=BOTH, **lists)) is reason


@pytest.mark.parametrize(
    "params",
    [
        "all",
        7,
        True,
        False,
        [],
        {"effectiveCapabilities": "tools"},
        {"effectiveCapabilities": None},
        {"effectiveCapabilities": [1]},
        {"deniedCapabilities": {}},
        {"enabled": True},
        {"disabled": ["heartbeat", None]},
        {"effectiveCapabilities": ["tools"], "deniedCapabilities": ["tools"]},
    ],
)
def test_a_malformed_request_clears_the_grant(params: object) -> None:
    """4.2"""
    update = read_update(params)
    assert isinstance(update, Malformed)
    assert reason_of(requested(effectiveCapabilities=BOTH).requested_with(update)) is Reason.NO_REQUEST


def test_a_malformed_request_is_told_everything_that_is_wrong() -> None:
    """4.2"""
    update = read_update({"enabled": 1, "disabled": 2, "effectiveCapabilities": []})
    assert update == Malformed("enabled and disabled must be a list of strings")


def test_the_entry_that_is_granted_and_denied_at_once_is_named() -> None:
    """4.2"""
    update = read_update({"effectiveCapabilities": ["a", "b"], "deniedCapabilities": ["b", "c"]})
    assert isinstance(update, Malformed)
    assert update.problem.startswith("b ")


def test_a_pattern_that_covers_a_denied_entry_is_not_the_same_entry() -> None:
    """4.2"""
    assert requested(effectiveCapabilities=["*"], deniedCapabilities=["tools"]).blocked is None


def test_unknown_members_are_ignored() -> None:
    """4.2"""
    assert requested(effectiveCapabilities=BOTH, later={"deep": 1}).blocked is None


def test_a_request_replaces_the_one_before() -> None:
    """4.2"""
    off = requested(effectiveCapabilities=BOTH, disabled=["heartbeat"])
    assert off.requested_with(read_update({"effectiveCapabilities": BOTH})).blocked is None


# Notifications


def test_a_notification_never_makes_wakes_deliverable() -> None:
    """4.7"""
    update = read_update({"effectiveCapabilities": BOTH, "enabled": ["heartbeat"]})
    assert reason_of(Policy().notified_with(update)) is Reason.ONLY_NOTIFIED
    denied = requested(effectiveCapabilities=[])
    assert reason_of(denied.notified_with(update)) is Reason.NOT_GRANTED


def test_a_notification_disables_until_the_next_request() -> None:
    """4.7"""
    reduced = requested(effectiveCapabilities=BOTH).notified_with(read_update({"disabled": ["heartbeat"]}))
    assert reason_of(reduced) is Reason.DISABLED
    assert reduced.requested_with(read_update({"effectiveCapabilities": BOTH})).blocked is None


def test_a_later_notification_does_not_take_a_reduction_back() -> None:
    """4.7"""
    policy = requested(effectiveCapabilities=BOTH)
    lists: list[dict[str, object]] = [
        {"disabled": ["heartbeat"]},
        {"disabled": []},
        {"enabled": ["heartbeat"]},
    ]
    for params in lists:
        policy = policy.notified_with(read_update(params))
    assert reason_of(policy) is Reason.DISABLED


MALFORMED_BESIDE = [
    {"enabled": 5},
    {"effectiveCapabilities": "x"},
    {"deniedCapabilities": [1]},
    {"effectiveCapabilities": ["a"], "deniedCapabilities": ["a"]},
    {"enabled": None, "effectiveCapabilities": {}, "deniedCapabilities": True},
]


@pytest.mark.parametrize("beside", MALFORMED_BESIDE, ids=str)
@pytest.mark.parametrize("disabled", [["heartbeat"], ["other", "*"], ["heartbeat", 5, None]], ids=str)
def test_a_notification_disables_however_malformed_the_rest_of_it_is(
    beside: dict[str, object], disabled: list[object]
) -> None:
    """4.7: also where the list has entries that are no names"""
    policy = requested(effectiveCapabilities=BOTH)
    reduced = policy.notified_with(read_update({"disabled": disabled, **beside}))
    assert reason_of(reduced) is Reason.DISABLED


@pytest.mark.parametrize("beside", MALFORMED_BESIDE, ids=str)
def test_a_malformed_request_with_a_list_of_what_is_disabled_clears_the_grant_all_the_same(
    beside: dict[str, object],
) -> None:
    """4.2"""
    update = read_update({"disabled": ["heartbeat"], **beside})
    assert isinstance(update, Malformed)
    assert Policy.open().requested_with(update).grant is None


@pytest.mark.parametrize("params", [{"enabled": []}, {"effectiveCapabilities": []}, "?", {"disabled": "*"}])
def test_all_else_in_a_notification_changes_nothing(params: object) -> None:
    """4.7"""
    assert requested(effectiveCapabilities=BOTH).notified_with(read_update(params)).blocked is None


def test_a_notification_after_a_malformed_request_is_not_the_only_thing_that_came() -> None:
    """4.8"""
    policy = Policy().requested_with(Malformed("bad")).notified_with(Update())
    assert reason_of(policy) is Reason.NO_REQUEST


def test_a_disabling_notification_before_the_first_request_does_not_outlive_it() -> None:
    """4.7"""
    policy = Policy().notified_with(Update(disabled=("heartbeat",)))
    assert policy.requested_with(Update(effective=("*",))).blocked is None


# Reasons and receipts


def test_a_host_that_speaks_no_mcpl_is_the_first_reason_of_all() -> None:
    """4.1, 4.8"""
    policy = Policy(mcp_only=True)
    assert str(policy.blocked) == "host is MCP-only"
    assert str(policy.notified_with(Update()).blocked) == "host is MCP-only"


def test_what_is_stored_comes_before_whatever_the_host_says() -> None:
    """16.4, 4.8"""
    assert reason_of(Policy(mcp_only=True, withheld=Reason.AWAY)) is Reason.AWAY


def test_the_first_reason_of_the_list_is_given_where_several_hold() -> None:
    """4.8"""
    policy = requested(effectiveCapabilities=["tools"], disabled=["heartbeat"], enabled=[])
    assert reason_of(policy) is Reason.NOT_GRANTED


def test_the_reasons_have_the_words_that_the_contract_gives_them() -> None:
    """4.8, 16.3, 16.4"""
    assert [reason.value for reason in Reason] == [
        "the database cannot be reached",
        "another server has this agent",
        "host is MCP-only",
        "no valid featureSets/update Request in force (none yet, or the last was malformed)",
        "host sent featureSets/update only as a Notification",
        "capability not granted",
        "feature set disabled by the host",
        "feature set not among those enabled",
    ]


def test_only_a_host_without_mcpl_or_with_notifications_alone_never_wakes() -> None:
    """7.5"""
    assert [reason for reason in Reason if Blocked(reason).for_good] == [
        Reason.MCP_ONLY,
        Reason.ONLY_NOTIFIED,
    ]


def test_the_receipt_of_a_full_grant() -> None:
    """4.5"""
    assert receipt(requested(effectiveCapabilities=BOTH)) == {
        "accepted": True,
        "mode": "full",
        "unavailableFeatures": [],
        "notes": [],
    }


@pytest.mark.parametrize(
    ("params", "missing"),
    [
        ({"effectiveCapabilities": ["tools"]}, ["pushEvents"]),
        ({}, ["tools", "pushEvents"]),
        ({"effectiveCapabilities": BOTH, "disabled": ["*"]}, []),
    ],
)
def test_a_degraded_receipt_says_what_is_missing_and_what_will_not_happen(
    params: dict[str, object], missing: list[str]
) -> None:
    """4.5"""
    policy = requested(**params)
    given = receipt(policy)
    assert given["accepted"] is True
    assert given["mode"] == "degraded"
    assert given["unavailableFeatures"] == [
        {"featureSet": "heartbeat", "missingCapabilities": missing, "effect": "disabled"}
    ]
    assert str(policy.blocked) in str(given["notes"])


def test_an_agent_in_the_same_process_needs_no_exchange() -> None:
    """9.2"""
    assert Policy.open().blocked is None


def test_notifications_do_not_pile_up() -> None:
    """4.7: months of them leave a policy as small as one does"""
    policy = Policy.open()
    for number in range(1_000):
        policy = policy.notified_with(Update(disabled=(f"other{number}", "heartbeat")))
    assert policy.grant is not None
    assert policy.grant.disabled == ("heartbeat",)
    assert policy.blocked is not None
