"""What is said at `initialize`, for everything that a host may say there."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heartbeat_adapters.wire.handshake import PROTOCOL_VERSIONS, hello_back, read_hello

NEWEST = "2025-11-25"


def hello(**params: object) -> dict[str, Any]:
    return hello_back(read_hello(params))


def with_mcpl(mcpl: object) -> Any:
    """What the answer says of MCPL, None where it says nothing."""
    answer = hello(capabilities={"experimental": {"mcpl": mcpl}})
    return answer["capabilities"].get("experimental", {}).get("mcpl")


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-03-26", "2025-06-18", NEWEST])
def test_a_protocol_version_that_is_known_is_answered_with_itself(asked: str) -> None:
    """3.1"""
    assert hello(protocolVersion=asked)["protocolVersion"] == asked
    assert asked in PROTOCOL_VERSIONS


@pytest.mark.parametrize("asked", ["2026-07-28", "2024-10-07", "", "latest", None, 5, ["2024-11-05"], {}])
def test_any_other_protocol_version_is_answered_with_the_newest(asked: object) -> None:
    """3.1"""
    assert hello(protocolVersion=asked)["protocolVersion"] == NEWEST


def test_the_server_says_who_it_is_and_what_its_tools_are_for() -> None:
    """3.1"""
    answer = hello()
    info = answer["serverInfo"]
    assert info == {"name": "heartbeat-mcpl", "title": info["title"], "version": version("heartbeat-mcpl")}
    assert info["title"]
    assert answer["capabilities"] == {"tools": {}}
    assert "heartbeat_configure" in answer["instructions"]
    assert 1 < answer["instructions"].count(". ") < 6


@pytest.mark.parametrize("capabilities", [None, {}, [], "mcpl", {"experimental": None}, {"experimental": []}])
def test_to_a_host_that_advertises_no_mcpl_nothing_is_said_of_it(capabilities: object) -> None:
    """4.1"""
    assert hello(capabilities=capabilities)["capabilities"] == {"tools": {}}
    assert not read_hello({"capabilities": capabilities}).speaks_mcpl


@pytest.mark.parametrize("mcpl", [None, False])
def test_mcpl_that_is_false_or_null_is_not_advertised(mcpl: object) -> None:
    """4.1"""
    assert with_mcpl(mcpl) is None


@pytest.mark.parametrize("mcpl", [True, {}, [], 0, "", "0.5", {"version": None}])
def test_any_other_value_advertises_mcpl(mcpl: object) -> None:
    """4.1"""
    said = with_mcpl(mcpl)
    assert (said["version"], said["pushEvents"]) == ("0.5", True)


@pytest.mark.parametrize("said", ["0.5", "0.5.0", "0.10", "1", "1.0", "2.3.4"])
def test_to_a_host_of_today_the_feature_sets_are_keyed_by_name(said: str) -> None:
    """4.1"""
    (name, feature_set), *others = with_mcpl({"version": said})["featureSets"].items()
    assert (name, others) == ("heartbeat", [])
    assert feature_set["description"]
    assert feature_set["uses"] == ["tools", "pushEvents"]
    assert feature_set["rollback"] is False
    assert len(feature_set) == 3


@pytest.mark.parametrize(
    "said",
    [
        "0.4",
        "0.4.9",
        "0",
        "0.05.1.",
        "",
        "v0.5",
        "0.5-rc1",
        "٠.٥",
        "0.5\n",
        None,
        0.5,
        5,
        ["0.5"],
        "1" * 9999,
    ],
)
def test_to_an_older_host_or_one_that_says_no_version_they_are_a_list(said: object) -> None:
    """4.1"""
    (feature_set,) = with_mcpl({"version": said})["featureSets"]
    assert feature_set["name"] == "heartbeat"
    assert feature_set["uses"] == ["tools", "pushEvents"]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["experimental", "mcpl", "version"]), inner)
    ),
)


@given(st.dictionaries(st.sampled_from(["protocolVersion", "capabilities", "clientInfo"]), JSON))
def test_whatever_a_host_says_it_is_answered(params: dict[str, object]) -> None:
    """3.1, 4.1: what is missing or odd counts as not said."""
    answer = hello(**params)
    assert answer["protocolVersion"] in PROTOCOL_VERSIONS
    assert ("experimental" in answer["capabilities"]) == read_hello(params).speaks_mcpl


def test_a_host_without_mcpl_is_told_that_no_wake_can_come() -> None:
    """3.1: what the instructions say reaches the model's prompt"""
    without = hello_back(read_hello({}))["instructions"]
    assert "cannot be sent wakes" in str(without)
    assert "no reminder will fire" in str(without)
    assert "You are woken" not in str(without)
    speaking = hello_back(read_hello({"capabilities": {"experimental": {"mcpl": {}}}}))["instructions"]
    assert str(speaking).startswith("You are woken by this server")
