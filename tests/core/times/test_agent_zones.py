"""Zones as values: when two are one."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

from heartbeat_core.times.moments import AgentZone


def test_zones_of_one_name_are_equal_wherever_their_rules_were_read() -> None:
    """10.8: a file keeps the name alone"""
    one, other = AgentZone("UTC", UTC), AgentZone("UTC", ZoneInfo("UTC"))
    assert one == other
    assert hash(one) == hash(other)
    assert one != AgentZone("Etc/UTC", UTC)


def test_zones_without_a_name_are_equal_where_their_rules_are() -> None:
    """1.2"""
    assert AgentZone("", UTC) == AgentZone("", UTC)
    assert AgentZone("", UTC) != AgentZone("", ZoneInfo("Asia/Tokyo"))
