"""What those are called that logs and replies speak of: over a wire, and in one process (9.6).

This is the one place that knows the words of both. The reasons of 4.8 have one wording everywhere: they come
only where somebody asked for a host's policy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parties:
    """Who takes wakes, and who this heartbeat is. `silent_needs` is what silent mode asks of the former."""

    listener: str
    program: str
    silent_needs: str


OVER_A_WIRE = Parties(
    listener="the host",
    program="the server",
    silent_needs="a host that knows silent wakes, with this server under the id heartbeat",
)
"""A server, and the host that started it."""

IN_PROCESS = Parties(
    listener="the agent",
    program="the heartbeat",
    silent_needs="an agent that takes wakes without a text",
)
"""A heartbeat in the process of its agent, which takes the wakes itself."""
