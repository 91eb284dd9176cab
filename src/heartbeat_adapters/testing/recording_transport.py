"""A transport that keeps what is pushed, for tests that play the host themselves."""

from __future__ import annotations

from heartbeat_core.wakes import Wake


class RecordingTransport:
    """Implements `heartbeat_core.ports.Transport`: every wake lands in `wakes`, in order.

    Set `has_room` to False to play a host that does not read; after setting it back, call
    `Heartbeat.transport_ready()`, as an adapter would.
    """

    def __init__(self) -> None:
        self.wakes: list[Wake] = []
        self.has_room = True

    def push(self, wake: Wake) -> None:
        """Keep the wake."""
        self.wakes.append(wake)

    def ready(self) -> bool:
        """What `has_room` says."""
        return self.has_room

    def take(self) -> list[Wake]:
        """The wakes since the last time this was asked."""
        taken, self.wakes = self.wakes, []
        return taken
