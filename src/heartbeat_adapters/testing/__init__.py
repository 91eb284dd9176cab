"""Fakes for those who test their own agents: a clock, a transport, stores, a host, and all of them together.

Each is the fake of a port, and passes the same suite as the real adapter. `Bench` puts them together.
"""

from heartbeat_adapters.testing.bench import ALLOWED, UTC_ZONE, Bench
from heartbeat_adapters.testing.counting_ids import CountingIds
from heartbeat_adapters.testing.fake_clock import FakeClock
from heartbeat_adapters.testing.memory_stores import MemoryReminderStore, MemoryScheduleStore
from heartbeat_adapters.testing.recording_log import RecordingLog
from heartbeat_adapters.testing.recording_transport import RecordingTransport

__all__ = [
    "ALLOWED",
    "UTC_ZONE",
    "Bench",
    "CountingIds",
    "FakeClock",
    "MemoryReminderStore",
    "MemoryScheduleStore",
    "RecordingLog",
    "RecordingTransport",
]
