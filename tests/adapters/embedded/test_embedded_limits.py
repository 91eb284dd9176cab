"""Limits that an embedder sets for its agent (15.4, 9.6)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from embedded_worlds import Agent, in_a_loop

from heartbeat_adapters import embed
from heartbeat_adapters.testing import FakeClock, pass_time
from heartbeat_core import Limits, Wake

LIMITS = Limits(min_interval=timedelta(minutes=15), max_wakes_per_hour=2, max_reminders=1)
HOUR = timedelta(hours=1)


def test_an_embedded_agent_is_kept_to_them_and_reads_of_them() -> None:
    """15.3, 15.4"""

    async def run() -> None:
        heard: list[datetime] = []

        def handler(wake: Wake) -> None:
            heard.append(wake.sent_at)

        clock = FakeClock()
        async with embed(handler, clock=clock, limits=LIMITS) as heartbeat:
            heartbeat.configure(interval=timedelta(minutes=15))
            assert " | limits=min-interval 900s, " in heartbeat.call("heartbeat_status").text
            await pass_time(heartbeat, clock, timedelta(days=2))
        assert len(heard) > 90
        assert all(later - first > HOUR for first, later in zip(heard, heard[2:], strict=False))

    in_a_loop(run)


def test_typed_calls_raise_what_the_tools_would_refuse_and_change_nothing() -> None:
    """15.2, 9.7"""

    async def run() -> None:
        async with embed(Agent(), clock=FakeClock(), limits=LIMITS) as heartbeat:
            before = heartbeat.snapshot()
            with pytest.raises(ValueError, match="min-interval 900s allows, a limit that the operator set"):
                heartbeat.add("tea", every=timedelta(minutes=14))
            with pytest.raises(ValueError, match="min-interval 900s"):
                heartbeat.configure(interval=timedelta(minutes=14))
            assert heartbeat.snapshot() == before
            heartbeat.add("tea", after=HOUR)
            with pytest.raises(ValueError, match="max-reminders 1"):
                heartbeat.add("tea", after=HOUR)
            heartbeat.trigger()
            heartbeat.trigger()
            with pytest.raises(RuntimeError, match="max-wakes-per-hour 2"):
                heartbeat.trigger()

    in_a_loop(run)


def test_what_is_no_limits_is_a_type_error_when_it_is_given() -> None:
    """9.6"""
    with pytest.raises(TypeError, match="limits must be a Limits, and is dict"):
        embed(Agent(), limits={"max_reminders": 1})  # type: ignore[arg-type]
